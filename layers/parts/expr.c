// SPDX-License-Identifier: BSD-3-Clause
// expr.c - shape expressions. Rule: what is malformed is refused when it is compiled; what remains can only
// fail by its numbers (division by zero, results that are no int).
#include "expr.h"
#include <limits.h>
#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- functions

static int64_t i_add(int64_t a, int64_t b) { return a + b; }
static int64_t i_sub(int64_t a, int64_t b) { return a - b; }
static int64_t i_mul(int64_t a, int64_t b) { return a * b; }
static int64_t i_div(int64_t a, int64_t b) { return a / b; }
static int64_t i_mod(int64_t a, int64_t b) { return (a % b + b) % b; }
static int64_t i_max(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t i_min(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t i_and(int64_t a, int64_t b) { return a & b; }
static int64_t i_or(int64_t a, int64_t b) { return a | b; }
static int64_t i_xor(int64_t a, int64_t b) { return a ^ b; }
static int64_t i_lshift(int64_t a, int64_t b) { return a * ((int64_t)1 << b); }
static int64_t i_rshift(int64_t a, int64_t b) { return a >> b; }
static int64_t i_abs(int64_t a, int64_t b) { return (void)b, a < 0 ? -a : a; }
static int64_t i_neg(int64_t a, int64_t b) { return (void)b, -a; }
static int64_t i_sign(int64_t a, int64_t b) { return (void)b, (a > 0) - (a < 0); }
static int64_t i_square(int64_t a, int64_t b) { return (void)b, a * a; }
static int64_t i_same(int64_t a, int64_t b) { return (void)b, a; }

static float f_add(float a, float b) { return a + b; }
static float f_sub(float a, float b) { return a - b; }
static float f_mul(float a, float b) { return a * b; }
static float f_div(float a, float b) { return a / b; }
static float f_floordiv(float a, float b) { return floorf(a / b); }
static float f_max(float a, float b) { return a > b ? a : b; }
static float f_min(float a, float b) { return a < b ? a : b; }
static float f_neg(float a) { return -a; }
static float f_sign(float a) { return (float)((a > 0) - (a < 0)); }
static float f_square(float a) { return a * a; }
static float f_reciprocal(float a) { return 1 / a; }
static float f_rsqrt(float a) { return 1 / sqrtf(a); }
static float f_remainder(float a, float b)
{
    const float r = fmodf(a, b);
    return a * b < 0 ? r + b : r;
}
static float f_logaddexp(float a, float b)
{
    if (isnan(a) || isnan(b)) return NAN;
    return a == b ? a + logf(2.f) : fmaxf(a, b) + log1pf(expf(-fabsf(a - b)));
}

enum { TO_INT = 1, DIVIDES = 2, SHIFTS = 4 };  // result is whole; b may not be 0; b is a count of bits

typedef struct function {
    const char *name;
    int64_t (*whole)(int64_t, int64_t);  // when all arguments are whole; NULL: never
    float (*one)(float);                 // otherwise, by the number of arguments;
    float (*two)(float, float);          // both NULL: whole numbers only
    int arguments, flags;
} function;

static const function functions[] = {
    {"+", i_add, NULL, f_add, 2, 0},
    {"-", i_sub, NULL, f_sub, 2, 0},
    {"*", i_mul, NULL, f_mul, 2, 0},
    {"/", NULL, NULL, f_div, 2, DIVIDES},
    {"//", i_div, NULL, f_floordiv, 2, DIVIDES},
    {"%", i_mod, NULL, f_remainder, 2, DIVIDES},
    {"max", i_max, NULL, f_max, 2, 0},
    {"min", i_min, NULL, f_min, 2, 0},
    {"and", i_and, NULL, NULL, 2, 0},
    {"or", i_or, NULL, NULL, 2, 0},
    {"xor", i_xor, NULL, NULL, 2, 0},
    {"lshift", i_lshift, NULL, NULL, 2, SHIFTS},
    {"rshift", i_rshift, NULL, NULL, 2, SHIFTS},
    {"atan2", NULL, NULL, atan2f, 2, 0},
    {"fmod", NULL, NULL, fmodf, 2, DIVIDES},
    {"remainder", NULL, NULL, f_remainder, 2, DIVIDES},
    {"pow", NULL, NULL, powf, 2, 0},
    {"logaddexp", NULL, NULL, f_logaddexp, 2, 0},
    {"abs", i_abs, fabsf, NULL, 1, 0},
    {"neg", i_neg, f_neg, NULL, 1, 0},
    {"sign", i_sign, f_sign, NULL, 1, 0},
    {"square", i_square, f_square, NULL, 1, 0},
    {"trunc", i_same, truncf, NULL, 1, TO_INT},
    {"floor", i_same, floorf, NULL, 1, TO_INT},
    {"ceil", i_same, ceilf, NULL, 1, TO_INT},
    {"round", i_same, roundf, NULL, 1, TO_INT},
    {"sqrt", NULL, sqrtf, NULL, 1, 0},
    {"rsqrt", NULL, f_rsqrt, NULL, 1, 0},
    {"reciprocal", NULL, f_reciprocal, NULL, 1, 0},
    {"exp", NULL, expf, NULL, 1, 0},
    {"log", NULL, logf, NULL, 1, 0},
    {"log10", NULL, log10f, NULL, 1, 0},
    {"erf", NULL, erff, NULL, 1, 0},
    {"sin", NULL, sinf, NULL, 1, 0},
    {"cos", NULL, cosf, NULL, 1, 0},
    {"tan", NULL, tanf, NULL, 1, 0},
    {"asin", NULL, asinf, NULL, 1, 0},
    {"acos", NULL, acosf, NULL, 1, 0},
    {"atan", NULL, atanf, NULL, 1, 0},
    {"sinh", NULL, sinhf, NULL, 1, 0},
    {"cosh", NULL, coshf, NULL, 1, 0},
    {"tanh", NULL, tanhf, NULL, 1, 0},
    {"asinh", NULL, asinhf, NULL, 1, 0},
    {"acosh", NULL, acoshf, NULL, 1, 0},
    {"atanh", NULL, atanhf, NULL, 1, 0},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

// ------------------------------------------------------------------------------------------- compiling

typedef struct value {
    bool whole;
    int i;
    float f;
} value;

typedef struct op {
    enum { NUMBER, SIZE, CALL } kind;
    value number;
    int input;
    char axis;
    const function *f;
} op;

enum { MAX_OPS = 128, MAX_DEPTH = 32 };

// In the order of the text: a function stands before its arguments.
struct ebb_expr {
    int n_values, n_ops;
    op ops[];
};

typedef struct parser {
    const char *text, *at;
    const ebb_init *in;
    ebb_expr *x;
} parser;

#define malformed(p, e, fmt, ...)                                                                            \
    ebb_fail(e, EBB_E_PARAM, "expression \"%s\", character %td: " fmt, (p)->text, (p)->at - (p)->text + 1,   \
             __VA_ARGS__)

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Decimal, whatever the locale. False when the word is no number.
static bool parse_number(const char *s, size_t n, value *v)
{
    double d = 0, scale = 1;
    size_t i = n && (*s == '-' || *s == '+'), digits = 0;
    int exponent = 0;
    for (; i < n && is_digit(s[i]); i++, digits++) d = d * 10 + (s[i] - '0');
    if (i < n && s[i] == '.')
        for (i++; i < n && is_digit(s[i]); i++, digits++) d = d * 10 + (s[i] - '0'), scale *= 10;
    if (digits == 0) return false;
    if (i + 1 < n && (s[i] == 'e' || s[i] == 'E')) {
        const bool minus = s[++i] == '-';
        if (s[i] == '-' || s[i] == '+') i++;
        if (i == n) return false;
        for (; i < n && is_digit(s[i]); i++)
            if (exponent < 1000) exponent = exponent * 10 + (s[i] - '0');
        if (minus) exponent = -exponent;
    }
    d = d / scale * pow(10, exponent) * (*s == '-' ? -1 : 1);
    const bool whole = d == floor(d) && fabs(d) <= INT_MAX;
    *v = (value){.whole = whole, .i = whole ? (int)d : 0, .f = (float)d};
    return i == n;
}

static ebb_status parse_word(parser *p, const char *s, size_t n, op *o, ebb_error *e)
{
    *o = (op){0};
    if (n == 2 && is_digit(s[0]) && strchr("whdcn", s[1])) {
        *o = (op){.kind = SIZE, .input = s[0] - '0', .axis = s[1]};
        if (o->input < p->in->n_in) return EBB_OK;
        return malformed(p, e, "there is no input %d, the layer has %d", o->input, p->in->n_in);
    }
    for (int i = 0; i < FUNCTIONS; i++)
        if (strlen(functions[i].name) == n && !memcmp(functions[i].name, s, n))
            o->kind = CALL, o->f = &functions[i];
    if (o->f || parse_number(s, n, &o->number)) return EBB_OK;
    return malformed(p, e, "'%.*s' is no number, no size such as 0w, and no function", (int)n, s);
}

// One value; a call recurses for its arguments.
static ebb_status parse_value(parser *p, int depth, ebb_error *e)
{
    const size_t n = strcspn(p->at, "(),");
    if (n == 0) return malformed(p, e, "a value is missing%s", "");
    if (p->x->n_ops == MAX_OPS) return malformed(p, e, "more than %d numbers and functions", MAX_OPS);
    op *o = &p->x->ops[p->x->n_ops++];
    EBB_TRY(parse_word(p, p->at, n, o, e));
    p->at += n;
    if (o->kind != CALL) return EBB_OK;
    if (depth == MAX_DEPTH) return malformed(p, e, "functions are nested more than %d deep", MAX_DEPTH);
    for (int i = 0; i < o->f->arguments; i++) {
        if (*p->at != (i ? ',' : '('))
            return malformed(p, e, "'%s' needs %d arguments in parentheses", o->f->name, o->f->arguments);
        p->at++;
        EBB_TRY(parse_value(p, depth + 1, e));
    }
    if (*p->at != ')')
        return malformed(p, e, "'%s' takes %d arguments and a ')'", o->f->name, o->f->arguments);
    p->at++;
    return EBB_OK;
}

ebb_status ebb_expr_compile(const ebb_init *in, const char *text, const ebb_expr **x, ebb_error *e)
{
    *x = NULL;
    if (!text || !*text) return EBB_OK;
    const size_t words = strlen(text) / 2 + 1;  // at most
    // fits: MAX_OPS are few
    ebb_expr *made =
        ebb_init_alloc(in, sizeof *made + (words < MAX_OPS ? words : MAX_OPS) * sizeof *made->ops);
    if (!made) return ebb_fail(e, EBB_E_NOMEM, "no memory for the expression \"%s\"", text);
    parser p = {.text = text, .at = text, .in = in, .x = made};
    for (;;) {
        if (made->n_values == EBB_EXPR_VALUES)
            return malformed(&p, e, "more than %d values", EBB_EXPR_VALUES);
        EBB_TRY(parse_value(&p, 0, e));
        made->n_values++;
        if (!*p.at) break;
        if (*p.at != ',') return malformed(&p, e, "'%c' where a ',' should be", *p.at);
        p.at++;
    }
    *x = made;
    return EBB_OK;
}

int ebb_expr_count(const ebb_expr *x) { return x ? x->n_values : 0; }

// ------------------------------------------------------------------------------------------- evaluating

static value size_of(const ebb_desc *d, char axis)
{
    int at = -1;  // from the innermost axis
    switch (axis) {
    case 'w': at = 0; break;
    case 'h': at = 1; break;
    case 'd': at = d->rank == 4 ? 2 : -1; break;
    case 'c': at = d->rank >= 3 ? d->rank - 1 : -1; break;
    default: break;  // n, the batch: always one
    }
    const int size = at >= 0 && at < d->rank ? d->dim[d->rank - 1 - at] : 1;
    return (value){.whole = true, .i = size, .f = (float)size};
}

static ebb_status to_int(const char *name, double d, value *v, ebb_error *e)
{
    if (!(d >= INT_MIN && d <= INT_MAX))
        return ebb_fail(e, EBB_E_SHAPE, "%s gives %g in a shape expression, which is no possible size", name,
                        d);
    *v = (value){.whole = true, .i = (int)d, .f = (float)d};
    return EBB_OK;
}

static ebb_status apply(const function *f, value a, value b, value *r, ebb_error *e)
{
    const bool whole = a.whole && (f->arguments == 1 || b.whole);
    if ((f->flags & DIVIDES) && b.f == 0)
        return ebb_fail(e, EBB_E_SHAPE, "%s divides by zero in a shape expression", f->name);
    if (whole && f->whole) {
        if ((f->flags & SHIFTS) && (b.i < 0 || b.i > 31))
            return ebb_fail(e, EBB_E_SHAPE, "%s by %d bits in a shape expression", f->name, b.i);
        return to_int(f->name, (double)f->whole(a.i, b.i), r, e);
    }
    if (!f->one && !f->two)
        return ebb_fail(e, EBB_E_SHAPE, "%s needs whole numbers, not %g, in a shape expression", f->name,
                        (double)(a.whole ? b.f : a.f));
    const float y = f->two ? f->two(a.f, b.f) : f->one(a.f);
    if (f->flags & TO_INT) return to_int(f->name, (double)y, r, e);
    *r = (value){.f = y};
    return EBB_OK;
}

ebb_status ebb_expr_eval(const ebb_expr *x, const ebb_shape_in *in, int result[EBB_EXPR_VALUES], ebb_error *e)
{
    value stack[MAX_OPS + 1];
    int top = 0;
    for (int i = x->n_ops - 1; i >= 0; i--) {
        const op *o = &x->ops[i];
        if (o->kind == NUMBER) {
            stack[top++] = o->number;
        } else if (o->kind == SIZE) {
            stack[top++] = size_of(&in->in[o->input], o->axis);
        } else {
            top -= o->f->arguments - 1;  // the first argument lies on top
            const value a = stack[top + o->f->arguments - 2], b = stack[top - 1];
            EBB_TRY(apply(o->f, a, b, &stack[top - 1], e));
        }
    }
    for (int i = 0; i < x->n_values; i++) {
        value v = stack[x->n_values - 1 - i];
        if (!v.whole) EBB_TRY(to_int("a fraction", (double)truncf(v.f), &v, e));
        result[i] = v.i;
    }
    return EBB_OK;
}
