// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// ebb.h - the interface for callers: load a net, give it inputs, extract outputs, watch the memory.
///
/// Every function that can fail returns a status and explains itself in *e (which may be NULL). Shapes are
/// written outermost first: {c, h, w}, {c, d, h, w}, {h, w} or {w}. Sizes are in bytes where a name says
/// "bytes", otherwise in elements. A net is immutable after load and may be shared by threads; an extractor
/// belongs to one thread at a time. Nothing here prints, exits or keeps global state.
///
/// Lifetimes: nets, pools, extractors, traces and blobs may be let go in any order; each keeps what it needs. Only
/// what the caller lends (an allocator, layer types, weights in memory, borrowed inputs) has to live as long as
/// said. Any call but a query may return EBB_E_NOMEM, and has then changed nothing. In a child after fork()
/// everything works on the one thread that there is, and ends without waiting for others; a net on a Vulkan device
/// cannot be used there.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// ------------------------------------------------------------------------------------------- errors

/// One list: the enum, the names and the tests expand it.
#define EBB_STATUS_LIST(X)                                                                                   \
    X(EBB_OK, "ok")                                                                                          \
    X(EBB_E_NOMEM, "out of memory")                                                                          \
    X(EBB_E_IO, "cannot read or write")                                                                      \
    X(EBB_E_FORMAT, "malformed file")                                                                        \
    X(EBB_E_PARAM, "bad parameter")                                                                          \
    X(EBB_E_SHAPE, "shapes do not fit")                                                                      \
    X(EBB_E_STATE, "not possible in this state")                                                             \
    X(EBB_E_NAME, "no such name")                                                                            \
    X(EBB_E_UNSUPPORTED, "not supported")                                                                    \
    X(EBB_E_LIMIT, "over the memory limit")                                                                  \
    X(EBB_E_DEVICE, "device failure")                                                                        \
    X(EBB_E_CANCELLED, "cancelled")

/// What became of a call; the texts stand in EBB_STATUS_LIST.
typedef enum ebb_status {
#define X(id, text) id,
    EBB_STATUS_LIST(X)
#undef X
} ebb_status;

/// What went wrong, in words. Owned by the caller; valid after any call that did not return EBB_OK.
typedef struct ebb_error {
    ebb_status code;   ///< what the call returned
    char msg[480];     ///< one sentence: what, where, what to do; no newline
    const char *file;  ///< source file that raised it
    int line;          ///< and its line
} ebb_error;

const char *ebb_status_name(ebb_status s);  ///< "EBB_E_SHAPE"
const char *ebb_status_text(ebb_status s);  ///< "shapes do not fit"
const char *ebb_version(void);              ///< "0.1.0"

// ------------------------------------------------------------------------------------------- memory

/// The heap: every byte the library holds comes through it. NULL hooks mean the default.
/// Both are called from any thread that uses the net or its extractors, also at the same time.
typedef struct ebb_allocator {
    void *(*get)(void *user, size_t bytes, size_t align);  ///< align: a power of two, at most 64; or NULL
    void (*put)(void *user, void *p, size_t bytes);        ///< the same bytes come back
    void *user;                                            ///< handed to both
} ebb_allocator;

/// What the bytes are for. Blob bytes are the data of blobs; their headers count as meta.
typedef enum ebb_mem_kind {
    EBB_MEM_BLOB,
    EBB_MEM_SCRATCH,
    EBB_MEM_WEIGHT,
    EBB_MEM_META,
    EBB_MEM_KINDS
} ebb_mem_kind;

/// Bytes of one kind.
typedef struct ebb_mem_count {
    size_t live;   ///< bytes held now
    size_t peak;   ///< most bytes held at one time
    size_t count;  ///< allocations made so far
} ebb_mem_count;

// ------------------------------------------------------------------------------------------- blobs

