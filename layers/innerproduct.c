// SPDX-License-Identifier: BSD-3-Clause
// innerproduct.c - InnerProduct: weights times the flattened input, or times each row of a matrix whose width
// is the number of inputs. Rule: the weights are read where the file has them.
#include "parts/activation.h"
#include "kernels/kernels.h"
#include "parts/linear.h"
#include <string.h>

typedef struct product {
    int num_output, bias_term, weight_data_size, int8_scale_term, activation_type;
    ebb_floats activation_params;
    ebb_activation act;
    ebb_linear w;
    ebb_weights bias;
    float in_scale, in_factor;  // of the 8-bit form
} product;

static const ebb_param params[] = {
    EBB_INT(product, 0, "num_output", num_output, .min = 0, .max = INT32_MAX),
    EBB_INT(product, 1, "bias_term", bias_term),
    EBB_INT(product, 2, "weight_data_size", weight_data_size, .doc = "num_output x inputs"),
    EBB_INT(product, 8, "int8_scale_term", int8_scale_term, .doc = "multiply 8-bit numbers"),
    EBB_INT(product, 9, "activation_type", activation_type),
    EBB_FLOATS(product, 10, "activation_params", activation_params),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    product *p = st;
    if (p->num_output < 1)
        return ebb_fail(e, EBB_E_PARAM, "num_output is %d, must be at least 1", p->num_output);
    if (p->weight_data_size < 1 || p->weight_data_size % p->num_output)
        return ebb_fail(e, EBB_E_PARAM, "weight_data_size %d is no multiple of num_output %d",
                        p->weight_data_size, p->num_output);
    return ebb_activation_init(&p->act, p->activation_type, p->activation_params, e);
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    product *p = st;
    const bool eight = p->int8_scale_term != 0;
    EBB_TRY(ebb_linear_load(&p->w, l, p->num_output, p->weight_data_size / p->num_output, eight, e));
    if (p->bias_term) {
        EBB_TRY(ebb_load_weights(l, (size_t)p->num_output, EBB_RAW, &p->bias, e));
        EBB_TRY(ebb_load_keep(l, &p->bias, e));
    }
    if (eight) {
        ebb_weights scale;
        EBB_TRY(ebb_linear_load_scales(&p->w, l, p->w.rows, e));
        EBB_TRY(ebb_load_weights(l, 1, EBB_RAW, &scale, e));
        p->in_scale = ebb_weight_f32(&scale, 0);
        p->in_factor = 1.f / p->in_scale;
    }
    return EBB_OK;
}

static bool by_rows(const product *p, const ebb_desc *d) { return d->rank == 2 && d->dim[1] == p->w.cols; }

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const product *p = st;
    const ebb_desc *d = &in->in[0];
    if (by_rows(p, d)) out->dim[out->rank++] = d->dim[0];
    if (!by_rows(p, d) && ebb_desc_count(d) != (size_t)p->w.cols)
        return ebb_fail(e, EBB_E_SHAPE, "the input %s has %zu values, the weights want %d",
                        EBB_SHAPE(d), ebb_desc_count(d), p->w.cols);
    out->dim[out->rank++] = p->num_output;
    return EBB_OK;
}

// The same sizes, dense and planar: how the collected input lies in scratch.
static ebb_desc collected(const ebb_desc *d) { return ebb_desc_planar(d->dtype, d->rank, d->dim); }

// Whether the input must be collected in scratch first: to be quantised, or to lie in one piece.
static bool collects(const product *p, const ebb_desc *d)
{
    if (p->int8_scale_term && d->dtype != EBB_I8) return true;
    if (by_rows(p, d)) return false;
    const ebb_desc dense = collected(d);
    for (int i = 0; i < d->rank; i++)
        if (d->dim[i] != 1 && d->stride[i] != dense.stride[i]) return true;
    return false;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const product *p = st;
    if (p->int8_scale_term) plan->in[0].dtypes = EBB_BIT(EBB_F32) | EBB_BIT(EBB_I8);
    if (collects(p, &in->in[0]))
        plan->scratch = ebb_size_mul(ebb_desc_count(&in->in[0]), p->int8_scale_term ? 1 : sizeof(float));
    plan->macs = (double)ebb_desc_count(&in->out[0]) * p->w.cols;
    plan->algorithm = p->int8_scale_term ? "dot i8" : p->w.w.dtype == EBB_F16 ? "dot f16" : "dot";
    return EBB_OK;
}

