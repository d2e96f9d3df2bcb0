// SPDX-License-Identifier: BSD-3-Clause
// weights.c - the .bin reader. Rule: what needs no copy is referenced where it stands; every size is checked
// before it is used.
#include "weights.h"
#include "device.h"
#include "error.h"
#include "file.h"
#include "order.h"
#include <math.h>
#include <string.h>

// Tags before a tensor. Any other one but 0 stands before a table of 256 floats and an index byte an element;
// the writers of such files used 1.
enum {
    TAG_F16 = 0x01306B47,
    TAG_I8 = 0x000D4B38,
    TAG_F32 = 0x0002C056,
    TABLE = 256,
    USUAL_TABLE_TAG = 0xFFFF
};

// One tensor that a layer read: a reference to the source, or a copy.
typedef struct tensor {
    struct tensor *next;
    ebb_storage *mem;
    size_t bytes;
    size_t from, to;  // where it stands in the source
    bool kept;
} tensor;

typedef struct loader {
    ebb_net *net;
    ebb_node *node;
    ebb_weight_source from;
    size_t at;        // bytes read so far
    tensor *tensors;  // of this layer, latest first
    ebb_arena arena;  // holds them
} loader;

struct ebb_weight_block {
    struct ebb_weight_block *next;
    size_t bytes;
};
enum { HEAD = EBB_ALIGN };
_Static_assert(sizeof(struct ebb_weight_block) <= HEAD, "the head must fit");

static ebb_status nomem(size_t bytes, ebb_error *e)
{
    return ebb_fail(e, EBB_E_NOMEM, "no memory for %zu bytes of weights", bytes);
}

// ------------------------------------------------------------------------------------------- reading

static ebb_status check_left(const loader *l, size_t bytes, ebb_error *e)
{
    if (bytes > PTRDIFF_MAX)
        return ebb_fail(e, EBB_E_PARAM, "the parameters ask for more weights than memory can address");
    if (bytes > l->from.size - l->at)
        return ebb_fail(e, EBB_E_FORMAT,
                        "the layer needs %zu more bytes of weights at byte %zu, but the file has %zu left",
                        bytes, l->at, l->from.size - l->at);
    if (l->from.bytes && !ebb_file_covers(l->from.bytes, l->at + bytes))
        return ebb_fail(e, EBB_E_IO, "the file was cut while it was loaded: byte %zu is gone", l->at + bytes);
    return EBB_OK;
}

static ebb_status read_bytes(loader *l, void *to, size_t bytes, ebb_error *e)
{
    EBB_TRY(check_left(l, bytes, e));
    if (bytes && l->from.bytes)
        memcpy(to, (const char *)l->from.bytes->data + l->at, bytes);
    else if (bytes && !l->from.reader->read(l->from.reader->user, to, bytes))
        return ebb_fail(e, EBB_E_IO,
                        "reading ended or failed after %zu bytes, where the layer needs %zu more", l->at,
                        bytes);
    l->at = ebb_size_add(l->at, bytes);
    return EBB_OK;
}

static void free_copy(void *user, ebb_storage *s)
{
    (void)user;
    ebb_heap_put(s->heap, EBB_MEM_WEIGHT, s->data, s->bytes);
}

static ebb_storage *new_storage(ebb_heap *s, size_t bytes)
{
    void *data = ebb_heap_get(s, EBB_MEM_WEIGHT, bytes);
    ebb_storage *mem = data ? ebb_storage_around(s, data, bytes, false, free_copy, NULL) : NULL;
    if (data && !mem) ebb_heap_put(s, EBB_MEM_WEIGHT, data, bytes);
    return mem;
}

static ebb_status new_tensor(loader *l, size_t bytes, tensor **made, ebb_error *e)
{
    tensor *t = ebb_arena_get(&l->arena, sizeof *t);
    if (!t) return nomem(sizeof *t, e);
    *t = (tensor){.next = l->tensors, .bytes = bytes, .from = l->at, .to = l->at};
    l->tensors = *made = t;
    return EBB_OK;
}

