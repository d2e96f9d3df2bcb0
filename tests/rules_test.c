// SPDX-License-Identifier: BSD-3-Clause
// rules_test.c - the house rules, read off the sources: who includes whom, and that every source has a test.
#include "harness.h"
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char offences[1 << 14];

static void offend(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void offend(const char *fmt, ...)
{
    const size_t n = strlen(offences);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(offences + n, sizeof offences - n, fmt, ap);
    va_end(ap);
}

static bool ends(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static bool stands_in(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", EBB_SOURCE_DIR, folder, name);
    return access(path, F_OK) == 0;
}

// Calls each(folder, name) for the files of a folder that end so; returns how many there are.
static int each_file(const char *folder, const char *end, void (*each)(const char *folder, const char *name))
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", EBB_SOURCE_DIR, folder);
    DIR *d = opendir(path);
    int n = 0;
    for (const struct dirent *f; d && (f = readdir(d));)
        if (ends(f->d_name, end)) each(folder, f->d_name), n++;
    if (d) closedir(d);
    return n;
}

// ------------------------------------------------------------------------------------------- includes

static bool is_kernel(const char *name)
{
    static const char *const ends_of_kernels[] = {".kern.c",   ".scalar.c", ".avx2.c",
                                                  ".avx512.c", ".neon.c",   ".neon32.c"};
    for (size_t i = 0; i < sizeof ends_of_kernels / sizeof *ends_of_kernels; i++)
        if (ends(name, ends_of_kernels[i])) return true;
    return false;
}

static bool starts(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }

// Of layers/: its own folder, then the parts, then the kernels' table; of the kernels: themselves.
static bool may_layer(const char *folder, const char *name, const char *what)
{
    if (starts(folder, "layers/kernels"))
        return stands_in(folder, what) &&
               (strcmp(what, "kernel_list.h") || starts(name, "kernel") || starts(name, "table"));
    if (!strcmp(what, "ebb_layer.h") || !strcmp(what, "kernels/kernels.h") || stands_in(folder, what))
        return true;
    if (strcmp(folder, "layers")) return false;
    if (ends(name, ".vk.c") && (!strcmp(what, "vk/vk.h") || ends(what, ".comp.h") || ends(what, ".push.h")))
        return true;
    return starts(what, "parts/") && stands_in(folder, what);
}

// May a file include "what"? Arrows point down: tools -> ebb.h; layers -> parts -> kernels' table,
// ebb_layer.h.
static bool may(const char *folder, const char *name, const char *what)
{
    if (ends(what, "layer_list.h"))
        return !strcmp(what, "../layers/layer_list.h") && !strcmp(name, "registry.c");
    if (starts(folder, "layers")) return may_layer(folder, name, what);
    if (stands_in(folder, what)) return true;
    if (!strcmp(folder, "src/vk"))
        return stands_in("src", what) || ends(what, ".comp.h") || ends(what, ".push.h");
    if (!strcmp(folder, "tools") || !strcmp(folder, "benchmark"))
        return !strcmp(what, "ebb.h") || !strcmp(what, "ebb_layer.h");
    return false;
}

static void check_includes(const char *folder, const char *name)
{
    char path[512], line[512], what[256];
    snprintf(path, sizeof path, "%s/%s/%s", EBB_SOURCE_DIR, folder, name);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, " # include \"%255[^\"]\"", what) == 1 && !may(folder, name, what))
            offend("%s/%s includes \"%s\"\n", folder, name, what);
    fclose(f);
}

START_TEST(includes)
{
    static const char *const folders[] = {"src",          "src/vk",         "layers",
                                          "layers/parts", "layers/kernels", "layers/kernels/vec",
                                          "tools",        "benchmark"};
    int n = 0;
    offences[0] = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        n += each_file(folders[i], ".c", check_includes) + each_file(folders[i], ".h", check_includes);
    ck_assert_int_gt(n, 50);
    ck_assert_msg(!offences[0], "these point up:\n%s", offences);
}
END_TEST

