// SPDX-License-Identifier: BSD-3-Clause
// ops.h - what a kernel that serves many layers is told to do. Rule: the layers read the same numbers.
#pragma once

// binary_f32: y = a op b.
enum {
    EBB_ADD, EBB_SUB, EBB_MUL, EBB_DIV, EBB_MAX, EBB_MIN, EBB_POW, EBB_ATAN2, EBB_FMOD, EBB_LOGADDEXP,
    EBB_FLOOR_DIVIDE, EBB_REMAINDER,
    EBB_GATE,  // a sigmoid(b)
    EBB_PRELU  // a, below 0: a b
};

// unary_f32: y = op(x) with up to three constants p. Names say the function, formulas the constants.
enum {
    // as UnaryOp numbers them:
    EBB_ABS, EBB_NEG, EBB_FLOOR, EBB_CEIL, EBB_SQUARE, EBB_SQRT, EBB_RSQRT, EBB_EXP, EBB_LOG, EBB_SIN,
    EBB_COS, EBB_TAN, EBB_ASIN, EBB_ACOS, EBB_ATAN, EBB_RECIPROCAL, EBB_TANH, EBB_LOG10, EBB_ROUND, EBB_TRUNC,
    EBB_SIGN, EBB_EXPM1, EBB_SINH, EBB_ASINH, EBB_COSH, EBB_ACOSH, EBB_ATANH, EBB_LOG1P,
    // others:
    EBB_SIGMOID, EBB_SWISH, EBB_MISH, EBB_SOFTPLUS, EBB_ERF, EBB_GELU, EBB_GELU_TANH,
    EBB_EXP_OF,        // exp(p0 x + p1)
    EBB_BASE_TO,       // p2 ^ (p0 x + p1)
    EBB_LOG_OF,        // p2 log(p0 x + p1)
    EBB_POWER_OF,      // (p0 x + p1) ^ p2
    EBB_LINEAR,        // p0 x + p1
    EBB_CLIP,          // x between p0 and p1
    EBB_ELU,           // p1 x, below 0: p0 (exp(p2 x) - 1)
    EBB_HARD_SIGMOID,  // p0 x + p1 between 0 and 1
    EBB_HARD_SWISH,    // x times that
    EBB_THRESHOLD,     // 1 above p0, else 0
    EBB_SHRINK         // x - p0 above p1, x + p0 below -p1, else 0
};

// reduce_f32: what is collected; c is the centre of the set.
enum {
    EBB_SUM, EBB_SUM_ABS, EBB_SUM_SQUARE, EBB_PRODUCT, EBB_LARGEST, EBB_SMALLEST,
    EBB_SUM_EXP,        // of x - c
    EBB_SUM_SQUARE_OFF  // of x - c
};

// affine_f32: y = (x - mean) * scale * gamma + beta. NULL: 0 for mean and beta, 1 for the others.
typedef struct ebb_affine {
    const float *mean, *scale, *gamma, *beta;
    int step;        // 0: one mean and scale for all, 1: one for each element
    int gamma_step;  // the same for gamma and beta
} ebb_affine;
