// SPDX-License-Identifier: BSD-3-Clause
// json.h - writes JSON for --json, piece by piece.
#pragma once
#include <stdbool.h>
#include <stdio.h>

typedef struct json {
    FILE *to;
    bool more;   // a comma is due
    char close;  // '}' or ']'
} json;

json json_begin(FILE *to);  // the outermost object
// Inside an array, key is NULL.
json json_object(json *in, const char *key);
json json_array(json *in, const char *key);
void json_end(json *j);
void json_text(json *j, const char *key, const char *value);  // NULL value: null
void json_number(json *j, const char *key, double value);     // NaN and infinities: null
void json_bool(json *j, const char *key, bool value);
void json_sizes(json *j, const char *key, int n, const int *v);  // [3,227,227]
