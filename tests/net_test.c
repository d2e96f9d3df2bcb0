// SPDX-License-Identifier: BSD-3-Clause
// net_test.c - the life of a net: options, custom layers, loading, failing, clearing, queries.
#include "loading.h"
#include <unistd.h>

#define HEAD "7767517\n"

// A small model with all kinds of layers, and its weights.
static const char model[] =
    HEAD "6 7\nInput data 0 1 data 0=4 1=3 2=2\nWeighty conv 1 1 data conv 0=40 1=1 2=2 30=3,4,3,2\n"
         "Probe split 1 2 conv s0 s1 0=0 3=1,2,3 5=\"0w,-1\" -23304=2,1.5,2.5\nFixed add 2 1 s0 s1 sum\n"
         "Constant table 0 1 table 0=10\nWeighty last 1 1 sum prob 0=9 2=1\n";

static bytes model_weights(void)
{
    bytes b = {0};
    put_cell(&b, 0x01306B47);
    for (int i = 0; i < 20; i++) put_cell(&b, 0x3c003800 + i);
    for (int i = 0; i < 19; i++) put_float(&b, (float)i);
    return b;
}

START_TEST(options)
{
    ebb_error e;
    ebb_net *net;
    ck_assert_int_eq(ebb_net_new(NULL, &net, &e), EBB_OK);
    ck_assert_str_eq(ebb_net_device(net), "cpu");
    ck_assert_int_eq(ebb_net_layer_count(net), 0);
    ck_assert_int_eq(ebb_net_blob_count(net), 0);
    ck_assert_int_eq(ebb_net_inputs(net, NULL, 0), 0);
    ebb_net_destroy(net);
    ebb_net_destroy(NULL);
    ck_assert_int_eq(ebb_net_new(&(ebb_net_options){.isa = "scalar"}, &net, &e), EBB_OK);
    ck_assert_str_eq(ebb_net_isa(net), "scalar");
    ebb_net_destroy(net);
    check_message(&e, ebb_net_new(&(ebb_net_options){.isa = "z80"}, &net, &e), EBB_E_UNSUPPORTED,
                  "no kernel table 'z80'");
    check_message(&e, ebb_net_new(&(ebb_net_options){.allocator = {.get = meter_get}}, &net, &e), EBB_E_PARAM,
                  "both hooks");
    ck_assert_ptr_null(net);
}
END_TEST

START_TEST(queries)
{
    ebb_net *net = net_of(model, NULL);
    const bytes b = model_weights();
    ebb_error e;
    if (ebb_net_load_weights_mem(net, b.v, b.n, &e) != EBB_OK) ck_abort_msg("%s", e.msg);
    ebb_layer_info info;
    ck_assert_int_eq(ebb_net_layer(net, 3, &info, &e), EBB_OK);
    ck_assert_str_eq(info.name, "add");
    ck_assert_str_eq(info.type, "Fixed");
    ck_assert(info.n_in == 2 && info.n_out == 1);
    ck_assert_str_eq(ebb_net_blob_name(net, info.in[1]), "s1");
    ck_assert_int_eq(ebb_net_layer(net, 1, &info, &e), EBB_OK);
    ck_assert_uint_eq(info.weight_count[EBB_F16], 40);
    ck_assert_uint_eq(info.weight_bytes, 160);
    check_message(&e, ebb_net_layer(net, 6, &info, &e), EBB_E_NAME, "there is no layer 6: the net has 6");
    check_message(&e, ebb_net_layer(net, -1, &info, &e), EBB_E_NAME, "there is no layer -1");
    ck_assert_ptr_null(ebb_net_blob_name(net, 99));
    ck_assert_int_eq(ebb_net_blob_producer(net, 99), -1);
    int blobs[3];
    ck_assert_int_eq(ebb_net_outputs(net, blobs, 3), 2);
    ck_assert_str_eq(ebb_net_blob_name(net, blobs[0]), "table");
    ck_assert_str_eq(ebb_net_blob_name(net, blobs[1]), "prob");
    ebb_net_destroy(net);
}
END_TEST

START_TEST(order_of_calls)
{
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    const bytes b = model_weights();
    check_message(&e, ebb_net_load_weights_mem(net, b.v, b.n, &e), EBB_E_STATE,
                  "load the .param before the weights");
    ck_assert_int_eq(load_text(net, model, &e), EBB_OK);
    check_message(&e, load_text(net, model, &e), EBB_E_STATE, "the net has a model: clear it");
    check_message(&e, ebb_net_add_layer(net, &fixed_type, &e), EBB_E_STATE, "before a net is loaded");
    ck_assert_int_eq(ebb_net_load_weights_mem(net, b.v, b.n, &e), EBB_OK);
    check_message(&e, ebb_net_load_weights_mem(net, b.v, b.n, &e), EBB_E_STATE,
                  "the net has its weights already");
    ebb_net_clear(net);
    ck_assert_int_eq(load_text(net, model, &e), EBB_OK);
    check_message(&e, ebb_net_load_weights_mem(net, b.v, b.n - 1, &e), EBB_E_FORMAT, "layer 5 'last'");
    check_message(&e, ebb_net_load_weights_mem(net, b.v, b.n, &e), EBB_E_STATE,
                  "clear the net before loading again");
    check_message(&e, load_text(net, model, &e), EBB_E_STATE, "clear the net before loading again");
    ebb_net_destroy(net);
}
END_TEST

