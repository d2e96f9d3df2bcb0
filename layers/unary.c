// SPDX-License-Identifier: BSD-3-Clause
// unary.c - every layer that maps each element by itself, but for ReLU: UnaryOp and the named functions.
// Rule: a type is an operation of unary_f32 with up to three constants; only init differs, which finds both.
#include "ebb_layer.h"
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include <float.h>
#include <math.h>

typedef struct unary {
    int op;        // of unary_f32
    float p[3];    // its constants
    int choice;    // parameters that select
    float arg[3];  // parameters that the constants are made of
} unary;

static void run(const void *st, const ebb_kernels *k, float *y, const float *x, size_t n)
{
    const unary *u = st;
    k->unary_f32(u->op, y, x, n, u->p);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_elementwise(st, c, in[0], out[0], run);
    return EBB_OK;
}

// Rows for the constants (P) and for what they are made of (ARG).
#define FLOAT(field, id_, name_, def_)                                                                       \
    EBB_FLOAT(unary, id_, name_, field, .def = def_)
#define P(i, id, name, def)   FLOAT(p[i], id, name, def)
#define ARG(i, id, name, def) FLOAT(arg[i], id, name, def)
#define END                   {0}

// A type: its rows, then the statements of its init.
#define UNARY(sym, type_name, text, rows, ...)                                                               \
    static ebb_status init_##sym(void *st, const ebb_init *in, ebb_error *e)                                 \
    {                                                                                                        \
        (void)in, (void)e;                                                                                   \
        unary *u = st;                                                                                       \
        __VA_ARGS__;                                                                                         \
        return EBB_OK;                                                                                       \
    }                                                                                                        \
    const ebb_layer_type ebb_layer_##sym = {                                                                 \
        .size = sizeof(ebb_layer_type), .name = type_name, .doc = text,                                      \
        .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(unary), .params = rows,   \
        .floats = EBB_ANY_FLOAT,                                                                             \
        .init = init_##sym, .shape = ebb_elementwise_shape, .plan = ebb_in_place_plan, .cpu = cpu,           \
    };

static const ebb_param unary_rows[] = {
    EBB_INT(unary, 0, "op_type", choice, .max = 27,
            .doc =
                "0 abs 1 neg 2 floor 3 ceil 4 square 5 sqrt 6 rsqrt 7 exp 8 log 9 sin 10 cos 11 tan 12 asin "
                "13 acos 14 atan 15 reciprocal 16 tanh 17 log10 18 round 19 trunc 20 sign 21 expm1 22 sinh "
                "23 asinh 24 cosh 25 acosh 26 atanh 27 log1p"),
    END};
static const ebb_param clip_rows[] = {P(0, 0, "min", -FLT_MAX), P(1, 1, "max", FLT_MAX), END};
static const ebb_param elu_rows[] = {P(0, 0, "alpha", 0.1f), END};
static const ebb_param selu_rows[] = {ARG(0, 0, "alpha", 1.67326324f), ARG(1, 1, "lambda", 1.050700987f),
                                      END};
static const ebb_param celu_rows[] = {P(0, 0, "alpha", 1), END};
static const ebb_param gelu_rows[] = {
    EBB_INT(unary, 0, "fast_gelu", choice, .doc = "by tanh"), END};
static const ebb_param hard_rows[] = {P(0, 0, "alpha", 0.2f), P(1, 1, "beta", 0.5f), END};
static const ebb_param base_rows[] = {ARG(0, 0, "base", -1), P(0, 1, "scale", 1), P(1, 2, "shift", 0), END};
static const ebb_param power_rows[] = {P(2, 0, "power", 1), P(0, 1, "scale", 1), P(1, 2, "shift", 0), END};
static const ebb_param threshold_rows[] = {P(0, 0, "threshold", 0), END};
static const ebb_param shrink_rows[] = {P(0, 0, "bias", 0), P(1, 1, "lambd", 0.5f), END};

UNARY(unary, "UnaryOp", "a function of each element, by number", unary_rows, u->op = u->choice)
UNARY(abs, "AbsVal", "|x|", NULL, u->op = EBB_ABS)
UNARY(bnll, "BNLL", "log(1 + exp(x))", NULL, u->op = EBB_SOFTPLUS)
UNARY(softplus, "Softplus", "log(1 + exp(x))", NULL, u->op = EBB_SOFTPLUS)
UNARY(sigmoid, "Sigmoid", "1 / (1 + exp(-x))", NULL, u->op = EBB_SIGMOID)
UNARY(swish, "Swish", "x / (1 + exp(-x))", NULL, u->op = EBB_SWISH)
UNARY(mish, "Mish", "x tanh(log(1 + exp(x)))", NULL, u->op = EBB_MISH)
UNARY(tanh, "TanH", "tanh(x)", NULL, u->op = EBB_TANH)
UNARY(erf, "Erf", "the error function", NULL, u->op = EBB_ERF)
UNARY(gelu, "GELU", "x times the normal distribution's integral", gelu_rows,
      u->op = u->choice ? EBB_GELU_TANH : EBB_GELU)
UNARY(clip, "Clip", "x between min and max", clip_rows, u->op = EBB_CLIP)
UNARY(elu, "ELU", "x, below 0: alpha (exp(x) - 1)", elu_rows, u->op = EBB_ELU, u->p[1] = u->p[2] = 1)
UNARY(selu, "SELU", "lambda x, below 0: lambda alpha (exp(x) - 1)", selu_rows, u->op = EBB_ELU,
      u->p[0] = u->arg[0] * u->arg[1], u->p[1] = u->arg[1], u->p[2] = 1)
UNARY(celu, "CELU", "x, below 0: alpha (exp(x / alpha) - 1)", celu_rows, u->op = EBB_ELU, u->p[1] = 1,
      u->p[2] = 1 / u->p[0])
UNARY(hard_sigmoid, "HardSigmoid", "alpha x + beta between 0 and 1", hard_rows, u->op = EBB_HARD_SIGMOID)
UNARY(hard_swish, "HardSwish", "x (alpha x + beta between 0 and 1)", hard_rows, u->op = EBB_HARD_SWISH)
UNARY(exp, "Exp", "base ^ (scale x + shift); base -1 is e", base_rows,
      u->op = u->arg[0] == -1 ? EBB_EXP_OF : EBB_BASE_TO, u->p[2] = u->arg[0])
UNARY(log, "Log", "the logarithm of scale x + shift; base -1 is e", base_rows, u->op = EBB_LOG_OF,
      u->p[2] = u->arg[0] == -1 ? 1 : 1 / logf(u->arg[0]))
UNARY(power, "Power", "(scale x + shift) ^ power", power_rows,
      u->op = u->p[2] == 1 ? EBB_LINEAR : EBB_POWER_OF)
UNARY(threshold, "Threshold", "1 where x > threshold, else 0", threshold_rows, u->op = EBB_THRESHOLD)
UNARY(shrink, "Shrink", "x moved by bias towards 0, 0 within lambd of it", shrink_rows, u->op = EBB_SHRINK)
