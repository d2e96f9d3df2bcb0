// SPDX-License-Identifier: BSD-3-Clause
// vk_layers_test.c - layers on a Vulkan device against the same layers on the CPU, side by side in one net.
#include "vk_fixture.h"
#include "order.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16 };

static void fill(float *v, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) v[i] = (float)((i * 37 + seed * 101) % 199) / 24.f - 3.7f;
}

static void borrow(ebb_extractor *x, const char *name, const ebb_desc *d, const float *v)
{
    ebb_error e = {0};
    ck_assert_msg(ebb_extractor_borrow(x, name, d, v, &e) == EBB_OK, "%s", e.msg);
}

static bool close_to(float y, float want, float tolerance)
{
    if (isnan(want) || isnan(y)) return isnan(want) && isnan(y);
    return y == want || fabsf(y - want) <= tolerance * (1 + fabsf(want));
}

// Extracts y<op> and want<op> and compares them.
static void check_pair(ebb_extractor *x, int op, float tolerance, const char *what)
{
    ebb_error e = {0};
    ebb_blob *b[2];
    char y[16], want[16];
    snprintf(y, sizeof y, "y%d", op);
    snprintf(want, sizeof want, "want%d", op);
    const char *const names[] = {y, want};
    ck_assert_msg(ebb_extractor_extract_many(x, names, 2, EBB_TAKE_PLANAR, b, &e) == EBB_OK, "%s: %s", what,
                  e.msg);
    ck_assert_msg(ebb_desc_same_shape(ebb_blob_desc(b[0]), ebb_blob_desc(b[1])), "%s", what);
    for (size_t i = 0, n = ebb_desc_count(ebb_blob_desc(b[0])); i < n; i++)
        ck_assert_msg(close_to(ebb_f32(b[0])[i], ebb_f32(b[1])[i], tolerance),
                      "%s, element %zu: %.9g, not %.9g", what, i, (double)ebb_f32(b[0])[i],
                      (double)ebb_f32(b[1])[i]);
    ebb_blob_drop(b[0]);
    ebb_blob_drop(b[1]);
    ebb_extractor_reset(x);
}

// ------------------------------------------------------------------------------------------- BinaryOp

enum { OPS = 19 };

// All operations, on the device and on the CPU, with the same rows; two inputs, or one.
static ebb_net *binary_net(const char *rows, bool two)
{
    static char layers[OPS * 160];
    const char *const in = two ? "2 1 a b" : "1 1 a";
    size_t at = (size_t)snprintf(layers, sizeof layers, "Input a 0 1 a\nInput b 0 1 b\n");
    for (int op = 0; op < OPS; op++)
        at += (size_t)snprintf(layers + at, sizeof layers - at,
                               "BinaryOp d%d %s y%d 0=%d %s\nBinaryOp c%d %s want%d 0=%d %s 31=16\n", op, in,
                               op, op, rows, op, in, op, op, rows);
    return vk_net(layers);
}

static const struct {
    int rank[2], dim[2][4];
} pairs[] = {
    {{3, 3}, {{3, 5, 7}, {3, 5, 7}}},
    {{3, 3}, {{3, 5, 7}, {1, 5, 1}}},
    {{3, 3}, {{1, 5, 1}, {3, 1, 7}}},
    {{3, 1}, {{3, 5, 7}, {3}}},
    {{1, 3}, {{7}, {3, 5, 7}}},
    {{2, 3}, {{3, 5}, {3, 5, 7}}},
    {{1, 1}, {{1}, {33}}},
    {{4, 4}, {{2, 3, 1, 5}, {1, 3, 17, 5}}},
    {{4, 2}, {{2, 3, 4, 5}, {2, 3}}},
    {{2, 2}, {{17, 1}, {1, 33}}},
    {{1, 1}, {{1}, {1}}},
    {{2, 2}, {{0, 3}, {1, 3}}},
};

