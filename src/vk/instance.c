// SPDX-License-Identifier: BSD-3-Clause
// instance.c - the device that src/device.h describes, Vulkan's instance and its messages. Rule: a machine
// without Vulkan is a status, and nothing is left open.
#include "device.h"
#include "internal.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *result_name(VkResult r)
{
    switch (r) {
#define CASE(name)                                                                                           \
    case name: return #name
        CASE(VK_ERROR_OUT_OF_HOST_MEMORY);
        CASE(VK_ERROR_OUT_OF_DEVICE_MEMORY);
        CASE(VK_ERROR_INITIALIZATION_FAILED);
        CASE(VK_ERROR_DEVICE_LOST);
        CASE(VK_ERROR_MEMORY_MAP_FAILED);
        CASE(VK_ERROR_LAYER_NOT_PRESENT);
        CASE(VK_ERROR_EXTENSION_NOT_PRESENT);
        CASE(VK_ERROR_FEATURE_NOT_PRESENT);
        CASE(VK_ERROR_INCOMPATIBLE_DRIVER);
        CASE(VK_ERROR_TOO_MANY_OBJECTS);
#undef CASE
    default: return "unknown result";
    }
}

ebb_status ebb_vk_check(VkResult r, const char *call, ebb_error *e)
{
    if (r == VK_SUCCESS) return EBB_OK;
    return ebb_fail(e, EBB_E_DEVICE, "%s failed: %s (%d)", call, result_name(r), (int)r);
}

void ebb_vk_log(const ebb_vk *vk, ebb_log_level level, const char *fmt, ...)
{
    char line[1024];
    if (!vk->log) return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    vk->log(vk->log_user, level, line);
}

// ------------------------------------------------------------------------------------------- validation

// $EBB_VULKAN_VALIDATION turns on Khronos' validation layer: each message becomes a warning in the log.
static bool validation_wanted(void)
{
    const char *v = getenv("EBB_VULKAN_VALIDATION");
    return v && *v && strcmp(v, "0") != 0;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types;
    ebb_vk_log(user, EBB_LOG_WARNING, "Vulkan validation: %s", data->pMessage);
    return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(ebb_vk *vk)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType =
            VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = vk,
    };
}

static void start_messenger(ebb_vk *vk)
{
    const VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(vk);
    if (vk->fn.CreateDebugUtilsMessengerEXT)
        vk->fn.CreateDebugUtilsMessengerEXT(vk->instance, &info, NULL, &vk->messenger);
}

// ------------------------------------------------------------------------------------------- instance

static VkResult create_instance(ebb_vk *vk, bool validate)
{
    static const char *const layers[] = {"VK_LAYER_KHRONOS_validation"};
    static const char *const extensions[] = {"VK_EXT_debug_utils", "VK_EXT_validation_features"};
    static const VkValidationFeatureEnableEXT barriers[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "ebb",
                                   .apiVersion = VK_API_VERSION_1_1};
    const VkDebugUtilsMessengerCreateInfoEXT messages = messenger_info(vk);
    const VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                              .pNext = &messages, .enabledValidationFeatureCount = 1,
                                              .pEnabledValidationFeatures = barriers};
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validate ? &features : NULL,
        .pApplicationInfo = &app,
        .enabledLayerCount = validate,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = validate ? 2 : 0,
        .ppEnabledExtensionNames = extensions,
    };
    return vk->fn.CreateInstance(&info, NULL, &vk->instance);
}

static ebb_status check_version(const ebb_vk *vk, ebb_error *e)
{
    uint32_t version = VK_API_VERSION_1_0;
    if (vk->fn.EnumerateInstanceVersion) vk->fn.EnumerateInstanceVersion(&version);
    if (version >= VK_API_VERSION_1_1) return EBB_OK;
    return ebb_fail(e, EBB_E_DEVICE, "Vulkan 1.1 is needed, the loader here has 1.0");
}

