// SPDX-License-Identifier: BSD-3-Clause
// plan.c - what one layer will do: the shapes that come out, and its plan. Rule: only descs are looked at, so a dry
// walk and a real one get the same answer.
#include "walk.h"
#include <string.h>

ebb_shape_in ebb_plan_shape_in(const ebb_walk *w, const ebb_node *n)
{
    return (ebb_shape_in){n->n_in, n->n_out, w->run->in_desc};
}

static ebb_status check_shape(const ebb_walk *w, const ebb_node *n, int k, ebb_error *e)
{
    const ebb_desc *d = &w->run->out_desc[k];
    const char *name = w->net->g.slots[n->out[k]].name;
    if (d->rank < 0 || d->rank > EBB_MAX_RANK)
        return ebb_fail(e, EBB_E_SHAPE, "output '%s' would have %d axes, which is no possible size", name,
                        d->rank);
    if (ebb_desc_bytes(d) == SIZE_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "output '%s' would be %s, which is no possible size", name,
                        EBB_SHAPE(d));
    return EBB_OK;
}

ebb_status ebb_plan_shapes(ebb_walk *w, const ebb_node *n, ebb_error *e)
{
    ebb_run *r = w->run;
    for (int i = 0; i < n->n_in; i++) r->in_desc[i] = w->cells[n->in[i]].blob.desc;
    memset(r->out_desc, 0, (size_t)n->n_out * sizeof *r->out_desc);
    for (int k = 0; k < n->n_out && n->constants; k++) r->out_desc[k] = n->constants[k].desc;
    if (!n->constants) {
        const ebb_shape_in in = ebb_plan_shape_in(w, n);
        EBB_TRY(n->type->shape(n->state, &in, r->out_desc, e));
    }
    for (int k = 0; k < n->n_out; k++) {
        EBB_TRY(check_shape(w, n, k, e));
        const ebb_cell *c = &w->cells[n->out[k]];
        r->wanted[k] = c->state != EBB_CELL_HERE && c->reads > 0;
    }
    return EBB_OK;
}

// -1 without inputs; ties go to the first.
static int largest_input(const ebb_plan_in *in)
{
    int at = in->n_in - 1;
    for (int i = at - 1; i >= 0; i--)
        if (ebb_desc_count(&in->in[i]) >= ebb_desc_count(&in->in[at])) at = i;
    return at;
}

void ebb_plan_default(const ebb_layer_type *t, const ebb_plan_in *in, ebb_plan *plan)
{
    const bool follows = !t->reads;
    const int lead = largest_input(in);
    const unsigned dtypes = t->floats ? t->floats : EBB_BIT(EBB_F32), made = t->reads ? t->reads : EBB_PLANAR;
    const unsigned order = follows && lead >= 0 && ebb_desc_order(&in->in[lead]) ? ebb_desc_order(&in->in[lead]) : made;
    for (int i = 0; i < in->n_in; i++) {
        const bool broadcast = follows && !ebb_desc_same_shape(&in->in[i], &in->in[lead]);
        plan->in[i] = (ebb_plan_input){.orders = broadcast ? EBB_ANY_ORDER : order, .dtypes = dtypes};
    }
    for (int k = 0; k < in->n_out; k++)
        plan->out[k] =
            (ebb_plan_output){.order = made, .dtypes = dtypes, .follow = follows ? lead : -1, .grow = -1};
    plan->algorithm = "plain";
}

ebb_status ebb_plan_make(ebb_walk *w, const ebb_node *n, ebb_plan *plan, ebb_error *e)
{
    ebb_run *r = w->run;
    const ebb_plan_in in = {
        .n_in = n->n_in, .n_out = n->n_out, .in = r->in_desc, .out = r->out_desc, .wanted = r->wanted,
        .threads = n->features & EBB_NO_THREADS ? 1 : w->threads,
        .memory_limit = w->limit == SIZE_MAX ? SIZE_MAX : ebb_ledger_room(&w->ledger, w->limit),
        .k = w->net->k};
    *plan = (ebb_plan){.in = r->plan_in, .out = r->plan_out, .work = n->type->work_size ? r->work : NULL};
    if (plan->work) memset(plan->work, 0, n->type->work_size);
    ebb_plan_default(n->type, &in, plan);
    if (n->type->plan) EBB_TRY(n->type->plan(n->state, &in, plan, e));
    if (n->on_device) w->net->dev->plan(&in, plan);
    return EBB_OK;
}
