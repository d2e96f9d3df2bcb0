// SPDX-License-Identifier: BSD-3-Clause
// fuzz_param_bin.c - any bytes as a binary .param. Rule: as for text; the magic number is given, since most
// files without it are text.
#include "fuzz.h"
#include <string.h>

int fuzz_param_bin(const uint8_t *data, size_t bytes)
{
    static const unsigned char magic[] = {0xdd, 0x85, 0x76, 0x00};
    fuzz_file f;
    if (!fuzz_begin(&f, data, bytes)) return 0;
    memcpy(f.data, magic, f.bytes < sizeof magic ? f.bytes : sizeof magic);
    ebb_net *net = fuzz_new_net(&f.how);
    ebb_error e;
    if (fuzz_ok(ebb_net_load_param_mem(net, f.data, f.bytes, &e), &e)) fuzz_load_weights(net, &f.how);
    fuzz_run(net, &f.how);
    fuzz_end(&f);
    return 0;
}
