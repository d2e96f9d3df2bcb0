// SPDX-License-Identifier: BSD-3-Clause
// einsum.c - Einsum: sums of products over the letters that the result does not have, "ijl,ilk->ijk". Rule: a
// letter has one size wherever it stands; without "->" the result has the letters that stand once, in
// alphabetic order.
#include "ebb_layer.h"
#include <string.h>

enum { LETTERS = 8, NONE = -1 };

typedef struct term {
    int rank, letter[EBB_MAX_RANK];  // numbers of letters: those of the result first
} term;

typedef struct einsum {
    ebb_ints equation;  // character codes
    int terms, letters;
    const term *in;
    int out_rank;
} einsum;

static const ebb_param params[] = {
    EBB_INTS(einsum, 0, "equation", equation, .max = 127, .doc = "its character codes"),
    {0},
};

// What is known while the equation is read.
typedef struct reader {
    const ebb_ints *text;
    int at;
    char name[LETTERS];  // of letter number i
    int names;
} reader;

static int next(reader *r)
{
    while (r->at < r->text->n && r->text->v[r->at] == ' ') r->at++;
    return r->at < r->text->n ? r->text->v[r->at] : 0;
}

static int number_of(reader *r, int c)
{
    for (int i = 0; i < r->names; i++)
        if (r->name[i] == c) return i;
    if (r->names == LETTERS) return NONE;
    r->name[r->names] = (char)c;
    return r->names++;
}

static bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static ebb_status read_term(reader *r, term *t, ebb_error *e)
{
    for (t->rank = 0; is_letter(next(r)); r->at++) {
        const int letter = number_of(r, next(r));
        if (letter == NONE || t->rank == EBB_MAX_RANK)
            return ebb_fail(e, EBB_E_UNSUPPORTED, "the equation has more than %d letters, or %d in one term",
                            LETTERS, EBB_MAX_RANK);
        t->letter[t->rank++] = letter;
    }
    return EBB_OK;
}

// Skips over the terms to "->"; 0 when there is none.
static int arrow(const ebb_ints *text)
{
    for (int i = 0; i + 1 < text->n; i++)
        if (text->v[i] == '-' && text->v[i + 1] == '>') return i + 2;
    return 0;
}

// Gives the letters of the result their numbers before the terms are read.
static ebb_status read_result(reader *r, einsum *p, ebb_error *e)
{
    const ebb_ints *text = r->text;
    if (arrow(text)) {
        term out;
        r->at = arrow(text);
        EBB_TRY(read_term(r, &out, e));
        if (r->names != out.rank || r->at != text->n)
            return ebb_fail(e, EBB_E_PARAM,
                            "the result in the equation has a letter twice, or ends in something else");
    } else {
        int count[128] = {0};
        for (int i = 0; i < text->n; i++) count[text->v[i]]++;
        for (int c = 'A'; c <= 'z'; c++)
            if (is_letter(c) && count[c] == 1) number_of(r, c);
        if (r->names > EBB_MAX_RANK)
            return ebb_fail(e, EBB_E_UNSUPPORTED, "the result of the equation has more than %d letters",
                            EBB_MAX_RANK);
    }
    p->out_rank = r->names;
    r->at = 0;
    return EBB_OK;
}

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    einsum *p = st;
    reader r = {.text = &p->equation};
    term *t = ebb_init_alloc(in, ebb_size_mul((size_t)in->n_in, sizeof *t));
    if (!t) return ebb_fail(e, EBB_E_NOMEM, "no memory for %d terms of the equation", in->n_in);
    EBB_TRY(read_result(&r, p, e));
    const int end = arrow(&p->equation);
    bool used[LETTERS] = {0};
    for (p->terms = 0; p->terms < in->n_in; p->terms++) {
        EBB_TRY(read_term(&r, &t[p->terms], e));
        for (int i = 0; i < t[p->terms].rank; i++) used[t[p->terms].letter[i]] = true;
        if (p->terms + 1 < in->n_in && next(&r) != ',')
            return ebb_fail(e, EBB_E_PARAM, "the equation has %d terms, the layer %d inputs", p->terms + 1,
                            in->n_in);
        r.at++;
    }
    if (end ? r.at - 1 != end - 2 : r.at - 1 != p->equation.n)
        return ebb_fail(e, EBB_E_PARAM, "the equation does not end after %d terms, one for each input",
                        in->n_in);
    for (int i = 0; i < p->out_rank; i++)
        if (!used[i])
            return ebb_fail(e, EBB_E_PARAM, "letter '%c' of the result stands in no term", r.name[i]);
    p->in = t;
    p->letters = r.names;
    return EBB_OK;
}

