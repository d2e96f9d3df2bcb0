// SPDX-License-Identifier: BSD-3-Clause
// words.c - numbers as people and files write them. Rule: a word is a number whole or not at all: nothing
// behind it, no overflow, no NaN.
#include "words.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool whole_number(const char *word, long long min, long long max, long long *value)
{
    char *end;
    if (!strchr("0123456789-", *word)) return false;  // strtoll takes blanks and a plus sign
    errno = 0;
    *value = strtoll(word, &end, 10);
    return *word && end != word && !*end && !errno && *value >= min && *value <= max;
}

bool finite_number(const char *word, double *value)
{
    char *end;
    if (!strchr("0123456789-+.", *word) || strpbrk(word, "xXpP")) return false;  // no hexadecimal
    *value = strtod(word, &end);
    return *word && end != word && !*end && isfinite(*value);
}

bool take_whole(char **text, long long min, long long max, long long *value)
{
    return whole_number(take_word(text), min, max, value);
}

bool take_finite(char **text, double *value) { return finite_number(take_word(text), value); }

bool nothing_left(const char *text) { return text[strspn(text, " \t\r")] == 0; }
