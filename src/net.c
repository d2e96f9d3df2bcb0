// SPDX-License-Identifier: BSD-3-Clause
// net.c - nets: options, layer types, loading, queries. Rule: after a failed load only clear and destroy are
// possible.
#include "net.h"
#include "cpu.h"
#include "device.h"
#include "draft.h"
#include "error.h"
#include "file.h"
#include "registry.h"
#include "weights.h"
#include <string.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------- making

ebb_status ebb_net_new(const ebb_net_options *opt, ebb_net **net, ebb_error *e)
{
    const ebb_net_options none = {0};
    if (!opt) opt = &none;
    *net = NULL;
    if (opt->precision < EBB_PRECISION_F32 || opt->precision > EBB_PRECISION_BF16)
        return ebb_fail(e, EBB_E_PARAM, "there is no precision %d", (int)opt->precision);
    const ebb_kernels *k;
    const char *isa;
    EBB_TRY(ebb_cpu_kernels(opt->isa, &k, &isa, e));
    ebb_heap *heap;
    EBB_TRY(ebb_heap_new(&opt->allocator, &heap, e));
    ebb_net *n = ebb_heap_zero(heap, EBB_MEM_META, 1, sizeof *n);
    if (!n) {
        ebb_heap_drop(heap);
        return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of a net", sizeof *n);
    }
    n->opt = *opt;
    n->opt.isa = n->isa = isa;
    n->log = (ebb_log){opt->log, opt->log_user};
    n->k = k;
    n->heap = heap;
    atomic_init(&n->refs, 1);
    n->arena.heap = heap;
    ebb_device_start(n);
    *net = n;
    return EBB_OK;
}

static void forget(ebb_net *net)
{
    for (int i = 0; i < net->g.n_inited; i++)
        if (net->g.nodes[i].type->unload) net->g.nodes[i].type->unload(net->g.nodes[i].state);
    ebb_device_clear(net);
    ebb_weights_free(net);
    net->g = (ebb_graph){0};
    ebb_arena_free(&net->arena);
    net->state = EBB_NET_EMPTY;
}

// Extractors and traces look into the model: it waits for the last of them.
void ebb_net_clear(ebb_net *net)
{
    if (atomic_load(&net->refs) == 1) forget(net);
    else net->state = EBB_NET_CLEARING;
}

static void put_custom(ebb_net *net)
{
    ebb_types *t = &net->types;
    ebb_heap_put(net->heap, EBB_MEM_META, t->custom, (size_t)t->n_custom * sizeof *t->custom);
}

ebb_net *ebb_net_hold(const ebb_net *net)
{
    ebb_net *n = (ebb_net *)net;
    atomic_fetch_add_explicit(&n->refs, 1, memory_order_relaxed);
    return n;
}

void ebb_net_drop(ebb_net *net)
{
    if (atomic_fetch_sub_explicit(&net->refs, 1, memory_order_acq_rel) != 1) return;
    forget(net);
    ebb_device_stop(net);
    put_custom(net);
    ebb_heap *heap = net->heap;
    ebb_heap_put(heap, EBB_MEM_META, net, sizeof *net);
    ebb_heap_drop(heap);
}

void ebb_net_destroy(ebb_net *net)
{
    if (net) ebb_net_drop(net);
}

// Whether there is no model; one that was to be cleared goes now, if nobody looks into it any more.
static bool is_empty(ebb_net *net)
{
    if (net->state == EBB_NET_CLEARING) ebb_net_clear(net);
    return net->state == EBB_NET_EMPTY;
}

