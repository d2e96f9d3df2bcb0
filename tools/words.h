// SPDX-License-Identifier: BSD-3-Clause
// words.h - lines, words and numbers of text that is held in memory and cut in place.
#pragma once
#include <stdbool.h>
#include <string.h>

typedef struct cursor {
    char *at, *end;
} cursor;

// The next line without its end; NULL at the end of the text, also when the last line has no end.
static inline char *take_line(cursor *c)
{
    char *line = c->at, *stop = c->at < c->end ? memchr(c->at, '\n', (size_t)(c->end - c->at)) : NULL;
    if (!stop) return NULL;
    *stop = 0;
    c->at = stop + 1;
    return line;
}

// Cuts the first word off; an empty one at the end.
static inline char *take_word(char **text)
{
    *text += strspn(*text, " \t\r");
    char *word = *text;
    *text += strcspn(word, " \t\r");
    if (**text) *(*text)++ = 0;
    return word;
}

// The word is one decimal number and nothing else, whole or finite; false: it is not, and *value means
// nothing.
bool whole_number(const char *word, long long min, long long max, long long *value);
bool finite_number(const char *word, double *value);
// The same of the next word, which is cut off.
bool take_whole(char **text, long long min, long long max, long long *value);
bool take_finite(char **text, double *value);
bool nothing_left(const char *text);  // but blanks
