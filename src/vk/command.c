// SPDX-License-Identifier: BSD-3-Clause
// command.c - recording and submitting. Rule: everything recorded waits for everything before it, so that
// memory may be reused as soon as its last reader is recorded.
#include "internal.h"
#include <string.h>

enum { SETS = 64 };

struct ebb_vk_sets {
    ebb_vk_sets *next;
    VkDescriptorPool pool;
    int used;
};

// ------------------------------------------------------------------------------------------- life

static ebb_status make(ebb_vk_cmd *cmd, ebb_error *e)
{
    const ebb_vk *vk = cmd->vk;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = vk->family};
    EBB_VK_TRY(vk, CreateCommandPool, (vk->device, &pool, NULL, &cmd->pool));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    EBB_VK_TRY(vk, CreateFence, (vk->device, &fence, NULL, &cmd->fence));
    const VkCommandBufferAllocateInfo get = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = cmd->pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
    EBB_VK_TRY(vk, AllocateCommandBuffers, (vk->device, &get, &cmd->buffer));
    return EBB_OK;
}

ebb_status ebb_vk_cmd_new(ebb_vk *vk, ebb_vk_cmd **out, ebb_error *e)
{
    ebb_vk_cmd *cmd = ebb_heap_zero(vk->heap, EBB_MEM_META, 1, sizeof *cmd);
    if (!cmd) return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of a command buffer", sizeof *cmd);
    cmd->vk = vk;
    cmd->batch = 1;
    const ebb_status s = make(cmd, e);
    if (s == EBB_OK) *out = cmd;
    else ebb_vk_cmd_free(cmd);
    return s;
}

// Nothing recorded is left, be it done or forgotten: what it used goes back.
static void finish(ebb_vk_cmd *cmd)
{
    const ebb_vk *vk = cmd->vk;
    cmd->recording = false;
    cmd->batch++;
    while (cmd->retired) {
        ebb_vk_buffer *b = cmd->retired;
        cmd->retired = b->next;
        ebb_vk_buffer_free(b);
    }
    for (ebb_vk_sets *s = cmd->sets; s; s = s->next) {
        vk->fn.ResetDescriptorPool(vk->device, s->pool, 0);
        s->used = 0;
    }
    vk->fn.ResetCommandPool(vk->device, cmd->pool, 0);
}

void ebb_vk_cmd_reset(ebb_vk_cmd *cmd)
{
    if (cmd->recording) finish(cmd);
}

void ebb_vk_cmd_free(ebb_vk_cmd *cmd)
{
    ebb_vk *vk = cmd->vk;
    ebb_vk_cmd_reset(cmd);
    while (cmd->sets) {
        ebb_vk_sets *s = cmd->sets;
        cmd->sets = s->next;
        vk->fn.DestroyDescriptorPool(vk->device, s->pool, NULL);
        ebb_heap_put(vk->heap, EBB_MEM_META, s, sizeof *s);
    }
    vk->fn.DestroyFence(vk->device, cmd->fence, NULL);
    vk->fn.DestroyCommandPool(vk->device, cmd->pool, NULL);
    ebb_heap_put(vk->heap, EBB_MEM_META, cmd, sizeof *cmd);
}

bool ebb_vk_cmd_pending(const ebb_vk_cmd *cmd) { return cmd->recording; }

// ------------------------------------------------------------------------------------------- recording

static ebb_status begin(ebb_vk_cmd *cmd, ebb_error *e)
{
    if (cmd->recording) return EBB_OK;
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    EBB_VK_TRY(cmd->vk, BeginCommandBuffer, (cmd->buffer, &info));
    cmd->recording = true;
    return EBB_OK;
}

static void barrier(ebb_vk_cmd *cmd, VkPipelineStageFlags to, VkAccessFlags access)
{
    const VkMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = access};
    const VkPipelineStageFlags from = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    cmd->vk->fn.CmdPipelineBarrier(cmd->buffer, from, to, 0, 1, &b, 0, NULL, 0, NULL);
}

// Opens the batch, and lets the next command wait for all before it.
static ebb_status next(ebb_vk_cmd *cmd, ebb_error *e)
{
    EBB_TRY(begin(cmd, e));
    barrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                VK_ACCESS_TRANSFER_WRITE_BIT);
    return EBB_OK;
}

ebb_status ebb_vk_copy(ebb_vk_cmd *cmd, ebb_vk_buffer *to, ebb_vk_buffer *from, size_t from_offset,
                       size_t bytes, ebb_error *e)
{
    EBB_TRY(next(cmd, e));
    const VkBufferCopy part = {.srcOffset = from_offset, .size = bytes};
    cmd->vk->fn.CmdCopyBuffer(cmd->buffer, from->buffer, to->buffer, 1, &part);
    to->used = from->used = cmd->batch;
    return EBB_OK;
}

static ebb_status submit_and_wait(ebb_vk_cmd *cmd, ebb_error *e)
{
    ebb_vk *vk = cmd->vk;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                               .pCommandBuffers = &cmd->buffer};
    EBB_VK_TRY(vk, EndCommandBuffer, (cmd->buffer));
    pthread_mutex_lock(&vk->lock);
    const VkResult r = vk->fn.QueueSubmit(vk->queue, 1, &info, cmd->fence);
    pthread_mutex_unlock(&vk->lock);
    EBB_TRY(ebb_vk_check(r, "vkQueueSubmit", e));
    EBB_VK_TRY(vk, WaitForFences, (vk->device, 1, &cmd->fence, VK_TRUE, UINT64_MAX));
    EBB_VK_TRY(vk, ResetFences, (vk->device, 1, &cmd->fence));
    return EBB_OK;
}

