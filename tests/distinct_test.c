// SPDX-License-Identifier: BSD-3-Clause
// distinct_test.c - equal words are found, each points at the first of them.
#include "loading.h"
#include "draft.h"

START_TEST(words)
{
    static const char *const texts[] = {"b", "a", "", "ab", "b", "a", "abc", "b", "ab"};
    enum { N = sizeof texts / sizeof *texts };
    ebb_word word[N], *w[2 * N];
    for (size_t n = 0; n <= N; n++) {
        for (size_t i = 0; i < n; i++) {
            word[i] = (ebb_word){.at = texts[i], .n = strlen(texts[i])};
            w[i] = &word[i];
        }
        size_t names, want = 0;
        ebb_word **sorted = ebb_distinct(w, n, &names);
        for (size_t i = 0; i < n; i++) {
            size_t first = 0;
            while (strcmp(texts[first], texts[i])) first++;
            want += first == i;
            ck_assert_ptr_eq(word[i].first, &word[first]);
            ck_assert(i == 0 || strcmp(sorted[i - 1]->at, sorted[i]->at) <= 0);
        }
        ck_assert_uint_eq(names, want);
    }
}
END_TEST

int main(void) { return run_tests("distinct", (const test_entry[]){{"words", words}, {0}}); }
