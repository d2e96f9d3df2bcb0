// SPDX-License-Identifier: BSD-3-Clause
// fuzz_test.c - the corpus of the fuzz targets, in every build. Rule: a target stops the program at a broken
// promise, so that it returns is the test.
#include "fuzz/fuzz.h"
#include "fuzz/nets.h"
#include "harness.h"
#include <dirent.h>
#include <stdio.h>

enum { LARGEST = 1 << 16 };

static void replay(const char *folder, const char *name, int (*target)(const uint8_t *, size_t))
{
    static uint8_t data[LARGEST];
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "cannot read %s", path);
    const size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    ck_assert_uint_lt(n, sizeof data);
    target(data, n);
}

static void replay_all(const char *corpus, int (*target)(const uint8_t *, size_t))
{
    char folder[256];
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", EBB_SOURCE_DIR, corpus);
    DIR *d = opendir(folder);
    ck_assert_msg(d != NULL, "there is no %s", folder);
    int n = 0;
    for (const struct dirent *file; (file = readdir(d));)
        if (file->d_name[0] != '.') replay(folder, file->d_name, target), n++;
    closedir(d);
    ck_assert_int_gt(n, 5);
}

START_TEST(params) { replay_all("param", fuzz_param); }
END_TEST
START_TEST(binary_params) { replay_all("param_bin", fuzz_param_bin); }
END_TEST
START_TEST(weights) { replay_all("bin", fuzz_bin); }
END_TEST

START_TEST(nets) { replay_all("net", fuzz_net); }
END_TEST

START_TEST(calls) { replay_all("api", fuzz_api); }
END_TEST
START_TEST(cases) { replay_all("cases", fuzz_cases); }
END_TEST
START_TEST(models) { replay_all("model", fuzz_model); }
END_TEST
START_TEST(pictures) { replay_all("picture", fuzz_picture); }
END_TEST

// Most of what the generator makes can be run: else it would test refusals.
START_TEST(random_nets)
{
    enum { NETS = 300 };
    static uint8_t data[480];
    fuzz_net_tally = (fuzz_tally){0};
    for (unsigned i = 0; i < NETS; i++) {
        fuzz_random(i, data, sizeof data);
        fuzz_net(data, sizeof data);
    }
    ck_assert_uint_eq(fuzz_net_tally.all, NETS);
    ck_assert_uint_gt(fuzz_net_tally.ran, NETS * 9 / 10);
    ck_assert_uint_gt(fuzz_net_tally.layers, NETS * 4);
}
END_TEST

START_TEST(nothing_at_all)
{
    fuzz_param(NULL, 0);
    fuzz_param_bin((const uint8_t *)"\n", 1);
    fuzz_bin((const uint8_t *)"\n", 1);
    fuzz_net(NULL, 0);
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests(
        "fuzz",
        (const test_entry[]){
            T(params), T(binary_params), T(weights), T(nets), T(random_nets), T(calls), T(cases), T(models), T(pictures), T(nothing_at_all), {0}});
}
