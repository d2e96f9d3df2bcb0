// SPDX-License-Identifier: BSD-3-Clause
// weights_test.c - reading weights from every source, in every precision.
#include "loading.h"
#include "weights.h"
#include <unistd.h>

enum { F16 = 0x01306B47, I8 = 0x000D4B38, F32 = 0x0002C056 };

#define HEAD "7767517\n"

// Seven elements 0.5, -1, 1.5, … in every form; the layers of `text` read them.
static const char text[] =
    HEAD "7 7\nWeighty raw 0 1 a 0=7 2=1\nWeighty f16 0 1 b 0=7 1=1 2=1\nWeighty i8 0 1 c 0=7 1=1 2=1\n"
         "Weighty f32 0 1 d 0=7 1=1 2=1\nWeighty old 0 1 e 0=7 1=1 2=1\nWeighty table 0 1 f 0=7 1=1 2=1\n"
         "Weighty odd 0 1 g 0=7 1=1 2=1\n";

static float element(int i) { return (float)(i + 1) * (i % 2 ? -.5f : .5f); }

static void put_table(bytes *b, int32_t tag)
{
    put_cell(b, tag);
    for (int i = 0; i < 256; i++) put_float(b, i < 7 ? element(6 - i) : 1e9f);
    for (unsigned char i = 0; i < 8; i++) put_bytes(b, &(unsigned char){i < 7 ? 6 - i : 255}, 1);
}

static void fill(bytes *b)
{
    static const uint16_t halves[] = {0x3800, 0xbc00, 0x3e00, 0xc000, 0x4100, 0xc200, 0x4300, 0x7c00};
    static const int8_t eighths[] = {1, -2, 3, -4, 5, -6, 7, 99};
    for (int i = 0; i < 7; i++) put_float(b, element(i));
    put_cell(b, F16);
    for (int i = 0; i < 8; i++) put_bytes(b, (unsigned char[]){halves[i] & 255, halves[i] >> 8}, 2);
    put_cell(b, I8);
    put_bytes(b, eighths, 8);
    put_cell(b, 0);
    for (int i = 0; i < 7; i++) put_float(b, element(i));
    put_cell(b, F32);
    for (int i = 0; i < 7; i++) put_float(b, element(i));
    put_table(b, 1);
    put_table(b, 0x04030201);
}

static void check_values(const ebb_net *net)
{
    static const ebb_dtype dtypes[] = {EBB_F32, EBB_F16, EBB_I8, EBB_F32, EBB_F32, EBB_F32, EBB_F32};
    for (int i = 0; i < 7; i++) {
        const weighty *p = net->g.nodes[i].state;
        ck_assert_int_eq(p->w.dtype, dtypes[i]);
        ck_assert_uint_eq(p->w.n, 7);
        ck_assert_uint_eq((uintptr_t)p->w.data % ebb_dtype_bytes(p->w.dtype), 0);
        float all[7];
        ebb_weights_to_f32(&p->w, all);
        for (int k = 0; k < 7; k++) {
            const float want = i == 2 ? 2 * element(k) : element(k);
            ck_assert_msg(all[k] == want && ebb_weight_f32(&p->w, (size_t)k) == want, "layer %d, element %d",
                          i, k);
        }
        ebb_layer_info info;
        ebb_net_layer(net, i, &info, NULL);
        ck_assert_uint_eq(info.weight_count[dtypes[i]], 7);
        ck_assert_uint_ge(info.weight_bytes, 7 * ebb_dtype_bytes(dtypes[i]));
    }
}

static ebb_net *parsed(const char *param, meter *m, ebb_error *e)
{
    ebb_net *net = test_net(m, NULL, e);
    if (load_text(net, param, e) != EBB_OK) ck_abort_msg("%s", e->msg);
    return net;
}