/// What the elements of a blob are.
typedef enum ebb_dtype { EBB_F32, EBB_F16, EBB_BF16, EBB_I8, EBB_I32 } ebb_dtype;
/// How many there are.
enum { EBB_DTYPES = EBB_I32 + 1 };

/// Axes that a blob has at most.
enum { EBB_MAX_RANK = 4 };

/// A blob's description. dim and stride stand outermost first; strides are in elements, 0 repeats.
/// A size of 0 is a value: a result may have no rows.
typedef struct ebb_desc {
    ebb_dtype dtype;                 ///< of the elements
    int rank;                        ///< how many axes, 0 to 4
    int dim[EBB_MAX_RANK];           ///< the size of each
    ptrdiff_t stride[EBB_MAX_RANK];  ///< from one element to the next along it
} ebb_desc;

/// A dense planar description: the last axis has stride 1.
ebb_desc ebb_desc_planar(ebb_dtype t, int rank, const int *dim);
/// The same shape in pixel order: the first axis (channels) has stride 1.
ebb_desc ebb_desc_pixel(ebb_dtype t, int rank, const int *dim);
size_t ebb_dtype_bytes(ebb_dtype t);            ///< of one element
const char *ebb_dtype_name(ebb_dtype t);        ///< "f32"
size_t ebb_desc_count(const ebb_desc *d);       ///< elements; SIZE_MAX when it overflows
bool ebb_desc_same_shape(const ebb_desc *a, const ebb_desc *b);  ///< rank and sizes; strides may differ
/// Writes "3x227x227" (or "scalar") and returns text.
const char *ebb_desc_text(const ebb_desc *d, char *text, size_t bytes);

typedef struct ebb_blob ebb_blob;  ///< refcounted; strides over shared storage

const ebb_desc *ebb_blob_desc(const ebb_blob *b);  ///< lives as long as b
/// Element 0; read-only unless you hold the only reference. NULL for a blob without data: that of an input that a
/// layer reads for its shape only, of an output that nobody wants, and on a device.
void *ebb_blob_data(const ebb_blob *b);
ebb_blob *ebb_blob_hold(ebb_blob *b);      ///< one more reference; returns b
void ebb_blob_drop(ebb_blob *b);           ///< NULL is fine

// ------------------------------------------------------------------------------------------- nets

typedef struct ebb_net ebb_net;                ///< a loaded model
typedef struct ebb_layer_type ebb_layer_type;  ///< see ebb_layer.h

/// What the net optimises for. No built-in layer reads it yet: both run the plain, small algorithms.
typedef enum ebb_prefer { EBB_PREFER_SMALL, EBB_PREFER_FAST } ebb_prefer;
/// How floats are stored in blobs, where a layer can write them so; arithmetic stays in f32. A layer that reads f32
/// only gets a converted copy, so that f16 and bf16 may raise the peak: compare what ebb_extractor_predict says of a
/// net of each, as the `ebb` program does.
typedef enum ebb_precision { EBB_PRECISION_F32, EBB_PRECISION_F16, EBB_PRECISION_BF16 } ebb_precision;
/// Where layers run.
typedef enum ebb_device { EBB_DEVICE_CPU, EBB_DEVICE_VULKAN } ebb_device;
/// How much a line of the log matters.
typedef enum ebb_log_level { EBB_LOG_WARNING, EBB_LOG_INFO } ebb_log_level;

/// Zero-initialise, then set what you want. Copied by ebb_net_new.
typedef struct ebb_net_options {
    ebb_allocator allocator;  ///< for all that the net and its extractors hold
    ebb_prefer prefer;      ///< handed to layers
    ebb_precision precision;  ///< of blobs, for custom layers too; inputs and results of extract stay f32
    ebb_device device;      ///< falls back to the CPU with a log line when there is no such device
    int device_index;       ///< which Vulkan device, 0 first
    bool lenient;           ///< ignores parameters that a layer type does not know, with a line in the log;
                            ///< else one that is not 0, nor known to change nothing, is EBB_E_PARAM
    bool no_map;  ///< weights are read from their file, which may then change; see ebb_net_load_weights
    const char *isa;        ///< kernel table by name ("scalar", "avx2", …); NULL: $EBB_ISA, else the best
    void (*log)(void *user, ebb_log_level level, const char *line);  ///< NULL: silence
    void *log_user;                                                  ///< handed to log
} ebb_net_options;