static ebb_status sizes(const einsum *p, const ebb_desc *in, int size[LETTERS], ebb_error *e)
{
    for (int i = 0; i < LETTERS; i++) size[i] = NONE;
    for (int k = 0; k < p->terms; k++) {
        if (in[k].rank != p->in[k].rank)
            return ebb_fail(e, EBB_E_SHAPE, "input %d is %s, its term has %d letters", k, EBB_SHAPE(&in[k]),
                            p->in[k].rank);
        for (int a = 0; a < in[k].rank; a++) {
            int *s = &size[p->in[k].letter[a]];
            if (*s != NONE && *s != in[k].dim[a])
                return ebb_fail(e, EBB_E_SHAPE, "axis %d of input %d (%s) has the letter of an axis of %d", a,
                                k, EBB_SHAPE(&in[k]), *s);
            *s = in[k].dim[a];
        }
    }
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const einsum *p = st;
    int size[LETTERS];
    EBB_TRY(sizes(p, in->in, size, e));
    out->rank = p->out_rank ? p->out_rank : 1;
    out->dim[0] = 1;
    for (int i = 0; i < p->out_rank; i++) out->dim[i] = size[i];
    size_t runs = 1;
    for (int i = 0; i < p->out_rank - 1; i++) runs = ebb_size_mul(runs, (size_t)out->dim[i]);
    if (runs > INT32_MAX) return ebb_fail(e, EBB_E_SHAPE, "the result would have %zu rows", runs);
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    const einsum *p = st;
    int size[LETTERS];
    EBB_TRY(sizes(p, in->in, size, e));
    plan->macs = 1;
    for (int i = 0; i < p->letters; i++) plan->macs *= size[i];
    plan->scratch = ebb_size_mul((size_t)p->terms, ebb_size_mul((size_t)p->letters + 1, sizeof(ptrdiff_t)));
    plan->worker_scratch = ebb_size_mul((size_t)p->terms, sizeof(const float *));
    return EBB_OK;
}

typedef struct job {
    const einsum *p;
    const ebb_cpu *c;
    const ebb_blob *const *in;
    ebb_blob *out;
    int size[LETTERS];
    const ptrdiff_t *step;  // terms x letters: what one step of a letter is in a term
} job;

static float sum_from(const job *j, const float **x, int letter)
{
    const einsum *p = j->p;
    float sum = 0.f;
    if (letter == p->letters) {
        sum = *x[0];
        for (int k = 1; k < p->terms; k++) sum *= *x[k];
        return sum;
    }
    for (int i = 0; i < j->size[letter]; i++) {
        sum += sum_from(j, x, letter + 1);
        for (int k = 0; k < p->terms; k++) x[k] += j->step[k * p->letters + letter];
    }
    for (int k = 0; k < p->terms; k++) x[k] -= j->size[letter] * j->step[k * p->letters + letter];
    return sum;
}

// The results that share all but the last index.
static void one_run(void *ctx, size_t run, int worker)
{
    const job *j = ctx;
    const einsum *p = j->p;
    const ebb_desc *o = ebb_blob_desc(j->out);
    const float **x = ebb_worker_scratch(j->c, worker);
    float *y = ebb_f32(j->out);
    for (int k = 0; k < p->terms; k++) x[k] = ebb_f32(j->in[k]);
    for (int a = p->out_rank - 2; a >= 0; a--) {
        const int at = (int)(run % (size_t)o->dim[a]);
        run /= (size_t)o->dim[a];
        y += at * o->stride[a];
        for (int k = 0; k < p->terms; k++) x[k] += at * j->step[k * p->letters + a];
    }
    const int last = p->out_rank - 1;
    for (int i = 0; i < o->dim[o->rank - 1]; i++) {
        *y++ = sum_from(j, x, p->out_rank);
        for (int k = 0; k < p->terms && last >= 0; k++) x[k] += j->step[k * p->letters + last];
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    const einsum *p = st;
    const ebb_desc *o = &c->out[0];
    job j = {.p = p, .c = c, .in = in, .out = out[0], .step = c->scratch};
    ptrdiff_t *step = c->scratch;
    memset(step, 0, (size_t)p->terms * (size_t)p->letters * sizeof *step);
    for (int i = 0; i < LETTERS; i++) j.size[i] = 1;
    for (int k = 0; k < p->terms; k++) {
        const ebb_desc *d = &c->in[k];
        for (int a = 0; a < d->rank; a++) {
            step[k * p->letters + p->in[k].letter[a]] += d->stride[a];
            j.size[p->in[k].letter[a]] = d->dim[a];
        }
    }
    size_t runs = 1;
    for (int a = 0; a < o->rank - 1; a++) runs = ebb_size_mul(runs, (size_t)o->dim[a]);
    ebb_parallel(c, runs, one_run, &j);
    (void)e;
    return EBB_OK;
}

const ebb_layer_type ebb_layer_einsum = {
    .size = sizeof(ebb_layer_type),
    .name = "Einsum",
    .doc = "sums of products over letters",
    .reads = EBB_PLANAR,
    .in_min = 1,
    .in_max = -1,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(einsum),
    .params = params,
    .init = init,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
