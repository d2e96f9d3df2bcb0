// SPDX-License-Identifier: BSD-3-Clause
// cpu.c - which kernel tables this machine may run. Rule: a table is named here only when its test passed.
#include "cpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__arm__)
#include <sys/auxv.h>
#endif

#define ISA(isa, test) extern const ebb_kernels ebb_kernels_##isa;
#include "isa_list.h"
#undef ISA

typedef struct table {
    const char *isa;
    const ebb_kernels *k;
} table;

enum {
#define ISA(isa, test) COUNT_##isa,
#include "isa_list.h"
#undef ISA
    MAX_TABLES
};

static int usable(table t[MAX_TABLES])
{
    int n = 0;
#define ISA(isa, test)                                                                                       \
    if (test) t[n++] = (table){#isa, &ebb_kernels_##isa};
#include "isa_list.h"
#undef ISA
    return n;
}

const char *ebb_isa_name(int i)
{
    table t[MAX_TABLES];
    return i >= 0 && i < usable(t) ? t[i].isa : NULL;
}

const ebb_kernels *ebb_cpu_table(int i)
{
    table t[MAX_TABLES];
    return i >= 0 && i < usable(t) ? t[i].k : NULL;
}

ebb_status ebb_cpu_kernels(const char *name, const ebb_kernels **k, const char **isa, ebb_error *e)
{
    table t[MAX_TABLES];
    const int n = usable(t);
    if (!name) name = getenv("EBB_ISA");
    int at = n - 1;
    if (name && *name) {
        for (at = 0; at < n && strcmp(t[at].isa, name) != 0;) at++;
        if (at == n) {
            char all[128] = "";
            for (int i = 0; i < n; i++) {
                const size_t len = strlen(all);
                snprintf(all + len, sizeof all - len, "%s%s", i ? ", " : "", t[i].isa);
            }
            return ebb_fail(e, EBB_E_UNSUPPORTED, "this machine has no kernel table '%s'; it has %s", name,
                            all);
        }
    }
    *k = t[at].k;
    *isa = t[at].isa;
    return EBB_OK;
}