ebb_status ebb_net_new(const ebb_net_options *opt, ebb_net **net, ebb_error *e);  ///< opt may be NULL
/// NULL is fine. Its extractors and traces still work, and the memory goes with the last of them; blobs that the
/// caller holds stay valid.
void ebb_net_destroy(ebb_net *net);
/// Forgets the model (also after a failed load); custom layers stay. While extractors or traces of it are there the
/// model waits for them; until then loading another is EBB_E_STATE.
void ebb_net_clear(ebb_net *net);

/// Adds or overrides a layer type, before load. The struct must outlive the net.
ebb_status ebb_net_add_layer(ebb_net *net, const ebb_layer_type *type, ebb_error *e);

/// Parameters first, then weights. Text and binary .param are told apart by their first bytes. EBB_E_STATE: a
/// model is there already; EBB_E_FORMAT: not the file it should be; EBB_E_UNSUPPORTED: layer types that are not
/// there, all of them; EBB_E_PARAM: a value that its layer cannot have. ebb_net_clear helps after all of them.
ebb_status ebb_net_load_param(ebb_net *net, const char *path, ebb_error *e);
/// The same from memory, which is not needed afterwards.
ebb_status ebb_net_load_param_mem(ebb_net *net, const void *data, size_t bytes, ebb_error *e);
/// A file is mapped where the system can: what needs no re-layout is read where it stands, when it is first
/// used, and takes no memory of its own. Such a file must not change while the net lives, or a blob that came
/// out of its weights. One that was cut is EBB_E_IO at the next extract, before any layer runs; one that is
/// cut during an extract ends the process (SIGBUS), and one that is written to gives other results: neither
/// can be noticed. With ebb_net_options.no_map the file is read once, tensor by tensor, and may change or go
/// as soon as this returns; what layers keep then takes memory.
ebb_status ebb_net_load_weights(ebb_net *net, const char *path, ebb_error *e);
/// The memory is borrowed for the life of the net and of its extractors; any alignment. Blobs that the caller is
/// handed never lie in it.
ebb_status ebb_net_load_weights_mem(ebb_net *net, const void *data, size_t bytes, ebb_error *e);
/// Where bytes come from, front to back.
typedef struct ebb_reader {
    bool (*read)(void *user, void *to,
                 size_t bytes);  ///< fills exactly `bytes`; false at the end or on failure
    void *user;                                        ///< handed to read
} ebb_reader;
/// From anywhere: an archive, a socket, an asset.
ebb_status ebb_net_load_weights_reader(ebb_net *net, const ebb_reader *r, ebb_error *e);
/// Both files.
ebb_status ebb_net_load(ebb_net *net, const char *param_path, const char *bin_path, ebb_error *e);

/// The graph, by index. Blob names: wherever a function takes one, "#7" also names blob 7 (binary params
/// carry no names).
typedef struct ebb_layer_info {
    const char *name;         ///< as in the file; made up when that is binary
    const char *type;         ///< "Convolution"
    int n_in;                 ///< blobs it reads
    int n_out;                ///< blobs it makes
    const int *in;            ///< their indices
    const int *out;           ///< their indices
    size_t weight_bytes;      ///< held for this layer: packed, kept or referenced in the file
    size_t weight_count[EBB_DTYPES];  ///< elements in the file, by ebb_dtype
} ebb_layer_info;

int ebb_net_layer_count(const ebb_net *net);  ///< layers have the indices below it
int ebb_net_blob_count(const ebb_net *net);   ///< and so have blobs
ebb_status ebb_net_layer(const ebb_net *net, int layer, ebb_layer_info *info,
                         ebb_error *e);                       ///< valid until clear
