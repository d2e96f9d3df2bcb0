// SPDX-License-Identifier: BSD-3-Clause
// recurrent.c - the walk of LSTM, GRU and RNN. Rule: the input's part of the gates is computed for a few
// steps at once, so that scratch does not grow with the sequence and weights are streamed for several
// vectors.
#include "recurrent.h"
#include "carve.h"
#include "quant.h"
#include "kernels/kernels.h"
#include <limits.h>
#include <string.h>

enum { STEPS = 8 };  // at once

ebb_status ebb_recurrent_init(ebb_recurrent *p, const ebb_init *in, const ebb_recurrent_cell *cell,
                              ebb_error *e)
{
    p->cell = cell;
    p->directions = p->direction == 2 ? 2 : 1;
    if (in->n_in != 1 && in->n_in != 1 + cell->states)
        return ebb_fail(e, EBB_E_PARAM, "it has %d inputs, must have 1, or %d with the initial state",
                        in->n_in, 1 + cell->states);
    if (p->num_output < 1 || p->hidden_size < 1)
        return ebb_fail(e, EBB_E_PARAM, "num_output is %d and hidden_size %d, both must be at least 1",
                        p->num_output, p->hidden_size);
    if (p->num_output > INT_MAX / p->directions)
        return ebb_fail(e, EBB_E_PARAM, "num_output %d is too large for %d directions", p->num_output,
                        p->directions);
    const long long rows = (long long)p->directions * cell->gates * p->hidden_size;
    if (p->weight_data_size < 1 || p->weight_data_size % rows)
        return ebb_fail(e, EBB_E_PARAM,
                        "weight_data_size %d is no multiple of %d directions x %d gates x hidden_size %d",
                        p->weight_data_size, p->directions, cell->gates, p->hidden_size);
    p->size = (int)(p->weight_data_size / rows);
    return EBB_OK;
}

static ebb_status load_bias(ebb_recurrent *p, const ebb_load *l, ebb_error *e)
{
    ebb_weights w;
    const size_t sets = ebb_size_mul((size_t)p->directions, (size_t)p->cell->biases);
    EBB_TRY(ebb_load_weights(l, ebb_size_mul(sets, (size_t)p->hidden_size), EBB_TAGGED, &w, e));
    if (w.dtype == EBB_I8)
        return ebb_fail(e, EBB_E_FORMAT, "the bias is stored as 8-bit numbers, it must be f32 or f16");
    if (w.dtype == EBB_F32) {
        EBB_TRY(ebb_load_keep(l, &w, e));
        p->bias = w.data;
        return EBB_OK;
    }
    void *bias;
    EBB_TRY(ebb_load_alloc(l, ebb_size_mul(w.n, sizeof(float)), &bias, e));
    ebb_weights_to_f32(&w, bias);
    p->bias = bias;
    return EBB_OK;
}

ebb_status ebb_recurrent_load(void *st, const ebb_load *l, ebb_error *e)
{
    ebb_recurrent *p = st;
    const int rows = p->directions * p->cell->gates * p->hidden_size;
    const bool eight = p->int8_scale_term != 0;
    EBB_TRY(ebb_linear_load(&p->x, l, rows, p->size, eight, e));
    EBB_TRY(load_bias(p, l, e));
    EBB_TRY(ebb_linear_load(&p->h, l, rows, p->num_output, eight, e));
    if (p->num_output != p->hidden_size)
        EBB_TRY(ebb_linear_load(&p->r, l, p->directions * p->num_output, p->hidden_size, false, e));
    if (eight) {
        EBB_TRY(ebb_linear_load_scales(&p->x, l, p->x.rows, e));
        EBB_TRY(ebb_linear_load_scales(&p->h, l, p->h.rows, e));
    }
    return EBB_OK;
}

// A state is directions x width, or any shape of as many elements whose last axis is one direction or all; it
// comes out in the shape it was given in.
static ebb_status state_shape(const ebb_recurrent *p, const ebb_desc *given, int width, ebb_desc *out,
                              ebb_error *e)
{
    out->rank = 2;
    out->dim[0] = p->directions;
    out->dim[1] = width;
    if (!given) return EBB_OK;
    const int last = given->rank ? given->dim[given->rank - 1] : 0;
    if (ebb_desc_count(given) != (size_t)p->directions * (size_t)width ||
        (last != width && last != p->directions * width))
        return ebb_fail(e, EBB_E_SHAPE, "an initial state is %s, must be %dx%d",
                        EBB_SHAPE(given), p->directions, width);
    out->rank = given->rank;
    memcpy(out->dim, given->dim, sizeof out->dim);
    return EBB_OK;
}

