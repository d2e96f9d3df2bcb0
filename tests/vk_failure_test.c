// SPDX-License-Identifier: BSD-3-Clause
// vk_failure_test.c - functions of Vulkan fail one by one: always a status in words, and nothing stays open.
#include "vk_fixture.h"
#ifdef EBB_VULKAN
#include "device.h"
#include "net.h"
#include "vk/internal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Functions of Vulkan that fail from the skip-th call on.
static const char *failing;
static int skip;
static bool silent;  // the net has no log
static PFN_vkGetInstanceProcAddr real_get;

static VkResult refusal = VK_ERROR_OUT_OF_DEVICE_MEMORY;

static VKAPI_ATTR VkResult VKAPI_CALL refuse(void) { return refusal; }

#define WRAP(name, params, args)                                                                             \
    static PFN_vk##name real_##name;                                                                         \
    static VKAPI_ATTR VkResult VKAPI_CALL my_##name params                                                   \
    {                                                                                                        \
        return skip-- > 0 ? real_##name args : refuse();                                                     \
    }
WRAP(AllocateMemory,
     (VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a, VkDeviceMemory *m),
     (d, i, a, m))
WRAP(QueueSubmit, (VkQueue q, uint32_t n, const VkSubmitInfo *i, VkFence f), (q, n, i, f))
WRAP(CreateDescriptorPool,
     (VkDevice d, const VkDescriptorPoolCreateInfo *i, const VkAllocationCallbacks *a, VkDescriptorPool *p),
     (d, i, a, p))

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL failing_get(VkInstance instance, const char *name)
{
    const PFN_vkVoidFunction real = real_get(instance, name);
    if (strcmp(name, failing)) return real;
    if (skip < 0) return NULL;
#define IF(f)                                                                                                \
    if (!strcmp(name, "vk" #f)) return real_##f = (PFN_vk##f)real, (PFN_vkVoidFunction)my_##f;
    IF(AllocateMemory)
    IF(QueueSubmit)
    IF(CreateDescriptorPool)
#undef IF
    return (PFN_vkVoidFunction)refuse;
}

static ebb_status on_failing(const ebb_allocator *a, ebb_net **net, ebb_error *e)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    *(void **)&real_get = dlsym(library, "vkGetInstanceProcAddr");
    const ebb_net_options opt = {.allocator = *a, .log = silent ? NULL : vk_on_log};
    EBB_TRY(ebb_net_new(&opt, net, e));
    ebb_vk *vk;
    const ebb_status s = ebb_vk_open(failing_get, library, &opt, (*net)->heap, &vk, e);
    if (s == EBB_OK) (*net)->dev = &ebb_device_vulkan, (*net)->vk = vk;
    return s;
}

START_TEST(no_loader)
{
    ebb_error e = {0};
    ebb_vk *vk;
    ebb_heap *s;
    ck_assert_int_eq(ebb_heap_new(NULL, &s, &e), EBB_OK);
    ck_assert_int_eq(ebb_vk_open(NULL, NULL, &(ebb_net_options){0}, s, &vk, &e), EBB_E_DEVICE);
    ck_assert_ptr_nonnull(strstr(e.msg, "there is no Vulkan loader"));
    ebb_heap_drop(s);
}
END_TEST

static bool memory_is_out;
static void *get_memory(void *user, size_t bytes, size_t align)
{
    void *p = NULL;
    (void)user;
    return memory_is_out || posix_memalign(&p, align, bytes) ? NULL : p;
}
static void put_memory(void *user, void *p, size_t bytes)
{
    (void)user, (void)bytes;
    free(p);
}

START_TEST(no_memory)
{
    ebb_error e = {0};
    ebb_vk *vk;
    ebb_heap *s;
    ck_assert_int_eq(ebb_heap_new(&(ebb_allocator){get_memory, put_memory, NULL}, &s, &e), EBB_OK);
    memory_is_out = true;
    for (int opened = 0; opened < 2; opened++) {
        void *library = opened ? dlopen(NULL, RTLD_NOW) : NULL;  // goes back, whatever happens
        ck_assert_int_eq(ebb_vk_open(NULL, library, &(ebb_net_options){0}, s, &vk, &e), EBB_E_NOMEM);
        ck_assert_ptr_nonnull(strstr(e.msg, "bytes of a Vulkan device"));
    }
    memory_is_out = false;
    ebb_heap_drop(s);
}
END_TEST

START_TEST(results_have_names)
{
#define NAMED(r) {r, "vkThis failed: " #r " ("}
    static const struct {
        VkResult r;
        const char *words;
    } t[] = {NAMED(VK_ERROR_OUT_OF_HOST_MEMORY), NAMED(VK_ERROR_OUT_OF_DEVICE_MEMORY),
             NAMED(VK_ERROR_INITIALIZATION_FAILED), NAMED(VK_ERROR_DEVICE_LOST),
             NAMED(VK_ERROR_MEMORY_MAP_FAILED), NAMED(VK_ERROR_LAYER_NOT_PRESENT),
             NAMED(VK_ERROR_EXTENSION_NOT_PRESENT), NAMED(VK_ERROR_FEATURE_NOT_PRESENT),
             NAMED(VK_ERROR_INCOMPATIBLE_DRIVER), NAMED(VK_ERROR_TOO_MANY_OBJECTS),
             {(VkResult)-77, "vkThis failed: unknown result (-77)"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ebb_error e = {0};
        ck_assert_int_eq(ebb_vk_check(t[i].r, "vkThis", &e), EBB_E_DEVICE);
        ck_assert_msg(strstr(e.msg, t[i].words) != NULL, "%s", e.msg);
    }
    ck_assert_int_eq(ebb_vk_check(VK_SUCCESS, "vkThis", NULL), EBB_OK);
}
END_TEST

static void opening_is_refused(const char *words)
{
    ebb_error e = {0};
    ebb_net *net = NULL;
    const ebb_status s = on_failing(&(ebb_allocator){0}, &net, &e);
    ck_assert_msg(s == EBB_E_DEVICE && strstr(e.msg, words), "%s: %s", words, e.msg);
    ebb_net_destroy(net);
}

// A loader that lacks one of the functions. (Without vkDestroyInstance nobody could take the instance down.)
START_TEST(every_function_is_needed)
{
#define FN(name) "vk" #name,
#define OPTIONAL(name)
    static const char *const names[] = {
#include "vk/functions.h"
    };
#undef FN
#undef OPTIONAL
    ck_assert(vk_hold());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(names[i], "vkDestroyInstance")) continue;
        char words[80];
        snprintf(words, sizeof words, "the Vulkan loader has no %s", names[i]);
        failing = names[i], skip = -1;
        opening_is_refused(words);
    }
    vk_nothing_said();
}
END_TEST

