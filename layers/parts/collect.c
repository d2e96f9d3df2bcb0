// SPDX-License-Identifier: BSD-3-Clause
// collect.c - a sum, a mean or an extreme of each of many sets, for Reduction and the norms. Rule: sets are handled a
// few at a time, start to end, so that nothing but the result is ever stored; how they are shared out never changes a
// value.
#include "collect.h"
#include "elementwise.h"
#include "kernels/kernels.h"
#include <math.h>

ebb_desc ebb_axes_off(const ebb_desc *d, unsigned axes)
{
    ebb_desc r = *d;
    for (int i = 0; i < r.rank; i++)
        if (axes >> i & 1) r.dim[i] = 1;
    return r;
}

void ebb_collect(const ebb_kernels *k, int op, const ebb_loop *within, int operand, float *acc,
                 const float *x, size_t m, ptrdiff_t step, const float *centre)
{
    const float start = op == EBB_PRODUCT    ? 1.f
                        : op == EBB_LARGEST  ? -INFINITY
                        : op == EBB_SMALLEST ? INFINITY
                                             : 0.f;
    for (size_t j = 0; j < m; j++) acc[j] = start;
    for (size_t i = 0; i < within->outer; i++) {
        ptrdiff_t at[EBB_LOOP_MAX];
        ebb_loop_at(within, i, at);
        k->reduce_f32(op, acc, x + at[operand], (size_t)within->dim[within->rank - 1],
                      ebb_loop_step(within, operand), m, step, centre);
    }
}

// Neighbours in memory are worth a vector's width even where sets are long.
int ebb_sets_piece(size_t n, ptrdiff_t step)
{
    const size_t fair = n ? EBB_PIECE / n : EBB_SETS, least = step == 1 ? 16 : 1;
    return (int)(fair < least ? least : fair > EBB_SETS ? EBB_SETS : fair);
}