const char *ebb_net_blob_name(const ebb_net *net, int blob);  ///< NULL when out of range
int ebb_net_blob_index(const ebb_net *net, const char *name, ebb_error *e);  ///< -1: e proposes the nearest
int ebb_net_blob_producer(const ebb_net *net, int blob);                     ///< layer index
/// The blobs of Input layers; returns how many there are, and fills in as many as there is room for.
int ebb_net_inputs(const ebb_net *net, int *blobs, int room);
/// The same for those that no layer reads.
int ebb_net_outputs(const ebb_net *net, int *blobs, int room);
/// The size a file gives for an input: a hint. False when it gives none.
bool ebb_net_input_hint(const ebb_net *net, int blob, ebb_desc *d);
/// What the net holds: weights and meta; blobs and scratch belong to extractors.
void ebb_net_memory(const ebb_net *net, ebb_mem_count count[EBB_MEM_KINDS]);
const char *ebb_net_isa(const ebb_net *net);     ///< the kernel table in use
const char *ebb_net_device(const ebb_net *net);  ///< "cpu", or the Vulkan device's name

// ------------------------------------------------------------------------------------------- events

/// One list: kinds, names, tests. Blob events form the logical trace; the others stand only in the full one.
#define EBB_EVENT_LIST(X)                                                                                    \
    X(EBB_EV_INPUT, "input", 1)      /* the caller set a blob; why: copied, borrowed, given */               \
    X(EBB_EV_BEGIN, "begin", 1)      /* a layer starts; why: "again" when it ran before */                   \
    X(EBB_EV_ALLOC, "alloc", 1)      /* a blob got storage of its own */                                     \
    X(EBB_EV_VIEW, "view", 1)        /* a blob shares the storage of `other` */                              \
    X(EBB_EV_STEAL, "steal", 1)      /* a blob took over the storage of `other`, which dies */               \
    X(EBB_EV_GROW, "grow", 1)        /* a cache got longer; why: in place, or why it was copied */           \
    X(EBB_EV_CONVERT, "convert", 1)  /* a blob changed order or dtype; why: replaced, or for one read */     \
    X(EBB_EV_MOVE, "move", 1)        /* a blob moved between host and device */                              \
    X(EBB_EV_READ, "read", 1)        /* a layer has read a blob; `reads` are still to come */                \
    X(EBB_EV_RELEASE, "release", 1)  /* a blob was released; bytes 0 while `other` keeps its storage */      \
    X(EBB_EV_SHRINK, "shrink", 1)    /* a data-dependent result is smaller than its bound */                 \
    X(EBB_EV_END, "end", 0)          /* a layer is done; why: its algorithm */                               \
    X(EBB_EV_SCRATCH, "scratch", 0)  /* scratch bytes taken for the layer that runs now */                   \
    X(EBB_EV_UNSCRATCH, "unscratch", 0)                                                                      \
    X(EBB_EV_SUBMIT, "submit", 0)    /* recorded device work was submitted and waited for */                 \
    X(EBB_EV_RESET, "reset", 0)

/// What happened; EBB_EVENT_LIST says what each means.
typedef enum ebb_event_kind {
#define X(id, name, logical) id,
    EBB_EVENT_LIST(X)
#undef X
} ebb_event_kind;

/// One thing that happened to a blob, a layer or memory.
typedef struct ebb_event {
    ebb_event_kind kind;   ///< says which of the others mean something
    int layer;             ///< index, -1: none (the caller acts)
    int blob;              ///< index, -1: none
    int other;  ///< the other blob of a view, steal or release; -1: none (or the caller, or weights)
    int reads;             ///< reads still to come for `blob`
    const ebb_desc *desc;  ///< of `blob`, NULL where it has none
    size_t bytes;          ///< allocated or freed by this event; 0: shared
    size_t live;           ///< blob bytes alive after this event
    size_t peak;           ///< the most so far
    double macs;           ///< multiply-adds of the layer, at its end event
    const char *why;       ///< a word or two, never NULL
} ebb_event;

