// SPDX-License-Identifier: BSD-3-Clause
// argmax.c - ArgMax: the places of the largest values of a blob, counted in c, h, w order. Rule: of equal
// values the later place goes first, NaN goes last.
#include "parts/boxes.h"
#include <limits.h>
#include <math.h>

typedef struct argmax {
    int out_max_val, topk;
} argmax;

static const ebb_param params[] = {
    EBB_INT(argmax, 0, "out_max_val", out_max_val, .doc = "first a row of the values"),
    EBB_INT(argmax, 1, "topk", topk, .def = 1, .min = 1, .max = INT_MAX),
    {0},
};

typedef struct entry {
    float value;
    int index;
} entry;

static bool before(const entry *a, const entry *b)
{
    if (isnan(a->value) != isnan(b->value)) return isnan(b->value);
    return a->value != b->value && !isnan(a->value) ? a->value > b->value : a->index > b->index;
}

// Moves entry i of a heap of n down; the heap's top is the last one in order.
static void sift_down(entry *v, size_t i, size_t n)
{
    for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
        if (kid + 1 < n && before(&v[kid], &v[kid + 1])) kid++;
        if (!before(&v[i], &v[kid])) return;
        const entry t = v[i];
        v[i] = v[kid], v[kid] = t;
    }
}

// Takes in x, which is element i of all: v is a heap of the k first in order among those taken so far.
static void take(entry *v, int k, entry x)
{
    if (x.index < k) {
        v[x.index] = x;
        for (size_t i = x.index == k - 1 ? (size_t)k / 2 : 0; i-- > 0;) sift_down(v, i, (size_t)k);
    } else if (before(&x, &v[0])) {
        v[0] = x;
        sift_down(v, 0, (size_t)k);
    }
}

static void heap_to_order(entry *v, size_t k)
{
    for (size_t i = k; i-- > 1;) {
        const entry t = v[0];
        v[0] = v[i], v[i] = t;
        sift_down(v, 0, i);
    }
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const argmax *p = st;
    const size_t n = ebb_desc_count(&in->in[0]);
    if ((size_t)p->topk > n || n > INT_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "the %d largest of %zu values; at most %d can be told apart", p->topk,
                        n, INT_MAX);
    out[0].rank = 2;
    out[0].dim[0] = p->out_max_val ? 2 : 1;
    out[0].dim[1] = p->topk;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)in, (void)e;
    plan->in[0].orders = EBB_ANY_ORDER;
    plan->scratch = ebb_size_mul((size_t)((const argmax *)st)->topk, sizeof(entry));
    return EBB_OK;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const argmax *p = st;
    const ebb_desc *d = ebb_blob_desc(in[0]);
    const int n = (int)ebb_desc_count(d);
    entry *best = c->scratch;
    for (int i = 0; i < n; i++) take(best, p->topk, (entry){ebb_f32(in[0])[ebb_element(d, (size_t)i)], i});
    heap_to_order(best, (size_t)p->topk);
    float *places = ebb_f32(out[0]);
    if (p->out_max_val) {
        for (int i = 0; i < p->topk; i++) places[i] = best[i].value;
        places += ebb_blob_desc(out[0])->stride[0];
    }
    for (int i = 0; i < p->topk; i++) places[i] = (float)best[i].index;
    return EBB_OK;
}

const ebb_layer_type ebb_layer_argmax = {
    .size = sizeof(ebb_layer_type), .name = "ArgMax", .doc = "places of the largest values",
    .reads = EBB_PLANAR,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(argmax), .params = params,
    .shape = shape, .plan = plan, .cpu = cpu,
};
