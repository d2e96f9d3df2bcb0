// SPDX-License-Identifier: BSD-3-Clause
// memory.c - buffers. Rule: a buffer that recorded work uses outlives its last reference: it retires, may
// serve again in the same batch (the barriers keep the order), and is freed when the batch is done.
#include "internal.h"

static const VkMemoryPropertyFlags wishes[2][3] = {
    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, 0},
    {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
         VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT},
};

// The first memory type of `allowed` that meets the best wish that can be met. Vulkan promises one of each
// kind.
static uint32_t memory_type(const ebb_vk *vk, uint32_t allowed, bool mapped)
{
    for (int wish = 0; wish < 3; wish++)
        for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++)
            if ((allowed >> i & 1) &&
                (vk->memory.memoryTypes[i].propertyFlags & wishes[mapped][wish]) == wishes[mapped][wish])
                return i;
    return 0;
}

static ebb_status fill(ebb_vk_buffer *b, bool mapped, ebb_error *e)
{
    const ebb_vk *vk = b->cmd->vk;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = b->bytes,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (mapped ? 0 : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    EBB_VK_TRY(vk, CreateBuffer, (vk->device, &info, NULL, &b->buffer));
    VkMemoryRequirements need;
    vk->fn.GetBufferMemoryRequirements(vk->device, b->buffer, &need);
    const VkMemoryAllocateInfo get = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .allocationSize = need.size,
                                      .memoryTypeIndex = memory_type(vk, need.memoryTypeBits, mapped)};
    EBB_VK_TRY(vk, AllocateMemory, (vk->device, &get, NULL, &b->memory));
    EBB_VK_TRY(vk, BindBufferMemory, (vk->device, b->buffer, b->memory, 0));
    if (mapped) EBB_VK_TRY(vk, MapMemory, (vk->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->map));
    return EBB_OK;
}

ebb_status ebb_vk_buffer_new(ebb_vk_cmd *cmd, size_t bytes, bool mapped, ebb_vk_buffer **out, ebb_error *e)
{
    ebb_vk_buffer *b = ebb_heap_zero(cmd->vk->heap, EBB_MEM_META, 1, sizeof *b);
    if (!b) return ebb_fail(e, EBB_E_NOMEM, "no memory for the head of a device buffer");
    b->cmd = cmd;
    b->bytes = ebb_vk_size(bytes);
    const ebb_status s = fill(b, mapped, e);
    if (s == EBB_OK) *out = b;
    else ebb_vk_buffer_free(b);
    return s;
}

void ebb_vk_buffer_free(ebb_vk_buffer *b)
{
    const ebb_vk *vk = b->cmd->vk;
    vk->fn.DestroyBuffer(vk->device, b->buffer, NULL);
    vk->fn.FreeMemory(vk->device, b->memory, NULL);
    ebb_heap_put(vk->heap, EBB_MEM_META, b, sizeof *b);
}

void ebb_vk_buffer_retire(ebb_vk_buffer *b)
{
    if (b->used != b->cmd->batch) {
        ebb_vk_buffer_free(b);
        return;
    }
    b->next = b->cmd->retired;
    b->cmd->retired = b;
}

// The smallest retired device buffer that holds `bytes` and is at most twice as large, taken off the list; or
// NULL.
static ebb_vk_buffer *serve_again(ebb_vk_cmd *cmd, size_t bytes)
{
    ebb_vk_buffer **best = NULL;
    for (ebb_vk_buffer **at = &cmd->retired; *at; at = &(*at)->next) {
        const ebb_vk_buffer *b = *at;
        if (b->map || b->bytes < bytes || b->bytes / 2 > bytes) continue;
        if (!best || b->bytes < (*best)->bytes) best = at;
    }
    if (!best) return NULL;
    ebb_vk_buffer *b = *best;
    *best = b->next;
    return b;
}

static void drop(void *user, ebb_storage *m)
{
    (void)m;
    ebb_vk_buffer_retire(user);
}

ebb_status ebb_vk_storage_new(ebb_vk_cmd *cmd, ebb_heap *s, size_t bytes, ebb_storage **m, ebb_error *e)
{
    if (bytes > cmd->vk->about.limits.maxStorageBufferRange)
        return ebb_fail(e, EBB_E_DEVICE, "a blob of %zu bytes is larger than the %u bytes that %s can bind",
                        bytes, cmd->vk->about.limits.maxStorageBufferRange, cmd->vk->about.deviceName);
    ebb_vk_buffer *b = serve_again(cmd, bytes);
    if (!b) EBB_TRY(ebb_vk_buffer_new(cmd, bytes, false, &b, e));
    *m = ebb_storage_around(s, NULL, bytes, true, drop, b);
    if (!*m) {
        ebb_vk_buffer_retire(b);
        return ebb_fail(e, EBB_E_NOMEM, "no memory for the head of a blob");
    }
    (*m)->on = EBB_ON_DEVICE;
    return EBB_OK;
}

ebb_vk_buffer *ebb_vk_buffer_of(const ebb_storage *m) { return m->user; }