START_TEST(files)
{
    ebb_error e;
    meter m = {0};
    ebb_net *net = test_net(&m, NULL, &e);
    check_message(&e, ebb_net_load(net, "/nonexistent.param", "/nonexistent.bin", &e), EBB_E_IO,
                  "/nonexistent.param: cannot open it");
    char param[] = "/tmp/ebb-param-XXXXXX", bin[] = "/tmp/ebb-bin-XXXXXX";
    FILE *p = fdopen(mkstemp(param), "w"), *w = fdopen(mkstemp(bin), "w");
    const bytes b = model_weights();
    fputs(model, p);
    fwrite(b.v, 1, b.n, w);
    fclose(p), fclose(w);
    if (ebb_net_load(net, param, bin, &e) != EBB_OK) ck_abort_msg("%s", e.msg);
    ebb_net_clear(net);
    ck_assert_int_eq(ebb_net_load_param(net, param, &e), EBB_OK);
    check_message(&e, ebb_net_load_weights(net, "/nonexistent.bin", &e), EBB_E_IO,
                  "/nonexistent.bin: cannot open it");
    ck_assert_int_eq(ebb_net_load_weights(net, bin, &e), EBB_OK);  // nothing was lost
    ebb_net_clear(net);
    check_message(&e, ebb_net_load(net, bin, param, &e), EBB_E_FORMAT, "are .param and .bin interchanged?");
    unlink(param), unlink(bin);
    ebb_net_destroy(net);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

static int inits, unloads;

static ebb_status count_init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    inits++;
    return *(int *)st ? ebb_fail(e, EBB_E_PARAM, "refused") : EBB_OK;
}

static void count_unload(void *st)
{
    (void)st;
    unloads++;
}

START_TEST(unload_follows_init)
{
    static const ebb_param rows[] = {{.id = 0, .name = "fail", .type = EBB_P_INT}, {0}};
    const ebb_layer_type t = {.size = sizeof t,
                              .name = "Counted",
                              .in_min = 0,
                              .in_max = 0,
                              .out_min = 1,
                              .out_max = 1,
                              .state_size = sizeof(int),
                              .params = rows,
                              .init = count_init,
                              .unload = count_unload,
                              .shape = same_shape,
                              .cpu = compute_nothing};
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    ck_assert_int_eq(ebb_net_add_layer(net, &t, &e), EBB_OK);
    ck_assert_int_eq(load_text(net, HEAD "3 3\nCounted a 0 1 a\nCounted b 0 1 b\nCounted c 0 1 c\n", &e),
                     EBB_OK);
    ebb_net_clear(net);
    ck_assert_int_eq(inits, 3);
    ck_assert_int_eq(unloads, 3);
    check_message(&e, load_text(net, HEAD "3 3\nCounted a 0 1 a\nCounted b 0 1 b 0=1\nCounted c 0 1 c\n", &e),
                  EBB_E_PARAM, "'b' (Counted): refused");
    ebb_net_destroy(net);
    ck_assert_int_eq(inits, 5);
    ck_assert_int_eq(unloads, 4);
}
END_TEST

START_TEST(custom_types_override)
{
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    ebb_layer_type relu = fixed_type, again = fixed_type;
    relu.name = again.name = "ReLU";
    const ebb_layer_type *const built_in = ebb_types_named(&net->types, "ReLU");
    ck_assert_ptr_eq(built_in, ebb_builtin_layer_named("ReLU"));
    ck_assert_int_eq(ebb_net_add_layer(net, &relu, &e), EBB_OK);
    ck_assert_ptr_eq(ebb_types_named(&net->types, "ReLU"), &relu);
    ck_assert_int_eq(ebb_net_add_layer(net, &again, &e), EBB_OK);
    ebb_net_clear(net);
    ck_assert_ptr_eq(ebb_types_named(&net->types, "ReLU"), &again);
    ebb_layer_type old = fixed_type;
    old.size = 8;
    check_message(&e, ebb_net_add_layer(net, &old, &e), EBB_E_PARAM, "a size of 8 bytes");
    ebb_net_destroy(net);
}
END_TEST

static ebb_status load_model(ebb_net *net, const bytes *b, ebb_error *e)
{
    EBB_TRY(load_text(net, model, e));
    return ebb_net_load_weights_mem(net, b->v, b->n, e);
}

