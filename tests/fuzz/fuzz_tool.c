// SPDX-License-Identifier: BSD-3-Clause
// fuzz_tool.c - any bytes as the files that the program reads. Rule: they are read or refused in words, and
// what was read lies within the file.
#include "cases_file.h"
#include "fuzz.h"
#include "model_file.h"
#include <string.h>
#if __has_include("picture_file.h")
#include "picture_file.h"
#endif

// A copy behind which no byte may be read, but the zero that stands behind every file that was read.
static unsigned char *copy_of(const uint8_t *data, size_t bytes)
{
    unsigned char *copy = malloc(bytes + 1);
    REQUIRE(copy);
    if (bytes) memcpy(copy, data, bytes);
    copy[bytes] = 0;
    return copy;
}

static void check_tensors(const tensor *t, int n)
{
    REQUIRE(n >= 0 && (n == 0 || t));
    for (int i = 0; i < n; i++) REQUIRE(t[i].data || tensor_bytes(&t[i].desc) == 0);
}

int fuzz_cases(const uint8_t *data, size_t bytes)
{
    char *text = (char *)copy_of(data, bytes);
    bool good = true;
    for (cursor at = {text, text + bytes}; good && at.at < at.end;) {
        record r;
        const char *before = at.at;
        good = record_take(&at, &r);
        REQUIRE(good || (r.malformed && r.line > 0));
        if (good) {
            REQUIRE(at.at > before && at.at <= at.end && r.name && r.type && r.params);
            REQUIRE(r.weight_bytes == 0 || (r.weights >= text && r.weights + r.weight_bytes <= text + bytes));
            check_tensors(r.in, r.n_in);
            check_tensors(r.out, r.n_out);
        }
        record_drop(&r);
    }
    free(text);
    return 0;
}

int fuzz_model(const uint8_t *data, size_t bytes)
{
    for (int graph_only = 0; graph_only < 2; graph_only++) {
        char *text = (char *)copy_of(data, bytes);
        model_file m;
        const bool good = model_file_read(&m, text, bytes, graph_only);
        REQUIRE(good || (m.malformed && m.line > 0));
        for (int i = 0; good && i < m.n_in; i++)
            REQUIRE(m.in[i].blob && tensor_bytes(&m.in[i].desc) != SIZE_MAX);
        for (int i = 0; good && i < m.n_out; i++)
            REQUIRE(m.out[i].blob && (m.out[i].empty || m.out[i].every > 0));
        model_file_drop(&m);
        free(text);
    }
    return 0;
}

int fuzz_picture(const uint8_t *data, size_t bytes)
{
#if __has_include("picture_file.h")
    unsigned char *copy = copy_of(data, bytes);
    raster r = {0};
    char why[256] = "";
    unsigned sum = 0;
    if (picture_decode(&r, copy, bytes, why, sizeof why)) {
        REQUIRE(r.width > 0 && r.height > 0 && r.rgb);
        for (size_t i = 0; i < (size_t)r.width * (size_t)r.height * 3; i++) sum += r.rgb[i];
        REQUIRE(sum <= (size_t)r.width * (size_t)r.height * 3 * 255);
        free(r.rgb);
    } else
        REQUIRE(why[0]);
    free(copy);
#else
    (void)data, (void)bytes;
#endif
    return 0;
}