/// Whom the extractor tells, in order, on the thread that extracts. Inside, of this extractor only
/// ebb_extractor_memory, _make and _cancel are possible: others are EBB_E_STATE, and reset and destroy take place at the
/// end of the call that is under way, which does not begin another layer.
typedef struct ebb_observer {
    void (*event)(void *user, const ebb_event *ev);  ///< ev is valid during the call
    void *user;                                      ///< handed to event
} ebb_observer;

/// What a trace is written as.
typedef enum ebb_trace_format {
    EBB_TRACE_LOGICAL,  ///< JSON Lines, blob events only: the same bytes on every machine
    EBB_TRACE_FULL,     ///< JSON Lines, all events, with microseconds and algorithms
    EBB_TRACE_TABLE     ///< the release table for people
} ebb_trace_format;
typedef struct ebb_trace ebb_trace;  ///< writes events as text
/// `write` gets the text in pieces, not terminated, without NUL bytes. EBB_E_STATE before the net has its parameters.
ebb_status ebb_trace_new(const ebb_net *net, ebb_trace_format f,
                         void (*write)(void *user, const char *text, size_t bytes), void *user, ebb_trace **t,
                         ebb_error *e);
/// For the options of an extractor, or for ebb_extractor_predict. An extractor that has it may outlive the trace; an
/// observer of your own that passes events on to it may not.
ebb_observer ebb_trace_observer(ebb_trace *t);
/// Writes what is still to be written (the table); what happens later is not written. EBB_E_NOMEM when events were
/// lost, EBB_E_STATE when there were some of blobs that the net does not have, which are left out; t is gone either way.
ebb_status ebb_trace_finish(ebb_trace *t, ebb_error *e);

// ------------------------------------------------------------------------------------------- extractors

typedef struct ebb_pool ebb_pool;            ///< threads, shareable between extractors
typedef struct ebb_extractor ebb_extractor;  ///< one inference at a time, one thread at a time

/// Threads that a pool or an extractor has at most.
enum { EBB_MAX_THREADS = 1023 };
/// a may be NULL; fewer threads are started where the system has no more. EBB_E_PARAM outside 1 to EBB_MAX_THREADS,
/// EBB_E_NOMEM.
ebb_status ebb_pool_new(int threads, const ebb_allocator *a, ebb_pool **p, ebb_error *e);
/// NULL is fine. Its threads end with the last extractor that uses it, where that is destroyed later.
void ebb_pool_destroy(ebb_pool *p);

/// Zero-initialise, then set what you want.
typedef struct ebb_extractor_options {
    int threads;               ///< 0 means 1; EBB_MAX_THREADS at most
    ebb_pool *pool;            ///< NULL: the extractor makes its own when threads > 1
    bool keep_everything;      ///< for debugging: nothing is released, stolen or overwritten until reset
    size_t memory_limit;       ///< for blobs and scratch together, in bytes; 0: none. Of a request whose
                               ///< joint_peak is over it nothing runs
    ebb_observer observer;     ///< sees every event
} ebb_extractor_options;

/// opt may be NULL. EBB_E_STATE before the net has its weights, EBB_E_PARAM for a number of threads that cannot be.
ebb_status ebb_extractor_new(ebb_net *net, const ebb_extractor_options *opt, ebb_extractor **x, ebb_error *e);
/// NULL is fine. Blobs that the caller holds stay valid.
void ebb_extractor_destroy(ebb_extractor *x);
/// Back to the state after _new: no inputs, nothing declared, nothing kept, an earlier failure forgotten.
void ebb_extractor_reset(ebb_extractor *x);