ebb_status ebb_recurrent_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_recurrent *p = st;
    const ebb_desc *x = &in->in[0];
    if (x->rank < 1 || x->rank > 2 || x->dim[x->rank - 1] != p->size)
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, must be steps x %d (weight_data_size %d)",
                        EBB_SHAPE(x), p->size, p->weight_data_size);
    out[0].rank = 2;
    out[0].dim[0] = x->rank == 2 ? x->dim[0] : 1;
    out[0].dim[1] = p->directions * p->num_output;
    for (int i = 1; i < in->n_out || i < in->n_in; i++) {
        ebb_desc unused = {0};
        EBB_TRY(state_shape(p, i < in->n_in ? &in->in[i] : NULL, i == 1 ? p->num_output : p->hidden_size,
                            i < in->n_out ? &out[i] : &unused, e));
    }
    return EBB_OK;
}

// What stands in scratch.
typedef struct room {
    float *gates;      // steps x gates x hidden_size
    float *apart;      // hidden_size
    float *h[2];       // hidden state before and after a step, num_output
    float *cell;       // hidden_size
    float *projected;  // hidden_size: before the projection
    float *factor;     // steps + 1: of x and h
    int8_t *qx, *qh;   // steps x size, num_output
} room;

// Lays out `base`; with NULL it only counts.
static size_t lay_out(const ebb_recurrent *p, int steps, void *base, room *r)
{
    const size_t H = (size_t)p->hidden_size, P = (size_t)p->num_output, n = (size_t)steps,
                 one = sizeof(float);
    const size_t eight = p->int8_scale_term ? 1 : 0;
    ebb_carver c = {.base = base};
    r->gates = ebb_carve(&c, ebb_size_mul(n * (size_t)p->cell->gates, H), one);
    r->apart = ebb_carve(&c, p->cell->apart < 0 ? 0 : H, one);
    r->h[0] = ebb_carve(&c, P, one);
    r->h[1] = ebb_carve(&c, P, one);
    r->cell = ebb_carve(&c, p->cell->states < 2 ? 0 : H, one);
    r->projected = ebb_carve(&c, P == H ? 0 : H, one);
    r->factor = ebb_carve(&c, eight * (STEPS + 1), one);
    r->qx = ebb_carve(&c, eight * n, (size_t)p->size);
    r->qh = ebb_carve(&c, eight * P, 1);
    return c.used;
}

static int steps_at_once(const ebb_desc *x)
{
    return x->rank == 1 ? 1 : x->dim[0] < STEPS ? x->dim[0] : STEPS;
}

ebb_status ebb_recurrent_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const ebb_recurrent *p = st;
    ebb_recurrent_work *work = plan->work;
    room r;
    work->steps = steps_at_once(&in->in[0]);
    plan->scratch = lay_out(p, work->steps, NULL, &r);
    const double a_step = (double)p->x.rows * (p->x.cols + p->h.cols) + (double)p->r.rows * p->r.cols;
    plan->macs = (double)in->out[0].dim[0] * a_step;
    for (int i = 1; i < in->n_in && i < in->n_out; i++) plan->out[i].steal = EBB_BIT(i);
    plan->algorithm = p->int8_scale_term ? "dot i8" : p->x.w.dtype == EBB_F16 ? "dot f16" : "dot";
    return EBB_OK;
}

typedef struct job {
    const ebb_recurrent *p;
    const ebb_cpu *c;
    room r;
    int direction;
    ebb_vectors x, h;     // of the present steps and step
    float *gates;         // of the present step
    const float *old;     // hidden state before it
    float *next;          // and after it
    int piece;            // rows or units of one piece of work
} job;

// The input's part of some rows of the gates, for the present steps.
static void input_part(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const ebb_recurrent *p = j->p;
    const int all = p->cell->gates * p->hidden_size, row = (int)i * j->piece,
              n = all - row < j->piece ? all - row : j->piece;
    const float *bias = p->bias + (ptrdiff_t)j->direction * p->cell->biases * p->hidden_size + row;
    for (int v = 0; v < j->x.n; v++)
        memcpy(j->r.gates + (ptrdiff_t)v * all + row, bias, (size_t)n * sizeof(float));
    ebb_linear_times(&p->x, j->c->k, j->direction * all + row, n, &j->x, j->r.gates + row, all);
}

// The hidden part of the gates of some units, and their new state.
static void step_units(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const ebb_recurrent *p = j->p;
    const ebb_recurrent_cell *cell = p->cell;
    const int H = p->hidden_size, q = (int)i * j->piece, n = H - q < j->piece ? H - q : j->piece;
    for (int g = 0; g < cell->gates; g++) {
        float *y = j->gates + (ptrdiff_t)g * H + q;
        if (g == cell->apart) {
            y = j->r.apart + q;
            memcpy(y, p->bias + ((ptrdiff_t)j->direction * cell->biases + cell->gates) * H + q,
                   (size_t)n * sizeof(float));
        }
        ebb_linear_times(&p->h, j->c->k, (j->direction * cell->gates + g) * H + q, n, &j->h, y, 0);
    }
    float *h = p->num_output != H ? j->r.projected : j->next;
    cell->run(j->c->k, h + q, j->old + q, j->r.cell + q, j->gates + q, H, j->r.apart + q, (size_t)n);
}

