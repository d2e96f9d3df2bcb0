// SPDX-License-Identifier: BSD-3-Clause
// convolution_1x1.comp - y = activation(w x + bias) for every pixel. A group makes TILE x TILE of the
// product, an invocation 4 x 4 of these, from slices of DEPTH channels in shared memory. Rule: NaN stays NaN.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "convolution_1x1.push.h"

layout(local_size_x = 64) in;
layout(push_constant) uniform push_block { convolution_1x1_push k; };
layout(binding = 0) writeonly buffer to { float y[]; };
layout(binding = 1) readonly buffer from { float x[]; };
layout(binding = 2) readonly buffer weights { float w[]; };  // of each output, then the bias

const int TILE = 32, DEPTH = 16, LANES = 64, SIDE = 8;  // SIDE * SIDE lanes, TILE / SIDE = 4
shared float xs[DEPTH][TILE + 1], ws[DEPTH][TILE + 1];

int x_at(int pixel) { return k.x_offset + pixel / k.width * k.x_row + pixel % k.width * k.x_pixel; }
int y_at(int pixel) { return k.y_offset + pixel / k.width * k.y_row + pixel % k.width * k.y_pixel; }

float between(float v, float lo, float hi) { return v < lo ? lo : v > hi ? hi : v; }

float mish(float v)
{
    const float e = exp(v > 20.0 ? 20.0 : v), n = e * (e + 2.0);
    return v * (n / (n + 2.0));
}

float hard_swish(float v)
{
    const float gate = between(v * k.p + k.q, 0.0, 1.0);
    return gate == 0.0 ? 0.0 : v * gate;
}

float activate(float v)
{
    switch (k.activation) {
    case 1: return v < 0.0 ? 0.0 : v;
    case 2: return v < 0.0 ? v * k.p : v;
    case 3: return between(v, k.p, k.q);
    case 4: return 1.0 / (1.0 + exp(-v));
    case 5: return mish(v);
    case 6: return hard_swish(v);
    }
    return v;
}

void load_slices(int lane, int pixel0, int out0, int c0)
{
    for (int i = lane; i < TILE * DEPTH; i += LANES) {
        const int d = i % DEPTH, r = i / DEPTH, c = c0 + d, pixel = pixel0 + r, o = out0 + r;
        xs[d][r] = c < k.ic && pixel < k.pixels ? x[x_at(pixel) + c * k.x_channel] : 0.0;
        ws[d][r] = c < k.ic && o < k.oc ? w[o * k.ic + c] : 0.0;
    }
}

void main()
{
    const int lane = int(gl_LocalInvocationID.x), row = lane / SIDE, column = lane % SIDE;
    for (int tile = int(gl_WorkGroupID.x); tile < k.tiles; tile += int(gl_NumWorkGroups.x)) {
        const int pixel0 = tile / k.across * TILE, out0 = tile % k.across * TILE;
        vec4 sum[4] = vec4[4](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
        for (int c0 = 0; c0 < k.ic; c0 += DEPTH) {
            load_slices(lane, pixel0, out0, c0);
            barrier();
            for (int d = 0; d < DEPTH; d++) {
                const vec4 v = vec4(ws[d][column], ws[d][column + SIDE], ws[d][column + 2 * SIDE],
                                    ws[d][column + 3 * SIDE]);
                for (int i = 0; i < 4; i++) sum[i] += xs[d][row + i * SIDE] * v;
            }
            barrier();
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                const int pixel = pixel0 + row + i * SIDE, o = out0 + column + j * SIDE;
                if (pixel >= k.pixels || o >= k.oc) continue;
                const float bias = k.has_bias != 0 ? w[k.ic * k.oc + o] : 0.0;
                y[y_at(pixel) + o * k.y_channel] = activate(sum[i][j] + bias);
            }
    }
}