ebb_status ebb_vk_finish(ebb_vk_cmd *cmd, ebb_error *e)
{
    const ebb_status s = submit_and_wait(cmd, e);
    finish(cmd);
    return s;
}

ebb_status ebb_vk_upload(ebb_vk_cmd *cmd, ebb_storage *to, const void *from, size_t bytes, ebb_error *e)
{
    ebb_vk_buffer *b;
    EBB_TRY(ebb_vk_buffer_new(cmd, bytes, true, &b, e));
    memcpy(b->map, from, bytes);
    const ebb_status s = ebb_vk_copy(cmd, ebb_vk_buffer_of(to), b, 0, bytes, e);
    ebb_vk_buffer_retire(b);
    return s;
}

ebb_status ebb_vk_download(ebb_vk_cmd *cmd, void *to, const ebb_storage *from, size_t offset, size_t bytes,
                           ebb_error *e)
{
    ebb_vk_buffer *b;
    EBB_TRY(ebb_vk_buffer_new(cmd, bytes, true, &b, e));
    ebb_status s = ebb_vk_copy(cmd, b, ebb_vk_buffer_of(from), offset, bytes, e);
    if (s == EBB_OK) {
        barrier(cmd, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
        s = ebb_vk_finish(cmd, e);
    }
    if (s == EBB_OK) memcpy(to, b->map, bytes);
    ebb_vk_buffer_retire(b);
    return s;
}

// ------------------------------------------------------------------------------------------- dispatch

static ebb_status more_sets(ebb_vk_cmd *cmd, ebb_error *e)
{
    ebb_vk_sets *s = ebb_heap_zero(cmd->vk->heap, EBB_MEM_META, 1, sizeof *s);
    if (!s) return ebb_fail(e, EBB_E_NOMEM, "no memory for descriptor sets");
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SETS * EBB_VK_MAX_BUFFERS};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = SETS, .poolSizeCount = 1, .pPoolSizes = &size};
    const ebb_vk *vk = cmd->vk;
    const VkResult r = vk->fn.CreateDescriptorPool(vk->device, &info, NULL, &s->pool);
    if (r != VK_SUCCESS) {
        ebb_heap_put(cmd->vk->heap, EBB_MEM_META, s, sizeof *s);
        return ebb_vk_check(r, "vkCreateDescriptorPool", e);
    }
    s->next = cmd->sets;
    cmd->sets = s;
    return EBB_OK;
}

static ebb_status new_set(ebb_vk_cmd *cmd, const ebb_vk_pipeline *p, VkDescriptorSet *set, ebb_error *e)
{
    ebb_vk_sets *s = cmd->sets;
    while (s && s->used == SETS) s = s->next;
    if (!s) {
        EBB_TRY(more_sets(cmd, e));
        s = cmd->sets;
    }
    const VkDescriptorSetAllocateInfo get = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = s->pool,
                                             .descriptorSetCount = 1, .pSetLayouts = &p->set_layout};
    EBB_VK_TRY(cmd->vk, AllocateDescriptorSets, (cmd->vk->device, &get, set));
    s->used++;
    return EBB_OK;
}

static void bind(ebb_vk_cmd *cmd, const ebb_vk_pipeline *p, const ebb_storage *const *buffers,
                 VkDescriptorSet set)
{
    VkDescriptorBufferInfo buffer[EBB_VK_MAX_BUFFERS];
    VkWriteDescriptorSet write[EBB_VK_MAX_BUFFERS];
    for (int i = 0; i < p->code.buffers; i++) {
        ebb_vk_buffer *b = ebb_vk_buffer_of(buffers[i]);
        if (b->cmd == cmd) b->used = cmd->batch;  // weights belong to the net
        buffer[i] = (VkDescriptorBufferInfo){b->buffer, 0, ebb_vk_size(buffers[i]->bytes)};
        write[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set,
                                          .dstBinding = (uint32_t)i, .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .pBufferInfo = &buffer[i]};
    }
    const ebb_vk *vk = cmd->vk;
    vk->fn.UpdateDescriptorSets(vk->device, (uint32_t)p->code.buffers, write, 0, NULL);
    vk->fn.CmdBindDescriptorSets(cmd->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &set, 0, NULL);
}

ebb_status ebb_vk_dispatch(ebb_vk_cmd *cmd, const ebb_vk_pipeline *p, const ebb_storage *const *buffers,
                           const void *push, size_t groups, ebb_error *e)
{
    if (groups == 0) return EBB_OK;
    const ebb_vk_functions *fn = &cmd->vk->fn;
    VkDescriptorSet set;
    EBB_TRY(next(cmd, e));
    EBB_TRY(new_set(cmd, p, &set, e));
    fn->CmdBindPipeline(cmd->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    bind(cmd, p, buffers, set);
    if (p->code.push)
        fn->CmdPushConstants(cmd->buffer, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, (uint32_t)p->code.push,
                             push);
    fn->CmdDispatch(cmd->buffer, groups < 65535 ? (uint32_t)groups : 65535, 1, 1);
    return EBB_OK;
}
