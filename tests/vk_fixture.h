// SPDX-License-Identifier: BSD-3-Clause
// vk_fixture.h - nets on a Vulkan device for tests, under Khronos' validation layer.
#pragma once
#include "small_layers.h"

extern char vk_said[8192];  // the log
extern int vk_index;        // of the device that vk_on_device asks for
walk_net_maker vk_on_device;
void vk_on_log(void *user, ebb_log_level level, const char *text);

// Opens a device and holds it until the process ends; false when there is none. Every test calls it: a driver
// that is unloaded loses sight of what it keeps in static variables, and the leak check would count that.
bool vk_hold(void);
// A net on the device, with small layers; asserts that there is one.
ebb_net *vk_net(const char *layers);
// Destroys it; asserts that nothing is left and that validation had nothing to say.
void vk_net_end(ebb_net *net);
void vk_nothing_said(void);
ebb_blob *vk_extract(ebb_extractor *x, const char *name);

// x -> CPU -> device -> CPU -> device -> CPU -> y
extern const char vk_alternating[];
float vk_alternated(float x);
// Gives n values from `first` on and compares y with what the formulas say.
void vk_check_alternating(ebb_extractor *x, int n, float first);

// Runs `always` (may be NULL), then `tests` where there is a device. Returns main's exit code: 77 when they
// were skipped.
int vk_run_tests(const char *suite, const test_entry *always, const test_entry *tests);