START_TEST(binary_broadcasts)
{
    static float a[ROOM], b[ROOM];
    fill(a, ROOM, 1);
    fill(b, ROOM, 2);
    ebb_net *net = binary_net("", true);
    ebb_extractor *x = open_on(net, NULL);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int orders = 0; orders < 4; orders++) {
            char what[64];
            snprintf(what, sizeof what, "pair %zu, orders %d", i, orders);
            const ebb_desc da =
                (orders & 1 ? ebb_desc_pixel : ebb_desc_planar)(EBB_F32, pairs[i].rank[0], pairs[i].dim[0]);
            const ebb_desc db =
                (orders & 2 ? ebb_desc_pixel : ebb_desc_planar)(EBB_F32, pairs[i].rank[1], pairs[i].dim[1]);
            borrow(x, "a", &da, a);
            borrow(x, "b", &db, b);
            check_pair(x, 7, 0, what);
        }
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// Every number with every other: what is undefined in GLSL too. No quotient is denormal: devices may flush
// those.
static const float special[] = {0.f,       -0.f, 1.f,   -1.f,   2.f,     -2.f,  3.f,    -3.f,     0.5f,
                                -0.5f,     2.5f, -7.5f, 1e-30f, -1e-30f, 3e30f, -2e7f,  16777216, INFINITY,
                                -INFINITY, NAN,  0.1f,  -0.3f,  6.f,     127.f, -1e-7f, 0.9999f};

