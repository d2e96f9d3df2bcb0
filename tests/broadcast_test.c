// SPDX-License-Identifier: BSD-3-Clause
// broadcast_test.c - y = a op b with every kernel table: repeated axes and numbers, padded rows, in place.
#include "parts/broadcast.h"
#include "cpu.h"
#include "harness.h"
#include "kernels/kernels.h"
#include <string.h>

enum { ROOM = 4096 };
static float a[ROOM], b[ROOM], y[ROOM], want[ROOM];

static ptrdiff_t place(const ebb_desc *d, const int at[3])
{
    ptrdiff_t p = 0;
    for (int i = 0; i < 3; i++) p += d->dim[i] == 1 ? 0 : at[i] * d->stride[i];
    return p;
}

static void check(const ebb_kernels *k, const ebb_desc *dy, const ebb_desc *da, const ebb_desc *db,
                  bool in_place)
{
    const ebb_cpu cpu = {.k = k, .threads = 1};
    for (int i = 0; i < ROOM; i++) a[i] = (float)(i % 97), b[i] = (float)(i % 13) - 6, y[i] = want[i] = 1e9f;
    if (in_place) memcpy(y, a, sizeof y), memcpy(want, a, sizeof want);
    int at[3];
    for (at[0] = 0; at[0] < dy->dim[0]; at[0]++)
        for (at[1] = 0; at[1] < dy->dim[1]; at[1]++)
            for (at[2] = 0; at[2] < dy->dim[2]; at[2]++)
                want[place(dy, at)] = a[place(da, at)] - b[place(db, at)];
    ebb_binary(&cpu, EBB_SUB, (ebb_operand){*dy, y}, (ebb_operand){*da, in_place ? y : a},
               (ebb_operand){*db, b});
    for (int i = 0; i < ROOM; i++)
        ck_assert_msg(y[i] == want[i], "%s: element %d is %g, want %g", k->isa, i, y[i], want[i]);
}

START_TEST(axes_repeat)
{
    static const int shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {17, 3, 4}, {2, 1, 100}, {3, 9, 17}, {0, 2, 3}};
    for (int t = 0; ebb_cpu_table(t); t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int repeat = 0; repeat < 8; repeat++)
                for (int pixel = 0; pixel < 2; pixel++) {
                    int small[3];
                    for (int i = 0; i < 3; i++) small[i] = repeat >> i & 1 ? 1 : shapes[s][i];
                    ebb_desc d = pixel ? ebb_desc_pixel(EBB_F32, 3, shapes[s])
                                       : ebb_desc_planar(EBB_F32, 3, shapes[s]);
                    const ebb_desc db = ebb_desc_planar(EBB_F32, 3, small);
                    check(ebb_cpu_table(t), &d, &d, &db, false);
                    check(ebb_cpu_table(t), &d, &d, &db, true);
                    for (int i = 0; i < 3; i++)
                        if (d.stride[i] != 1) d.stride[i] *= 3;  // gaps
                    if (place(&d, shapes[s]) < ROOM) check(ebb_cpu_table(t), &d, &d, &db, false);
                }
}
END_TEST

START_TEST(vectors_and_numbers_repeat)
{
    const ebb_desc d = ebb_desc_pixel(EBB_F32, 3, (const int[]){5, 3, 7});
    static const float v[5] = {1, 2, 3, 4, 5};
    const ebb_operand row = ebb_repeated(&d, 0, v), number = ebb_repeated(&d, -1, v + 2);
    ck_assert(row.desc.stride[0] == 1 && row.desc.stride[1] == 0 && row.desc.stride[2] == 0);
    ck_assert(number.desc.stride[0] == 0 && number.desc.stride[2] == 0 && number.data[0] == 3);
    for (int t = 0; ebb_cpu_table(t); t++) {
        const ebb_cpu cpu = {.k = ebb_cpu_table(t), .threads = 1};
        for (int i = 0; i < 105; i++) a[i] = (float)i;
        ebb_binary(&cpu, EBB_ADD, (ebb_operand){d, y}, (ebb_operand){d, a}, row);
        for (int i = 0; i < 105; i++)
            ck_assert_msg(y[i] == (float)(i + i % 5 + 1), "element %d is %g", i, y[i]);
        ebb_binary(&cpu, EBB_ADD, (ebb_operand){d, y}, number, (ebb_operand){d, a});
        for (int i = 0; i < 105; i++) ck_assert_msg(y[i] == (float)(i + 3), "element %d is %g", i, y[i]);
    }
}
END_TEST

int main(void)
{
    return run_tests("broadcast",
                     (const test_entry[]){{"axes repeat", axes_repeat},
                                          {"vectors and numbers repeat", vectors_and_numbers_repeat},
                                          {0}});
}