static void project(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const int P = j->p->num_output, q = (int)i * j->piece, n = P - q < j->piece ? P - q : j->piece;
    const ebb_vectors h = {.n = 1, .f = j->r.projected};
    memset(j->next + q, 0, (size_t)n * sizeof(float));
    ebb_linear_times(&j->p->r, j->c->k, j->direction * P + q, n, &h, j->next + q, 0);
}

static void pieces(job *j, int piece, int all, void (*fn)(void *, size_t, int))
{
    j->piece = piece;
    ebb_parallel(j->c, (all + piece - 1) / piece, fn, j);
}

static void one_step(job *j)
{
    const ebb_recurrent *p = j->p;
    const int unit = ebb_linear_piece(&p->h) / p->cell->gates;
    j->h = (ebb_vectors){.n = 1, .f = j->old, .q = j->r.qh, .factor = j->r.factor + STEPS};
    if (p->int8_scale_term)
        j->r.factor[STEPS] = ebb_quantize_own(j->c->k, j->r.qh, j->old, (size_t)p->num_output);
    pieces(j, unit < 8 ? 8 : unit, p->hidden_size, step_units);
    if (p->num_output != p->hidden_size) pieces(j, ebb_linear_piece(&p->r), p->num_output, project);
}

// x: the vectors of the steps in the order of time, their rows `stride` apart.
static void input_steps(job *j, const float *x, ptrdiff_t stride, int n)
{
    const ebb_recurrent *p = j->p;
    j->x = (ebb_vectors){.n = n, .stride = stride, .f = x, .q = j->r.qx, .factor = j->r.factor, .each = true};
    if (p->int8_scale_term) {
        j->x.stride = p->size;
        for (int v = 0; v < n; v++)
            j->r.factor[v] =
                ebb_quantize_own(j->c->k, j->r.qx + (ptrdiff_t)v * p->size, x + v * stride, (size_t)p->size);
    }
    pieces(j, ebb_linear_piece(&p->x), p->cell->gates * p->hidden_size, input_part);
}

// Of the axes before the last, only one can be longer than 1: that of the directions.
static float *state_row(const ebb_blob *b, int direction, int width)
{
    const ebb_desc *d = ebb_blob_desc(b);
    ptrdiff_t step = width;
    for (int i = 0; i < d->rank - 1; i++)
        if (d->dim[i] > 1) step = d->stride[i];
    return ebb_f32(b) + direction * step;
}

static void read_state(float *to, const ebb_blob *b, int direction, int width)
{
    if (b) {
        memcpy(to, state_row(b, direction, width), (size_t)width * sizeof(float));
    } else {
        memset(to, 0, (size_t)width * sizeof(float));
    }
}

static void one_direction(job *j, bool reverse, const ebb_blob *in, ebb_blob *out)
{
    const ebb_recurrent *p = j->p;
    const ebb_desc *d = ebb_blob_desc(in);
    const int T = d->rank == 2 ? d->dim[0] : 1, P = p->num_output;
    const ptrdiff_t row = d->rank == 2 ? d->stride[0] : 0;
    for (int t0 = 0; t0 < T; t0 += STEPS) {
        const int n = T - t0 < STEPS ? T - t0 : STEPS;
        input_steps(j, ebb_f32(in) + (reverse ? T - 1 - t0 : t0) * row, reverse ? -row : row, n);
        for (int v = 0; v < n; v++) {
            j->gates = j->r.gates + (ptrdiff_t)v * p->cell->gates * p->hidden_size;
            j->old = j->r.h[(t0 + v) % 2];
            j->next = j->r.h[(t0 + v + 1) % 2];
            one_step(j);
            const int t = reverse ? T - 1 - t0 - v : t0 + v;
            if (out)
                memcpy(ebb_f32(out) + t * ebb_blob_desc(out)->stride[0] + (ptrdiff_t)j->direction * P,
                       j->next, (size_t)P * sizeof(float));
        }
    }
    j->next = j->r.h[T % 2];
}

ebb_status ebb_recurrent_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in,
                             ebb_blob *const *out, ebb_error *e)
{
    (void)e;
    const ebb_recurrent *p = st;
    job j = {.p = p, .c = c};
    lay_out(p, ((const ebb_recurrent_work *)c->work)->steps, c->scratch, &j.r);
    const int H = p->hidden_size, P = p->num_output;
    for (j.direction = 0; j.direction < p->directions; j.direction++) {
        read_state(j.r.h[0], c->n_in > 1 ? in[1] : NULL, j.direction, P);
        if (p->cell->states > 1) read_state(j.r.cell, c->n_in > 2 ? in[2] : NULL, j.direction, H);
        one_direction(&j, p->direction == 1 || j.direction == 1, in[0], out[0]);
        if (c->n_out > 1 && out[1])
            memcpy(state_row(out[1], j.direction, P), j.next, (size_t)P * sizeof(float));
        if (c->n_out > 2 && out[2])
            memcpy(state_row(out[2], j.direction, H), j.r.cell, (size_t)H * sizeof(float));
    }
    return EBB_OK;
}