ebb_status ebb_net_add_layer(ebb_net *net, const ebb_layer_type *type, ebb_error *e)
{
    if (!is_empty(net))
        return ebb_fail(e, EBB_E_STATE, "layer types are added before a net is loaded");
    EBB_TRY(ebb_layer_type_check(type, e));
    const size_t n = (size_t)net->types.n_custom;
    const ebb_layer_type **more = ebb_heap_zero(net->heap, EBB_MEM_META, n + 1, sizeof *more);
    if (!more) return ebb_fail(e, EBB_E_NOMEM, "no memory for another layer type");
    if (n) memcpy(more, net->types.custom, n * sizeof *more);
    more[n] = type;
    put_custom(net);
    net->types.custom = more;
    net->types.n_custom++;
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- loading

static ebb_status check_empty(ebb_net *net, ebb_error *e)
{
    if (is_empty(net)) return EBB_OK;
    return ebb_fail(e, EBB_E_STATE,
                    net->state == EBB_NET_FAILED     ? "the last load failed: clear the net before loading again"
                    : net->state == EBB_NET_CLEARING ? "the net was cleared while extractors or traces use its model: "
                                                       "destroy and finish them before loading again"
                                                     : "the net has a model: clear it before loading another");
}

static ebb_status check_weightless(const ebb_net *net, ebb_error *e)
{
    if (net->state == EBB_NET_PARAM) return EBB_OK;
    return ebb_fail(e, EBB_E_STATE,
                    net->state == EBB_NET_FAILED  ? "the last load failed: clear the net before loading again"
                    : net->state == EBB_NET_READY ? "the net has its weights already"
                                                  : "load the .param before the weights");
}

enum { MOST_PARAM = 1 << 30 };  // bytes; the largest known have a few hundred thousand

static ebb_status parse(ebb_net *net, const char *label, const void *data, size_t bytes, ebb_error *e)
{
    if (bytes > MOST_PARAM)
        return ebb_fail(e, EBB_E_FORMAT, "%s: %zu bytes are too many for a .param: is it the .bin?", label,
                        bytes);
    ebb_draft d = {.label = label,
                   .data = data,
                   .bytes = bytes,
                   .types = &net->types,
                   .log = net->log,
                   .lenient = net->opt.lenient,
                   .keep = &net->arena,
                   .arena = {.heap = net->heap}};
    ebb_status s = ebb_draft_read(&d, e);
    if (s == EBB_OK) s = ebb_graph_build(&net->g, &d, e);
    ebb_arena_free(&d.arena);
    net->state = s == EBB_OK ? EBB_NET_PARAM : EBB_NET_FAILED;
    return s;
}

ebb_status ebb_net_load_param_mem(ebb_net *net, const void *data, size_t bytes, ebb_error *e)
{
    EBB_TRY(check_empty(net, e));
    return parse(net, "param", data, bytes, e);
}

ebb_status ebb_net_load_param(ebb_net *net, const char *path, ebb_error *e)
{
    EBB_TRY(check_empty(net, e));
    ebb_storage *file;
    const ebb_status s = ebb_file_read(net->heap, path, MOST_PARAM, &file, e);
    if (s != EBB_OK) return ebb_error_prefix(e, s, "%s: ", path);
    const ebb_status parsed = parse(net, path, file->data, file->bytes, e);
    ebb_storage_drop(file);
    return parsed;
}

static ebb_status read_weights(ebb_net *net, const ebb_weight_source *from, ebb_error *e)
{
    ebb_status s = ebb_weights_load(net, from, e);
    if (s == EBB_OK) s = ebb_device_prepare(net, e);
    net->state = s == EBB_OK ? EBB_NET_READY : EBB_NET_FAILED;
    return s;
}

static ebb_status map_weights(ebb_net *net, const char *path, ebb_error *e)
{
    ebb_weight_source from = {.label = path};
    const ebb_status s = ebb_file_map(net->heap, path, &from.bytes, e);
    if (s != EBB_OK) return ebb_error_prefix(e, s, "%s: ", path);
    from.size = from.bytes->bytes;
    const ebb_status read = read_weights(net, &from, e);
    if (read == EBB_OK && ebb_storage_refs(from.bytes) > 1)
        net->file = from.bytes;
    else
        ebb_storage_drop(from.bytes);
    return read;
}

static bool next_bytes(void *fd, void *to, size_t bytes) { return ebb_file_next(*(int *)fd, to, bytes); }

// Tensor by tensor, so that only what layers keep is ever in memory.
static ebb_status stream_weights(ebb_net *net, const char *path, ebb_error *e)
{
    int fd;
    const ebb_reader r = {next_bytes, &fd};
    ebb_weight_source from = {.label = path, .reader = &r};
    const ebb_status s = ebb_file_open(path, &fd, &from.size, e);
    if (s != EBB_OK) return ebb_error_prefix(e, s, "%s: ", path);
    const ebb_status read = read_weights(net, &from, e);
    close(fd);
    return read;
}

ebb_status ebb_net_load_weights(ebb_net *net, const char *path, ebb_error *e)
{
    EBB_TRY(check_weightless(net, e));
    return net->opt.no_map ? stream_weights(net, path, e) : map_weights(net, path, e);
}

ebb_status ebb_net_load_weights_mem(ebb_net *net, const void *data, size_t bytes, ebb_error *e)
{
    EBB_TRY(check_weightless(net, e));
    ebb_weight_source from = {.label = "weights", .size = bytes};
    from.bytes = ebb_storage_around(net->heap, (void *)data, bytes, false, NULL, NULL);
    if (!from.bytes) return ebb_fail(e, EBB_E_NOMEM, "no memory to hold the weights");
    const ebb_status read = read_weights(net, &from, e);
    ebb_storage_drop(from.bytes);
    return read;
}

ebb_status ebb_net_load_weights_reader(ebb_net *net, const ebb_reader *r, ebb_error *e)
{
    EBB_TRY(check_weightless(net, e));
    const ebb_weight_source from = {.label = "weights", .size = SIZE_MAX, .reader = r};
    return read_weights(net, &from, e);
}

ebb_status ebb_net_load(ebb_net *net, const char *param_path, const char *bin_path, ebb_error *e)
{
    EBB_TRY(ebb_net_load_param(net, param_path, e));
    return ebb_net_load_weights(net, bin_path, e);
}

// ------------------------------------------------------------------------------------------- queries

int ebb_net_layer_count(const ebb_net *net) { return net->g.n_nodes; }
int ebb_net_blob_count(const ebb_net *net) { return net->g.n_slots; }

ebb_status ebb_net_layer(const ebb_net *net, int layer, ebb_layer_info *info, ebb_error *e)
{
    if (layer < 0 || layer >= net->g.n_nodes)
        return ebb_fail(e, EBB_E_NAME, "there is no layer %d: the net has %d", layer, net->g.n_nodes);
    const ebb_node *n = &net->g.nodes[layer];
    *info = (ebb_layer_info){.name = n->name,
                             .type = n->type->name,
                             .n_in = n->n_in,
                             .n_out = n->n_out,
                             .in = n->in,
                             .out = n->out,
                             .weight_bytes = n->weight_bytes};
    memcpy(info->weight_count, n->weight_count, sizeof info->weight_count);
    return EBB_OK;
}

const char *ebb_net_blob_name(const ebb_net *net, int blob)
{
    return blob >= 0 && blob < net->g.n_slots ? net->g.slots[blob].name : NULL;
}

int ebb_net_blob_index(const ebb_net *net, const char *name, ebb_error *e)
{
    return ebb_graph_find(&net->g, name, e);
}

int ebb_net_blob_producer(const ebb_net *net, int blob)
{
    return blob >= 0 && blob < net->g.n_slots ? net->g.slots[blob].producer : -1;
}

int ebb_net_inputs(const ebb_net *net, int *blobs, int room)
{
    int n = 0;
    for (int at = 0; at < net->g.n_nodes; at++) {
        const ebb_node *node = &net->g.nodes[at];
        for (int i = 0; node->type->flags & EBB_LAYER_INPUT && i < node->n_out; i++, n++)
            if (n < room) blobs[n] = node->out[i];
    }
    return n;
}

int ebb_net_outputs(const ebb_net *net, int *blobs, int room)
{
    int n = 0;
    for (int i = 0; i < net->g.n_slots; i++) {
        if (net->g.slots[i].n_readers) continue;
        if (n < room) blobs[n] = i;
        n++;
    }
    return n;
}

bool ebb_net_input_hint(const ebb_net *net, int blob, ebb_desc *d)
{
    if (blob < 0 || blob >= net->g.n_slots) return false;
    const ebb_slot *s = &net->g.slots[blob];
    const ebb_desc *hints = net->g.nodes[s->producer].hints;
    if (!hints || hints[s->port].rank == 0) return false;
    *d = hints[s->port];
    return true;
}

void ebb_net_memory(const ebb_net *net, ebb_mem_count count[EBB_MEM_KINDS])
{
    ebb_heap_count(net->heap, count);
}
const char *ebb_net_isa(const ebb_net *net) { return net->isa; }
const char *ebb_net_device(const ebb_net *net) { return net->dev ? net->dev->name(net->vk) : "cpu"; }
