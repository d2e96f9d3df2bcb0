// SPDX-License-Identifier: BSD-3-Clause
// device.h - what the net and the interpreter know of a device: blobs that live there, moves, and one stream
// of recorded work per extractor. Rule: no Vulkan types here, no device knowledge in pull.c but through here.
//
// How pull.c uses it (dev = net->dev, vk = net->vk; both NULL when everything runs on the CPU):
//   cmd_new        once per extractor, when its first node on the device runs; cmd_free when it goes.
//   a device layer reads a host blob: storage_new for its span, upload: the host copy may be dropped at once.
//   its outputs:   storage_new for the dense bytes; then record, with all blobs on the device.
//   its inputs:    dropped as ever at the last read, which is now *recorded*: such a storage stays valid
//                  until the work is done, or serves a later storage_new of the same cmd, behind a barrier.
//   a host layer or the caller reads a device blob: new host storage for its span, download. It submits all
//                  recorded work and waits; pending() before it says whether there is any (the SUBMIT event).
//   reset or failure: drop the blobs, then cmd_reset, which forgets recorded work.
// Storages made for a cmd are used and dropped in its extractor's thread, and dropped before cmd_free.
#pragma once
#include "blob.h"

typedef struct ebb_device_ops {
    ebb_status (*open)(const ebb_net_options *opt, ebb_heap *s, ebb_vk **vk, ebb_error *e);
    void (*close)(ebb_vk *vk);
    const char *(*name)(const ebb_vk *vk);
    // Whether it will run a layer, by its parameters: asked before weights are read.
    bool (*takes)(const ebb_vk *vk, const ebb_vk_op *op, const void *st);
    ebb_status (*prepare)(ebb_vk *vk, const ebb_vk_op *op, const void *st, void **state, ebb_error *e);
    void (*plan)(const ebb_plan_in *in, ebb_plan *plan);  // what a layer's own plan may not do there
    ebb_status (*record)(ebb_vk_cmd *cmd, const ebb_vk_op *op, const void *st, const void *state,
                         const ebb_shape_in *n, const ebb_blob *const *in, ebb_blob *const *out,
                         ebb_error *e);
    void (*clear)(ebb_vk *vk);  // destroys whatever was prepared
    ebb_status (*cmd_new)(ebb_vk *vk, ebb_vk_cmd **cmd, ebb_error *e);
    void (*cmd_reset)(ebb_vk_cmd *cmd);
    void (*cmd_free)(ebb_vk_cmd *cmd);
    // Uninitialised bytes on the device: on = EBB_ON_DEVICE, data = NULL. The header comes from s.
    ebb_status (*storage_new)(ebb_vk_cmd *cmd, ebb_heap *s, size_t bytes, ebb_storage **m, ebb_error *e);
    ebb_status (*upload)(ebb_vk_cmd *cmd, ebb_storage *to, const void *from, size_t bytes, ebb_error *e);
    ebb_status (*download)(ebb_vk_cmd *cmd, void *to, const ebb_storage *from, size_t offset, size_t bytes,
                           ebb_error *e);
    bool (*pending)(const ebb_vk_cmd *cmd);  // work is recorded that was not submitted
} ebb_device_ops;

#ifdef EBB_VULKAN
extern const ebb_device_ops ebb_device_vulkan;  // src/vk/
#endif

// For net.c. Opens the device that the options ask for; without one the net runs on the CPU and the log says
// why.
struct ebb_net;
void ebb_device_start(struct ebb_net *net);
// Whether a layer will run on the device; after the weights are loaded, what each of those needs there.
bool ebb_device_takes(const struct ebb_net *net, const ebb_layer_type *type, const void *state,
                      unsigned features);
ebb_status ebb_device_prepare(struct ebb_net *net, ebb_error *e);
void ebb_device_clear(struct ebb_net *net);  // forgets device states, before the graph goes
void ebb_device_stop(struct ebb_net *net);