/// Inputs. Any blob may be set, not only those of Input layers. Each of these returns EBB_E_NAME for a blob that is
/// not there, EBB_E_SHAPE for a description that cannot be, EBB_E_LIMIT when it would be over the memory limit, and
/// EBB_E_STATE when the blob has been made or read already, after a layer failed, and inside an observer; then nothing
/// has changed, and no memory was taken. An input that is set again counts twice while both are there. copy: the data is
/// copied and stays until reset.
ebb_status ebb_extractor_copy(ebb_extractor *x, const char *blob, const ebb_desc *d, const void *data,
                              ebb_error *e);
/// borrow: the caller's memory, valid and unchanged until reset, never written, costs nothing; EBB_E_PARAM when it is
/// not aligned to its elements. A blob that the caller is handed never lies in it: it is a copy.
ebb_status ebb_extractor_borrow(ebb_extractor *x, const char *blob, const ebb_desc *d, const void *data,
                                ebb_error *e);
/// give: the extractor owns it and frees it at its last read; the caller's reference is gone on success only.
ebb_status ebb_extractor_give(ebb_extractor *x, const char *blob, ebb_blob *b, ebb_error *e);
/// An input of this shape will be given: enough for ebb_extractor_predict.
ebb_status ebb_extractor_expect(ebb_extractor *x, const char *blob, const ebb_desc *d, ebb_error *e);
/// Makes a blob to fill and give; its data is not initialised. EBB_E_LIMIT when it alone is over the limit. The caller's
/// until it is given: where that fails, or never happens, ebb_blob_drop() is the caller's too.
ebb_status ebb_extractor_make(ebb_extractor *x, const ebb_desc *d, ebb_blob **b, ebb_error *e);

/// Says which blobs will be extracted: only what they reach is computed, and nothing is kept for the rest.
/// After the inputs or before, but before the first extract: else EBB_E_STATE. EBB_E_NAME: one is not there.
ebb_status ebb_extractor_declare(ebb_extractor *x, const char *const *blobs, int n, ebb_error *e);
/// The blob stays until reset, once it exists. EBB_E_NAME, EBB_E_STATE.
ebb_status ebb_extractor_keep(ebb_extractor *x, const char *blob, ebb_error *e);

/// as_is: the blob as the engine holds it, whatever its strides and dtype; otherwise a dense planar f32 blob
/// (i32 and i8 stay what they are).
typedef enum ebb_take { EBB_TAKE_PLANAR, EBB_TAKE_AS_IS } ebb_take;
/// Computes what the blob needs and is not there yet. The caller owns one reference to *out, which is NULL after a
/// failure. EBB_E_NAME: no such blob; EBB_E_STATE: an input was not set, or is gone, or a layer failed before;
/// EBB_E_LIMIT: it would be over the limit, by the bound where sizes depend on data: the message tells the peak and its
/// layer, and nothing ran; EBB_E_CANCELLED; EBB_E_SHAPE, EBB_E_UNSUPPORTED, EBB_E_DEVICE and what custom layers return:
/// from a layer, which the message names. A call that fails before a layer ran changes nothing; after that only reset
/// and destroy are possible.
ebb_status ebb_extractor_extract(ebb_extractor *x, const char *blob, ebb_take how, ebb_blob **out,
                                 ebb_error *e);
/// Several at once. When nothing was extracted or declared since reset, this declares them first.
ebb_status ebb_extractor_extract_many(ebb_extractor *x, const char *const *blobs, int n, ebb_take how,
                                      ebb_blob **out, ebb_error *e);

/// From any thread: the extract that runs now, or the next one, returns EBB_E_CANCELLED before its next layer.
void ebb_extractor_cancel(ebb_extractor *x);

/// Extracts into the caller's memory, laid out as *d says: its shape must be the blob's (else EBB_E_SHAPE), its dtype
/// one that the blob's becomes (floats any float; else EBB_E_UNSUPPORTED).
ebb_status ebb_extractor_extract_to(ebb_extractor *x, const char *blob, const ebb_desc *d, void *data,
                                    ebb_error *e);