// One with memory of its own.
static ebb_status own_tensor(loader *l, size_t bytes, ebb_weights *w, ebb_error *e)
{
    tensor *t = NULL;
    EBB_TRY(new_tensor(l, bytes, &t, e));
    t->mem = new_storage(l->net->heap, bytes);
    if (!t->mem) return nomem(bytes, e);
    w->own = t;
    w->data = t->mem->data;
    return EBB_OK;
}

// A tensor of `bytes` that takes up `padded` in the file.
static ebb_status read_plain(loader *l, size_t bytes, size_t padded, size_t align, ebb_weights *w,
                             ebb_error *e)
{
    EBB_TRY(check_left(l, padded, e));
    const char *data =
        l->from.bytes && l->from.bytes->data ? (const char *)l->from.bytes->data + l->at : NULL;
    if (!data || (uintptr_t)data % align != 0 || l->at % align != 0) {
        EBB_TRY(own_tensor(l, padded, w, e));
        return read_bytes(l, (void *)w->data, padded, e);
    }
    tensor *t = NULL;
    EBB_TRY(new_tensor(l, bytes, &t, e));
    t->mem = ebb_storage_hold(l->from.bytes);
    w->own = t;
    w->data = data;
    l->at = ebb_size_add(l->at, padded);
    return EBB_OK;
}

static bool finite_table(const float *table)
{
    for (int i = 0; i < TABLE; i++)
        if (!isfinite(table[i])) return false;
    return true;
}

// 256 floats, then an index byte for each element, which is expanded where it was read.
static ebb_status read_table(loader *l, size_t n, uint32_t tag, ebb_weights *w, ebb_error *e)
{
    float table[TABLE];
    const size_t start = l->at - 4, indices = ebb_size_add(n, 3) / 4 * 4;
    const bool fits = l->from.size - l->at >= ebb_size_add(sizeof table, indices);
    if (fits || tag <= USUAL_TABLE_TAG) EBB_TRY(read_bytes(l, table, sizeof table, e));
    if (tag > USUAL_TABLE_TAG && !(fits && finite_table(table)))
        return ebb_fail(e, EBB_E_FORMAT,
                        "0x%08x at byte %zu is no weight tag: .param and weights do not belong together",
                        (unsigned)tag, start);
    EBB_TRY(check_left(l, indices, e));
    EBB_TRY(own_tensor(l, ebb_size_mul(n, sizeof(float)), w, e));
    float *to = (float *)w->data;
    unsigned char *index = (unsigned char *)to + 3 * n, pad[4];
    EBB_TRY(read_bytes(l, index, n, e));
    for (size_t i = 0; i < n; i++) to[i] = table[index[i]];
    return read_bytes(l, pad, indices - n, e);
}

ebb_status ebb_load_weights(const ebb_load *load, size_t n, ebb_weight_form form, ebb_weights *w,
                            ebb_error *e)
{
    loader *l = load->ctx;
    *w = (ebb_weights){.dtype = EBB_F32, .n = n};
    unsigned char b[4] = {0};
    if (form == EBB_TAGGED) EBB_TRY(read_bytes(l, b, sizeof b, e));
    const uint32_t tag = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    if (tag == TAG_F16) w->dtype = EBB_F16;
    if (tag == TAG_I8) w->dtype = EBB_I8;
    const size_t each = ebb_dtype_bytes(w->dtype), bytes = ebb_size_mul(n, each);
    const size_t padded = ebb_size_mul(bytes / 4 + (bytes % 4 != 0), 4);
    if (tag == 0 || tag == TAG_F16 || tag == TAG_I8 || tag == TAG_F32)
        EBB_TRY(read_plain(l, bytes, padded, each, w, e));
    else
        EBB_TRY(read_table(l, n, tag, w, e));
    ((tensor *)w->own)->to = l->at;
    l->node->weight_count[w->dtype] += n;
    return EBB_OK;
}

