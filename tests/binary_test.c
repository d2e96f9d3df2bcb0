// SPDX-License-Identifier: BSD-3-Clause
// binary_test.c - .param.bin, and what a malformed one is told.
#include "loading.h"
#include "draft.h"
#include <stdarg.h>

enum { MAGIC = 7767517, END = -233, INPUT = 16, RELU = 26, PROBE = 256, LAST = INT32_MAX };

static bytes cells(int32_t first, ...)
{
    bytes b = {0};
    va_list ap;
    va_start(ap, first);
    for (int32_t v = first; v != LAST; v = va_arg(ap, int32_t)) put_cell(&b, v);
    va_end(ap);
    return b;
}

static int32_t bits(float f)
{
    int32_t v;
    memcpy(&v, &f, 4);
    return v;
}

static ebb_net *net_of_bytes(const bytes *b, log_text *log)
{
    ebb_error e;
    ebb_net *net = test_net(NULL, log, &e);
    if (ebb_net_load_param_mem(net, b->v, b->n, &e) != EBB_OK) ck_abort_msg("%s", e.msg);
    return net;
}

START_TEST(wiring_and_names)
{
    const bytes b = cells(MAGIC, 3, 3, INPUT, 0, 1, 0, 0, 12, 1, 34, 2, 3, END, RELU, 1, 1, 0, 1, 0,
                          bits(.5f), END, PROBE, 2, 1, 0, 1, 2, END, LAST);
    log_text log = {0};
    ebb_net *net = net_of_bytes(&b, &log);
    ebb_error e;
    ebb_layer_info info;
    ck_assert_int_eq(log.lines, 0);
    ck_assert_int_eq(ebb_net_layer(net, 2, &info, &e), EBB_OK);
    ck_assert_str_eq(info.name, "Probe_2");
    ck_assert_int_eq(info.in[0], 0);
    ck_assert_int_eq(info.in[1], 1);
    ck_assert_int_eq(info.out[0], 2);
    ck_assert_str_eq(ebb_net_blob_name(net, 2), "#2");
    ck_assert_int_eq(ebb_net_blob_index(net, "#1", &e), 1);
    ck_assert_int_eq(ebb_net_blob_index(net, "data", &e), -1);
    check_message(&e, e.code, EBB_E_NAME, "a binary .param has no names, blobs are called #0 to #2");
    ebb_desc d;
    ck_assert(ebb_net_input_hint(net, 0, &d) && d.rank == 3 && d.dim[0] == 3 && d.dim[1] == 34 &&
              d.dim[2] == 12);
    ebb_net_destroy(net);
}
END_TEST

START_TEST(values_are_cells_of_the_declared_type)
{
    bytes b = cells(MAGIC, 1, 1, PROBE, 0, 1, 0, 0, -5, 2, bits(1.5f), -23303, 3, 7, 8, 9, -23304, 2,
                    bits(.25f), bits(-1e30f), -23405, 6, LAST);
    put_bytes(&b, "-1,0w\0\0", 8);
    put_cell(&b, END);
    ebb_net *net = net_of_bytes(&b, NULL);
    const probe *p = probe_of(net, 0);
    ck_assert_int_eq(p->a, -5);
    ck_assert(p->f == 1.5f && p->like_f == 1.5f && p->like_a == -5 && p->small == 3);
    ck_assert(p->ints.n == 3 && p->ints.v[0] == 7 && p->ints.v[2] == 9);
    ck_assert(p->floats.n == 2 && p->floats.v[0] == .25f && p->floats.v[1] == -1e30f);
    ck_assert_str_eq(p->text, "-1,0w");
    ebb_net_destroy(net);
}
END_TEST

START_TEST(twice_and_as_an_array)
{
    const bytes b = cells(MAGIC, 1, 1, PROBE, 0, 1, 0, 0, 5, 1, 6, 0, 7, -23301, 2, 8, 9, END, LAST);
    log_text log = {0};
    ebb_net *net = net_of_bytes(&b, &log);
    ck_assert(probe_of(net, 0)->a == 7 && probe_of(net, 0)->b == 0);
    ck_assert_int_eq(log.lines, 3);
    ebb_net_destroy(net);
}
END_TEST

// Custom types count from 256 in the order in which they were added.
START_TEST(custom_types_by_number)
{
    const bytes b = cells(MAGIC, 2, 2, PROBE, 0, 1, 0, END, 256 | 1, 1, 1, 0, 1, END, LAST);
    ebb_net *net = net_of_bytes(&b, NULL);
    ck_assert_str_eq(net->g.nodes[1].type->name, "Fixed");
    ebb_net_destroy(net);
}
END_TEST

START_TEST(a_wrong_blob_count_is_told)
{
    const bytes b = cells(MAGIC, 1, 2, INPUT, 0, 1, 0, END, LAST);
    log_text log = {0};
    ebb_net *net = net_of_bytes(&b, &log);
    ck_assert_str_eq(log.last, "param: the header's count of blobs is 2, but the layers use 1; all are made");
    ck_assert_int_eq(ebb_net_blob_count(net), 1);
    ebb_net_destroy(net);
}
END_TEST