/// What a run would take.
typedef struct ebb_prediction {
    size_t blob_peak;      ///< most blob bytes alive at one time
    size_t scratch_peak;   ///< largest scratch of one layer
    size_t joint_peak;     ///< blobs and scratch together
    size_t blob_total;     ///< the sum of all blobs' bytes, had nothing been released
    bool exact;            ///< false below a layer whose result size depends on data: then these are bounds
} ebb_prediction;
/// A dry run of extract_many (EBB_TAKE_PLANAR) from the present state: no data is touched, x is not changed. `watch` may
/// be NULL; it sees the same events as the real run would send. Returns what that would return as far as shapes, inputs
/// and the limit tell; *p is filled in after EBB_E_LIMIT too. A limit of joint_peak, as predicted without a limit, is
/// enough.
ebb_status ebb_extractor_predict(ebb_extractor *x, const char *const *blobs, int n, const ebb_observer *watch,
                                 ebb_prediction *p, ebb_error *e);
/// Blob and scratch bytes of this extractor since reset (peak, count) and now (live).
void ebb_extractor_memory(const ebb_extractor *x, ebb_mem_count count[EBB_MEM_KINDS]);

// ------------------------------------------------------------------------------------------- pictures

/// How the caller's pixels lie in memory.
typedef enum ebb_pixel { EBB_RGB, EBB_BGR, EBB_RGBA, EBB_BGRA, EBB_GRAY, EBB_NV21 } ebb_pixel;

/// 8-bit pixels of the caller. NV21: a plane of luma, then one of V, U pairs for each 2 x 2 pixels.
typedef struct ebb_picture {
    ebb_pixel pixel;        ///< what `data` is
    int width;              ///< in pixels
    int height;             ///< in pixels
    size_t stride;          ///< bytes from row to row; 0: rows are dense
    const uint8_t *data;    ///< the upper left pixel
    const uint8_t *chroma;  ///< NV21: its second plane; NULL: right behind the first
    size_t chroma_stride;   ///< 0: as wide as the picture, rounded up to 2
} ebb_picture;

/// What becomes of it: crop, then resize (bilinear, half-pixel centres, edges repeated), then
/// (value - mean[c]) * scale[c]. Zero-initialise, then set what you want.
typedef struct ebb_picture_fit {
    int x;          ///< the crop, in pixels
    int y;          ///< the crop, in pixels
    int width;      ///< with height 0: the whole picture
    int height;     ///< with width 0: the whole picture
    int to_width;   ///< 0: the width of the crop
    int to_height;  ///< 0: the height of the crop
    ebb_pixel to;   ///< channels of the blob: RGB, BGR, RGBA, BGRA or GRAY
    float mean[4];  ///< per channel of `to`
    float scale[4]; ///< per channel of `to`; all 0: 1
} ebb_picture_fit;

/// Sets input `blob` to the picture, as a given f32 blob {channels, to_height, to_width} in pixel order.
/// Gray from colour is 0.299 R + 0.587 G + 0.114 B; NV21 is full-range BT.601.
ebb_status ebb_extractor_picture(ebb_extractor *x, const char *blob, const ebb_picture *p,
                                 const ebb_picture_fit *fit, ebb_error *e);
/// The same into memory of the caller: channels * to_height * to_width floats, channels innermost.
ebb_status ebb_picture_floats(const ebb_picture *p, const ebb_picture_fit *fit, float *to, ebb_error *e);

// ------------------------------------------------------------------------------------------- reference

/// Built-in layer types, in the order of layers/layer_list.h; NULL past the end.
const ebb_layer_type *ebb_builtin_layer(int i);
/// NULL when there is none.
const ebb_layer_type *ebb_builtin_layer_named(const char *type);
/// Kernel tables this machine can run, weakest first; NULL past the end.
const char *ebb_isa_name(int i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