float ebb_weight_f32(const ebb_weights *w, size_t i)
{
    if (w->dtype == EBB_F16) return ebb_f16_to_f32(((const uint16_t *)w->data)[i]);
    if (w->dtype == EBB_I8) return ((const int8_t *)w->data)[i];
    return ((const float *)w->data)[i];
}

void ebb_weights_to_f32(const ebb_weights *w, float *to)
{
    if (w->dtype == EBB_F32 && w->n)
        memcpy(to, w->data, w->n * sizeof *to);
    else
        for (size_t i = 0; i < w->n; i++) to[i] = ebb_weight_f32(w, i);
}

// ------------------------------------------------------------------------------------------- keeping

ebb_status ebb_load_keep(const ebb_load *load, ebb_weights *w, ebb_error *e)
{
    (void)e;
    loader *l = load->ctx;
    tensor *t = w->own;
    if (!t || t->kept) return EBB_OK;  // the layer's own memory, or a second call
    l->node->weight_bytes += t->bytes;
    t->kept = true;
    return EBB_OK;
}

ebb_status ebb_load_alloc(const ebb_load *load, size_t bytes, void **p, ebb_error *e)
{
    loader *l = load->ctx;
    struct ebb_weight_block *b = ebb_heap_get_headed(l->net->heap, HEAD, EBB_MEM_WEIGHT, bytes);
    if (!b) return nomem(bytes, e);
    *b = (struct ebb_weight_block){l->net->blocks, bytes};
    l->net->blocks = b;
    l->node->weight_bytes += bytes;
    *p = memset((char *)b + HEAD, 0, bytes);
    return EBB_OK;
}

// What a layer computed into memory of its own becomes a tensor of its own: a blob may outlive the net.
static ebb_status adopt(loader *l, ebb_weights *w, ebb_error *e)
{
    const size_t bytes = ebb_size_mul(w->n, ebb_dtype_bytes(w->dtype));
    const void *from = w->data;
    EBB_TRY(own_tensor(l, bytes, w, e));
    if (w->n) memcpy((void *)w->data, from, bytes);
    return EBB_OK;
}

