// SPDX-License-Identifier: BSD-3-Clause
// binaryop.comp - y = a op b, by strides that repeat where they are 0. Rule: NaN in either gives NaN, but for
// pow; what GLSL leaves undefined is decided here as the C library does.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "binaryop.push.h"

layout(local_size_x = 64) in;
layout(push_constant) uniform push_block { binaryop_push k; };
layout(binding = 0) writeonly buffer to { float y[]; };
layout(binding = 1) readonly buffer from_a { float a_data[]; };
layout(binding = 2) readonly buffer from_b { float b_data[]; };

const int ADD = 0, SUB = 1, MUL = 2, DIV = 3, MAX = 4, MIN = 5, POW = 6, ATAN2 = 7, FMOD = 8, LOGADDEXP = 9,
          FLOOR_DIVIDE = 10, REMAINDER = 11;
const uint SIGN = 0x80000000u, INF_BITS = 0x7f800000u, HIDDEN = 0x00800000u;
const float PI = 3.14159265358979;

uint magnitude(float x) { return floatBitsToUint(x) & ~SIGN; }
bool is_nan(float x) { return magnitude(x) > INF_BITS; }
float nan() { return uintBitsToFloat(0x7fc00000u); }
float with_sign(float x, uint sign) { return uintBitsToFloat(floatBitsToUint(x) ^ (sign & SIGN)); }

float larger(float a, float b) { return is_nan(a) || a > b ? a : b; }

bool is_odd(float b)
{
    const float h = abs(b);
    return h < 16777216.0 && h == floor(h) && (uint(h) & 1u) == 1u;
}

float power(float a, float b)
{
    if (b == 0.0 || a == 1.0) return 1.0;
    if (is_nan(a) || is_nan(b)) return nan();
    if (b == 1.0) return a;
    if (b == 2.0) return a * a;
    const uint sign = is_odd(b) ? floatBitsToUint(a) : 0u;
    const float m = abs(a);
    const bool ends = m == 0.0 || magnitude(a) == INF_BITS;
    if (ends) return with_sign((m == 0.0) == (b > 0.0) ? 0.0 : uintBitsToFloat(INF_BITS), sign);
    if (m == 1.0 && magnitude(b) == INF_BITS) return 1.0;
    if (a < 0.0 && b != floor(b)) return nan();
    return with_sign(exp2(b * log2(m)), sign);
}

// Of t in [0, 1].
float arc(float t)
{
    const bool high = t > 0.414213562;
    const float u = high ? (t - 1.0) / (t + 1.0) : t, z = u * u;
    const float p = ((8.05374449538e-2 * z - 0.138776856032) * z + 0.199777106478) * z - 0.333329491539;
    return p * z * u + u + (high ? PI / 4.0 : 0.0);
}

float arc_tangent(float a, float b)
{
    if (is_nan(a) || is_nan(b)) return nan();
    const float p = abs(a), q = abs(b), small = min(p, q), large = max(p, q);
    float r = small == 0.0 ? 0.0 : arc(small == large ? 1.0 : small / large);
    if (p > q) r = PI / 2.0 - r;
    if ((floatBitsToUint(b) & SIGN) != 0u) r = PI - r;
    return with_sign(r, floatBitsToUint(a));
}

// The bits of a float that is not 0 as m * 2^e, up to a constant factor, HIDDEN <= m < 2 HIDDEN; and back.
void split(uint bits, out uint m, out int e)
{
    e = int(bits >> 23);
    m = bits & (HIDDEN - 1u);
    if (e > 0) m |= HIDDEN;
    else e = 1;
    for (; m < HIDDEN; e--) m <<= 1;
}

uint join(uint m, int e)
{
    if (m == 0u) return 0u;
    for (; m < HIDDEN; e--) m <<= 1;
    return e > 0 ? uint(e) << 23 | (m & (HIDDEN - 1u)) : m >> (1 - e);
}

// |a| mod |b| for finite numbers, b not 0: exact, by long division; `last` is the quotient's last bit.
float exact_mod(float a, float b, out uint last)
{
    const uint p = magnitude(a), q = magnitude(b);
    last = 0u;
    if (p < q) return abs(a);
    uint m, n;
    int ep, eq;
    split(p, m, ep);
    split(q, n, eq);
    for (; ep >= eq; ep--) {
        last = m >= n ? 1u : 0u;
        if (m >= n) m -= n;
        if (ep > eq) m <<= 1;
    }
    return uintBitsToFloat(join(m, eq));
}

bool no_mod(float a, float b) { return magnitude(a) >= INF_BITS || is_nan(b) || magnitude(b) == 0u; }

float mod_trunc(float a, float b)
{
    if (no_mod(a, b)) return nan();
    uint last;
    return with_sign(exact_mod(a, b, last), floatBitsToUint(a));
}

// To the nearest multiple, ties to the even one.
float mod_nearest(float a, float b)
{
    if (no_mod(a, b)) return nan();
    if (magnitude(b) == INF_BITS) return a;
    uint last;
    const float r = exact_mod(a, b, last), h = abs(b), rest = h - r;
    return with_sign(r > rest || (r == rest && last == 1u) ? -rest : r, floatBitsToUint(a));
}

float log_add_exp(float a, float b)
{
    const float d = a == b ? 0.0 : abs(a - b);
    return larger(a, b) + log(1.0 + exp(-d));
}

// A quotient that is a whole number stays one, also where the device rounds divisions otherwise.
float floor_divide(float a, float b)
{
    const float q = a / b, n = roundEven(q);
    return fma(-n, b, a) == 0.0 ? n : floor(q);
}

float apply(float a, float b)
{
    switch (k.op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case DIV: return a / b;
    case MAX: return larger(a, b);
    case MIN: return is_nan(a) || a < b ? a : b;
    case POW: return power(a, b);
    case ATAN2: return arc_tangent(a, b);
    case FMOD: return mod_trunc(a, b);
    case LOGADDEXP: return log_add_exp(a, b);
    case FLOOR_DIVIDE: return floor_divide(a, b);
    case REMAINDER: return mod_nearest(a, b);
    }
    return nan();
}

void main()
{
    const int step = int(gl_NumWorkGroups.x * gl_WorkGroupSize.x);
    for (int i = int(gl_GlobalInvocationID.x); i < k.count; i += step) {
        int at_y = k.y_offset, at_a = k.a_offset, at_b = k.b_offset, rest = i;
        for (int axis = 3; axis >= 0; axis--) {
            const int j = rest % k.dim[axis];
            rest /= k.dim[axis];
            at_y += j * k.y_stride[axis];
            at_a += j * k.a_stride[axis];
            at_b += j * k.b_stride[axis];
        }
        const float a = a_data[at_a], b = k.has_number != 0 ? k.number : b_data[at_b];
        y[at_y] = k.swap != 0 ? apply(b, a) : apply(a, b);
    }
}