// Each allocation fails once; nothing leaks, and the net loads afterwards.
START_TEST(every_allocation_fails_in_turn)
{
    bytes b = model_weights();
    memmove(b.v + 1, b.v, b.n);  // unaligned: weights are copied
    for (long at = 1;; at++) {
        meter m = {.fail_at = at};
        ebb_error e = {0};
        ebb_net *net = test_net(&m, NULL, &e);
        ebb_status s = EBB_E_NOMEM;
        if (net) s = load_text(net, model, &e);
        if (net && s == EBB_OK) s = ebb_net_load_weights_mem(net, b.v + 1, b.n, &e);
        const bool done = m.calls < at;
        if (!done)
            check_message(&e, s, EBB_E_NOMEM, "no memory");
        else if (s != EBB_OK)
            ck_abort_msg("%s", e.msg);
        if (net && !done) {
            const bytes fresh = model_weights();
            ebb_net_clear(net);
            if (load_model(net, &fresh, &e) != EBB_OK) ck_abort_msg("after failure %ld: %s", at, e.msg);
        }
        ebb_net_destroy(net);
        ck_assert_msg(m.live == 0, "%ld bytes leak after failure %ld", m.live, at);
        if (done) break;
        ck_assert_int_lt(at, 1000);
    }
}
END_TEST

static unsigned next(unsigned *s) { return *s = *s * 1664525 + 1013904223, *s >> 8; }

// Loads a damaged model: an error or a net, never anything else, and nothing leaks.
static ebb_status survive(const void *param, size_t n, const void *weights, size_t w)
{
    meter m = {0};
    ebb_error e = {0};
    ebb_net *net = test_net(&m, NULL, &e);
    ebb_status s = ebb_net_load_param_mem(net, param, n, &e);
    if (s == EBB_OK) s = ebb_net_load_weights_mem(net, weights, w, &e);
    ck_assert(s == EBB_OK || (e.code == s && e.msg[0] && !strchr(e.msg, '\n')));
    ebb_net_destroy(net);
    ck_assert_int_eq(m.live, 0);
    return s;
}

static bytes binary_model(void)
{
    static const int32_t cells[] = {
        7767517, 5, 5,  16,   0,   1,      0, 0,          4,      1, 3,          -233,       258,  1,   1, 0,
        1,       0, 40, 1,    1,   2,      2, -233,       256,    1, 2,          1,          2,    3,   0, 0,
        -23303,  3, 1,  2,    3,   -23405, 4, 0x2c77302d, -23304, 2, 0x3fc00000, 0x40200000, -233, 257, 2, 1,
        2,       3, 4,  -233, 258, 1,      1, 4,          5,      0, 19,         -233};
    bytes b = {0};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) put_cell(&b, cells[i]);
    return b;
}

START_TEST(cut_anywhere)
{
    const bytes w = model_weights(), b = binary_model();
    ck_assert_int_eq(survive(model, sizeof model - 1, w.v, w.n), EBB_OK);
    ck_assert_int_eq(survive(b.v, b.n, w.v, w.n), EBB_OK);
    for (size_t n = 0; n < sizeof model; n++) {
        char *part = malloc(n + 1);  // so that a read too far is seen
        memcpy(part, model, n);
        survive(part, n, w.v, w.n);
        free(part);
    }
    for (size_t n = 0; n <= b.n; n++) {
        char *part = malloc(n + 1);
        memcpy(part, b.v, n);
        survive(part, n, w.v, w.n);
        free(part);
    }
    for (size_t n = 0; n <= w.n; n++) {
        char *part = malloc(n + 1);
        memcpy(part, w.v, n);
        survive(model, sizeof model - 1, part, n);
        free(part);
    }
}
END_TEST

static void flip(unsigned char *v, size_t n, unsigned *seed)
{
    for (unsigned k = 0, flips = 1 + next(seed) % 3; k < flips; k++) {
        static const char usual[] = "0123456789,=- \n\"\0\377\177";
        const size_t at = next(seed) % n;
        v[at] = next(seed) % 2 ? (unsigned char)next(seed) : (unsigned char)usual[next(seed) % sizeof usual];
    }
}

START_TEST(bytes_flipped)
{
    const bytes w = model_weights(), b = binary_model();
    unsigned seed = 1;
    for (int i = 0; i < 3000; i++) {
        unsigned char text[sizeof model];
        memcpy(text, model, sizeof model);
        bytes damaged = b, weights = w;
        flip(text, sizeof model - 1, &seed);
        flip(damaged.v, damaged.n, &seed);
        flip(weights.v, i % 3 ? weights.n : 4, &seed);
        survive(text, sizeof model - 1, w.v, w.n);
        survive(damaged.v, damaged.n, w.v, w.n);
        survive(model, sizeof model - 1, weights.v, weights.n);
    }
}
END_TEST

int main(void)
{
    return run_tests("net",
                     (const test_entry[]){{"options", options},
                                          {"queries", queries},
                                          {"order_of_calls", order_of_calls},
                                          {"files", files},
                                          {"unload_follows_init", unload_follows_init},
                                          {"custom_types_override", custom_types_override},
                                          {"every_allocation_fails_in_turn", every_allocation_fails_in_turn},
                                          {"cut_anywhere", cut_anywhere},
                                          {"bytes_flipped", bytes_flipped},
                                          {0}});
}
