// SPDX-License-Identifier: BSD-3-Clause
// vk_layers_test.c - layers on a Vulkan device against the same layers on the CPU, side by side in one net.
#include "vk_fixture.h"
#include <math.h>
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
                                -0.5f,     2.5f, -7.5f, 1e-30f, -1e-30f, 3e30f, -2e7f,  16777217, INFINITY,
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
        {"halves_are_widened", halves_are_widened},
        {0},
    };
    return vk_run_tests("vk_layers", NULL, tests);
}