START_TEST(the_rule_can_fail)
{
    ck_assert(may("src", "registry.c", "../layers/layer_list.h") &&
              !may("src", "net.c", "../layers/layer_list.h"));
    ck_assert(may("tools", "main.c", "ebb.h") && !may("tools", "main.c", "net.h"));
    ck_assert(may("layers", "relu.c", "ebb_layer.h") && !may("layers", "relu.c", "net.h") &&
              !may("layers", "relu.c", "vk/vk.h"));
    ck_assert(may("layers", "relu.c", "parts/elementwise.h") && may("layers/parts", "conv.c", "pack.h") &&
              !may("layers/parts", "conv.c", "relu.h"));
    ck_assert(may("layers/kernels", "relu.kern.c", "vec/vec.h") &&
              !may("layers/kernels", "relu.kern.c", "relu.h") &&
              !may("layers/kernels", "relu.kern.c", "ebb_layer.h"));
    ck_assert(!may("src", "net.c", "kernels/kernels.h") && !may("layers/kernels/vec", "vec.h", "kernels.h"));
}
END_TEST

// ------------------------------------------------------------------------------------------- tests and names

static bool stem_of(const char *name, char stem[256])
{
    if (is_kernel(name) || ends(name, ".vk.c")) return false;
    snprintf(stem, 256, "%.*s", (int)strlen(name) - 2, name);
    return true;
}

static void check_test(const char *folder, const char *name)
{
    char stem[256], test[300];
    if (!stem_of(name, stem)) return;
    snprintf(test, sizeof test, "%s_test.c", stem);
    if (!stands_in("tests", test)) offend("%s/%s has no tests/%s\n", folder, name, test);
}

START_TEST(every_source_has_a_test)
{
    offences[0] = 0;
    ck_assert_int_gt(each_file("src", ".c", check_test) + each_file("layers", ".c", check_test) +
                         each_file("layers/parts", ".c", check_test),
                     50);
    ck_assert_msg(!offences[0], "%s", offences);
}
END_TEST

static char stems[4096][64];
static int n_stems;

static void check_stem(const char *folder, const char *name)
{
    char stem[256];
    if (!stem_of(name, stem)) return;
    for (int i = 0; i < n_stems; i++)
        if (!strcmp(stems[i], stem)) offend("%s/%s: another folder has a %s.c too\n", folder, name, stem);
    ck_assert_int_lt(n_stems, 4096);
    snprintf(stems[n_stems++], sizeof stems[0], "%.63s", stem);
}

START_TEST(stems_are_unique)
{
    static const char *const folders[] = {"src", "layers", "layers/parts", "tools", "benchmark"};
    offences[0] = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) each_file(folders[i], ".c", check_stem);
    ck_assert_msg(!offences[0], "%s", offences);
}
END_TEST

// What layers/layer_list.h says: which file a type stands in.
static const struct {
    const char *file, *symbol;
} layers[] = {
#define LAYER(file, symbol) {#file, #symbol},
#include "layer_list.h"
#undef LAYER
};

// Is `symbol` defined there, by itself or as the first argument of a macro at the start of a line?
static bool defines(const char *file, const char *symbol)
{
    char path[512], line[512], plain[128], macro[128];
    snprintf(path, sizeof path, "%s/layers/%s.c", EBB_SOURCE_DIR, file);
    snprintf(plain, sizeof plain, "ebb_layer_%s = {", symbol);
    snprintf(macro, sizeof macro, "(%s,", symbol);
    FILE *f = fopen(path, "r");
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, macro);
        found =
            strstr(line, plain) || (at && at - line == (ptrdiff_t)strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    }
    if (f) fclose(f);
    return found;
}

START_TEST(the_list_of_layers_is_a_map)
{
    ck_assert(!defines("relu", "abs") && !defines("nothing", "relu"));
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        ck_assert_msg(defines(layers[i].file, layers[i].symbol), "layers/%s.c does not define %s",
                      layers[i].file, layers[i].symbol);
        ck_assert_msg(!i || strcmp(layers[i - 1].file, layers[i].file) <= 0, "%s stands in no order",
                      layers[i].file);
    }
}
END_TEST

int main(void)
{
    return run_tests("rules",
                     (const test_entry[]){{"includes", includes},
                                          {"the rule can fail", the_rule_can_fail},
                                          {"every source has a test", every_source_has_a_test},
                                          {"stems are unique", stems_are_unique},
                                          {"the list of layers is a map", the_list_of_layers_is_a_map},
                                          {0}});
}