// The loader tells some functions without an instance, and all others of one.
static ebb_status find_functions(ebb_vk *vk, PFN_vkGetInstanceProcAddr get, ebb_error *e)
{
#define OPTIONAL(name) vk->fn.name = (PFN_vk##name)get(vk->instance, "vk" #name);
#define FN(name)                                                                                             \
    OPTIONAL(name)                                                                                           \
    if (!vk->fn.name) return ebb_fail(e, EBB_E_DEVICE, "the Vulkan loader has no vk" #name);
    if (!vk->instance) {
#define WITHOUT_INSTANCE
#include "functions.h"
#undef WITHOUT_INSTANCE
    } else {
#define WITH_INSTANCE
#include "functions.h"
#undef WITH_INSTANCE
    }
#undef FN
#undef OPTIONAL
    return EBB_OK;
}

ebb_status ebb_vk_open_instance(ebb_vk *vk, PFN_vkGetInstanceProcAddr get, ebb_error *e)
{
    if (!get) return ebb_fail(e, EBB_E_DEVICE, "there is no Vulkan loader (libvulkan.so.1)");
    EBB_TRY(find_functions(vk, get, e));
    EBB_TRY(check_version(vk, e));
    bool validate = validation_wanted();
    VkResult r = create_instance(vk, validate);
    if (validate && (r == VK_ERROR_LAYER_NOT_PRESENT || r == VK_ERROR_EXTENSION_NOT_PRESENT)) {
        ebb_vk_log(vk, EBB_LOG_WARNING, "Vulkan runs without validation: the layer is not installed");
        validate = false;
        r = create_instance(vk, validate);
    }
    EBB_TRY(ebb_vk_check(r, "vkCreateInstance", e));
    EBB_TRY(find_functions(vk, get, e));
    if (validate) start_messenger(vk);
    return EBB_OK;
}

void ebb_vk_close_instance(ebb_vk *vk)
{
    if (vk->messenger && vk->fn.DestroyDebugUtilsMessengerEXT)
        vk->fn.DestroyDebugUtilsMessengerEXT(vk->instance, vk->messenger, NULL);
    if (vk->instance && vk->fn.DestroyInstance) vk->fn.DestroyInstance(vk->instance, NULL);
}

// ------------------------------------------------------------------------------------------- the device

// What was made for the layers of a model.
static void clear(ebb_vk *vk)
{
    ebb_vk_layers_free(vk);
    ebb_vk_pipelines_free(vk);
}

static void close_device(ebb_vk *vk)
{
    clear(vk);
    ebb_vk_close_adapter(vk);
    ebb_vk_close_instance(vk);
    if (vk->library) dlclose(vk->library);
    pthread_mutex_destroy(&vk->lock);
    ebb_heap *s = vk->heap;
    ebb_heap_put(s, EBB_MEM_META, vk, sizeof *vk);
    ebb_heap_drop(s);
}

ebb_status ebb_vk_open(PFN_vkGetInstanceProcAddr get, void *library, const ebb_net_options *opt, ebb_heap *s,
                       ebb_vk **out, ebb_error *e)
{
    ebb_vk *vk = ebb_heap_zero(s, EBB_MEM_META, 1, sizeof *vk);
    if (!vk) {
        if (library) dlclose(library);
        return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of a Vulkan device", sizeof *vk);
    }
    vk->heap = ebb_heap_hold(s);
    vk->library = library;
    vk->log = opt->log, vk->log_user = opt->log_user;
    pthread_mutex_init(&vk->lock, NULL);
    ebb_status status = ebb_vk_open_instance(vk, get, e);
    if (status == EBB_OK) status = ebb_vk_open_adapter(vk, opt->device_index, e);
    if (status == EBB_OK) *out = vk;
    else close_device(vk);
    return status;
}

// The loader is looked for when a device is wanted, so that ebb also runs where there is none.
static ebb_status open_device(const ebb_net_options *opt, ebb_heap *s, ebb_vk **vk, ebb_error *e)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libvulkan.so", RTLD_NOW | RTLD_LOCAL);
    PFN_vkGetInstanceProcAddr get = NULL;
    if (library) *(void **)&get = dlsym(library, "vkGetInstanceProcAddr");
    return ebb_vk_open(get, library, opt, s, vk, e);
}

static const char *name(const ebb_vk *vk) { return vk->about.deviceName; }

const ebb_device_ops ebb_device_vulkan = {
    .open = open_device,
    .close = close_device,
    .name = name,
    .takes = ebb_vk_op_takes,
    .prepare = ebb_vk_op_prepare,
    .plan = ebb_vk_op_plan,
    .record = ebb_vk_op_record,
    .clear = clear,
    .cmd_new = ebb_vk_cmd_new,
    .cmd_reset = ebb_vk_cmd_reset,
    .cmd_free = ebb_vk_cmd_free,
    .storage_new = ebb_vk_storage_new,
    .upload = ebb_vk_upload,
    .download = ebb_vk_download,
    .pending = ebb_vk_cmd_pending,
};
