// SPDX-License-Identifier: BSD-3-Clause
// pooling.c - Pooling, Pooling1D, Pooling3D: the largest or the mean value of windows. Rule: a window is what of
// it lies on the input; padding is known by position and never stored. A window with nothing in it gives
// -FLT_MAX or NaN.
#include "ebb_layer.h"
#include "kernels/kernels.h"
#include <float.h>
#include <limits.h>
#include <math.h>

enum { D, H, W, AXES };  // spatial axes; those a type does not have are of size 1
enum { MAX_POOL, MEAN_POOL };
enum { PAD_FULL, PAD_VALID, PAD_SAME_UPPER, PAD_SAME_LOWER };
enum { KEEP = -233 };    // adaptive output size: as the input

typedef struct pool {
    int type, global, pad_mode, include_pad, adaptive;
    int kernel[AXES], stride[AXES], before[AXES], after[AXES], out[AXES];
    int axes;
} pool;

#define SIZE(id_, name_, field, ...) \
    EBB_INT(pool, id_, name_, field, __VA_ARGS__)
#define COMMON                                                                                               \
    SIZE(0, "pooling_type", type, .max = 1, .doc = "0 max 1 mean"),                                          \
    SIZE(1, "kernel_w", kernel[W]), SIZE(2, "stride_w", stride[W], .def = 1),                                \
    SIZE(3, "pad_left", before[W]), SIZE(14, "pad_right", after[W], .like = EBB_LIKE(3)),                    \
    SIZE(4, "global_pooling", global),                                                                       \
    SIZE(5, "pad_mode", pad_mode, .max = 3,                                                                  \
         .doc = "0 full 1 valid 2 same, more at the end 3 same, more at the start"),                         \
    SIZE(6, "avgpool_count_include_pad", include_pad), SIZE(7, "adaptive_pooling", adaptive),                \
    SIZE(8, "out_w", out[W], .doc = "-233: as the input")
#define SECOND                                                                                               \
    SIZE(11, "kernel_h", kernel[H], .like = EBB_LIKE(1)),                                                    \
    SIZE(12, "stride_h", stride[H], .like = EBB_LIKE(2)),                                                    \
    SIZE(13, "pad_top", before[H], .like = EBB_LIKE(3)),                                                     \
    SIZE(15, "pad_bottom", after[H], .like = EBB_LIKE(13)),                                                  \
    SIZE(18, "out_h", out[H], .like = EBB_LIKE(8))
#define THIRD                                                                                                \
    SIZE(21, "kernel_d", kernel[D], .like = EBB_LIKE(1)),                                                    \
    SIZE(22, "stride_d", stride[D], .like = EBB_LIKE(2)),                                                    \
    SIZE(23, "pad_front", before[D], .like = EBB_LIKE(3)),                                                   \
    SIZE(16, "pad_behind", after[D], .like = EBB_LIKE(23)),                                                  \
    SIZE(28, "out_d", out[D], .like = EBB_LIKE(8))

static const ebb_param params_1d[] = {COMMON, {0}};
static const ebb_param params_2d[] = {COMMON, SECOND, {0}};
static const ebb_param params_3d[] = {COMMON, SECOND, THIRD, {0}};

static const char axis_name[] = "dhw";

static ebb_status check(pool *p, int axes, ebb_error *e)
{
    p->axes = axes;
    for (int a = 0; a < AXES - axes; a++)
        p->kernel[a] = p->stride[a] = p->out[a] = 1, p->before[a] = p->after[a] = 0;
    for (int a = 0; a < AXES && !p->global; a++) {
        const char name = axis_name[a];
        if (p->adaptive && p->out[a] < 1 && p->out[a] != KEEP)
            return ebb_fail(e, EBB_E_PARAM, "adaptive pooling needs out_%c of at least 1, or -233, not %d",
                            name, p->out[a]);
        if (p->adaptive) continue;
        if (p->kernel[a] < 1 || p->stride[a] < 1)
            return ebb_fail(e, EBB_E_PARAM, "kernel_%c and stride_%c must be at least 1, they are %d and %d",
                            name, name, p->kernel[a], p->stride[a]);
        if (p->before[a] < 0 || p->after[a] < 0)
            return ebb_fail(e, EBB_E_PARAM, "padding of axis %c must not be negative, it is %d and %d", name,
                            p->before[a], p->after[a]);
    }
    return EBB_OK;
}

