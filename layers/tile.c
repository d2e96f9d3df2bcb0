// SPDX-License-Identifier: BSD-3-Clause
// tile.c - Tile: the input repeated along its axes. Rule: a repetition is an axis that the source does not
// move along; repeated once, it is a view.
#include "ebb_layer.h"
#include "parts/elementwise.h"
#include "parts/reshape_view.h"

typedef struct tile {
    int axis, tiles;
    ebb_ints repeats;
} tile;

static const ebb_param params[] = {
    EBB_INT(tile, 0, "axis", axis, .doc = "without repeats"),
    EBB_INT(tile, 1, "tiles", tiles, .def = 1, .min = 0, .max = INT32_MAX),
    EBB_INTS(tile, 2, "repeats", repeats, .min = 0, .max = INT32_MAX,
             .doc = "of the innermost axes; more of them than axes make new ones"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const int n = ((const tile *)st)->repeats.n;
    if (n <= EBB_MAX_RANK) return EBB_OK;
    return ebb_fail(e, EBB_E_PARAM, "%d repeats, but a blob has at most %d axes", n, EBB_MAX_RANK);
}

// The input with as many axes as the output has; c, h, w with four repeats is c, 1, h, w.
static ebb_desc lifted(const ebb_desc *x, int rank)
{
    ebb_desc d = {.dtype = x->dtype, .rank = rank};
    for (int i = 0; i < rank; i++) {
        int from = i - (rank - x->rank);
        if (x->rank == 3 && rank == 4) from = i == 0 ? 0 : i == 1 ? -1 : i - 1;
        d.dim[i] = from < 0 ? 1 : x->dim[from];
        d.stride[i] = from < 0 ? 0 : x->stride[from];
    }
    return d;
}

static ebb_status find_repeats(const tile *p, int rank, int *times, ebb_error *e)
{
    for (int i = 0; i < EBB_MAX_RANK; i++) times[i] = 1;
    if (p->repeats.n == 0) {
        int axis;
        EBB_TRY(ebb_find_axis(p->axis, rank, &axis, e));
        times[axis] = p->tiles;
    }
    for (int i = 0; i < p->repeats.n; i++) times[rank - p->repeats.n + i] = p->repeats.v[i];
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const tile *p = st;
    int times[EBB_MAX_RANK];
    const int rank = p->repeats.n > in->in[0].rank ? p->repeats.n : in->in[0].rank;
    const ebb_desc x = lifted(&in->in[0], rank);
    EBB_TRY(find_repeats(p, rank, times, e));
    out[0].dtype = x.dtype;
    out[0].rank = rank;
    for (int i = 0; i < rank; i++) {
        if ((int64_t)x.dim[i] * times[i] > INT32_MAX)
            return ebb_fail(e, EBB_E_SHAPE, "%d elements %d times are too many for one axis", x.dim[i],
                            times[i]);
        out[0].dim[i] = x.dim[i] * times[i];  // fits: just looked
    }
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->in[0] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = EBB_BIT(in->out[0].dtype)};
    return EBB_OK;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    (void)st;
    const bool once = ebb_desc_count(&out[0].desc) == ebb_desc_count(&in->in[0]);
    out[0].from = once && ebb_reshape_view(&in->in[0], &out[0].desc) ? 0 : -1;
}

static void add_axis(ebb_desc *to, ebb_desc *from, int n, ptrdiff_t to_step, ptrdiff_t from_step)
{
    to->dim[to->rank] = from->dim[to->rank] = n;
    to->stride[to->rank] = to_step, from->stride[to->rank] = from_step;
    from->rank = ++to->rank;
}

// Repetitions of axes with several elements are axes of their own; those that find no room in a blob are
// counted through, one copy each.
static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    const ebb_desc *y = ebb_blob_desc(out[0]), x = lifted(ebb_blob_desc(in[0]), y->rank);
    ebb_desc to = {.dtype = y->dtype}, from = {.dtype = x.dtype};
    int times[EBB_MAX_RANK], left[EBB_MAX_RANK], n_left = 0;
    ptrdiff_t copies = 1;
    EBB_TRY(find_repeats(st, y->rank, times, e));
    for (int i = 0; i < y->rank; i++)
        if (y->dim[i] != 1)
            add_axis(&to, &from, x.dim[i] == 1 ? times[i] : x.dim[i], y->stride[i],
                     x.dim[i] == 1 ? 0 : x.stride[i]);
    for (int i = 0; i < y->rank; i++) {
        if (x.dim[i] == 1 || times[i] == 1) continue;
        if (to.rank < EBB_MAX_RANK) add_axis(&to, &from, times[i], y->stride[i] * x.dim[i], 0);
        else left[n_left++] = i, copies *= times[i];
    }
    for (ptrdiff_t k = 0; k < copies; k++) {
        ptrdiff_t at = 0, rest = k;
        for (int j = 0; j < n_left; rest /= times[left[j++]])
            at += rest % times[left[j]] * y->stride[left[j]] * x.dim[left[j]];
        ebb_copy(c, &to, (char *)ebb_blob_data(out[0]) + at * (ptrdiff_t)ebb_dtype_bytes(y->dtype), &from,
                 ebb_blob_data(in[0]));
    }
    return EBB_OK;
}

const ebb_layer_type ebb_layer_tile = {
    .size = sizeof(ebb_layer_type), .name = "Tile", .doc = "the input repeated along its axes",
    .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(tile), .params = params,
    .init = init, .shape = shape, .plan = plan, .view = view, .cpu = cpu,
};
