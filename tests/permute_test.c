// SPDX-License-Identifier: BSD-3-Clause
// permute_test.c - Permute, all orders of all ranks.
#include "shapes.h"
#include <stdio.h>
#include <string.h>

// The order types as their documentation lists them: innermost output axis first.
static const char *const names[5][24] = {
    [2] = {"wh", "hw"},
    [3] = {"whc", "hwc", "wch", "cwh", "hcw", "chw"},
    [4] = {"whdc", "hwdc", "wdhc", "dwhc", "hdwc", "dhwc", "whcd", "hwcd", "wchd", "cwhd", "hcwd", "chwd",
           "wdch", "dwch", "wcdh", "cwdh", "dcwh", "cdwh", "hdcw", "dhcw", "hcdw", "chdw", "dchw", "cdhw"},
};
static const char *const axes_of[5] = {"", "w", "hw", "chw", "cdhw"};  // as blobs lie, outermost first

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int rank = in[0].rank, type = (int)case_param(c, 0, 0);
    int from[4] = {0}, dim[4] = {0};
    for (int i = 0; i < rank; i++) {
        const char name = rank == 1 ? 'w' : names[rank][type][rank - 1 - i];
        from[i] = (int)(strchr(axes_of[rank], name) - axes_of[rank]);
        dim[i] = in[0].dim[from[i]];
    }
    out[0] = tensor_new(rank, dim);
    for (size_t at = 0; at < tensor_count(&out[0]); at++) {
        int index[4], source[4];
        size_t rest = at;
        for (int i = rank - 1; i >= 0; i--) index[i] = (int)(rest % (size_t)dim[i]), rest /= (size_t)dim[i];
        for (int i = 0; i < rank; i++) source[from[i]] = index[i];
        out[0].v[at] = *tensor_at_(&in[0], source);
    }
}

static void check(const char *shape, int type)
{
    char params[16];
    snprintf(params, sizeof params, "0=%d", type);
    layer_case c = {.type = "Permute", .params = params, .n_out = 1, .reference = reference};
    add_input(&c, shape);
    layer_check(&c);
}

START_TEST(all_orders)
{
    check("17", 0);
    check("17", 1);
    for (int type = 0; type < 2; type++) check("5x17", type);
    for (int type = 0; type < 6; type++) check("3x5x17", type);
    for (int type = 0; type < 24; type++) check("3x2x5x7", type);
    for (int type = 0; type < 6; type++) check("3x0x17", type);
}
END_TEST

static void refuses(const char *shape, const char *params, ebb_status s, const char *words)
{
    layer_case c = {.type = "Permute", .params = params, .n_out = 1};
    add_input(&c, shape);
    layer_refuses(&c, s, words);
}

START_TEST(orders_that_do_not_exist_are_refused)
{
    refuses("3x5x7", "0=6", EBB_E_SHAPE, "order_type 6 is not for blobs of 3 axes");
    refuses("3x5", "0=2", EBB_E_SHAPE, "order_type 2");
    refuses("3x5", "0=24", EBB_E_PARAM, "24");
    refuses("3x5", "0=-1", EBB_E_PARAM, "-1");
}
END_TEST

int main(void)
{
    return run_tests("permute",
                     (const test_entry[]){
                         {"all_orders", all_orders},
                         {"orders_that_do_not_exist_are_refused", orders_that_do_not_exist_are_refused},
                         {0},
                     });
}
