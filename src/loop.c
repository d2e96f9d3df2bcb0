// SPDX-License-Identifier: BSD-3-Clause
// loop.c - walking blobs of one shape together. Rule: the run that it leaves innermost is as long as strides allow.
#include "ebb_layer.h"
#include <limits.h>

// Whether axis b stands outside axis a in memory: by operand 0, ties by the next operand that differs.
static bool outside(const ebb_loop *l, int a, int b)
{
    for (int i = 0; i < l->n; i++)
        if (l->stride[i][a] != l->stride[i][b]) return l->stride[i][b] > l->stride[i][a];
    return false;
}

static void swap_axes(ebb_loop *l, int a, int b)
{
    const int dim = l->dim[a];
    l->dim[a] = l->dim[b], l->dim[b] = dim;
    for (int i = 0; i < l->n; i++) {
        const ptrdiff_t s = l->stride[i][a];
        l->stride[i][a] = l->stride[i][b], l->stride[i][b] = s;
    }
}

static bool contiguous(const ebb_loop *l, int outer, int inner)
{
    if (l->dim[inner] && l->dim[outer] > INT_MAX / l->dim[inner]) return false;
    for (int i = 0; i < l->n; i++)
        if (l->stride[i][outer] != ebb_stride_mul(l->stride[i][inner], l->dim[inner])) return false;
    return true;
}

static void merge_axes(ebb_loop *l)
{
    int at = 0;  // last axis kept
    for (int axis = 1; axis < l->rank; axis++) {
        if (contiguous(l, at, axis)) {
            l->dim[at] *= l->dim[axis];  // fits: contiguous() looked
        } else {
            l->dim[++at] = l->dim[axis];
        }
        for (int i = 0; i < l->n; i++) l->stride[i][at] = l->stride[i][axis];
    }
    l->rank = at + 1;
}

void ebb_loop_init(ebb_loop *l, int n, const ebb_desc *const *d)
{
    *l = (ebb_loop){.n = n};
    for (int axis = 0; axis < d[0]->rank; axis++) {
        if (d[0]->dim[axis] == 1) continue;
        l->dim[l->rank] = d[0]->dim[axis];
        for (int i = 0; i < n; i++) l->stride[i][l->rank] = d[i]->dim[axis] == 1 ? 0 : d[i]->stride[axis];
        l->rank++;
    }
    for (int i = 1; i < l->rank; i++)
        for (int j = i; j > 0 && outside(l, j - 1, j); j--) swap_axes(l, j - 1, j);
    if (l->rank) {
        merge_axes(l);
    } else {
        l->rank = l->dim[0] = 1;
        for (int i = 0; i < n; i++) l->stride[i][0] = 1;
    }
    l->outer = 1;
    for (int axis = 0; axis < l->rank - 1; axis++) l->outer = ebb_size_mul(l->outer, (size_t)l->dim[axis]);
    if (l->dim[l->rank - 1] == 0) l->outer = 0;
}

void ebb_loop_at(const ebb_loop *l, size_t i, ptrdiff_t offset[EBB_LOOP_MAX])
{
    for (int k = 0; k < l->n; k++) offset[k] = 0;
    for (int axis = l->rank - 2; axis >= 0; axis--) {
        const ptrdiff_t at = (ptrdiff_t)(i % (size_t)l->dim[axis]);
        i /= (size_t)l->dim[axis];
        for (int k = 0; k < l->n; k++) offset[k] += at * l->stride[k][axis];
    }
}

typedef struct walk {
    const ebb_loop *loop;
    ebb_loop_fn *run;
    const void *ctx;
    int piece;
    size_t pieces;  // of a run
    size_t group;   // runs in one item, where they are short
} walk;

static void item(void *ctx, size_t i, int worker)
{
    const walk *w = ctx;
    const ebb_loop *l = w->loop;
    const size_t first = i / w->pieces * w->group;  // fits: below the number of runs
    const int len = l->dim[l->rank - 1], from = (int)(i % w->pieces) * w->piece;
    const int n = len - from < w->piece ? len - from : w->piece;
    for (size_t r = first; r < first + w->group && r < l->outer; r++) {
        ptrdiff_t at[EBB_LOOP_MAX];
        ebb_loop_at(l, r, at);
        for (int k = 0; k < l->n; k++) at[k] += from * ebb_loop_step(l, k);
        w->run(w->ctx, at, (size_t)n, worker);
    }
}

void ebb_loop_run(const ebb_cpu *cpu, const ebb_loop *l, int piece, ebb_loop_fn *run, const void *ctx)
{
    const int len = l->dim[l->rank - 1];
    if (l->outer == 0) return;
    walk w = {.loop = l,
              .run = run,
              .ctx = ctx,
              .piece = piece,
              .pieces = (size_t)((len - 1) / piece) + 1,
              .group = 1};
    if (len < piece) w.group = (size_t)(piece / len);
    ebb_parallel(cpu, ebb_size_mul((l->outer - 1) / w.group + 1, w.pieces), item, &w);
}

int ebb_loop_take_row(ebb_loop *l)
{
    const int n = l->dim[l->rank - 1];
    if (l->rank > 1) {
        l->outer /= (size_t)l->dim[--l->rank - 1];
    } else {
        l->dim[0] = 1;
        for (int k = 0; k < l->n; k++) l->stride[k][0] = 0;
    }
    return n;
}
