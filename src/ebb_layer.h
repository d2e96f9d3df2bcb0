// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// ebb_layer.h - the contract between the interpreter and every layer, for layer authors.
///
/// A layer never allocates, converts or frees a blob. It says which shapes it makes, which strides it reads
/// and how much scratch it wants; the interpreter allocates, calls and releases. That keeps all memory policy
/// in src/ and the arithmetic in layers/.
#pragma once
#include "ebb.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// ------------------------------------------------------------------------------------------- errors

/// Fills e and returns s; called through ebb_fail.
ebb_status ebb_fail_at(ebb_error *e, ebb_status s, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/// return ebb_fail(e, EBB_E_SHAPE, "…%d…", …). The interpreter prefixes the layer, the loader file and line.
#define ebb_fail(e, s, ...) ebb_fail_at(e, s, __FILE__, __LINE__, __VA_ARGS__)
/// Returns from the caller with the status of expr, unless it is EBB_OK.
#define EBB_TRY(expr)                                                                                        \
    do {                                                                                                     \
        const ebb_status try_status_ = (expr);                                                               \
        if (try_status_ != EBB_OK) return try_status_;                                                       \
    } while (0)

/// The shape *d as text, "3x227x227", which lives to the end of the block: for messages.
#define EBB_SHAPE(d) ebb_desc_text(d, (char[64]){0}, 64)

/// a + b; SIZE_MAX on overflow, which no allocation satisfies.
static inline size_t ebb_size_add(size_t a, size_t b)
{
    return __builtin_add_overflow(a, b, &a) ? SIZE_MAX : a;
}
/// a * b; SIZE_MAX on overflow. Sizes and work counts are multiplied with it, never with a plain `*`.
static inline size_t ebb_size_mul(size_t a, size_t b)
{
    return __builtin_mul_overflow(a, b, &a) ? SIZE_MAX : a;
}
/// The stride of the next axis outwards. Wraps where it means nothing: beside an empty axis, or past all memory.
static inline ptrdiff_t ebb_stride_mul(ptrdiff_t stride, int dim)
{
    __builtin_mul_overflow(stride, dim, &stride);
    return stride;
}

// ------------------------------------------------------------------------------------------- parameters

/// An array parameter.
typedef struct ebb_ints {
    int n;         ///< how many, 0 when absent
    const int *v;  ///< the values
} ebb_ints;
/// An array parameter.
typedef struct ebb_floats {
    int n;           ///< how many, 0 when absent
    const float *v;  ///< the values
} ebb_floats;

/// The field at `offset` of the state has the C type in the comment. Arrays and strings live as long as the net.
typedef enum ebb_param_type {
    EBB_P_INT,     ///< int
    EBB_P_FLOAT,   ///< float
    EBB_P_INTS,    ///< ebb_ints
    EBB_P_FLOATS,  ///< ebb_floats
    EBB_P_STRING   ///< const char *, NULL when absent
} ebb_param_type;

/// One row per parameter: parsed, converted, range-checked, documented and fuzzed from here. Rows end with a
/// NULL name.
typedef struct ebb_param {
    int id;            ///< key in the .param file
    const char *name;  ///< for messages and `ebb layers`
    ebb_param_type type;  ///< of the field
    size_t offset;     ///< of the field in the state
    double def;        ///< scalars; out of range: the parameter must be given. Arrays are empty by default
    double min;        ///< for each element of an array; min and max 0: any value
    double max;        ///< the largest that is allowed
    int like;          ///< EBB_LIKE(id): when absent, the value of that (earlier) parameter instead of def
    const char *doc;   ///< a few words for `ebb layers`, may be NULL
} ebb_param;
/// For ebb_param.like.
#define EBB_LIKE(id) ((id) + 1)

/// A row: EBB_INT(relu, 0, "slope", slope, .def = 1) for the field `slope` of the state `relu`.
#define EBB_ROW(kind, state, key, text, field, ...)                                                          \
    {.id = key, .name = text, .type = kind, .offset = offsetof(state, field), __VA_ARGS__}
#define EBB_INT(...)    EBB_ROW(EBB_P_INT, __VA_ARGS__)     ///< a row of that type
#define EBB_FLOAT(...)  EBB_ROW(EBB_P_FLOAT, __VA_ARGS__)   ///< a row of that type
#define EBB_INTS(...)   EBB_ROW(EBB_P_INTS, __VA_ARGS__)    ///< a row of that type
#define EBB_FLOATS(...) EBB_ROW(EBB_P_FLOATS, __VA_ARGS__)  ///< a row of that type
#define EBB_STRING(...) EBB_ROW(EBB_P_STRING, __VA_ARGS__)  ///< a row of that type

// ------------------------------------------------------------------------------------------- load time

/// For init: how the layer is wired.
typedef struct ebb_init {
    int n_in;   ///< blobs it reads
    int n_out;  ///< blobs it makes
    void *ctx;  ///< for ebb_init_alloc
} ebb_init;
/// Zeroed memory that lives as long as the net, for compiled expressions and the like; NULL: no memory.
void *ebb_init_alloc(const ebb_init *in, size_t bytes);

/// Feature bits of parameter 31: a set bit disables something for this layer. There is no arithmetic in f16, and no
/// choice between products or Winograd's form yet: those three bits are accepted, and change nothing.
enum {
    EBB_NO_FP16_ARITHMETIC = 1, EBB_NO_FP16_STORAGE = 2, EBB_NO_BF16 = 4, EBB_NO_INT8 = 8,
    EBB_NO_VULKAN = 16, EBB_NO_GEMM = 32, EBB_NO_WINOGRAD = 64, EBB_NO_THREADS = 128
};

typedef struct ebb_kernels ebb_kernels;  ///< layers/kernels/kernels.h

/// For load.
typedef struct ebb_load {
    int n_in;              ///< blobs it reads
    int n_out;             ///< blobs it makes
    const ebb_kernels *k;  ///< that cpu will get
    ebb_prefer prefer;     ///< of the net
    unsigned features;     ///< parameter 31
    void *ctx;             ///< for the calls below
    ebb_device device;     ///< that will run the layer
} ebb_load;

/// n elements as they stand in the file: f32, f16 or i8, aligned to their size.
typedef struct ebb_weights {
    ebb_dtype dtype;   ///< as in the file
    size_t n;          ///< elements
    const void *data;  ///< the first
    void *own;         ///< private to the reader
} ebb_weights;

/// TAGGED: a 4-byte tag tells the precision. RAW: f32, no tag.
typedef enum ebb_weight_form { EBB_RAW, EBB_TAGGED } ebb_weight_form;
/// Reads the next n elements of the weight file. The data is valid until load returns, unless kept.
ebb_status ebb_load_weights(const ebb_load *l, size_t n, ebb_weight_form form, ebb_weights *w, ebb_error *e);
/// Makes w->data live as long as the net, without a copy where the file is mapped or in memory.
ebb_status ebb_load_keep(const ebb_load *l, ebb_weights *w, ebb_error *e);
/// The one allocation a layer may make: 64-byte aligned, zeroed, counted as weights, freed with the net.
ebb_status ebb_load_alloc(const ebb_load *l, size_t bytes, void **p, ebb_error *e);
/// Output `out` of this layer is the constant w, shaped rank/dim, planar: the interpreter hands out views of it
/// and never calls cpu.
ebb_status ebb_load_constant(const ebb_load *l, int out, int rank, const int *dim, ebb_weights *w,
                             ebb_error *e);
/// Element i of w as a float.
float ebb_weight_f32(const ebb_weights *w, size_t i);
/// All n of them.
void ebb_weights_to_f32(const ebb_weights *w, float *to);

// ------------------------------------------------------------------------------------------- run time

/// Order is read off the strides. Planar: the last axis has stride 1. Pixel: the first axis has stride 1. The
/// other strides are free; an axis of size 1 may have any stride.
enum { EBB_PLANAR = 1, EBB_PIXEL = 2, EBB_NO_ORDER = 4, EBB_ANY_ORDER = 7 };
unsigned ebb_desc_order(const ebb_desc *d);  ///< which of EBB_PLANAR | EBB_PIXEL it is; 0 for neither
bool ebb_desc_dense(
    const ebb_desc *d);  ///< covers dim[0]*dim[1]*… elements without holes, in some axis order
/// In sets of dtypes or of inputs.
#define EBB_BIT(dtype) (1u << (dtype))
/// However a float is stored.
#define EBB_ANY_FLOAT (EBB_BIT(EBB_F32) | EBB_BIT(EBB_F16) | EBB_BIT(EBB_BF16))

/// For shape and view. Descs carry sizes, strides and dtypes of the inputs as they are now.
typedef struct ebb_shape_in {
    int n_in;            ///< blobs it reads
    int n_out;           ///< blobs it makes
    const ebb_desc *in;  ///< n_in
} ebb_shape_in;

/// For ebb_view.from where the strides allow no view: cpu makes all outputs (with cpu NULL the interpreter copies),
/// or the interpreter copies the elements of input 0, in c, h, w order, although there is a cpu.
enum { EBB_BY_CPU = -1, EBB_BY_COPY = -2 };
/// An output as a view.
typedef struct ebb_view {
    ebb_desc desc;     ///< shape() has filled dtype, rank and dim; view fills stride
    int from;          ///< input it looks into (0 on entry), EBB_BY_CPU or EBB_BY_COPY
    ptrdiff_t offset;  ///< of its element 0 in that input, in elements (0 on entry)
} ebb_view;

/// For plan.
typedef struct ebb_plan_in {
    int n_in;               ///< blobs it reads
    int n_out;              ///< blobs it makes
    const ebb_desc *in;     ///< as they are now
    const ebb_desc *out;    ///< dtype, rank, dim only
    const bool *wanted;     ///< n_out: somebody will read it
    int threads;            ///< that cpu may use
    size_t memory_limit;    ///< bytes that scratch may take now; SIZE_MAX without a limit
    const ebb_kernels *k;   ///< that cpu will get
} ebb_plan_in;

/// What cpu can read.
typedef struct ebb_plan_input {
    unsigned orders;   ///< accepted: EBB_PLANAR | EBB_PIXEL, or EBB_ANY_ORDER
    unsigned dtypes;   ///< accepted: EBB_BIT(EBB_F32) | …; otherwise converted (never between i32 and f32)
} ebb_plan_input;

/// What cpu will make.
typedef struct ebb_plan_output {
    unsigned order;    ///< EBB_PLANAR or EBB_PIXEL; strides may leave gaps between rows and planes
    unsigned dtypes;   ///< where shape() said f32: what cpu can write, EBB_BIT(EBB_F32) | …; the net's
                       ///< precision picks
    int follow;        ///< >= 0: the order of that input instead
    unsigned steal;    ///< inputs that it may overwrite, EBB_BIT(0) | …, when shapes and dtypes are equal: the
                       ///< first that nobody else reads
    int grow;          ///< >= 0: is that input with a longer axis `grow_axis`; its old elements are in place
    int grow_axis;     ///<       when cpu runs, and cpu writes only the new ones; made even when unwanted
} ebb_plan_output;

/// Filled with the defaults of the type's `reads` and `floats` before plan is called.
typedef struct ebb_plan {
    ebb_plan_input *in;    ///< n_in
    ebb_plan_output *out;  ///< n_out
    size_t scratch;        ///< bytes shared by all workers
    size_t worker_scratch; ///< bytes for each worker
    void *work;            ///< work_size bytes, zeroed: what plan found out, for cpu; NULL when that is 0
    double macs;           ///< multiply-adds, for `info` and the trace
    const char *algorithm; ///< a name for the full trace
} ebb_plan;

/// For cpu.
typedef struct ebb_cpu {
    const ebb_kernels *k;  ///< of the machine
    int n_in;              ///< blobs it reads
    int n_out;             ///< blobs it makes
    const ebb_desc *in;    ///< n_in, as they lie now: what the plan did not accept was converted
    const ebb_desc *out;   ///< n_out, as they lie now; of one that nobody wants, the shape
    const void *work;      ///< that plan filled
    int y0;  ///< first row of out[0] to compute (axis h of c,h,w and c,d,h,w); other layers: ignore
    int y1;                ///< and the row behind the last one
    int threads;           ///< workers of ebb_parallel
    void *scratch;         ///< 64-byte aligned, not cleared; not NULL, even where no bytes were asked for
    void *pool;            ///< for ebb_parallel
    void *worker_scratch;  ///< for ebb_worker_scratch
    size_t worker_bytes;   ///< for ebb_worker_scratch
} ebb_cpu;

/// Calls fn(ctx, i, worker) once for each i in [0, n), on up to cpu->threads workers; returns when all are
/// done. worker is in [0, cpu->threads). Do not nest.
void ebb_parallel(const ebb_cpu *cpu, size_t n, void (*fn)(void *ctx, size_t i, int worker), void *ctx);
/// The scratch of one worker: 64-byte aligned, not cleared.
static inline void *ebb_worker_scratch(const ebb_cpu *cpu, int worker)
{
    if (!cpu->worker_scratch) return NULL;  // none was asked for
    return (char *)cpu->worker_scratch + cpu->worker_bytes * (size_t)worker;
}

/// Element 0 of an f32 blob.
static inline float *ebb_f32(const ebb_blob *b) { return (float *)ebb_blob_data(b); }
/// A result whose size depends on data turned out smaller than shape() said: sets the size of one axis. Only
/// from cpu of a DATA_SHAPE layer, and not larger than the bound.
void ebb_blob_shrink(ebb_blob *b, int axis, int size);

// ------------------------------------------------------------------------------------------- loops

/// Blobs that a loop walks at most.
enum { EBB_LOOP_MAX = 4 };
/// Walks up to 4 blobs of one shape together: axes of size 1 vanish, axes that are contiguous in all operands
/// merge, the axis with the smallest stride of operand 0 is innermost. Broadcast operands have stride 0.
typedef struct ebb_loop {
    int n;                                      ///< operands
    int rank;                                   ///< axes left, at least 1
    int dim[EBB_MAX_RANK];                      ///< outermost first; the innermost run is dim[rank - 1] long
    ptrdiff_t stride[EBB_LOOP_MAX][EBB_MAX_RANK];  ///< of each operand, in elements
    size_t outer;                               ///< product of all but the innermost axis
} ebb_loop;
/// Operand 0 gives the shape; others have the same rank, and sizes that are equal or 1 (repeated).
void ebb_loop_init(ebb_loop *l, int n, const ebb_desc *const *d);
/// Offsets in elements of run i in [0, outer) for each operand.
void ebb_loop_at(const ebb_loop *l, size_t i, ptrdiff_t offset[EBB_LOOP_MAX]);

/// The innermost stride of an operand.
static inline ptrdiff_t ebb_loop_step(const ebb_loop *l, int operand)
{
    return l->stride[operand][l->rank - 1];
}
/// n elements from at[k] of operand k on, which step by the innermost strides.
typedef void ebb_loop_fn(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t n, int worker);
/// Calls run(ctx, at, n, worker) on stretches of innermost runs that together cover the loop, on all threads. About
/// `piece` elements make one item of work, and no stretch is longer.
void ebb_loop_run(const ebb_cpu *cpu, const ebb_loop *l, int piece, ebb_loop_fn *run, const void *ctx);
/// Enough elements to hide a call, few enough to share out.
enum { EBB_PIECE = 4096 };
/// Takes the innermost axis off a loop that is not empty, for a run that walks whole rows: their length. About as many
/// rows as ebb_rows_piece says make a piece.
int ebb_loop_take_row(ebb_loop *l);
/// Rows of so many elements in a piece.
static inline int ebb_rows_piece(size_t row) { return row < EBB_PIECE ? EBB_PIECE / (int)row : 1; }

/// Copies every element of src to the same place in c, h, w order of dst, on all threads. Any strides: 0 repeats, and
/// those of src may be negative. Floats convert into each other, other numbers only into themselves. The pointers are
/// at element 0.
void ebb_copy(const ebb_cpu *cpu, const ebb_desc *to, void *dst, const ebb_desc *from, const void *src);

// ------------------------------------------------------------------------------------------- Vulkan

typedef struct ebb_vk ebb_vk;          ///< a device, src/vk/vk.h
typedef struct ebb_vk_cmd ebb_vk_cmd;  ///< a command buffer being recorded
typedef struct ebb_vk_op ebb_vk_op;    ///< a layer as data, src/vk/vk.h

// ------------------------------------------------------------------------------------------- the type

/// Flags.
enum {
    EBB_LAYER_VIEW = 1,  ///< outputs are views of inputs where strides allow. Where they do not, cpu makes
                         ///< them all; with cpu NULL the interpreter copies, in c, h, w order
    EBB_LAYER_DATA_SHAPE = 2,  ///< shape() gives a bound; cpu may shrink outputs
    EBB_LAYER_INPUT = 16,      ///< makes nothing: the caller sets its outputs
    EBB_LAYER_CONSTANT = 32    ///< all outputs come from ebb_load_constant
};

/// A layer type. Slots marked ? may be NULL. st is zeroed, then filled from the rows, before init.
struct ebb_layer_type {
    size_t size;               ///< sizeof(ebb_layer_type): versioning for layers from outside
    const char *name;          ///< as written in .param files
    unsigned flags;            ///< EBB_LAYER_VIEW and the others
    /// EBB_PIXEL or EBB_PLANAR: what the default plan reads and makes, and what every plan of this type accepts. A plan
    /// may accept more, as where there are few channels. 0: "elementwise", both orders; by default the output follows
    /// the largest input (tie: the first), inputs of the same shape are converted to its order, smaller (broadcast)
    /// ones are read by their strides.
    unsigned reads;
    unsigned floats;           ///< dtypes that the default plan reads and makes, EBB_ANY_FLOAT; 0: f32
    int in_min;                ///< blobs it reads at least
    int in_max;                ///< and at most; -1: unbounded
    int out_min;               ///< blobs it makes at least
    int out_max;               ///< and at most; -1: unbounded
    size_t state_size;         ///< bytes of st
    size_t work_size;          ///< bytes that plan hands to cpu; 0: it decides nothing
    const ebb_param *params;   ///< may be NULL
    const char *doc;           ///< one line for `ebb layers`

    /// ? Cross-checks what the rows cannot.
    ebb_status (*init)(void *st, const ebb_init *in, ebb_error *e);
    /// ? Reads weights and packs them.
    ebb_status (*load)(void *st, const ebb_load *l, ebb_error *e);
    /// ? Called when init succeeded.
    void (*unload)(void *st);
    /// ? Input i is read for its shape only: its data may be released before the layer runs. Asked once, at load,
    /// since blobs are counted before they exist.
    bool (*shape_only)(const void *st, int i);
    /// Total and pure. out[k] arrives as f32, rank 0; fill rank and dim, and dtype where it is not f32. NULL for
    /// INPUT and CONSTANT.
    ebb_status (*shape)(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e);
    /// ? What cpu reads and makes, where the default does not hold.
    ebb_status (*plan)(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e);
    /// VIEW only: strides of the outputs.
    void (*view)(const void *st, const ebb_shape_in *in, ebb_view *out);
    /// Computes; not called when all outputs that are wanted are empty. out[k] is NULL when nobody wants it. A shape_only input has a desc, but no data.
    ebb_status (*cpu)(const void *st, const ebb_cpu *cpu, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e);
    /// ? How it runs on a Vulkan device: src/vk/vk.h.
    const ebb_vk_op *vk;
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
