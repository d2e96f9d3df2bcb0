// SPDX-License-Identifier: BSD-3-Clause
// views_test.c - layers that make views, with parameters at and beyond the edges. Rule: whichever way such a
// layer goes (view, copy, cpu), as strides and dtypes of its inputs decide, the status and the values are the
// same.
#include "blob.h"
#include "harness_model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 2, OUTPUTS = 3, TRIALS = 150 };

// One layer with its parameters, and the shapes that it gets.
typedef struct trial {
    const ebb_layer_type *type;
    char text[1024];
    int n_in, n_out;
    ebb_desc in[INPUTS];
} trial;

static unsigned dice;
static int roll(int n) { return dice = dice * 1664525u + 1013904223u, (int)((dice >> 8) % (unsigned)n); }

// ------------------------------------------------------------------------------------------- trials

static int edge(const ebb_param *r)
{
    static const int edges[] = {
        0, 1, 2, 3, 4, 7, -1, -2, -3, -5, -233, INT32_MAX, INT32_MAX - 1, -INT32_MAX, INT32_MIN};
    if (roll(2) && r->type == EBB_P_INT) return (int)r->def;
    const int likely = roll(4) ? 8 : (int)(sizeof edges / sizeof *edges);
    for (;;) {
        const int v = edges[roll(likely)];
        if ((r->min == 0 && r->max == 0) || (v >= r->min && v <= r->max)) return v;
    }
}

static int write_row(const ebb_param *r, char *to, size_t room)
{
    static const char *const texts[] = {"0w", "0h,0w", "-(0w,1)", "1", "2,-1", "0,3", "-2,2147483647"};
    static const char *const floats[] = {"0.0", "1.0", "-2.0", "0.5"};
    int n = 0;
    switch (r->type) {
    case EBB_P_INT: return snprintf(to, room, " %d=%d", r->id, edge(r));
    case EBB_P_FLOAT: return snprintf(to, room, " %d=%s", r->id, floats[roll(4)]);
    case EBB_P_STRING: return snprintf(to, room, " %d=\"%s\"", r->id, texts[roll(7)]);
    case EBB_P_INTS:
        n = snprintf(to, room, " %d=%d", r->id, edge(r));
        for (int k = roll(3); k > 0; k--) n += snprintf(to + n, room - (size_t)n, ",%d", edge(r));
        return n;
    case EBB_P_FLOATS: break;
    }
    return 0;
}

static ebb_desc some_shape(int rank)
{
    int dim[EBB_MAX_RANK];
    for (int i = 0; i < rank; i++) dim[i] = roll(12) ? 1 + roll(4) : 0;
    return ebb_desc_planar(EBB_F32, rank, dim);
}

static void make_trial(trial *t, const ebb_layer_type *type)
{
    *t = (trial){.type = type};
    const int most_in = type->in_max < 0 || type->in_max > INPUTS ? INPUTS : type->in_max;
    const int most_out = type->out_max < 0 || type->out_max > OUTPUTS ? OUTPUTS : type->out_max;
    const int least = type->in_min > 0 ? type->in_min : 1;
    t->n_in = least + roll(most_in - least + 1);
    t->n_out = 1 + roll(most_out);
    const int rank = 1 + roll(EBB_MAX_RANK);
    for (int i = 0; i < t->n_in; i++)
        t->in[i] = i && roll(3) == 0 ? t->in[0] : some_shape(roll(4) ? rank : 1 + roll(EBB_MAX_RANK));
    const size_t room = sizeof t->text;
    size_t n = (size_t)snprintf(t->text, room, "7767517\n%d %d\n", t->n_in + 1, t->n_in + t->n_out);
    for (int i = 0; i < t->n_in; i++)
        n += (size_t)snprintf(t->text + n, room - n, "Input i%d 0 1 in%d\n", i, i);
    n += (size_t)snprintf(t->text + n, room - n, "%s layer %d %d", type->name, t->n_in, t->n_out);
    for (int i = 0; i < t->n_in; i++) n += (size_t)snprintf(t->text + n, room - n, " in%d", i);
    for (int k = 0; k < t->n_out; k++) n += (size_t)snprintf(t->text + n, room - n, " out%d", k);
    for (const ebb_param *r = type->params; r && r->name; r++)
        if (!strstr(r->name, "data_size") && roll(2)) n += (size_t)write_row(r, t->text + n, room - n);
    ck_assert_uint_lt(n + 2, room);
    strcpy(t->text + n, "\n");
}

// ------------------------------------------------------------------------------------------- outcomes

typedef struct outcome {
    ebb_status status;
    ebb_blob *out[OUTPUTS];
    void *data[INPUTS];  // that the outputs may be views of
} outcome;

typedef enum strides { PLANAR, PIXEL, PADDED, STRIDES } strides;

