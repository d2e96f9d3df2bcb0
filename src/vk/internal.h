// SPDX-License-Identifier: BSD-3-Clause
// internal.h - the Vulkan side of a device, for src/vk/*.c only.
#pragma once
#include "blob.h"
#include "vk.h"
#include <pthread.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

typedef struct ebb_vk_functions {
#define FN(name)       PFN_vk##name name;
#define OPTIONAL(name) PFN_vk##name name;
#include "functions.h"
#undef FN
#undef OPTIONAL
} ebb_vk_functions;

typedef struct ebb_vk_pipeline {
    struct ebb_vk_pipeline *next;
    ebb_vk_code code;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
} ebb_vk_pipeline;

struct ebb_vk {
    ebb_heap *heap;
    void *library;                       // the loader
    ebb_vk_functions fn;
    void (*log)(void *user, ebb_log_level level, const char *line);
    void *log_user;
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;  // 0 without validation
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties about;
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t family;                     // of compute queues
    VkDevice device;
    VkQueue queue;
    pthread_mutex_t lock;                // for the queue: extractors of several threads submit to it
    ebb_vk_pipeline *pipelines;
    struct ebb_vk_layer *layers;         // what they hold
    ebb_vk_cmd *uploads;                 // that brings them there and owns their buffers; NULL: none yet
};

// Device memory, or host memory that the device reads and writes (map is set). Owned by one command object.
typedef struct ebb_vk_buffer {
    struct ebb_vk_buffer *next;  // in the list of retired ones
    struct ebb_vk_cmd *cmd;
    VkBuffer buffer;
    VkDeviceMemory memory;
    size_t bytes;
    void *map;
    unsigned used;               // the last batch that uses it
} ebb_vk_buffer;

typedef struct ebb_vk_sets ebb_vk_sets;  // descriptor sets, see command.c

struct ebb_vk_cmd {
    ebb_vk *vk;
    VkCommandPool pool;
    VkCommandBuffer buffer;
    VkFence fence;
    bool recording;
    unsigned batch;            // counts what is submitted together; from 1
    ebb_vk_buffer *retired;    // dropped, but the present batch uses them
    ebb_vk_sets *sets;
};

// "vkCreateBuffer failed: VK_ERROR_…" as EBB_E_DEVICE, or EBB_OK.
ebb_status ebb_vk_check(VkResult r, const char *call, ebb_error *e);
#define EBB_VK_TRY(vk, name, args) EBB_TRY(ebb_vk_check((vk)->fn.name args, "vk" #name, e))
void ebb_vk_log(const ebb_vk *vk, ebb_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// A device by the functions that `get` knows; NULL: there is no loader. A test may give its own.
ebb_status ebb_vk_open(PFN_vkGetInstanceProcAddr get, void *library, const ebb_net_options *opt, ebb_heap *s,
                       ebb_vk **vk, ebb_error *e);

// instance.c, adapter.c: parts of opening and closing. Each closes what it opened, also after a failure.
ebb_status ebb_vk_open_instance(ebb_vk *vk, PFN_vkGetInstanceProcAddr get, ebb_error *e);
void ebb_vk_close_instance(ebb_vk *vk);
ebb_status ebb_vk_open_adapter(ebb_vk *vk, int index, ebb_error *e);
void ebb_vk_close_adapter(ebb_vk *vk);

// memory.c
// Bytes of a buffer for so many of a blob: whole words, and Vulkan has no empty buffers.
static inline size_t ebb_vk_size(size_t bytes) { return bytes ? (bytes + 3) / 4 * 4 : 4; }
ebb_status ebb_vk_buffer_new(ebb_vk_cmd *cmd, size_t bytes, bool mapped, ebb_vk_buffer **b, ebb_error *e);
void ebb_vk_buffer_free(ebb_vk_buffer *b);
void ebb_vk_buffer_retire(ebb_vk_buffer *b);  // now, or when the batch that uses it is done
ebb_status ebb_vk_storage_new(ebb_vk_cmd *cmd, ebb_heap *s, size_t bytes, ebb_storage **m, ebb_error *e);
ebb_vk_buffer *ebb_vk_buffer_of(const ebb_storage *m);

// command.c
ebb_status ebb_vk_cmd_new(ebb_vk *vk, ebb_vk_cmd **cmd, ebb_error *e);
void ebb_vk_cmd_reset(ebb_vk_cmd *cmd);
void ebb_vk_cmd_free(ebb_vk_cmd *cmd);
bool ebb_vk_cmd_pending(const ebb_vk_cmd *cmd);
ebb_status ebb_vk_copy(ebb_vk_cmd *cmd, ebb_vk_buffer *to, ebb_vk_buffer *from, size_t from_offset,
                       size_t bytes, ebb_error *e);
ebb_status ebb_vk_finish(ebb_vk_cmd *cmd, ebb_error *e);  // submits what is recorded and waits for it
ebb_status ebb_vk_upload(ebb_vk_cmd *cmd, ebb_storage *to, const void *from, size_t bytes, ebb_error *e);
ebb_status ebb_vk_download(ebb_vk_cmd *cmd, void *to, const ebb_storage *from, size_t offset, size_t bytes,
                           ebb_error *e);

// One dispatch of so many groups; buffers[i] is bound whole at binding i.
ebb_status ebb_vk_dispatch(ebb_vk_cmd *cmd, const ebb_vk_pipeline *p, const ebb_storage *const *buffers,
                           const void *push, size_t groups, ebb_error *e);

// pipeline.c
// Of a shader; the same words give the same pipeline. It lives until the net forgets its model.
ebb_status ebb_vk_pipeline_new(ebb_vk *vk, const ebb_vk_code *code, const ebb_vk_pipeline **p, ebb_error *e);
void ebb_vk_pipelines_free(ebb_vk *vk);

// op.c
bool ebb_vk_op_takes(const ebb_vk *vk, const ebb_vk_op *op, const void *st);
ebb_status ebb_vk_op_prepare(ebb_vk *vk, const ebb_vk_op *op, const void *st, void **state, ebb_error *e);
void ebb_vk_op_plan(const ebb_plan_in *in, ebb_plan *plan);
ebb_status ebb_vk_op_record(ebb_vk_cmd *cmd, const ebb_vk_op *op, const void *st, const void *state,
                            const ebb_shape_in *n, const ebb_blob *const *in, ebb_blob *const *out,
                            ebb_error *e);
void ebb_vk_layers_free(ebb_vk *vk);
