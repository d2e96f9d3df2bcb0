// SPDX-License-Identifier: BSD-3-Clause
// fuzz_param.c - any text as a .param. Rule: it loads or says why not, and what loads can be run.
#include "fuzz.h"

int fuzz_param(const uint8_t *data, size_t bytes)
{
    fuzz_file f;
    if (!fuzz_begin(&f, data, bytes)) return 0;
    ebb_net *net = fuzz_new_net(&f.how);
    ebb_error e;
    if (fuzz_ok(ebb_net_load_param_mem(net, f.data, f.bytes, &e), &e)) fuzz_load_weights(net, &f.how);
    fuzz_run(net, &f.how);
    fuzz_end(&f);
    return 0;
}