START_TEST(memory_at_any_alignment)
{
    bytes b = {0};
    fill(&b);
    for (size_t shift = 0; shift < 8; shift++) {
        ebb_error e;
        meter m = {0};
        ebb_net *net = parsed(text, &m, &e);
        _Alignas(64) unsigned char moved[sizeof b.v + 8];
        memcpy(moved + shift, b.v, b.n);
        if (ebb_net_load_weights_mem(net, moved + shift, b.n, &e) != EBB_OK) ck_abort_msg("%s", e.msg);
        check_values(net);
        const weighty *raw = net->g.nodes[0].state, *f16 = net->g.nodes[1].state;
        ck_assert_msg((raw->w.data == moved + shift) == (shift % 4 == 0),
                      "aligned weights are read where they stand");
        ck_assert_msg((f16->w.data == moved + shift + 32) == (shift % 2 == 0),
                      "aligned weights are read where they stand");
        ebb_net_destroy(net);
        ck_assert_int_eq(m.live, 0);
    }
}
END_TEST

typedef struct stream {
    const bytes *b;
    size_t at;
} stream;

static bool read_stream(void *user, void *to, size_t n)
{
    stream *s = user;
    if (n > s->b->n - s->at) return false;
    memcpy(to, s->b->v + s->at, n);
    s->at += n;
    return true;
}

