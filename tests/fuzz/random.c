// SPDX-License-Identifier: BSD-3-Clause
// random.c - a target without a fuzzer: FUZZ_TARGET over files, or over SEED … SEED + N - 1 as random bytes.
// Rule: the same arguments do the same on every machine of a kind.
#include "fuzz.h"
#include "nets.h"
#include <string.h>

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

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--random")) {
        const unsigned long long from = strtoull(argv[2], NULL, 10), n = strtoull(argv[3], NULL, 10);
        for (unsigned long long seed = from; seed < from + n; seed++) {
            if (getenv("FUZZ_SHOW")) fprintf(stderr, "# seed %llu\n", seed);
            run_seed(seed);
        }
    } else
        for (int i = 1; i < argc; i++)
            if (run_file(argv[i])) return 2;
    if (fuzz_net_tally.all)
        printf("%zu nets, %zu of them ran; %zu layers\n", fuzz_net_tally.all, fuzz_net_tally.ran,
               fuzz_net_tally.layers);
    return 0;
}
