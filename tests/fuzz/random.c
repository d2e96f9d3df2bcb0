// SPDX-License-Identifier: BSD-3-Clause
// random.c - a target without a fuzzer: FUZZ_TARGET over files, or over SEED … SEED + N - 1 as random bytes.
// Rule: the same arguments do the same on every machine of a kind.
#include "fuzz.h"
#include "nets.h"
#include <string.h>
#include <time.h>

enum { LARGEST = 1 << 20, LENGTHS = 4 };

static uint8_t data[LARGEST];

static void run_seed(uint64_t seed)
{
    static const size_t length[LENGTHS] = {64, 160, 320, 640};
    const size_t n = length[seed % LENGTHS];
    fuzz_random(seed, data, n);
    FUZZ_TARGET(data, n);
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return fprintf(stderr, "cannot read %s\n", path), 2;
    const size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    FUZZ_TARGET(data, n);
    return 0;
}

// Seeds from `seed` on: n of them, or for so long.
static void run_seeds(uint64_t seed, uint64_t n, time_t seconds)
{
    const time_t end = time(NULL) + seconds;
    for (uint64_t i = 0; i < n && (seconds == 0 || time(NULL) < end); i++) {
        if (getenv("FUZZ_SHOW")) fprintf(stderr, "# seed %llu\n", (unsigned long long)(seed + i));
        run_seed(seed + i);
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--random"))
        run_seeds(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), 0);
    else if (argc == 4 && !strcmp(argv[1], "--seconds"))
        run_seeds(strtoull(argv[3], NULL, 10), UINT64_MAX, strtol(argv[2], NULL, 10));
    else
        for (int i = 1; i < argc; i++)
            if (run_file(argv[i])) return 2;
    if (fuzz_net_tally.all)
        printf("%zu nets, %zu of them ran; %zu layers\n", fuzz_net_tally.all, fuzz_net_tally.ran,
               fuzz_net_tally.layers);
    return 0;
}
