// SPDX-License-Identifier: BSD-3-Clause
// tool_picture_test.c - `ebb run --image`: every kind of picture file comes out as the pixels that it means.
#include "tool_harness.h"

// A grey picture of 2x2 pixels, without needing a writer of picture files: PGM.
START_TEST(picture)
{
    make_model();
    static const char pgm[] = "P5\n2 2\n255\n\x0a\x1e\x32\x46";  // 10 30 50 70
    write_bytes("p.pgm", pgm, sizeof pgm - 1);
    const int code = ebb(
        "run net.param --image data=p.pgm --size 4x2 --pixel gray --mean 10 --scale 0.5 --out data=p.f32");
    if (code == 2 && strstr(err, "without")) return;  // no stb_image.h where this was built
    ck_assert_int_eq(code, 0);
    float got[8];
    FILE *f = fopen("p.f32", "rb");
    ck_assert_uint_eq(fread(got, 1, sizeof got, f), sizeof got);
    fclose(f);
    static const float want[8] = {0, 2.5f, 7.5f, 10, 20, 22.5f, 27.5f, 30};
    for (int i = 0; i < 8; i++) ck_assert_float_eq_tol(got[i], want[i], 1e-4f);
    one_sentence(ebb("run net.param --image data=p.pgm --size 4"), "--size");
    one_sentence(ebb("run net.param --image data=p.pgm --pixel cmyk"), "cmyk");
    one_sentence(ebb("run net.param --image data=p.pgm --mean 1,2"), "--mean");
    one_sentence(ebb("run net.param --image data=net.param"), "net.param");
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tool_tests("tool picture", (const test_entry[]){T(picture), {0}});
}