START_TEST(binary_ops)
{
    const int n = sizeof special / sizeof *special;
    ebb_net *net = binary_net("", true);
    ebb_extractor *x = open_on(net, NULL);
    for (int op = 0; op < OPS; op++) {
        char what[32];
        snprintf(what, sizeof what, "op %d", op);
        const ebb_desc column = ebb_desc_planar(EBB_F32, 2, (const int[]){n, 1}),
                       row = ebb_desc_planar(EBB_F32, 2, (const int[]){1, n});
        borrow(x, "a", &column, special);
        borrow(x, "b", &row, special);
        check_pair(x, op, 2e-5f, what);
    }
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

START_TEST(binary_scalar)
{
    static float a[ROOM];
    fill(a, ROOM, 3);
    ebb_net *net = binary_net("1=1 2=1.75", false);
    ebb_extractor *x = open_on(net, NULL);
    for (int op = 0; op < OPS; op++) {
        char what[32];
        snprintf(what, sizeof what, "op %d", op);
        const ebb_desc d = {.rank = 3, .dim = {5, 3, 17}, .stride = {1, 200, 7}};
        borrow(x, "a", &d, a);
        check_pair(x, op, 2e-5f, what);
    }
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// ------------------------------------------------------------------------------------------- Convolution

enum { HALF = 0x01306B47 };

typedef struct conv {
    const char *rows;  // besides 0, 5 and 6
    int ic, oc, taps;
    bool bias, half, on_device;
    int rank, dim[3];
} conv;

// The weights of one layer as a file has them; returns the bytes.
static size_t put_weights(unsigned char *to, const conv *c)
{
    const size_t n = (size_t)c->ic * (size_t)c->oc * (size_t)c->taps;
    const unsigned tag = c->half ? HALF : 0;
    size_t at = sizeof tag;
    memcpy(to, &tag, sizeof tag);
    for (size_t i = 0; i < n; i++) {
        const float v = (float)((int)(i * 29 % 31) - 15) / 16;
        const unsigned short half = ebb_f32_to_f16(v);
        memcpy(to + at, c->half ? (const void *)&half : &v, c->half ? 2 : 4);
        at += c->half ? 2 : 4;
    }
    for (; at % 4; at++) to[at] = 0;
    for (int i = 0; c->bias && i < c->oc; i++, at += 4) memcpy(to + at, &(float){(float)i / 8 - 1}, 4);
    return at;
}

// One net with each layer on the device and on the CPU.
static ebb_net *conv_net(const conv *c, int n)
{
    static unsigned char bin[4 * ROOM];
    static char layers[8000];
    size_t bytes = 0, at = 0;
    for (int k = 0; k < n; k++)
        at += (size_t)snprintf(layers + at, sizeof layers - at, "Input i%d 0 1 x%d\n", k, k);
    for (int k = 0; k < n; k++, c++) {
        char rows[160];
        snprintf(rows, sizeof rows, "0=%d 5=%d 6=%d %s", c->oc, c->bias, c->ic * c->oc * c->taps, c->rows);
        at += (size_t)snprintf(layers + at, sizeof layers - at,
                               "Convolution d%d 1 1 x%d y%d %s\nConvolution c%d 1 1 x%d want%d %s 31=16\n", k,
                               k, k, rows, k, k, k, rows);
        bytes += put_weights(bin + bytes, c);
        bytes += put_weights(bin + bytes, c);
    }
    ck_assert(vk_hold());
    return walk_net_made(vk_on_device, layers, bin, bytes, NULL);
}

// Planar, by pixels, and with holes.
static void check_orders(ebb_extractor *x, walk_text *t, const conv *c, int k)
{
    static float v[ROOM];
    char name[16], what[160];
    snprintf(name, sizeof name, "x%d", k);
    fill(v, ROOM, 5);
    ebb_desc d[3] = {ebb_desc_planar(EBB_F32, c->rank, c->dim), ebb_desc_pixel(EBB_F32, c->rank, c->dim)};
    d[2] = d[1];
    for (int i = 1; i < c->rank; i++) d[2].stride[i] = d[1].stride[i] * 2 + (i == 1 ? 3 : 0);
    for (int order = 0; order < 3; order++) {
        snprintf(what, sizeof what, "case %d, order %d", k, order);
        walk_text_clear(t);
        borrow(x, name, &d[order], v);
        check_pair(x, k, 1e-5f, what);
        ck_assert_msg((strstr(t->text, "move") != NULL) == c->on_device, "%s\n%s", what, t->text);
    }
}

START_TEST(convolutions)
{
    static const conv cases[] = {
        {"1=1", 1, 1, 1, false, false, true, 3, {1, 1, 1}},
        {"1=1", 3, 5, 1, true, false, true, 3, {3, 17, 33}},
        {"1=1 9=1", 17, 33, 1, true, false, true, 3, {17, 5, 7}},
        {"1=1 9=2 -23310=1,0.25", 33, 17, 1, false, true, true, 3, {33, 3, 1}},
        {"1=1 9=3 -23310=2,-0.5,1.5", 16, 32, 1, true, true, true, 3, {16, 8, 4}},
        {"1=1 9=4", 65, 3, 1, true, false, true, 3, {65, 1, 33}},
        {"1=1 9=5", 5, 64, 1, true, false, true, 3, {5, 9, 9}},
        {"1=1 9=6 -23310=2,0.2,0.5 2=3", 7, 9, 1, true, false, true, 3, {7, 3, 5}},
        {"1=1 4=-233", 4, 6, 1, true, false, true, 3, {4, 3, 5}},
        {"1=1", 40, 50, 1, true, false, true, 1, {40}},
        {"1=1", 1, 5, 1, true, false, true, 2, {3, 7}},
        {"1=1", 1, 5, 1, true, false, true, 1, {7}},
        {"1=3", 3, 5, 9, true, false, false, 3, {3, 7, 9}},
        {"1=1 11=3", 3, 5, 3, true, false, false, 3, {3, 7, 9}},
        {"1=1 3=2", 3, 5, 1, true, false, false, 3, {3, 7, 9}},
        {"1=1 13=2", 3, 5, 1, true, true, false, 3, {3, 7, 9}},
        {"1=1 4=1", 3, 5, 1, true, false, false, 3, {3, 7, 9}},
        {"1=1 16=1", 3, 5, 1, true, false, false, 3, {3, 7, 9}},
    };
    static walk_text t;
    const int n = sizeof cases / sizeof *cases;
    ebb_net *net = conv_net(cases, n);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&t, net)});
    for (int k = 0; k < n; k++) check_orders(x, &t, &cases[k], k);
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// A block of a network: pointwise, a sum with a blob from before, 3 x 3 on the CPU, pointwise, once on the
// device and once all on the CPU.
static void chain(char *layers, size_t room, char *bin, size_t *bytes)
{
    const conv first = {"", 3, 20, 1, true, false, true, 3, {0}},
               middle = {"", 20, 20, 9, true, true, false, 3, {0}},
               last = {"", 20, 9, 1, true, true, true, 3, {0}};
    size_t at = (size_t)snprintf(layers, room, "Input x 0 1 x\n");
    for (int k = 0; k < 2; k++) {
        const char *p = k ? "c" : "d", *rest = k ? "31=16" : "", *out = k ? "want0" : "y0";
        at += (size_t)snprintf(layers + at, room - at,
                               "Convolution %s1 1 1 x %sa 0=20 1=1 5=1 6=60 9=1 %s\n"
                               "Convolution %s2 1 1 %sa %sb 0=20 1=3 4=1 5=1 6=3600 %s\n"
                               "BinaryOp %s3 2 1 %sa %sb %sc 0=0 %s\nReLU %s4 1 1 %sc %sd 0=0.1 %s\n"
                               "Convolution %s5 1 1 %sd %s 0=9 1=1 5=1 6=180 9=4 %s\n",
                               p, p, rest, p, p, p, rest, p, p, p, p, rest, p, p, p, rest, p, p, out, rest);
        *bytes += put_weights((unsigned char *)bin + *bytes, &first);
        *bytes += put_weights((unsigned char *)bin + *bytes, &middle);
        *bytes += put_weights((unsigned char *)bin + *bytes, &last);
    }
}