// A loader of Vulkan 1.0 does not tell its version.
START_TEST(an_old_loader)
{
    ck_assert(vk_hold());
    failing = "vkEnumerateInstanceVersion", skip = -1;
    opening_is_refused("Vulkan 1.1 is needed, the loader here has 1.0");
    vk_nothing_said();
}
END_TEST

// Where validation is wanted and not installed, Vulkan is opened without it, and the log says so.
START_TEST(no_validation_layer)
{
    static const struct {
        const char *wanted;
        VkResult r;
        bool told;
    } t[] = {{"1", VK_ERROR_LAYER_NOT_PRESENT, true},      {"1", VK_ERROR_EXTENSION_NOT_PRESENT, true},
             {"1", VK_ERROR_INCOMPATIBLE_DRIVER, false},   {"0", VK_ERROR_LAYER_NOT_PRESENT, false},
             {"", VK_ERROR_LAYER_NOT_PRESENT, false},      {NULL, VK_ERROR_LAYER_NOT_PRESENT, false}};
    ck_assert(vk_hold());
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        if (t[i].wanted) setenv("EBB_VULKAN_VALIDATION", t[i].wanted, 1);
        else unsetenv("EBB_VULKAN_VALIDATION");
        failing = "vkCreateInstance", skip = 0, refusal = t[i].r;
        opening_is_refused("vkCreateInstance failed: VK_ERROR_");
        ck_assert_msg(!!strstr(vk_said, "Vulkan runs without validation") == t[i].told, "%zu: %s", i,
                      vk_said);
        vk_said[0] = 0;
    }
    setenv("EBB_VULKAN_VALIDATION", "1", 1);
    refusal = VK_ERROR_LAYER_NOT_PRESENT, silent = true;
    opening_is_refused("vkCreateInstance failed: VK_ERROR_LAYER_NOT_PRESENT");
    vk_nothing_said();
}
END_TEST

