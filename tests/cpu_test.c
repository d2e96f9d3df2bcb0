// SPDX-License-Identifier: BSD-3-Clause
// cpu_test.c - kernel tables by name.
#include "loading.h"
#include "cpu.h"
#include "kernels/kernels.h"

START_TEST(every_table_of_this_machine)
{
    ck_assert_str_eq(ebb_isa_name(0), "scalar");
    int n = 0;
    for (; ebb_isa_name(n); n++) {
        const ebb_kernels *k;
        const char *isa;
        ebb_error e;
        ck_assert_int_eq(ebb_cpu_kernels(ebb_isa_name(n), &k, &isa, &e), EBB_OK);
        ck_assert_str_eq(isa, ebb_isa_name(n));
        ck_assert_str_eq(k->isa, isa);
        ck_assert_ptr_eq(k, ebb_cpu_table(n));
        ck_assert_int_ge(k->width, 1);
    }
    ck_assert_ptr_null(ebb_cpu_table(n));
    ck_assert_ptr_null(ebb_cpu_table(-1));
    ck_assert_ptr_null(ebb_isa_name(-1));
}
END_TEST

START_TEST(the_environment_chooses)
{
    const ebb_kernels *k;
    const char *isa;
    ebb_error e;
    setenv("EBB_ISA", "scalar", 1);
    ck_assert_int_eq(ebb_cpu_kernels(NULL, &k, &isa, &e), EBB_OK);
    ck_assert_str_eq(isa, "scalar");
    setenv("EBB_ISA", "abacus", 1);
    check_message(&e, ebb_cpu_kernels(NULL, &k, &isa, &e), EBB_E_UNSUPPORTED,
                  "this machine has no kernel table 'abacus'; it has scalar");
    ck_assert_int_eq(ebb_cpu_kernels("scalar", &k, &isa, &e), EBB_OK);
    unsetenv("EBB_ISA");
    ck_assert_int_eq(ebb_cpu_kernels(NULL, &k, &isa, &e), EBB_OK);
    int best = 0;
    while (ebb_isa_name(best + 1)) best++;
    ck_assert_str_eq(isa, ebb_isa_name(best));
}
END_TEST

int main(void)
{
    return run_tests("cpu", (const test_entry[]){{"every_table_of_this_machine", every_table_of_this_machine},
                                                 {"the_environment_chooses", the_environment_chooses},
                                                 {0}});
}
