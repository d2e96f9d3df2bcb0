// SPDX-License-Identifier: BSD-3-Clause
// rules_test.c - the house rules, read off the sources: who includes whom, that every source has a test, and
// that sizes are not multiplied blindly.
#include "harness.h"
#include <ctype.h>
#include <dirent.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char offences[1 << 16];

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
            strstr(line, plain) || (at && at - line == (ptrdiff_t)strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"));
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

// ------------------------------------------------------------------------------------------- products of sizes

// A size that wraps is a small allocation, a work count that wraps is work not done. Both, and strides, are multiplied
// by ebb_size_mul and ebb_stride_mul; a plain ` * ` stands only beside a comment `fits: why`, which says its bound.
static const char *const checked_folders[] = {"src", "layers", "layers/parts", "src/vk"};

static bool matches(const char *text, const char *pattern)
{
    regex_t r;
    ck_assert_int_eq(regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB), 0);
    const bool found = regexec(&r, text, 0, NULL, 0) == 0;
    regfree(&r);
    return found;
}

// The end of the comment or string that begins at p; p where none does.
static char *past_prose(char *p)
{
    if (!strncmp(p, "//", 2)) return p + strcspn(p, "\n");
    if (!strncmp(p, "/*", 2) && strstr(p + 2, "*/")) return strstr(p + 2, "*/") + 2;
    if (*p != '"') return p;
    for (p++; *p && *p != '"'; p++) p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
}

enum { EXEMPT = '\1' };

// Blanks out comments and strings; the first character of a comment `fits: …` becomes EXEMPT.
static void blank_prose(char *text)
{
    for (char *p = text; *p;) {
        char *end = past_prose(p), *fits = end > p ? strstr(p, "fits: ") : NULL;
        const bool exempt = fits && fits < end;
        if (end == p) {
            p++;
            continue;
        }
        for (char *q = p; q < end; q++) *q = *q == '\n' ? '\n' : ' ';
        if (exempt) *p = EXEMPT;
        p = end;
    }
}

// Copies what stands before (or, from `at`, behind) an operator, up to where another operator or a bracket ends it.
static void left_operand(const char *s, size_t at, char *to)
{
    int depth = 0;
    size_t i = at;
    for (; i > 0; i--) {
        const char c = s[i - 1];
        if (c == ')' || c == ']') depth++;
        else if ((c == '(' || c == '[') && depth-- == 0) break;
        else if (depth == 0 && !isalnum(c) && !strchr("_.>([", c) && !(c == '-' && s[i] == '>')) break;
    }
    snprintf(to, 512, "%.*s", (int)(at - i), s + i);
}

static void right_operand(const char *s, char *to)
{
    int depth = 0;
    size_t i = !strncmp(s, "sizeof *", 8) ? 8 : 0;
    for (; s[i]; i++) {
        const char c = s[i];
        if (c == '(' || c == '[') depth++;
        else if ((c == ')' || c == ']') && depth-- == 0) break;
        else if (depth == 0 && !isalnum(c) && !strchr("_.>)]", c) && !(c == '-' && s[i + 1] == '>')) break;
    }
    snprintf(to, 512, "%.*s", (int)i, s);
}

#define CAST "\\((size_t|ptrdiff_t|double|float|int64_t|uint64_t|long long)\\)"

static bool is_constant(const char *operand) { return matches(operand, "^([0-9]+u?|[A-Z][A-Z0-9_]*|sizeof.*)$"); }
static bool is_bare_size(const char *operand)
{
    return matches(operand, "dim\\[[^]]*\\]+$") && !matches(operand, "^" CAST);
}

// Whether a ` * ` of statement s, between these operands, multiplies sizes.
static bool multiplies_sizes(const char *s, const char *left, const char *right)
{
    if (is_constant(left) && is_constant(right)) return false;
    if (matches(s, "(memcpy|memset|memmove|ebb_heap_put)\\(")) return false;  // that memory exists
    return strstr(left, "sizeof") || strstr(right, "sizeof") ||
           matches(s, "(ebb_(parallel|pool_run|load_alloc|init_alloc|arena_get|heap_get|heap_zero|storage_new|"
                      "load_weights)\\(|scratch [+]?= |size_t [a-z_]+ = )") ||
           (is_bare_size(left) && !strstr(right, "stride")) ||
           (is_bare_size(right) && !strstr(left, "stride") && !matches(left, "^" CAST));
}

