// SPDX-License-Identifier: BSD-3-Clause
// device.c - the net's side of a device. Rule: without a device everything still runs, and the log says so.
#include "device.h"
#include "error.h"
#include "net.h"

static const ebb_device_ops *built_in(void)
{
#ifdef EBB_VULKAN
    return &ebb_device_vulkan;
#else
    return NULL;
#endif
}

void ebb_device_start(ebb_net *net)
{
    if (net->opt.device == EBB_DEVICE_CPU) return;
    const ebb_device_ops *dev = built_in();
    ebb_error e;
    ebb_status s = dev ? dev->open(&net->opt, net->heap, &net->vk, &e)
                       : ebb_fail(&e, EBB_E_UNSUPPORTED, "this build has no Vulkan support");
    if (s == EBB_OK) net->dev = dev;
    else ebb_log_say(&net->log, EBB_LOG_WARNING, "no Vulkan device, the CPU is used: %s", e.msg);
}

bool ebb_device_takes(const ebb_net *net, const ebb_layer_type *type, const void *state, unsigned features)
{
    return net->dev && type->vk && !(features & EBB_NO_VULKAN) && net->dev->takes(net->vk, type->vk, state);
}

ebb_status ebb_device_prepare(ebb_net *net, ebb_error *e)
{
    for (int i = 0; net->dev && i < net->g.n_nodes; i++) {
        ebb_node *n = &net->g.nodes[i];
        if (!n->on_device) continue;
        const ebb_status s = net->dev->prepare(net->vk, n->type->vk, n->state, &n->dev_state, e);
        if (s != EBB_OK) return ebb_error_prefix(e, s, "layer %d '%s' (%s): ", i, n->name, n->type->name);
    }
    return EBB_OK;
}

void ebb_device_clear(ebb_net *net)
{
    if (!net->dev) return;
    for (int i = 0; i < net->g.n_nodes; i++) net->g.nodes[i].dev_state = NULL;
    net->dev->clear(net->vk);
}

void ebb_device_stop(ebb_net *net)
{
    if (net->dev) net->dev->close(net->vk);
    net->dev = NULL, net->vk = NULL;
}