static ebb_status init_1d(void *st, const ebb_init *in, ebb_error *e) { (void)in; return check(st, 1, e); }
static ebb_status init_2d(void *st, const ebb_init *in, ebb_error *e) { (void)in; return check(st, 2, e); }
static ebb_status init_3d(void *st, const ebb_init *in, ebb_error *e) { (void)in; return check(st, 3, e); }

// One axis with an input: what lies before it, and how many windows there are.
typedef struct axis {
    int size, kernel, stride, before, out;
    bool adaptive;
} axis;

static ebb_status find_axis(const pool *p, int a, int size, axis *x, ebb_error *e)
{
    *x = (axis){.size = size, .kernel = p->kernel[a], .stride = p->stride[a], .before = p->before[a]};
    if (p->global) {
        x->kernel = size, x->stride = x->out = 1, x->before = 0;
    } else if (p->adaptive) {
        x->adaptive = true;
        x->out = p->out[a] == KEEP ? size : p->out[a];
    } else if (p->pad_mode >= PAD_SAME_UPPER) {
        x->out = size ? (size - 1) / x->stride + 1 : 0;
        const long long pad = (long long)(x->out - 1) * x->stride + x->kernel - size;
        const bool upper = p->pad_mode == PAD_SAME_UPPER || a == D;  // files count on d unlike the others
        x->before = pad <= 0 ? 0 : (int)(upper ? pad / 2 : pad - pad / 2);
    } else {
        const long long room = (long long)size + p->before[a] + p->after[a] - x->kernel;
        if (room < 0 && (p->pad_mode == PAD_VALID || size == 0))
            return ebb_fail(e, EBB_E_SHAPE,
                            "the window of %d does not fit axis %c: %d with padding %d and %d", x->kernel,
                            axis_name[a], size, p->before[a], p->after[a]);
        const long long out =
            room < 0 ? 1 : (room + (p->pad_mode == PAD_FULL ? x->stride - 1 : 0)) / x->stride + 1;
        if (out > INT_MAX)
            return ebb_fail(e, EBB_E_SHAPE, "%lld windows on axis %c are too many", out, axis_name[a]);
        x->out = (int)out;
    }
    return EBB_OK;
}

static ebb_status find_axes(const pool *p, const ebb_desc *in, axis x[AXES], ebb_error *e)
{
    for (int a = 0; a < AXES; a++) {
        const int at = a - (AXES - p->axes);
        EBB_TRY(find_axis(p, a, at < 0 ? 1 : in->dim[1 + at], &x[a], e));
    }
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const pool *p = st;
    axis x[AXES];
    if (in->in[0].rank != p->axes + 1) {
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, a blob with %d axes is needed",
                        EBB_SHAPE(&in->in[0]), p->axes + 1);
    }
    EBB_TRY(find_axes(p, &in->in[0], x, e));
    out[0].rank = p->global ? 1 : p->axes + 1;
    out[0].dim[0] = in->in[0].dim[0];
    for (int i = 1; i < out[0].rank; i++) out[0].dim[i] = x[AXES - p->axes + i - 1].out;
    return EBB_OK;
}

// Where window i lies: its first element and how many there are; returns how many with padding.
static int window(const axis *x, int i, int *first, int *count)
{
    long long from = (long long)i * x->stride - x->before, to = from + x->kernel;
    if (x->adaptive) {
        from = (long long)i * x->size / x->out;
        to = ((long long)(i + 1) * x->size + x->out - 1) / x->out;
    }
    const int whole = (int)(to - from);
    if (from < 0) from = 0;
    if (to > x->size) to = x->size;
    *count = to > from ? (int)(to - from) : 0;
    *first = *count ? (int)from : 0;
    return whole;
}