// An int product, widened when it has wrapped already.
static bool widens_late(const char *s)
{
    for (const char *p = s; (p = strstr(p, "_t)(")); p += 4) {
        char inner[512];
        if (strncmp(p - (p - s < 4 ? p - s : 4), "size", 4) && (p - s < 7 || strncmp(p - 7, "ptrdiff", 7))) continue;
        right_operand(p + 3, inner);
        if (strstr(inner, " * ") && !matches(inner, CAST)) return true;
    }
    return false;
}

static bool is_plain_product(const char *s)
{
    char left[512], right[512];
    if (strchr(s, EXEMPT)) return false;
    for (const char *p = s; (p = strstr(p, " * ")); p += 3) {
        left_operand(s, (size_t)(p - s), left);
        right_operand(p + 3, right);
        if (multiplies_sizes(s, left, right)) return true;
    }
    return matches(s, "\\*= .*(dim\\[|size_t)") || widens_late(s);
}

// Copies a statement on one line; returns where the next one begins.
static const char *statement(const char *p, char *to, size_t room, int *line, int *first)
{
    size_t n = 0;
    *first = 0;
    for (; *p && !strchr(";{}", *p); p++) {
        *line += *p == '\n';
        const char c = isspace(*p) ? ' ' : *p;
        if (c == ' ' && (n == 0 || to[n - 1] == ' ')) continue;
        if (!*first) *first = *line;
        if (n + 1 < room) to[n++] = c;
    }
    to[n] = 0;
    const char *end = p + (*p != 0);
    if (strcspn(end, "\n") > 0 && memchr(end, EXEMPT, strcspn(end, "\n"))) to[0] = 0;  // said behind it
    return end;
}

static void check_products(const char *folder, const char *name)
{
    static char text[1 << 19], s[1 << 14];
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", EBB_SOURCE_DIR, folder, name);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    blank_prose(text);
    int line = 1, first;
    for (const char *p = text; *p;) {
        p = statement(p, s, sizeof s, &line, &first);
        if (is_plain_product(s)) offend("%s/%s:%d: %.90s\n", folder, name, first, s);
        if (!strncmp(s, "EBB_SHAPE(", 10)) offend("%s/%s:%d: a text that nobody reads\n", folder, name, first);
    }
}

START_TEST(sizes_are_multiplied_with_care)
{
    offences[0] = 0;
    for (size_t i = 0; i < sizeof checked_folders / sizeof *checked_folders; i++) {
        ck_assert_int_gt(each_file(checked_folders[i], ".c", check_products), 5);
        each_file(checked_folders[i], ".h", check_products);
    }
    ck_assert_msg(!offences[0], "ebb_size_mul or ebb_stride_mul, or a comment `fits: why`:\n%s", offences);
}
END_TEST

START_TEST(plain_products_are_seen)
{
    static const char *const bad[] = {
        "plan->scratch = (size_t)in->out[0].dim[0] * sizeof(float)", "p = ebb_arena_get(a, n * sizeof *p)",
        "ebb_parallel(c, w.rows * w.blocks, row, &w)",    "step *= d->dim[axis[i]]",
        "const size_t bytes = ebb_desc_span(d) * each",   "n = (size_t)(classes * n)",
        "out[0].dim[1] = x->dim[1] * x->dim[2]",          "runs = rows * d->dim[2]",
        "plan->worker_scratch = 2 * sizeof(float) * (size_t)channels"};
    static const char *const good[] = {
        "memcpy(to, from, (size_t)n * sizeof *to)", "const float *x = y + i * d->stride[0]",
        "p = ebb_arena_get(a, ebb_size_mul(n, 2 * sizeof *p))", "at += i * d->stride[0] + j * d->stride[1]",
        "return (double)d->dim[0] * d->dim[1]", "\1 n = (size_t)(a * b)", "const void *p = *from"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) ck_assert_msg(is_plain_product(bad[i]), "%s", bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) ck_assert_msg(!is_plain_product(good[i]), "%s", good[i]);
    char text[] = "a; // b * c\nd(\"e * f\\\"\"); /* g */ h; // fits: i\n";
    blank_prose(text);
    ck_assert_str_eq(text, "a;         \nd(         );         h; \1         \n");
}
END_TEST

int main(void)
{
    return run_tests("rules",
                     (const test_entry[]){{"includes", includes},
                                          {"the rule can fail", the_rule_can_fail},
                                          {"every source has a test", every_source_has_a_test},
                                          {"stems are unique", stems_are_unique},
                                                   {"products are seen", plain_products_are_seen},
                                                   {"products of sizes", sizes_are_multiplied_with_care},
                                          {"the list of layers is a map", the_list_of_layers_is_a_map},
                                          {0}});
}