// An input as it lies in memory; the gaps are NaN.
static void *lay(ebb_desc *d, int i, ebb_dtype dtype, strides s)
{
    d->dtype = dtype;
    if (s == PIXEL) ebb_desc_pixel_strides(d);
    ptrdiff_t step = 2;
    for (int a = d->rank - 1; s == PADDED && a >= 0; a--) d->stride[a] = step, step = step * d->dim[a] + 3;
    const size_t cell = ebb_dtype_bytes(dtype), bytes = ebb_desc_span(d) * cell;
    char *data = malloc(bytes + 1);
    ck_assert_ptr_nonnull(data);
    memset(data, 0xff, bytes);
    for (size_t k = 0; k < ebb_desc_count(d); k++)
        put_cell(dtype, data + element(d, k) * (ptrdiff_t)cell, (double)((k * 7 + (size_t)i * 50) % 101));
    return data;
}

static outcome run(const trial *t, ebb_net *net, const ebb_dtype dtype[INPUTS], strides s)
{
    static const char *const in[] = {"in0", "in1"}, *const out[] = {"out0", "out1", "out2"};
    outcome o = {0};
    ebb_extractor *x;
    ebb_error e = {0};
    const ebb_extractor_options opt = {.memory_limit = 1 << 16};  // edges make shapes of gigabytes
    ck_assert_int_eq(ebb_extractor_new(net, &opt, &x, &e), EBB_OK);
    for (int i = 0; i < t->n_in; i++) {
        ebb_desc d = t->in[i];
        o.data[i] = lay(&d, i, dtype[i], s);
        ck_assert_msg(ebb_extractor_borrow(x, in[i], &d, o.data[i], &e) == EBB_OK, "%s", e.msg);
    }
    o.status = ebb_extractor_extract_many(x, out, t->n_out, EBB_TAKE_PLANAR, o.out, &e);
    ck_assert_msg(!o.status == !e.msg[0], "%s: status %d, '%s'", t->text, o.status, e.msg);
    ebb_extractor_destroy(x);
    return o;
}

static bool same(const trial *t, const outcome *a, const outcome *b)
{
    if (b->status == EBB_E_LIMIT) return true;  // some ways take a copy more
    if (a->status != b->status) return false;
    for (int k = 0; k < t->n_out && a->status == EBB_OK; k++) {
        const ebb_desc *d = ebb_blob_desc(a->out[k]);
        if (!ebb_desc_same_shape(d, ebb_blob_desc(b->out[k]))) return false;
        if (ebb_desc_count(d) &&
            memcmp(ebb_blob_data(a->out[k]), ebb_blob_data(b->out[k]), ebb_desc_bytes(d)))
            return false;
    }
    return true;
}

static void drop(const trial *t, outcome *o)
{
    for (int k = 0; k < t->n_out; k++) ebb_blob_drop(o->out[k]);
    for (int i = 0; i < t->n_in; i++) free(o->data[i]);
}

// All ways that the inputs can lie; true when they work.
static bool check(const trial *t, ebb_net *net)
{
    static const ebb_dtype floats[] = {EBB_F32, EBB_F16, EBB_BF16};
    outcome first = run(t, net, (const ebb_dtype[]){EBB_F32, EBB_F32}, PLANAR);
    for (int k = 1; first.status != EBB_E_LIMIT && k < (t->n_in > 1 ? 9 : 3) * STRIDES; k++) {
        const ebb_dtype dtype[] = {floats[k / STRIDES % 3], floats[k / STRIDES / 3]};
        outcome o = run(t, net, dtype, k % STRIDES);
        ck_assert_msg(same(t, &first, &o),
                      "%s on %s, %s %s, way %d: status %d, as planar f32 %d, or other values", t->text,
                      EBB_SHAPE(&t->in[0]), ebb_dtype_name(dtype[0]), ebb_dtype_name(dtype[1]), k, o.status,
                      first.status);
        drop(t, &o);
    }
    const bool works = first.status == EBB_OK;
    drop(t, &first);
    return works;
}

START_TEST(all_ways_agree)
{
    int n_types = 0;
    for (int i = 0; ebb_builtin_layer(i); i++) {
        const ebb_layer_type *type = ebb_builtin_layer(i);
        int work = 0, refused = 0;
        if (!(type->flags & EBB_LAYER_VIEW)) continue;
        dice = (unsigned)n_types++;
        for (int k = 0; k < TRIALS; k++) {
            trial t;
            ebb_net *net;
            make_trial(&t, type);
            ck_assert_int_eq(ebb_net_new(NULL, &net, NULL), EBB_OK);
            if (ebb_net_load_param_mem(net, t.text, strlen(t.text), NULL) != EBB_OK ||
                ebb_net_load_weights_mem(net, "", 0, NULL) != EBB_OK)
                refused++;
            else if (check(&t, net))
                work++;
            ebb_net_destroy(net);
        }
        ck_assert_msg(work > TRIALS / 20, "%s: %d of %d work, %d do not load", type->name, work, TRIALS,
                      refused);
    }
    ck_assert_int_gt(n_types, 12);
}
END_TEST

int main(void) { return run_tests("views", (const test_entry[]){{"all_ways_agree", all_ways_agree}, {0}}); }