START_TEST(malformed_files)
{
    const struct {
        bytes b;
        ebb_status s;
        const char *words;
    } t[] = {
        {cells(MAGIC, LAST), EBB_E_FORMAT,
         "param: byte 4: the file ends where the number of layers should stand"},
        {cells(MAGIC, 1, LAST), EBB_E_FORMAT, "param: byte 4: the number of layers is 1, which the 0 bytes"},
        {cells(MAGIC, 0, 0, LAST), EBB_E_FORMAT, "the header counts no layers"},
        {cells(MAGIC, -1, 1, LAST), EBB_E_FORMAT, "the number of layers is -1"},
        {cells(MAGIC, 1 << 30, 1, INPUT, 0, 1, 0, END, LAST), EBB_E_FORMAT,
         "the number of layers is 1073741824, which the 24 bytes left"},
        {cells(MAGIC, 1, 1 << 30, INPUT, 0, 1, 0, END, LAST), EBB_E_FORMAT,
         "the number of blobs is 1073741824"},
        {cells(MAGIC, 1, 1, INPUT, 0, 1, 0, END, 5, LAST), EBB_E_FORMAT,
         "byte 32: the last layer ends at byte 32, but the file has 36 bytes"},
        {cells(MAGIC, 1, 1, INPUT, 1 << 20, 1, 0, END, LAST), EBB_E_FORMAT,
         "the number of inputs is 1048576"},
        {cells(MAGIC, 1, 1, INPUT, 0, -1, 0, END, LAST), EBB_E_FORMAT, "the number of outputs is -1"},
        {cells(MAGIC, 1, 1, INPUT, 2, 2, 0, END, LAST), EBB_E_FORMAT,
         "4 blob indices should follow, but 8 bytes are left"},
        {cells(MAGIC, 1, 1, INPUT, 0, 1, -1, END, LAST), EBB_E_FORMAT,
         "layer 0 'Input_0' (Input): blob index -1 is out of range: the header's count of blobs is 1"},
        {cells(MAGIC, 1, 1, INPUT, 0, 1, 1000, END, LAST), EBB_E_FORMAT, "blob index 1000 is out of range"},
        {cells(MAGIC, 1, 1, 110, 0, 1, 0, END, LAST), EBB_E_UNSUPPORTED,
         "byte 12: layer 0 'number 110_0': there is no layer type number 110; custom ones are added before "
         "loading"},
        {cells(MAGIC, 1, 1, -1, 0, 1, 0, END, LAST), EBB_E_UNSUPPORTED,
         "there is no layer type custom -257; custom ones are added before loading, and here are 4"},
        {cells(MAGIC, 1, 1, 256 + 4, 0, 1, 0, END, LAST), EBB_E_UNSUPPORTED,
         "there is no layer type custom 4; custom ones are added before loading, and here are 4"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, 1, LAST), EBB_E_FORMAT,
         "the file ends within the value of parameter 1"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, 1, 1, LAST), EBB_E_FORMAT,
         "byte 36: layer 0 'Probe_0' (Probe): the file ends where a parameter, or -233"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, 77, 1, END, LAST), EBB_E_FORMAT,
         "parameter id 77 is out of range: ids go from 0 to 63"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, -2, 1, END, LAST), EBB_E_FORMAT,
         "parameter id -2 is out of range"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, INT32_MIN, 1, END, LAST), EBB_E_FORMAT, "byte 28: layer 0"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, -23303, 3, 1, END, LAST), EBB_E_FORMAT,
         "the length of an array is 3, which the 8 bytes"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, -23303, LAST), EBB_E_FORMAT,
         "the file ends where the length of an array should stand"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, -23405, 7, END, LAST), EBB_E_FORMAT,
         "the length of a string is 7, which the 4 bytes"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, -23405, 4, 0x00410041, END, LAST), EBB_E_PARAM,
         "the string of parameter 5 has a zero byte"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, 5, 4, END, LAST), EBB_E_PARAM,
         "parameter 5 (text) takes a string, but has numbers"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, -23400, 4, 0x41414141, END, LAST), EBB_E_PARAM,
         "parameter 0 (a) is a string, but takes numbers"},
        {cells(MAGIC, 1, 1, PROBE, 0, 1, 0, 6, 10, END, LAST), EBB_E_PARAM,
         "byte 32: layer 0 'Probe_0' (Probe): parameter 6 (small) is 10; it goes from 1 to 9"},
        {cells(MAGIC, 2, 3, INPUT, 0, 1, 0, END, PROBE, 1, 1, 0, 2, END, LAST), EBB_E_FORMAT,
         "no layer makes or reads the blob #1"},
        {cells(MAGIC, 2, 3, INPUT, 0, 1, 0, END, PROBE, 1, 1, 2, 1, END, LAST), EBB_E_FORMAT,
         "byte 44: layer 1 'Probe_1' (Probe): no layer makes the blob '#2' that it reads"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        text_fails((const char *)t[i].b.v, t[i].b.n, t[i].s, t[i].words);
}
END_TEST

START_TEST(without_memory)
{
    enum { OUT = 300, LAYERS = 800 };
    static int32_t cell[8 + OUT + 6 * LAYERS + 8];
    int n = 0;
    const int32_t head[] = {MAGIC, LAYERS + 1, LAYERS + OUT, INPUT, 0, OUT};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) cell[n++] = head[i];
    for (int i = 0; i < OUT; i++) cell[n++] = i;
    cell[n++] = END;
    for (int i = 0; i < LAYERS; i++) {
        const int32_t layer[] = {RELU, 1, 1, i, OUT + i, END};
        for (int k = 0; k < 6; k++) cell[n++] = layer[k];
    }
    loads_with_memory_only(cell, (size_t)n * sizeof *cell);
}
END_TEST

int main(void)
{
    return run_tests(
        "binary",
        (const test_entry[]){{"wiring_and_names", wiring_and_names},
                             {"values_are_cells_of_the_declared_type", values_are_cells_of_the_declared_type},
                             {"twice_and_as_an_array", twice_and_as_an_array},
                             {"custom_types_by_number", custom_types_by_number},
                             {"a_wrong_blob_count_is_told", a_wrong_blob_count_is_told},
                             {"malformed_files", malformed_files},
                             {"without_memory", without_memory},
                             {0}});
}
