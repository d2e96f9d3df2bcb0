// SPDX-License-Identifier: BSD-3-Clause
// adapter.c - which physical device, and the logical one on it. Rule: only devices that can compute are
// counted.
#include "internal.h"

enum { MAX_ADAPTERS = 16, MAX_FAMILIES = 16 };

// The first queue family that computes; -1: none.
static int compute_family(const ebb_vk *vk, VkPhysicalDevice d)
{
    VkQueueFamilyProperties f[MAX_FAMILIES];
    uint32_t n = 0;  // asked first: not every driver shrinks a count that is too large
    vk->fn.GetPhysicalDeviceQueueFamilyProperties(d, &n, NULL);
    if (n > MAX_FAMILIES) n = MAX_FAMILIES;
    vk->fn.GetPhysicalDeviceQueueFamilyProperties(d, &n, f);
    for (uint32_t i = 0; i < n; i++)
        if (f[i].queueFlags & VK_QUEUE_COMPUTE_BIT) return (int)i;
    return -1;
}

// Sets physical and family to device `index` of those that Vulkan 1.1 can compute on.
static ebb_status choose(ebb_vk *vk, int index, ebb_error *e)
{
    VkPhysicalDevice all[MAX_ADAPTERS];
    uint32_t n = MAX_ADAPTERS;
    const VkResult r = vk->fn.EnumeratePhysicalDevices(vk->instance, &n, all);
    if (r != VK_INCOMPLETE) EBB_TRY(ebb_vk_check(r, "vkEnumeratePhysicalDevices", e));
    int usable = 0;
    for (uint32_t i = 0; i < n; i++) {
        vk->fn.GetPhysicalDeviceProperties(all[i], &vk->about);
        const int family = compute_family(vk, all[i]);
        if (vk->about.apiVersion < VK_API_VERSION_1_1 || family < 0 || usable++ != index) continue;
        vk->physical = all[i];
        vk->family = (uint32_t)family;
        return EBB_OK;
    }
    return ebb_fail(e, EBB_E_DEVICE, "there is no Vulkan device %d; this machine has %d", index, usable);
}

ebb_status ebb_vk_open_adapter(ebb_vk *vk, int index, ebb_error *e)
{
    EBB_TRY(choose(vk, index, e));
    vk->fn.GetPhysicalDeviceMemoryProperties(vk->physical, &vk->memory);
    const float priority = 1.f;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = vk->family, .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    EBB_VK_TRY(vk, CreateDevice, (vk->physical, &info, NULL, &vk->device));
    vk->fn.GetDeviceQueue(vk->device, vk->family, 0, &vk->queue);
    return EBB_OK;
}

void ebb_vk_close_adapter(ebb_vk *vk)
{
    if (vk->device) vk->fn.DestroyDevice(vk->device, NULL);
}