// Messages of validation are a help: without them, or without validation, devices open all the same.
START_TEST(no_messages)
{
    ck_assert(vk_hold());
    failing = "vkCreateDebugUtilsMessengerEXT", skip = -1;
    for (int validated = 1; validated >= 0; validated--) {
        setenv("EBB_VULKAN_VALIDATION", validated ? "1" : "0", 1);
        ebb_error e = {0};
        ebb_net *net;
        ck_assert_msg(on_failing(&(ebb_allocator){0}, &net, &e) == EBB_OK, "%s", e.msg);
        ebb_net_destroy(net);
    }
}
END_TEST

// Each step of opening fails in turn, and leaves nothing.
START_TEST(opening_fails)
{
    static const char *const names[] = {"vkCreateInstance", "vkEnumeratePhysicalDevices", "vkCreateDevice"};
    ck_assert(vk_hold());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (skip = 0; skip >= -1; skip--) {
            failing = names[i];
            ebb_error e = {0};
            ebb_net *net = NULL;
            ck_assert_int_eq(on_failing(&(ebb_allocator){0}, &net, &e), EBB_E_DEVICE);
            ck_assert_msg(strstr(e.msg, names[i]) &&
                              strstr(e.msg, skip ? "has no" : "VK_ERROR_OUT_OF_DEVICE_MEMORY"),
                          "%s", e.msg);
            ebb_net_destroy(net);
        }
    vk_nothing_said();
}
END_TEST

// A device that fails in the middle of a run: a status in words, and the extractor works again after reset.
START_TEST(running_fails)
{
    static const struct {
        const char *name;
        int calls;  // that a run makes
    } fails[] = {{"vkAllocateMemory", 6}, {"vkQueueSubmit", 2}, {"vkCreateDescriptorPool", 1}};
    ck_assert(vk_hold());
    for (size_t i = 0; i < sizeof fails / sizeof *fails; i++) {
        failing = fails[i].name;
        skip = 1000;
        ebb_net *net = walk_net_made(on_failing, vk_alternating, NULL, 0, small_layers);
        for (int at = 0; at < fails[i].calls; at++) {
            ebb_extractor *x = open_on(net, NULL);
            const ebb_desc d = vec(9);
            give(x, "x", &d, -4);
            ebb_error e = {0};
            ebb_blob *b;
            skip = at;
            ck_assert_int_eq(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, &e), EBB_E_DEVICE);
            ck_assert_msg(strstr(e.msg, failing) && strstr(e.msg, "layer "), "%s", e.msg);
            ebb_extractor_reset(x);
            skip = 1000;
            vk_check_alternating(x, 9, -4);
            ebb_extractor_destroy(x);
        }
        vk_net_end(net);
    }
}
END_TEST