typedef struct work {
    const pool *p;
    const ebb_kernels *k;
    axis x[AXES];
    const float *in;
    float *out;
    ptrdiff_t in_step[AXES], out_step[AXES];
    int y0, rows;    // of axis H
    int c, blocks;   // channels, and in how many pieces they are shared out
} work;

enum { BLOCK = 64 };  // channels, where there are fewer rows than workers

static void pixel(const work *w, float *y, const float *x, const int count[AXES], float whole, int n)
{
    const float area = (float)count[D] * (float)count[H] * (float)count[W];
    if (w->p->type == MEAN_POOL) {
        const float over = w->p->include_pad && !w->p->adaptive ? whole : area;
        w->k->pool_mean_f32(y, x, w->in_step, count, over > 0 ? over : 1.f, (size_t)n);  // of nothing: 0
    } else if (area > 0) {
        w->k->pool_max_f32(y, x, w->in_step, count, (size_t)n);
    } else {
        for (int i = 0; i < n; i++) y[i] = -FLT_MAX;
    }
}

static void row(void *ctx, size_t i, int worker)
{
    (void)worker;
    const work *w = ctx;
    const size_t blocks = (size_t)w->blocks, rows = (size_t)w->rows;
    const int block = (int)(i % blocks), y = w->y0 + (int)(i / blocks % rows), z = (int)(i / blocks / rows);
    const int c0 = w->blocks > 1 ? block * BLOCK : 0, left = w->c - c0,
              n = w->blocks > 1 && left > BLOCK ? BLOCK : left;
    int first[AXES], count[AXES];
    const float deep = (float)window(&w->x[D], z, &first[D], &count[D]);
    const float high = (float)window(&w->x[H], y, &first[H], &count[H]);
    const float *from = w->in + c0 + first[D] * w->in_step[D] + first[H] * w->in_step[H];
    float *to = w->out + c0 + z * w->out_step[D] + y * w->out_step[H];
    for (int x = 0; x < w->x[W].out; x++) {
        const float wide = (float)window(&w->x[W], x, &first[W], &count[W]);
        pixel(w, to + x * w->out_step[W], from + first[W] * w->in_step[W], count, deep * high * wide, n);
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    const pool *p = st;
    const ebb_desc *di = ebb_blob_desc(in[0]), *dout = ebb_blob_desc(out[0]);
    work w = {.p = p, .k = c->k, .in = ebb_f32(in[0]), .out = ebb_f32(out[0]), .c = di->dim[0], .blocks = 1};
    EBB_TRY(find_axes(p, di, w.x, e));
    for (int a = AXES - p->axes; a < AXES; a++) {
        w.in_step[a] = di->stride[1 + a - (AXES - p->axes)];
        if (!p->global) w.out_step[a] = dout->stride[1 + a - (AXES - p->axes)];
    }
    const bool rows = p->axes > 1 && !p->global;
    w.y0 = rows ? c->y0 : 0;
    w.rows = rows ? c->y1 - c->y0 : 1;
    const size_t all = ebb_size_mul((size_t)w.rows, (size_t)w.x[D].out);
    if (all < (size_t)c->threads) w.blocks = (w.c + BLOCK - 1) / BLOCK;
    ebb_parallel(c, ebb_size_mul(all, (size_t)w.blocks), row, &w);
    return EBB_OK;
}

#define POOL(sym, type_name, text, rows, start)                                                              \
    const ebb_layer_type ebb_layer_##sym = {                                                                 \
        .size = sizeof(ebb_layer_type), .name = type_name, .doc = text, .reads = EBB_PIXEL,                  \
        .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(pool), .params = rows,    \
        .init = start, .shape = shape, .cpu = cpu,                                                           \
    };

POOL(pooling, "Pooling", "largest or mean value of windows of c,h,w", params_2d, init_2d)
POOL(pooling_1d, "Pooling1D", "the same along w of h,w", params_1d, init_1d)
POOL(pooling_3d, "Pooling3D", "the same of c,d,h,w", params_3d, init_3d)
