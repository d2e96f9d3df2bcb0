// SPDX-License-Identifier: BSD-3-Clause
// number.c - text to numbers. Rule: no locale, no length limit; nearest for all that a float prints as,
// and a double where long double is wider.
#include "number.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <strings.h>

// The significant digits that fit, and the power of the base that follows them.
typedef struct digits {
    uint64_t value;
    int power, count;
} digits;

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static const char *scan(const char *s, const char *end, int base, digits *d)
{
    bool point = false;
    for (; s < end && (digit(*s) < base || (*s == '.' && !point)); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        d->count += d->count < INT_MAX;
        if (d->value <= (UINT64_MAX - 15) / (unsigned)base) {
            d->value = d->value * (unsigned)base + (unsigned)digit(*s);
            d->power -= point;
        } else {
            d->power += !point && d->power < INT_MAX / 4;
        }
    }
    return s;
}

// "+12" after e or p; NULL when there is no number.
static const char *scan_exponent(const char *s, const char *end, int *exponent)
{
    const bool minus = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    if (s == end || digit(*s) > 9) return NULL;
    for (; s < end && digit(*s) <= 9; s++)
        if (*exponent < INT_MAX / 100) *exponent = *exponent * 10 + digit(*s);
    if (minus) *exponent = -*exponent;
    return s;
}

static long double power_of_ten(int n)
{
    long double p = 1, square = 10;
    for (; n; n >>= 1, square *= square)
        if (n & 1) p *= square;
    return p;
}

static int within(int x, int limit) { return x > limit ? limit : x < -limit ? -limit : x; }

static bool same_word(const char *s, const char *end, const char *word, size_t n)
{
    return (size_t)(end - s) == n && !strncasecmp(s, word, n);
}

static bool unsigned_number(const char *s, const char *end, long double *v)
{
    if (same_word(s, end, "inf", 3) || same_word(s, end, "infinity", 8)) return *v = INFINITY, true;
    if (same_word(s, end, "nan", 3)) return *v = NAN, true;
    const bool hex = end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    digits d = {0};
    s = scan(hex ? s + 2 : s, end, hex ? 16 : 10, &d);
    if (!d.count) return false;
    int exponent = 0;
    if (s < end && (hex ? *s == 'p' || *s == 'P' : *s == 'e' || *s == 'E')) {
        s = scan_exponent(s + 1, end, &exponent);
        if (!s) return false;
    }
    *v = (long double)d.value;
    if (hex) {
        *v = ldexpl(*v, within(exponent, INT_MAX / 2) + 4 * within(d.power, INT_MAX / 16));
    } else if (d.value) {
        const int power = within(within(exponent, INT_MAX / 2) + d.power, 4900);
        *v = power < 0 ? *v / power_of_ten(-power) : *v * power_of_ten(power);
    }
    return s == end;
}

bool ebb_number_parse(const char *s, size_t n, ebb_number *x)
{
    const char *end = s + n;
    const bool minus = n && *s == '-';
    if (n && (*s == '-' || *s == '+')) s++;
    long double v;
    if (!unsigned_number(s, end, &v)) return false;
    if (minus) v = -v;
    *x = (ebb_number){(double)v, (float)v};
    return true;
}