// Steps of a run that are taken once, each refused from the start.
START_TEST(no_step_of_a_run)
{
    static const char *const names[] = {"vkCreateCommandPool", "vkCreateFence", "vkAllocateCommandBuffers",
                                        "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkResetFences",
                                        "vkAllocateDescriptorSets", "vkCreateBuffer", "vkBindBufferMemory",
                                        "vkMapMemory"};
    ck_assert(vk_hold());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        failing = names[i], skip = 0;
        ebb_net *net = walk_net_made(on_failing, vk_alternating, NULL, 0, small_layers);
        ebb_extractor *x = open_on(net, NULL);
        const ebb_desc d = vec(9);
        give(x, "x", &d, -4);
        ebb_error e = {0};
        ebb_blob *b;
        ck_assert_int_eq(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, &e), EBB_E_DEVICE);
        ck_assert_msg(strstr(e.msg, names[i]) && strstr(e.msg, "VK_ERROR_OUT_OF_DEVICE_MEMORY"), "%s", e.msg);
        ebb_extractor_destroy(x);
        vk_net_end(net);
    }
}
END_TEST

// Making device states fails the load.
START_TEST(loading_fails)
{
    static const char *const names[] = {"vkCreateDescriptorSetLayout", "vkCreatePipelineLayout",
                                        "vkCreateShaderModule", "vkCreateComputePipelines"};
    static const char text[] = "7767517\n2 2\nInput in 0 1 x\nReLU r1 1 1 x y\n";
    ck_assert(vk_hold());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        failing = names[i];
        skip = 0;
        ebb_error e = {0};
        ebb_net *net;
        ck_assert_msg(on_failing(&(ebb_allocator){0}, &net, &e) == EBB_OK, "%s", e.msg);
        ck_assert_int_eq(ebb_net_load_param_mem(net, text, strlen(text), NULL), EBB_OK);
        ck_assert_int_eq(ebb_net_load_weights_mem(net, "", 0, &e), EBB_E_DEVICE);
        ck_assert_msg(!strncmp(e.msg, "layer 1 'r1' (ReLU): vkCreate", 29) && strstr(e.msg, names[i]), "%s",
                      e.msg);
        ebb_net_destroy(net);
    }
    vk_nothing_said();
}
END_TEST

// Weights do not get there: a status, and the next load may succeed.
START_TEST(uploading_fails)
{
    static const struct {
        const char *name;
        int calls;  // that a load makes
    } fails[] = {{"vkAllocateMemory", 2}, {"vkQueueSubmit", 1}};
    static const char text[] = "7767517\n2 2\nInput in 0 1 x\nConvolution c 1 1 x y 0=1 1=1 6=3\n";
    static const float weights[] = {0, 1, 2, 3};  // behind the tag
    ck_assert(vk_hold());
    for (size_t i = 0; i < sizeof fails / sizeof *fails; i++) {
        failing = fails[i].name, skip = 0;
        ebb_error e = {0};
        ebb_net *net;
        ck_assert_msg(on_failing(&(ebb_allocator){0}, &net, &e) == EBB_OK, "%s", e.msg);
        for (int at = 0; at <= fails[i].calls; at++) {
            skip = at;
            ck_assert_int_eq(ebb_net_load_param_mem(net, text, strlen(text), NULL), EBB_OK);
            const ebb_status s = ebb_net_load_weights_mem(net, weights, sizeof weights, &e);
            ck_assert_int_eq(s, at < fails[i].calls ? EBB_E_DEVICE : EBB_OK);
            ck_assert_msg(s == EBB_OK || strstr(e.msg, failing), "%s", e.msg);
            ebb_net_clear(net);
        }
        ebb_net_destroy(net);
    }
    vk_nothing_said();
}
END_TEST

int main(void)
{
    const test_entry tests[] = {{"every_function_is_needed", every_function_is_needed},
                                {"an_old_loader", an_old_loader}, {"no_validation_layer", no_validation_layer},
                                {"no_messages", no_messages}, {"no_step_of_a_run", no_step_of_a_run},
                                {"opening_fails", opening_fails}, {"running_fails", running_fails},
                                {"loading_fails", loading_fails}, {"uploading_fails", uploading_fails}, {0}};
    const test_entry always[] = {{"no_loader", no_loader}, {"no_memory", no_memory},
                                 {"results_have_names", results_have_names}, {0}};
    return vk_run_tests("vk_failure", always, tests);
}
#else
int main(void) { return 77; }
#endif
