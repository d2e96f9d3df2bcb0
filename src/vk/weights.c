// SPDX-License-Identifier: BSD-3-Clause
// weights.c - weights on the device. Rule: they are there when prepare_vk returns, and only read from then
// on, by all extractors.
#include "internal.h"

typedef struct ebb_vk_held {
    struct ebb_vk_held *next;
    ebb_vk_weights state;
    ebb_blob blob;
} ebb_vk_held;

static ebb_status upload(ebb_vk_cmd *cmd, const ebb_storage *to, const ebb_weights *parts, int n,
                         ebb_error *e)
{
    ebb_vk_buffer *b;
    EBB_TRY(ebb_vk_buffer_new(cmd, to->bytes, true, &b, e));
    float *at = b->map;
    for (int i = 0; i < n; at += parts[i++].n) ebb_weights_to_f32(&parts[i], at);
    ebb_status s = ebb_vk_copy(cmd, ebb_vk_buffer_of(to), b, 0, to->bytes, e);
    if (s == EBB_OK)
        s = ebb_vk_finish(cmd, e);
    else
        ebb_vk_cmd_reset(cmd);
    ebb_vk_buffer_retire(b);
    return s;
}

ebb_status ebb_vk_weights_new(ebb_vk *vk, const ebb_vk_pipeline *pipeline, const ebb_weights *parts, int n,
                              void **dev_state, ebb_error *e)
{
    size_t bytes = 0;
    for (int i = 0; i < n; i++) bytes = ebb_size_add(bytes, ebb_size_mul(parts[i].n, sizeof(float)));
    if (bytes > vk->about.limits.maxStorageBufferRange)
        return ebb_fail(e, EBB_E_UNSUPPORTED, "weights of %zu bytes are more than the %u that %s can bind",
                        bytes, vk->about.limits.maxStorageBufferRange, vk->about.deviceName);
    if (!vk->uploads) EBB_TRY(ebb_vk_cmd_new(vk, &vk->uploads, e));
    ebb_vk_held *h = ebb_heap_zero(vk->heap, EBB_MEM_META, 1, sizeof *h);
    if (!h)
        return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of a layer on the device", sizeof *h);
    h->next = vk->held;
    vk->held = h;
    EBB_TRY(ebb_vk_storage_new(vk->uploads, vk->heap, bytes, &h->blob.mem, e));
    EBB_TRY(upload(vk->uploads, h->blob.mem, parts, n, e));
    h->state = (ebb_vk_weights){pipeline, &h->blob};
    *dev_state = &h->state;
    return EBB_OK;
}

void ebb_vk_weights_free(ebb_vk *vk)
{
    while (vk->held) {
        ebb_vk_held *h = vk->held;
        vk->held = h->next;
        ebb_storage_drop(h->blob.mem);
        ebb_heap_put(vk->heap, EBB_MEM_META, h, sizeof *h);
    }
    if (vk->uploads) ebb_vk_cmd_free(vk->uploads);
    vk->uploads = NULL;
}
