// SPDX-License-Identifier: BSD-3-Clause
// registry_test.c - every built-in layer type keeps the contract; types from outside are checked.
#include "loading.h"
#include "draft.h"
#include "registry.h"

START_TEST(built_in_types)
{
    ck_assert_ptr_null(ebb_builtin_layer(-1));
    int n = 0;
    for (const ebb_layer_type *t; (t = ebb_builtin_layer(n)); n++) {
        ebb_error e;
        ck_assert_msg(ebb_layer_type_check(t, &e) == EBB_OK, "%s", e.msg);
        ck_assert_msg(ebb_builtin_layer_named(t->name) == t, "there are two types %s", t->name);
        for (int i = 0; i < n; i++) ck_assert_msg(ebb_builtin_layer(i) != t, "%s is listed twice", t->name);
        ck_assert_msg(t->doc && *t->doc, "%s says nothing about itself", t->name);
        ck_assert_msg(t->in_min >= 0 && (t->in_max < 0 || t->in_max >= t->in_min), "%s: inputs", t->name);
        ck_assert_msg(t->out_min >= 0 && (t->out_max < 0 || t->out_max >= t->out_min), "%s: outputs",
                      t->name);
        for (const ebb_param *r = t->params; r && r->name; r++) {
            ck_assert_msg(r->min <= r->max, "%s %d: min and max", t->name, r->id);
            ck_assert_msg(r->id >= 0 && r->id < EBB_MAX_ID && r->id != EBB_ID_HINTS &&
                              r->id != EBB_ID_FEATURES,
                          "%s %d: the id", t->name, r->id);
        }
    }
    ck_assert_int_ge(n, 2);
    ck_assert_ptr_null(ebb_builtin_layer_named("relu"));
}
END_TEST

START_TEST(types_that_do_not_fit)
{
    static const ebb_param outside[] = {{.id = 3, .name = "x", .type = EBB_P_INTS, .offset = 0}, {0}};
    static const ebb_param twice[] = {
        {.id = 3, .name = "x", .type = EBB_P_INT}, {.id = 3, .name = "y", .type = EBB_P_INT}, {0}};
    static const ebb_param later[] = {{.id = 3, .name = "x", .type = EBB_P_INT, .like = EBB_LIKE(4)},
                                      {.id = 4, .name = "y", .type = EBB_P_INT},
                                      {0}};
    static const ebb_param other[] = {{.id = 3, .name = "x", .type = EBB_P_FLOAT},
                                      {.id = 4, .name = "y", .type = EBB_P_INT, .like = EBB_LIKE(3)},
                                      {0}};
    struct {
        ebb_layer_type t;
        const char *words;
    } t[] = {{fixed_type, "a size of 4 bytes"},
             {fixed_type, "needs a name"},
             {fixed_type, "needs shape"},
             {fixed_type, "needs cpu"},
             {fixed_type, "has no view"},
             {fixed_type, "the field of parameter 3 lies outside of the state"},
             {fixed_type, "two rows for parameter 3"},
             {fixed_type, "parameter 3 is like none"},
             {fixed_type, "parameter 4 is like none"}};
    t[0].t.size = 4;
    t[1].t.name = "";
    t[2].t.shape = NULL;
    t[3].t.cpu = NULL;
    t[4].t.flags = EBB_LAYER_VIEW, t[4].t.cpu = NULL;
    for (int i = 5; i < 9; i++) t[i].t.state_size = 4;
    t[5].t.params = outside, t[6].t.params = twice, t[7].t.params = later, t[8].t.params = other;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ebb_error e = {0};
        check_message(&e, ebb_layer_type_check(&t[i].t, &e), EBB_E_PARAM, t[i].words);
    }
}
END_TEST

int main(void)
{
    return run_tests("registry", (const test_entry[]){{"built_in_types", built_in_types},
                                                      {"types_that_do_not_fit", types_that_do_not_fit},
                                                      {0}});
}
