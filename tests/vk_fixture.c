// SPDX-License-Identifier: BSD-3-Clause
// vk_fixture.c - nets on a Vulkan device for tests. Rule: drivers do not survive a fork: the parent opens none.
#include "vk_fixture.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };

char vk_said[8192];
int vk_index;
static atomic_int messages;  // of the validation layer

void vk_on_log(void *user, ebb_log_level level, const char *text)
{
    (void)user, (void)level;
    const size_t n = strlen(vk_said);
    snprintf(vk_said + n, sizeof vk_said - n, "%s\n", text);
    if (!strncmp(text, "Vulkan validation:", 18)) {
        atomic_fetch_add(&messages, 1);
        fprintf(stderr, "%s\n", text);
    }
}

void vk_nothing_said(void) { ck_assert_int_eq(atomic_load(&messages), 0); }

// The validation layer leaks a little, and its thread is not seen to wait for ours. What ebb takes goes
// through the allocator, which is counted.
#define VISIBLE __attribute__((visibility("default")))
VISIBLE const char *__lsan_default_suppressions(void);
VISIBLE const char *__lsan_default_suppressions(void) { return "leak:libVkLayer_khronos_validation.so\n"; }
VISIBLE const char *__tsan_default_suppressions(void);
VISIBLE const char *__tsan_default_suppressions(void) { return "race:libVkLayer_khronos_validation.so\n"; }

bool vk_hold(void)
{
    static ebb_net *held;
    return ebb_net_new(&(ebb_net_options){.device = EBB_DEVICE_VULKAN}, &held, NULL) == EBB_OK &&
           strcmp(ebb_net_device(held), "cpu") != 0;
}

ebb_status vk_on_device(const ebb_allocator *a, ebb_net **net, ebb_error *e)
{
    const ebb_net_options opt = {
        .allocator = *a, .device = EBB_DEVICE_VULKAN, .device_index = vk_index, .log = vk_on_log};
    return ebb_net_new(&opt, net, e);
}

ebb_net *vk_net(const char *layers)
{
    ck_assert(vk_hold());
    ebb_net *net = walk_net_made(vk_on_device, layers, NULL, 0, small_layers);
    ck_assert_str_ne(ebb_net_device(net), "cpu");
    return net;
}

void vk_net_end(ebb_net *net)
{
    walk_net_end(net);
    vk_nothing_said();
}

ebb_blob *vk_extract(ebb_extractor *x, const char *name)
{
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert_msg(ebb_extractor_extract(x, name, EBB_TAKE_PLANAR, &b, &e) == EBB_OK, "%s", e.msg);
    return b;
}

const char vk_alternating[] = "Input in 0 1 x\nFork f1 1 1 x a\nReLU r1 1 1 a b 0=0.5\nFork f2 1 1 b c\n"
                              "ReLU r2 1 1 c d 0=2.0\nFork f3 1 1 d y\n";

float vk_alternated(float x)
{
    x += 1;
    x = (x < 0 ? 0.5f * x : x) + 1;
    return (x < 0 ? 2.f * x : x) + 1;
}

void vk_check_alternating(ebb_extractor *x, int n, float first)
{
    const ebb_desc d = vec(n);
    give(x, "x", &d, first);
    ebb_blob *b = vk_extract(x, "y");
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += ebb_f32(b)[i] != vk_alternated(first + (float)i);
    ck_assert_int_eq(wrong, 0);
    ebb_blob_drop(b);
}

static bool have_device(void)
{
    const pid_t child = fork();
    if (child == 0) _exit(!vk_hold());
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int vk_run_tests(const char *suite, const test_entry *always, const test_entry *tests)
{
    setenv("EBB_VULKAN_VALIDATION", "1", 1);
    const int result = always ? run_tests(suite, always) : 0;
    if (result) return result;
    return have_device() ? run_tests(suite, tests) : SKIPPED;
}