static float chain_input[3 * 11 * 13];

static void *run_chain(void *net)
{
    ebb_extractor *x = open_on(net, NULL);
    for (int run = 0; run < 5; run++) {
        const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){3, 11, 13});
        borrow(x, "x", &d, chain_input);
        check_pair(x, 0, 1e-5f, "chain");
    }
    ebb_extractor_destroy(x);
    return NULL;
}

// Threads share the weights.
START_TEST(chains)
{
    static char layers[2000], bin[ROOM];
    size_t bytes = 0;
    chain(layers, sizeof layers, bin, &bytes);
    fill(chain_input, sizeof chain_input / sizeof *chain_input, 7);
    ck_assert(vk_hold());
    ebb_net *net = walk_net_made(vk_on_device, layers, bin, bytes, NULL);
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, run_chain, net), 0);
    run_chain(net);
    pthread_join(other, NULL);
    vk_net_end(net);
}
END_TEST

START_TEST(no_memory_at_load)
{
    static const conv one = {"", 3, 5, 1, true, true, true, 3, {0}};
    static unsigned char bin[ROOM];
    static const char text[] = "7767517\n2 2\nInput x 0 1 x\nConvolution d 1 1 x y 0=5 1=1 5=1 6=15\n";
    const size_t bytes = put_weights(bin, &one);
    ebb_net *net = vk_net("Input x 0 1 x\n");
    ebb_status s = EBB_E_NOMEM;
    for (int call = 1; s != EBB_OK; call++) {
        ebb_error e = {0};
        ebb_net_clear(net);
        ck_assert_int_eq(ebb_net_load_param_mem(net, text, strlen(text), NULL), EBB_OK);
        walk_fail_at(call);
        s = ebb_net_load_weights_mem(net, bin, bytes, &e);
        walk_fail_at(0);
        ck_assert_msg(s == EBB_OK || s == EBB_E_NOMEM, "%s", e.msg);
    }
    vk_net_end(net);
}
END_TEST

// ------------------------------------------------------------------------------------------- precision

// Half floats are widened on the way to the device, and what it makes is f32.
static ebb_status in_halves(const ebb_allocator *a, ebb_net **net, ebb_error *e)
{
    const ebb_net_options opt = {
        .allocator = *a, .device = EBB_DEVICE_VULKAN, .precision = EBB_PRECISION_F16, .log = vk_on_log};
    return ebb_net_new(&opt, net, e);
}

START_TEST(halves_are_widened)
{
    ck_assert(vk_hold());
    ebb_net *net = walk_net_made(in_halves,
                                 "Input in 0 1 x\nReLU h 1 1 x a 0=2.0 31=16\nReLU r 1 1 a b 0=3.0\n"
                                 "BinaryOp k 2 1 b a c 0=0\nReLU z 1 1 c y 0=1.0 31=16\n",
                                 NULL, 0, small_layers);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(9);
    give(x, "x", &d, -4);
    ebb_blob *y = vk_extract(x, "y");
    for (int i = 0; i < 9; i++) ck_assert_float_eq(ebb_f32(y)[i], (float)((i - 4) * (i < 4 ? 8 : 2)));
    ebb_blob_drop(y);
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"binary_broadcasts", binary_broadcasts},
        {"binary_ops", binary_ops},
        {"binary_scalar", binary_scalar},
        {"convolutions", convolutions},
        {"chains", chains},
        {"no_memory_at_load", no_memory_at_load},
        {"halves_are_widened", halves_are_widened},
        {0},
    };
    return vk_run_tests("vk_layers", NULL, tests);
}