START_TEST(from_a_function)
{
    bytes b = {0};
    fill(&b);
    ebb_error e;
    meter m = {0};
    ebb_net *net = parsed(text, &m, &e);
    stream s = {&b, 0};
    const ebb_reader r = {read_stream, &s};
    if (ebb_net_load_weights_reader(net, &r, &e) != EBB_OK) ck_abort_msg("%s", e.msg);
    check_values(net);
    ck_assert_uint_eq(s.at, b.n);
    ebb_net_clear(net);
    ck_assert_int_eq(load_text(net, text, &e), EBB_OK);
    check_message(&e, ebb_net_load_weights_reader(net, &r, &e), EBB_E_IO,
                  "weights: layer 0 'raw' (Weighty): reading ended or failed after 0 bytes, where the "
                  "layer needs 28 more");
    ebb_net_destroy(net);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

static void write_file(char *path, const void *data, size_t n)
{
    strcpy(path, "/tmp/ebb-weights-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, data, n), (ssize_t)n);
    close(fd);
}

START_TEST(from_a_file)
{
    bytes b = {0};
    fill(&b);
    char path[40];
    write_file(path, b.v, b.n);
    ebb_error e;
    meter m = {0};
    ebb_net *net = parsed(text, &m, &e);
    if (ebb_net_load_weights(net, path, &e) != EBB_OK) ck_abort_msg("%s", e.msg);
    unlink(path);
    check_values(net);
    ebb_mem_count count[EBB_MEM_KINDS];
    ebb_net_memory(net, count);
    ck_assert_uint_eq(count[EBB_MEM_WEIGHT].live,
                      2 * 7 * sizeof(float));  // the two tables; the rest is in the mapping
    ebb_net_destroy(net);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

START_TEST(what_is_not_kept_goes)
{
    ebb_error e;
    ebb_net *net =
        parsed(HEAD "3 3\nWeighty a 0 1 a 0=7\nWeighty b 0 1 b 0=7 2=2\nWeighty c 0 1 c 0=0 1=1\n", NULL, &e);
    bytes b = {.n = 1};
    for (int i = 0; i < 14; i++) put_float(&b, element(i % 7));
    put_cell(&b, 0);
    if (ebb_net_load_weights_mem(net, b.v + 1, b.n - 1, &e) != EBB_OK) ck_abort_msg("%s", e.msg);
    const weighty *p = net->g.nodes[1].state;
    ck_assert_uint_eq((uintptr_t)p->copy % 64, 0);
    for (int i = 0; i < 7; i++) ck_assert(p->copy[i] == element(i));
    ebb_mem_count count[EBB_MEM_KINDS];
    ebb_net_memory(net, count);
    ck_assert_uint_eq(count[EBB_MEM_WEIGHT].live, 7 * sizeof(float));
    ebb_layer_info info;
    ebb_net_layer(net, 0, &info, NULL);
    ck_assert_uint_eq(info.weight_bytes, 0);
    ebb_net_layer(net, 1, &info, NULL);
    ck_assert_uint_eq(info.weight_bytes, 7 * sizeof(float));
    ebb_net_destroy(net);
}
END_TEST

static ebb_status cut_file(void *st, const ebb_load *l, ebb_error *e)
{
    (void)st, (void)l;
    return truncate(getenv("EBB_TEST_FILE"), 100) == 0 ? EBB_OK
                                                       : ebb_fail(e, EBB_E_IO, "cannot cut the file");
}

// A file that is cut while it is being loaded is an error, not a signal.
START_TEST(a_file_that_is_cut_meanwhile)
{
    enum { N = 100000 };
    float *zeros = calloc(N, sizeof *zeros);
    char path[40];
    write_file(path, zeros, N * sizeof *zeros);
    setenv("EBB_TEST_FILE", path, 1);
    ebb_layer_type cutter = constant_type;
    cutter.name = "Cutter", cutter.flags = 0, cutter.shape = same_shape, cutter.cpu = compute_nothing,
    cutter.load = cut_file;
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    ck_assert_int_eq(ebb_net_add_layer(net, &cutter, &e), EBB_OK);
    ck_assert_int_eq(load_text(net, HEAD "2 2\nCutter c 0 1 a\nWeighty w 0 1 b 0=100000 2=2\n", &e), EBB_OK);
    check_message(&e, ebb_net_load_weights(net, path, &e), EBB_E_IO,
                  "layer 1 'w' (Weighty): the file was cut while it was loaded: byte 400000 is gone");
    ebb_net_destroy(net);
    unlink(path);
    free(zeros);
}
END_TEST

// After loading: where layers read the file, the next extract says so before a layer runs; where it was read
// without a mapping, nothing happens to it.
START_TEST(a_file_that_is_cut_afterwards)
{
    static const char text_of_both[] = "7767517\n3 3\nInput x 0 1 x\nInnerProduct p 1 1 x y 0=1000 2=64000\n"
                                       "MemoryData m 0 1 m 0=1000\n";
    enum { N = 1 + 64000 + 1000 };
    float *values = calloc(N, sizeof *values), x64[64];
    for (int i = 1; i < N; i++) values[i] = (float)(i % 7);
    for (int i = 0; i < 64; i++) x64[i] = 1;
    for (int no_map = 0; no_map < 2; no_map++) {
        char path[40];
        meter m = {0};
        ebb_error e;
        ebb_net *net;
        ebb_extractor *x;
        ebb_blob *out[2] = {NULL};
        const ebb_desc d = ebb_desc_planar(EBB_F32, 1, (const int[]){64});
        write_file(path, values, N * sizeof *values);
        const ebb_net_options opt = {.allocator = {meter_get, meter_put, &m}, .no_map = no_map};
        ck_assert_int_eq(ebb_net_new(&opt, &net, &e), EBB_OK);
        ck_assert_int_eq(load_text(net, text_of_both, &e), EBB_OK);
        ck_assert_msg(ebb_net_load_weights(net, path, &e) == EBB_OK, "%s", e.msg);
        ck_assert_int_eq(ebb_extractor_new(net, NULL, &x, &e), EBB_OK);
        ck_assert_int_eq(ebb_extractor_borrow(x, "x", &d, x64, &e), EBB_OK);
        ck_assert_int_eq(truncate(path, 100), 0);
        const ebb_status s =
            ebb_extractor_extract_many(x, (const char *const[]){"y", "m"}, 2, EBB_TAKE_PLANAR, out, &e);
        if (no_map) {
            ck_assert_msg(s == EBB_OK, "%s", e.msg);
            for (int i = 0; i < 1000; i++) ck_assert(ebb_f32(out[1])[i] == values[64001 + i]);
            ebb_blob_drop(out[0]);
            ebb_blob_drop(out[1]);
        } else {
            check_message(&e, s, EBB_E_IO, "the file of weights was cut after it was loaded");
            ebb_mem_count count[EBB_MEM_KINDS];
            ebb_extractor_memory(x, count);
            ck_assert_uint_eq(count[EBB_MEM_BLOB].count, 0);
        }
        ebb_extractor_destroy(x);
        ebb_net_destroy(net);
        ck_assert_int_eq(m.live, 0);
        unlink(path);
    }
    free(values);
}
END_TEST

// Without a mapping, what no layer keeps is in memory for no longer than it is looked at.
START_TEST(reading_without_a_mapping)
{
    bytes b = {0};
    fill(&b);
    char path[40];
    write_file(path, b.v, b.n);
    for (int extra = 0; extra < 3; extra++) {
        meter m = {0};
        ebb_error e;
        ebb_net *net = parsed(text, &m, &e);
        net->opt.no_map = true;
        const off_t size = extra == 2 ? 10 : (off_t)b.n + 4 * extra;
        ck_assert_int_eq(truncate(path, size), 0);
        const ebb_status s = ebb_net_load_weights(net, path, &e);
        if (extra == 0) check_values(net);
        if (extra == 1) check_message(&e, s, EBB_E_FORMAT, "but the file has");
        if (extra == 2) check_message(&e, s, EBB_E_FORMAT, "more bytes of weights at byte");
        ebb_net_destroy(net);
        ck_assert_int_eq(m.live, 0);
    }
    unlink(path);
    meter m = {0};
    ebb_error e;
    ebb_net *net = parsed(text, &m, &e);
    net->opt.no_map = true;
    check_message(&e, ebb_net_load_weights(net, "/nonexistent/x", &e), EBB_E_IO,
                  "/nonexistent/x: cannot open it");
    ebb_net_destroy(net);
}
END_TEST

// A blob of weights outlives its net; a mapping lives as long as such a blob.
START_TEST(constants_outlive_the_net)
{
    bytes b = {0};
    put_cell(&b, F16);
    for (int i = 0; i < 6; i++) put_bytes(&b, (unsigned char[]){0, 0x3c}, 2);
    for (int i = 0; i < 4; i++) put_float(&b, (float)i);
    char path[40];
    write_file(path, b.v, b.n);
    for (int how = 0; how < 3; how++) {
        ebb_error e;
        meter m = {0};
        ebb_net *net = parsed(HEAD "2 2\nConstant c 0 1 a 0=6 1=1\nConstant d 0 1 b 0=4\n", &m, &e);
        stream s = {&b, 0};
        const ebb_reader r = {read_stream, &s};
        const ebb_status got = how == 0   ? ebb_net_load_weights(net, path, &e)
                               : how == 1 ? ebb_net_load_weights_reader(net, &r, &e)
                                          : ebb_net_load_weights_mem(net, b.v, b.n, &e);
        if (got != EBB_OK) ck_abort_msg("%s", e.msg);
        const ebb_blob *c = &net->g.nodes[0].constants[0], *d = &net->g.nodes[1].constants[0];
        ck_assert(c->desc.dtype == EBB_F16 && c->desc.rank == 2 && c->desc.dim[0] == 2 &&
                  c->desc.dim[1] == 3 && c->desc.stride[0] == 3);
        ck_assert(!c->mem->writable);
        ck_assert((how == 1) == (c->mem != d->mem));
        ebb_blob *mine = ebb_blob_handle(net->heap, &d->desc, d->mem, d->offset);
        ebb_net_destroy(net);
        for (int i = 0; i < 4; i++) ck_assert(ebb_f32(mine)[i] == (float)i);
        ebb_blob_drop(mine);
        ck_assert_int_eq(m.live, 0);
    }
    unlink(path);
}
END_TEST

START_TEST(wrong_files)
{
    static const struct {
        const char *param;
        int32_t first;
        size_t n;
        ebb_status s;
        const char *words;
    } t[] = {
        {"Weighty w 0 1 a 0=7", 0, 27, EBB_E_FORMAT,
         "weights: layer 0 'w' (Weighty): the layer needs 28 more bytes of weights at byte 0, but the file "
         "has 27 left"},
        {"Weighty w 0 1 a 0=7", 0, 0, EBB_E_FORMAT,
         "needs 28 more bytes of weights at byte 0, but the file has 0 left"},
        {"Weighty w 0 1 a 0=7", 0, 29, EBB_E_FORMAT,
         "weights: the weights of the last layer end at byte 28, but the file has 29 bytes"},
        {"Weighty w 0 1 a 0=7 1=1", 0, 3, EBB_E_FORMAT,
         "needs 4 more bytes of weights at byte 0, but the file has 3 left"},
        {"Weighty w 0 1 a 0=7 1=1", F16, 4 + 14, EBB_E_FORMAT,
         "needs 16 more bytes of weights at byte 4, but the file has 14 left"},
        {"Weighty w 0 1 a 0=7 1=1", I8, 4 + 7, EBB_E_FORMAT,
         "needs 8 more bytes of weights at byte 4, but the file has 7 left"},
        {"Weighty w 0 1 a 0=7 1=1", 1, 4 + 1024 + 7, EBB_E_FORMAT,
         "needs 8 more bytes of weights at byte 1028, but the file has 7 left"},
        {"Weighty w 0 1 a 0=7 1=1", 1, 4 + 1023, EBB_E_FORMAT,
         "needs 1024 more bytes of weights at byte 4, but the file has 1023 left"},
        {"Weighty w 0 1 a 0=7 1=1", 0x3f123456, 32, EBB_E_FORMAT,
         "0x3f123456 at byte 0 is no weight tag: .param and weights do not belong together"},
        {"Weighty w 0 1 a 0=7 3=2", 0, 32, EBB_E_FORMAT,
         "needs 8 more bytes of weights at byte 28, but the file has 4 left"},
        {"Weighty w 0 1 a 0=-1", 0, 32, EBB_E_PARAM,
         "the parameters ask for more weights than memory can address"},
        {"Weighty w 0 1 a 0=500000000 1=1", 0, 32, EBB_E_FORMAT,
         "needs 2000000000 more bytes of weights at byte 4, but the file has 28 left"},
        {"Weighty w 0 1 a 0=-1 1=1", I8, 32, EBB_E_PARAM, "more weights than memory can address"},
        {"Constant c 0 1 a 0=7", 0, 28, EBB_E_SHAPE,
         "weights: layer 0 'c' (Constant): 7 weights do not fill output 0 of 2x3"},
        {"Constant c 0 1 a 0=6 2=1", 0, 24, EBB_E_STATE, "its load gave output 0 no constant"},
        {"Input i 0 1 a", 0, 4, EBB_E_FORMAT,
         "the weights of the last layer end at byte 0, but the file has 4 bytes"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char param[100];
        snprintf(param, sizeof param, HEAD "1 1\n%s\n", t[i].param);
        bytes b = {0};
        put_cell(&b, t[i].first);
        ebb_error e;
        meter m = {0};
        ebb_net *net = parsed(param, &m, &e);
        check_message(&e, ebb_net_load_weights_mem(net, b.v, t[i].n, &e), t[i].s, t[i].words);
        ebb_net_destroy(net);
        ck_assert_int_eq(m.live, 0);
    }
}
END_TEST

// A table that holds no number, or does not fit, stands behind no tag.
START_TEST(tables_must_be_believable)
{
    bytes b = {0};
    put_table(&b, 0x04030201);
    const float nan = 0.f / 0.f;
    memcpy(b.v + 400, &nan, 4);
    ebb_error e;
    ebb_net *net = parsed(HEAD "1 1\nWeighty w 0 1 a 0=7 1=1\n", NULL, &e);
    check_message(&e, ebb_net_load_weights_mem(net, b.v, b.n, &e), EBB_E_FORMAT,
                  "0x04030201 at byte 0 is no weight tag");
    ebb_net_destroy(net);
}
END_TEST

int main(void)
{
    return run_tests("weights",
                     (const test_entry[]){{"memory_at_any_alignment", memory_at_any_alignment},
                                          {"from_a_function", from_a_function},
                                          {"from_a_file", from_a_file},
                                          {"what_is_not_kept_goes", what_is_not_kept_goes},
                                          {"a_file_that_is_cut_meanwhile", a_file_that_is_cut_meanwhile},
                                          {"a_file_that_is_cut_afterwards", a_file_that_is_cut_afterwards},
                                          {"reading_without_a_mapping", reading_without_a_mapping},
                                          {"constants_outlive_the_net", constants_outlive_the_net},
                                          {"wrong_files", wrong_files},
                                          {"tables_must_be_believable", tables_must_be_believable},
                                          {0}});
}