typedef struct job {
    const product *p;
    const ebb_kernels *k;
    const void *x;
    ebb_loop loop;  // scratch and input
    void *scratch;
    bool quantize;
    size_t each;    // bytes of an input element
    ebb_vectors v;
    float *y;
    ptrdiff_t sy;
} job;

static void collect(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const int inner = j->loop.rank - 1;
    const ptrdiff_t sx = j->loop.stride[1][inner];
    const size_t n = (size_t)j->loop.dim[inner], piece = sx == 1 ? n : 1;
    ptrdiff_t at[EBB_LOOP_MAX];
    ebb_loop_at(&j->loop, i, at);
    for (size_t from = 0; from < n; from += piece) {
        const size_t to = (size_t)at[0] + from,
                     x = (size_t)(at[1] + (ptrdiff_t)from * sx);  // fits: inside the input
        if (j->quantize) {
            j->k->quantize_i8((int8_t *)j->scratch + to, (const float *)j->x + x, piece, &j->p->in_scale, 0);
        } else {
            memcpy((char *)j->scratch + to * j->each, (const char *)j->x + x * j->each, piece * j->each);
        }
    }
}

static void rows(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const product *p = j->p;
    const int piece = ebb_linear_piece(&p->w), row = (int)i * piece;
    const int n = p->num_output - row < piece ? p->num_output - row : piece;
    const size_t bytes = ebb_size_mul((size_t)n, sizeof(float));
    for (int v = 0; v < j->v.n; v++) {
        if (p->bias_term) {
            memcpy(j->y + v * j->sy + row, (const float *)p->bias.data + row, bytes);
        } else {
            memset(j->y + v * j->sy + row, 0, bytes);
        }
    }
    ebb_linear_times(&p->w, j->k, row, n, &j->v, j->y + row, j->sy);
    for (int v = 0; v < j->v.n; v++)
        j->k->activate_f32(j->y + v * j->sy + row, (size_t)n, p->act.type, p->act.a, p->act.b);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const product *p = st;
    const ebb_desc *d = ebb_blob_desc(in[0]), *o = ebb_blob_desc(out[0]), dense = collected(d);
    job j = {.p = p,
             .k = c->k,
             .x = ebb_blob_data(in[0]),
             .scratch = c->scratch,
             .each = ebb_dtype_bytes(d->dtype)};
    const void *x = j.x;
    j.quantize = p->int8_scale_term && d->dtype != EBB_I8;
    j.v = (ebb_vectors){.n = by_rows(p, d) ? d->dim[0] : 1, .stride = p->w.cols, .factor = &p->in_factor};
    if (collects(p, d)) {
        ebb_loop_init(&j.loop, 2, (const ebb_desc *[]){&dense, d});
        ebb_parallel(c, j.loop.outer, collect, &j);
        x = c->scratch;
    } else if (by_rows(p, d)) {
        j.v.stride = d->stride[0];
    }
    j.v.f = x;
    j.v.q = x;
    j.y = ebb_f32(out[0]);
    j.sy = o->rank == 2 ? o->stride[0] : p->num_output;
    const int piece = ebb_linear_piece(&p->w);
    ebb_parallel(c, (p->num_output + piece - 1) / piece, rows, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_innerproduct = {
    .size = sizeof(ebb_layer_type),
    .name = "InnerProduct",
    .doc = "weights times the flattened input, or its rows",
    .reads = EBB_PLANAR,
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(product),
    .params = params,
    .init = init,
    .load = load,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
