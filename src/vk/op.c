// SPDX-License-Identifier: BSD-3-Clause
// op.c - runs layers on the device as their ebb_vk_op says. Rule: what a layer needs is made at load; its weights are
// there when that returns, and only read from then on, by all extractors.
#include "internal.h"
#include <string.h>

// A layer of a loaded net.
typedef struct ebb_vk_layer {
    struct ebb_vk_layer *next;
    const ebb_vk_pipeline *pipeline;
    ebb_storage *weights;  // NULL: it has none
} ebb_vk_layer;

// ------------------------------------------------------------------------------------------- load

bool ebb_vk_op_takes(const ebb_vk *vk, const ebb_vk_op *op, const void *st)
{
    return !op->takes || op->takes(st, vk->about.limits.maxStorageBufferRange);
}

static ebb_status upload(ebb_vk *vk, const ebb_storage *to, const ebb_vk_op *op, const void *st, ebb_error *e)
{
    ebb_vk_buffer *b;
    EBB_TRY(ebb_vk_buffer_new(vk->uploads, to->bytes, true, &b, e));
    op->weigh(st, b->map);
    ebb_status s = ebb_vk_copy(vk->uploads, ebb_vk_buffer_of(to), b, 0, to->bytes, e);
    if (s == EBB_OK) s = ebb_vk_finish(vk->uploads, e);
    else ebb_vk_cmd_reset(vk->uploads);
    ebb_vk_buffer_retire(b);
    return s;
}

static ebb_status bring_weights(ebb_vk *vk, ebb_vk_layer *l, const ebb_vk_op *op, const void *st, ebb_error *e)
{
    const size_t bytes = ebb_size_mul(op->weigh(st, NULL), sizeof(float));
    if (bytes > vk->about.limits.maxStorageBufferRange)
        return ebb_fail(e, EBB_E_UNSUPPORTED, "weights of %zu bytes are more than the %u that %s can bind", bytes,
                        vk->about.limits.maxStorageBufferRange, vk->about.deviceName);
    if (!vk->uploads) EBB_TRY(ebb_vk_cmd_new(vk, &vk->uploads, e));
    EBB_TRY(ebb_vk_storage_new(vk->uploads, vk->heap, bytes, &l->weights, e));
    return upload(vk, l->weights, op, st, e);
}

ebb_status ebb_vk_op_prepare(ebb_vk *vk, const ebb_vk_op *op, const void *st, void **state, ebb_error *e)
{
    ebb_vk_layer *l = ebb_heap_zero(vk->heap, EBB_MEM_META, 1, sizeof *l);
    if (!l) return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of a layer on the device", sizeof *l);
    l->next = vk->layers;
    vk->layers = l;
    *state = l;
    EBB_TRY(ebb_vk_pipeline_new(vk, &op->code, &l->pipeline, e));
    return op->weigh ? bring_weights(vk, l, op, st, e) : EBB_OK;
}

void ebb_vk_layers_free(ebb_vk *vk)
{
    while (vk->layers) {
        ebb_vk_layer *l = vk->layers;
        vk->layers = l->next;
        ebb_storage_drop(l->weights);
        ebb_heap_put(vk->heap, EBB_MEM_META, l, sizeof *l);
    }
    if (vk->uploads) ebb_vk_cmd_free(vk->uploads);
    vk->uploads = NULL;
}

// ------------------------------------------------------------------------------------------- run

// All that shaders know is f32.
void ebb_vk_op_plan(const ebb_plan_in *in, ebb_plan *plan)
{
    for (int i = 0; i < in->n_in; i++) plan->in[i].dtypes = EBB_BIT(EBB_F32);
    for (int k = 0; k < in->n_out; k++) plan->out[k].dtypes = EBB_BIT(EBB_F32);
}

static ebb_vk_at at(const ebb_blob *b) { return (ebb_vk_at){b->desc, (int)b->offset}; }

static const ebb_storage *bound(const ebb_vk_layer *l, int what, const ebb_blob *const *in, ebb_blob *const *out)
{
    if (what >= EBB_VK_WEIGHTS) return l->weights;
    return what >= EBB_VK_OUT ? out[what - EBB_VK_OUT]->mem : in[what - EBB_VK_IN]->mem;
}

ebb_status ebb_vk_op_record(ebb_vk_cmd *cmd, const ebb_vk_op *op, const void *st, const void *state,
                            const ebb_shape_in *n, const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    const ebb_vk_layer *l = state;
    ebb_vk_at from[EBB_VK_MAX_BLOBS], to[EBB_VK_MAX_BLOBS];
    const ebb_storage *buffers[EBB_VK_MAX_BUFFERS];
    ebb_vk_step step[EBB_VK_MAX_STEPS];
    memset(step, 0, sizeof step);
    for (int i = 0; i < n->n_in && i < EBB_VK_MAX_BLOBS; i++) from[i] = at(in[i]);
    for (int k = 0; k < n->n_out && k < EBB_VK_MAX_BLOBS; k++)
        if (out[k]) to[k] = at(out[k]);
    const int steps = op->steps(st, from, to, step);
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < op->code.buffers; i++) buffers[i] = bound(l, step[s].bind[i], in, out);
        EBB_TRY(ebb_vk_dispatch(cmd, l->pipeline, buffers, step[s].push, step[s].groups, e));
    }
    return EBB_OK;
}
