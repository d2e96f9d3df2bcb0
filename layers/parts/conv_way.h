// SPDX-License-Identifier: BSD-3-Clause
// conv_way.h - the ways to compute a convolution, and what they share. One file a way: conv_gemm.c,
// conv_depthwise.c.
#pragma once
#include "conv.h"

// How weights lie in the file, or in an input: elements from group to group, and so on.
typedef struct ebb_conv_from {
    ebb_gemm_from from;
    ptrdiff_t group;
} ebb_conv_from;

// Output pixels of one piece of work: a rectangle where windows are made, otherwise a run from number
// `first`.
typedef struct ebb_conv_block {
    ebb_region region;
    int64_t first;
    int n;
} ebb_conv_block;

// The first way that takes the weights has them.
struct ebb_conv_way {
    const char *name;
    bool by_channel;  // an output reads one channel
    bool (*takes)(const ebb_conv_weights *w);
    size_t (*packed)(const ebb_conv_weights *w, const ebb_kernels *k);  // bytes; SIZE_MAX on overflow
    int (*units)(const ebb_conv_weights *w,
                 const ebb_kernels *k);  // that can be packed, or multiplied, apart
    void (*pack)(const ebb_conv_weights *w, const ebb_kernels *k, const ebb_conv_from *from, char *to,
                 int unit);
    // One block: g has its side of A and its results; units [from, to) are to be multiplied.
    void (*multiply)(const ebb_conv_job *j, const ebb_conv_block *b, struct ebb_gemm *g, int from, int to);
};
extern const ebb_conv_way ebb_conv_depthwise, ebb_conv_gemm;

// conv.c: taps of a kernel; 0: more than can be counted.
int ebb_conv_taps(const ebb_conv *c);

// conv_load.c: weights. Sizes decide the way.
void ebb_conv_size_weights(ebb_conv_weights *w, int group, int ic, int oc, int taps);
// Scratch for weights that come as inputs, or were kept as they stand in the file; 0 where they were packed
// at load.
size_t ebb_conv_late_bytes(const ebb_conv *c, const ebb_conv_weights *w, const ebb_kernels *k);
// Packs them into it, and completes w.
void ebb_conv_pack_late(const ebb_conv *c, ebb_conv_weights *w, const ebb_cpu *cpu, const ebb_blob *const *in,
                        void *to);

// conv_blocks.c: a pass over the output, block by block.
// Bytes of scratch for each worker when a block has so many pixels, and the most pixels that fit.
size_t ebb_conv_block_bytes(const ebb_conv_job *j, int pixels);
int ebb_conv_block_pixels(const ebb_conv_job *j, int threads, size_t bytes);
void ebb_conv_run(ebb_conv_job *j);

// conv_phases.c: a transposed convolution as an ordinary one for each phase of its strides.
// Taps that take part in a phase, at most. taps: room for all of them.
int ebb_conv_phase_taps(const ebb_conv_job *j);
void ebb_conv_run_phases(const ebb_conv_job *j, int *taps);

// conv_window.c: the part of an image that a block reads, as 8-bit pixels.
// Inputs along one axis that so many outputs read, at most.
int64_t ebb_conv_window_side(const ebb_axis *a, int outputs);
// The inputs that region r reads, at `to`; line has room for a row of one channel.
ebb_volume ebb_conv_window(const ebb_conv_job *j, const ebb_region *r, int8_t *to, int8_t *line);