ebb_status ebb_load_constant(const ebb_load *load, int out, int rank, const int *dim, ebb_weights *w,
                             ebb_error *e)
{
    loader *l = load->ctx;
    if (out < 0 || out >= l->node->n_out || !l->node->constants || rank < 0 || rank > EBB_MAX_RANK)
        return ebb_fail(e, EBB_E_STATE, "output %d of rank %d cannot be a constant", out, rank);
    ebb_desc d = {.dtype = w->dtype, .rank = rank};
    for (int i = 0; i < rank; i++) d.dim[i] = dim[i];
    if (ebb_desc_bytes(&d) == SIZE_MAX || ebb_desc_count(&d) != w->n)
        return ebb_fail(e, EBB_E_SHAPE, "%zu weights do not fill output %d of %s", w->n, out,
                        EBB_SHAPE(&d));
    if (!w->own) EBB_TRY(adopt(l, w, e));
    EBB_TRY(ebb_load_keep(load, w, e));
    ebb_desc_planar_strides(&d);
    const tensor *t = w->own;
    ebb_blob *b = &l->node->constants[out];
    ebb_storage_drop(b->mem);
    const ptrdiff_t offset = w->n ? (const char *)w->data - (const char *)t->mem->data : 0;
    *b = (ebb_blob){
        .desc = d, .mem = ebb_storage_hold(t->mem), .offset = offset / (ptrdiff_t)ebb_dtype_bytes(w->dtype)};
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- layers

static ebb_status store_kept(loader *l, ebb_error *e)
{
    int n = 0;
    for (const tensor *t = l->tensors; t; t = t->next) n += t->kept;
    if (!n) return EBB_OK;
    l->node->kept = ebb_arena_get(&l->net->arena, ebb_size_mul((size_t)n, sizeof *l->node->kept));
    if (!l->node->kept) return nomem(ebb_size_mul((size_t)n, sizeof *l->node->kept), e);
    for (const tensor *t = l->tensors; t; t = t->next)
        if (t->kept) l->node->kept[l->node->n_kept++] = ebb_storage_hold(t->mem);
    return EBB_OK;
}

static void end_layer(loader *l)
{
    for (const tensor *t = l->tensors; t; t = t->next) {
        const bool referenced = t->kept && t->mem == l->from.bytes;
        if (l->from.bytes && !referenced) ebb_file_forget(l->from.bytes, t->from, t->to);
        ebb_storage_drop(t->mem);
    }
    l->tensors = NULL;
    ebb_arena_free(&l->arena);
}

static ebb_status check_constants(const ebb_node *n, ebb_error *e)
{
    for (int i = 0; i < n->n_out && n->constants; i++)
        if (!n->constants[i].mem) return ebb_fail(e, EBB_E_STATE, "its load gave output %d no constant", i);
    return EBB_OK;
}

static ebb_status load_layer(loader *l, ebb_error *e)
{
    ebb_node *n = l->node;
    if (n->type->flags & EBB_LAYER_CONSTANT) {
        n->constants = ebb_arena_get(&l->net->arena, ebb_size_mul((size_t)n->n_out, sizeof *n->constants));
        if (!n->constants) return nomem(ebb_size_mul((size_t)n->n_out, sizeof *n->constants), e);
    }
    n->on_device = ebb_device_takes(l->net, n->type, n->state, n->features);
    const ebb_load load = {.n_in = n->n_in,
                           .n_out = n->n_out,
                           .k = l->net->k,
                           .prefer = l->net->opt.prefer,
                           .features = n->features,
                           .ctx = l,
                           .device = n->on_device ? EBB_DEVICE_VULKAN : EBB_DEVICE_CPU};
    ebb_status s = n->type->load ? n->type->load(n->state, &load, e) : EBB_OK;
    if (s == EBB_OK) s = check_constants(n, e);
    if (s == EBB_OK) s = store_kept(l, e);
    end_layer(l);
    return s;
}

ebb_status ebb_weights_load(ebb_net *net, const ebb_weight_source *from, ebb_error *e)
{
    loader l = {.net = net, .from = *from, .arena = {.heap = net->heap}};
    for (int i = 0; i < net->g.n_nodes; i++) {
        l.node = &net->g.nodes[i];
        const ebb_status s = load_layer(&l, e);
        if (s != EBB_OK)
            return ebb_error_prefix(e, s, "%s: layer %d '%.64s' (%.40s): ", from->label, i, l.node->name,
                                    l.node->type->name);
    }
    if (from->size != SIZE_MAX && l.at != from->size)
        return ebb_fail(e, EBB_E_FORMAT,
                        "%s: the weights of the last layer end at byte %zu, but the file has %zu bytes",
                        from->label, l.at, from->size);
    return EBB_OK;
}

ebb_status ebb_weights_check(const ebb_net *net, ebb_error *e)
{
    if (!net->file || ebb_file_covers(net->file, net->file->bytes)) return EBB_OK;
    return ebb_fail(
        e, EBB_E_IO,
        "the file of weights was cut after it was loaded, and layers read it where it stands: load the "
        "model again, with `no_map` where the file may change");
}

void ebb_weights_free(ebb_net *net)
{
    ebb_storage_drop(net->file);
    net->file = NULL;
    for (int at = 0; at < net->g.n_nodes; at++) {
        const ebb_node *n = &net->g.nodes[at];
        for (int i = 0; i < n->n_kept; i++) ebb_storage_drop(n->kept[i]);
        for (int i = 0; i < n->n_out && n->constants; i++) ebb_storage_drop(n->constants[i].mem);
    }
    while (net->blocks) {
        struct ebb_weight_block *b = net->blocks;
        net->blocks = b->next;
        ebb_heap_put_headed(net->heap, HEAD, EBB_MEM_WEIGHT, b, b->bytes);
    }
}
