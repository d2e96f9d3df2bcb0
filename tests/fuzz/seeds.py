#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""seeds.py - writes corpus/: one small file for each syntax and each family of layers. Rule: run it after a change here
and commit what it writes; what the fuzzers found stands there beside it, named for what was wrong."""
import math
import pathlib
import re
import struct
import zlib

HERE = pathlib.Path(__file__).parent
CORPUS = HERE / "corpus"


def how(best=0, fast=0, threads=0, one_by_one=0, values=0, precision=0):
    """The last byte of a file, see fuzz.h."""
    return bytes([best | fast << 1 | threads << 2 | one_by_one << 3 | values << 4 | precision << 6])


def write(folder, name, data):
    (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    (CORPUS / folder / name).write_bytes(data)


def net(*lines, blobs=0):
    return "7767517\n%d %d\n%s\n" % (len(lines), blobs, "\n".join(lines))


WHOLE, EXTREME, ZERO = 1, 2, 3
X = "Input x 0 1 x 0=6 1=5 2=4"  # w h c
M = "Input x 0 1 x 0=4 1=3"
V = "Input x 0 1 x 0=12"


def one(type_and_params, shape=X, n_in=1, n_out=1, others=()):
    """A net of one layer; further inputs have the shapes in `others`."""
    kind, _, params = type_and_params.partition(" ")
    inputs = [shape] + ["Input x%d 0 1 x%d %s" % (i, i, o) for i, o in enumerate(others)]
    names = ["x"] + ["x%d" % i for i in range(len(others))]
    names = names[:n_in] + ["y%d" % i for i in range(n_out)]
    return net(*inputs, "%s l %d %d %s %s" % (kind, n_in, n_out, " ".join(names), params))


def letters(text):
    """Parameter 0 as an array of character codes."""
    return "-23300=%d,%s" % (len(text), ",".join(str(ord(c)) for c in text))


# ------------------------------------------------------------------------------------------- .param

SYNTAX = {
    "old_array": (net(X, "Reduction r 1 1 x y 0=3 1=0 -23303=2,1,2 4=1 5=1"), how()),
    "new_array": (net(X, "Reduction r 1 1 x y 0=3 1=0 3=1,2 4=1 5=1"), how(best=1)),
    "one_element": (net(X, "Reduction r 1 1 x y 0=3 1=0 3=1, 4=1 5=1"), how(threads=1)),
    "string": (net(X, 'Reshape r 1 1 x y 6="*(0w,0h),-1"'), how(one_by_one=1)),
    "crlf": (net(X, "ReLU r 1 1 x y 0=0.1").replace("\n", "\r\n"), how(best=1)),
    "numbers": (net(V, "Clip c 1 1 x y 0=-inf 1=0x1p3", "Power p 1 1 y z 0=2.0 1=1e-1 2=.5"), how(values=EXTREME)),
    "hints": (net(X, "Split s 1 2 x a b -23330=8,3,6,5,4,3,6,5,4 31=3", "Sigmoid t 1 1 a c", "TanH u 1 1 b d"), how()),
    "counts": ("7767517\n1 9\n%s\nReLU r 1 1 x y\nReLU q 1 1 x z\n" % X, how(one_by_one=1)),
    "twice": (net(X, "ReLU r 1 1 x y 0=0.5 0=0.25", "Crop c 1 1 y z 9=1, 10=2, 11=0, -23309=1,0"), how()),
    "array_for_a_number": (net(X, "Squeeze s 1 1 x y -23300=2,2,3", "ReLU r 1 1 y z -23300=1,0.5"), how(best=1)),
    "unknown_keys": (net(X, "ReLU r 1 1 x y 5=0 17=0,0 31=0 32=1", "Sigmoid s 1 1 y z 3=1.5"), how()),
    "unknown_types": (net(X, "Relu r 1 1 x y 0=1 0=2", "Cast c 1 1 y z", "pnnx.Output o 1 0 z", "Relu q 1 1 z w"), how()),
    "reshape_permute": (net(X, "Reshape r 1 1 x y 0=-1 3=1", "Reshape q 1 1 x z 0=4 1=-1 3=1"), how(best=1)),
    "order": (net("ReLU r 1 1 x y", X), how()),
    "cycle": (net(X, "BinaryOp a 2 1 x c b", "ReLU r 1 1 b c"), how()),
    "one_line": (net(X, "ReLU r 1 1 x y").replace("\n", " "), how()),
    "bom": ("\ufeff" + net(X, "AbsVal r 1 1 x y"), how()),
    "unknown": (net(X, "Relu r 1 1 x y"), how()),
    "cut": ("7767517\n2 2\nInput x 0 1 x\nReLU r 1 1 x", how()),
}

LAYERS = {
    "convolution": (one("Convolution 0=4 1=3 2=2 3=2 4=-233 5=1 6=144 9=2 10=0.1,"), how(best=1)),
    "convolution_pointwise": (one("Convolution 0=5 1=1 5=1 6=20 9=3 10=-1.0,1.0"), how(best=1, fast=1, threads=1)),
    "convolution_dynamic": (one("Convolution 0=2 1=1 5=0 19=1", n_in=2, others=["0=3 1=3 2=2 11=4"]), how()),
    "convolution_i8": (one("Convolution 0=4 1=3 4=1 6=144 8=1"), how(best=1)),
    "convolution_i8_stored": (one("Convolution 0=4 1=1 6=16 8=101"), how(values=ZERO)),
    "depthwise": (one("ConvolutionDepthWise 0=4 1=3 4=1 5=1 6=36 7=4"), how(best=1)),
    "grouped": (one("ConvolutionDepthWise 0=6 1=3 11=1 4=1 14=0 6=36 7=2"), how()),
    "deconvolution": (one("Deconvolution 0=3 1=3 3=2 4=1 5=1 6=108 18=1"), how()),
    "deconvolution_dw": (one("DeconvolutionDepthWise 0=4 1=2 3=2 6=16 7=4"), how(best=1)),
    "convolution_1d": (one("Convolution1D 0=3 1=3 4=1 6=27", shape=M), how()),
    "convolution_3d": (one("Convolution3D 0=3 1=2 6=48", shape="Input x 0 1 x 0=4 1=4 11=3 2=2"), how()),
    "deformable": (one("DeformableConv2D 0=3 1=3 4=1 5=1 6=108", n_in=2, others=["0=6 1=5 2=18"]), how(values=EXTREME)),
    "innerproduct": (one("InnerProduct 0=7 1=1 2=840 9=4"), how(best=1, threads=1)),
    "innerproduct_i8": (one("InnerProduct 0=5 2=60 8=2", shape=V), how()),
    "gemm": (one("Gemm 0=0.5 1=2.0 3=1 4=0 5=1 6=1 8=5 9=4 10=4", shape=M), how(best=1)),
    "gemm_inputs": (one("Gemm 2=1 14=1", shape=M, n_in=3, others=["0=5 1=3", "0=5"]), how(threads=1)),
    "gemm_blocks": (one("Gemm 3=1 5=1 6=1 8=3 9=40 10=-1 18=402", shape="Input x 0 1 x 0=40 1=3"), how(values=ZERO)),
    "matmul": (one("MatMul 0=1", shape="Input x 0 1 x 0=4 1=3 2=2", n_in=2, others=["0=4 1=5"]), how(best=1)),
    "einsum": (one("Einsum " + letters("ij,kj->ik"), shape=M, n_in=2, others=["0=4 1=5"]), how()),
    "pooling": (one("Pooling 0=0 1=3 2=2 3=1 5=0"), how(best=1)),
    "pooling_average": (one("Pooling 0=1 1=2 2=2 5=2 6=1"), how(values=EXTREME)),
    "pooling_global": (one("Pooling 0=1 4=1"), how(threads=1)),
    "pooling_adaptive": (one("Pooling 0=0 7=1 8=3 18=2"), how()),
    "pooling_1d": (one("Pooling1D 0=1 1=2 2=1 3=1 6=1", shape=M), how()),
    "pooling_3d": (one("Pooling3D 0=0 1=2 2=2", shape="Input x 0 1 x 0=4 1=4 11=4 2=2"), how()),
    "spp": (one("SPP 0=0 1=2"), how()),
    "softmax": (one("Softmax 0=1 1=1"), how(best=1, values=EXTREME)),
    "reduction": (one("Reduction 0=8 1=1 4=1 5=1"), how(values=EXTREME)),
    "argmax": (one("ArgMax 0=1 1=3", shape=V), how(values=EXTREME)),
    "statistics": (one("StatisticsPooling 0=1"), how()),
    "norms": (net(X, "BatchNorm a 1 1 x a 0=4", "GroupNorm b 1 1 a b 0=2 1=4", "InstanceNorm c 1 1 b c 0=4",
                  "LayerNorm d 1 1 c d 0=6", "MVN e 1 1 d e 0=1 1=1", "RMSNorm f 1 1 e y 0=6"), how(best=1, threads=1)),
    "normalize": (one("Normalize 0=1 1=0 2=0.1 3=4 4=1"), how()),
    "lrn": (one("LRN 0=0 1=3 2=0.5 3=0.75 4=1.0"), how(best=1)),
    "scale": (one("Scale 0=-233", n_in=2, others=["0=4"]), how()),
    "bias_prelu": (net(X, "Bias b 1 1 x b 0=4", "PReLU p 1 1 b y 0=4"), how(precision=1)),
    "unary": (net(X, *("UnaryOp u%d 1 1 x y%d 0=%d" % (i, i, i) for i in range(20))), how(best=1, values=EXTREME)),
    "binary": (net(X, "Input z 0 1 z 0=4", *("BinaryOp u%d 2 1 x z y%d 0=%d" % (i, i, i) for i in range(12))),
               how(best=1, values=EXTREME)),
    "binary_scalar": (one("BinaryOp 0=9 1=1 2=2.5"), how(values=EXTREME)),
    "eltwise": (one("Eltwise 0=1 1=0.5,-1.0", n_in=2, others=["0=6 1=5 2=4"]), how(precision=2)),
    "activations": (net(X, "ELU a 1 1 x a 0=0.1", "SELU b 1 1 x b", "CELU c 1 1 x c", "GELU d 1 1 x d", "GELU e 1 1 x e 0=1",
                        "Mish f 1 1 x f", "Swish g 1 1 x g", "HardSwish h 1 1 x h", "HardSigmoid i 1 1 x i",
                        "Softplus j 1 1 x j", "BNLL k 1 1 x k", "Shrink l 1 1 x l", "Threshold m 1 1 x m 0=0.5",
                        "Dropout n 1 1 x n 0=0.5", "Erf o 1 1 x o", "Exp p 1 1 x p", "Log q 1 1 x q"),
                    how(best=1, values=EXTREME)),
    "activations_half": (net(X, "ReLU a 1 1 x a", "Swish b 1 1 a b", "Clip c 1 1 b y 0=-1.0 1=1.0"), how(best=1, precision=1)),
    "glu": (one("GLU 0=0"), how()),
    "cumulative": (one("CumulativeSum 0=1"), how()),
    "concat_slice": (net(X, "Slice s 1 3 x a b c -23300=3,1,-233,-233 1=0", "Concat c 2 1 c a y 0=0"), how(one_by_one=1)),
    "crop": (one("Crop -23309=2,1,1 -23310=2,-1,3 -23311=2,1,2"), how()),
    "crop_reference": (one("Crop 0=1 1=1", n_in=2, others=["0=3 1=2 2=4"]), how(threads=1)),
    "crop_expression": (one('Crop 19="1,0" 20="-(0w,1),3" 21="0,1"'), how()),
    "permute": (one("Permute 0=4"), how(best=1)),
    "reshape": (net(X, "Reshape r 1 1 x a 0=-1 1=0", "Squeeze s 1 1 a b 0=1 1=1", "ExpandDims e 1 1 b y -23303=1,0"), how()),
    "flatten": (net(X, "Flatten f 1 1 x a", "DeepCopy d 1 1 a y"), how(one_by_one=1)),
    "padding": (one("Padding 0=1 1=1 2=2 3=2 4=2 7=1 8=1"), how()),
    "tile": (one("Tile 0=1 1=3"), how()),
    "copyto": (one("CopyTo 0=1 1=1", n_in=2, others=["0=2 1=2 2=2"]), how()),
    "shuffle": (net(X, "ShuffleChannel s 1 1 x a 0=2", "PixelShuffle p 1 1 a b 0=2", "Reorg r 1 1 a c 0=1"), how()),
    "flip": (one("Flip 0=1,2"), how()),
    "diag": (one("Diag 0=1", shape=M), how()),
    "interp": (one("Interp 0=2 1=2.0 2=1.5"), how(best=1)),
    "interp_bicubic": (one("Interp 0=3 3=7 4=9 6=1"), how(threads=1)),
    "interp_expression": (one('Interp 0=1 9="*(0w,2),7"'), how()),
    "gridsample": (one("GridSample 0=1 1=2 2=0", n_in=2, others=["0=2 1=5 2=5"]), how(values=EXTREME)),
    "fold": (net(X, "Unfold u 1 1 x a 1=3 4=1", "Fold f 1 1 a y 1=3 4=1 20=6 21=5"), how()),
    "memorydata": (net(X, "MemoryData m 0 1 m 0=6 1=5 2=4 21=0", "BinaryOp b 2 1 x m y 0=2"), how(best=1)),
    "embed": (one("Embed 0=4 1=9 2=1 3=36", shape=V), how(values=WHOLE)),
    "lstm": (one("LSTM 0=3 1=96 2=2", shape=M), how(best=1)),
    "lstm_states": (one("LSTM 0=3 1=48 8=1", shape=M, n_in=3, n_out=3, others=["0=3 1=1", "0=3 1=1"]), how()),
    "gru_rnn": (net(M, "GRU g 1 1 x a 0=3 1=36 2=1", "RNN r 1 1 a y 0=2 1=6"), how(best=1, threads=1)),
    "attention": (one("MultiHeadAttention 0=4 1=2 2=16", shape=M), how(best=1)),
    "attention_cache": (one("MultiHeadAttention 0=4 1=2 2=16 7=1", shape=M, n_in=3, n_out=3, others=["0=2 1=4", "0=2 1=4"]),
                        how()),
    "sdpa": (one("SDPA 5=1 7=1", shape="Input x 0 1 x 0=4 1=3 2=2", n_in=6, n_out=3,
                 others=["0=4 1=3 2=2", "0=4 1=3 2=2", "0=5 1=3", "0=4 1=2 2=2", "0=4 1=2 2=2"]), how()),
    "rotary": (one("RotaryEmbed 0=1", shape="Input x 0 1 x 0=4 1=3 2=2", n_in=3, others=["0=2 1=3", "0=2 1=3"]), how(best=1)),
    "spectrogram": (one("Spectrogram 0=8 1=1 2=4 3=8 4=1 5=1 6=1", shape="Input x 0 1 x 0=40"), how()),
    "spectrogram_inverse": (one("InverseSpectrogram 0=8 1=0 2=4 3=8 4=1 5=1", shape="Input x 0 1 x 0=2 1=7 2=5"), how()),
    "quantize": (net(X, "Quantize q 1 1 x a 0=4", "Convolution c 1 1 a y 0=3 1=1 6=12 8=101"), how(best=1, values=EXTREME)),
    "requantize": (net(M, "Input i 0 1 i 0=6 1=5 2=4", "Requantize r 1 1 i b 0=1 1=4", "Dequantize d 1 1 i y 0=1 1=4"),
                   how(values=WHOLE)),
    "cast": (net(X, "Cast c 1 1 x a 0=1 1=2", "Cast d 1 1 a y 0=2 1=1"), how()),
    "priorbox": (one("PriorBox -23300=1,2.0 -23301=1,4.0 -23302=1,2.0 7=1 8=0 9=64 10=64", n_in=2, others=["0=64 1=64 2=3"]),
                 how()),
    "detection": (one("DetectionOutput 0=3 1=0.45 2=100 3=50 4=0.1", shape="Input x 0 1 x 0=24", n_in=3,
                      others=["0=18", "0=24 1=2"]), how(values=EXTREME)),
    "yolo": (one("YoloDetectionOutput 0=1 1=2 2=0.1 3=0.45 -23304=4,1.0,1.0,2.0,2.0",
                 shape="Input x 0 1 x 0=3 1=3 2=12"), how(values=EXTREME)),
    "yolov3": (one("Yolov3DetectionOutput 0=1 1=2 2=0.1 3=0.45 -23304=4,1.0,1.0,2.0,2.0 -23305=2,0.0,1.0 -23306=1,16.0",
                   shape="Input x 0 1 x 0=3 1=3 2=12"), how()),
    "proposal": (one("Proposal 0=16 1=16 2=50 3=10 4=0.7 5=4", shape="Input x 0 1 x 0=4 1=4 2=18", n_in=3,
                     others=["0=4 1=4 2=36", "0=3"]), how(values=WHOLE)),
    "roi": (net(X, "Input r 0 1 r 0=4", "ROIPooling a 2 1 x r a 0=2 1=2 2=0.5", "ROIAlign b 2 1 x r b 0=2 1=2 2=0.5 3=2",
                "PSROIPooling c 2 1 x r c 0=2 1=2 2=0.5 3=1"), how(values=EXTREME)),
    "empty": (net("Input x 0 1 x 0=6 1=1 2=4", "Crop c 1 1 x a -23309=1,5 -23310=1,5 -23311=1,2", "Sigmoid s 1 1 a b",
                  "Concat k 2 1 a b y 0=1"), how()),
}

# ------------------------------------------------------------------------------------------- .param.bin


def type_names():
    text = (HERE / "../../src/types.c").read_text()
    return re.findall(r'"(\w+)"', re.search(r"ncnn_types\[\] = \{(.*?)\};", text, re.S).group(1))


def cell(text):
    real = re.search(r"[.einf]", text) and not text.startswith("0x")
    return struct.pack("<f", float(text)) if real else struct.pack("<i", int(text, 0))


def binary_value(key, text):
    if text.startswith('"'):
        raw = text.strip('"').encode()
        return struct.pack("<ii", -23400 - key, len(raw)) + raw + bytes(-len(raw) % 4)
    if key <= -23300 or "," in text:
        values = [v for v in text.split(",") if v]
        key = key if key <= -23300 else -23300 - key
        values = values[1:] if key <= -23300 and text.split(",")[0] == str(len(values) - 1) else values
        return struct.pack("<ii", key, len(values)) + b"".join(map(cell, values))
    return struct.pack("<i", key) + cell(text)


def binary(text):
    """The text of a right .param in the binary form."""
    types, blobs, out = type_names(), {}, b""
    lines = [line.split() for line in text.split("\n")[2:] if line.strip()]
    for kind, _, n_in, n_out, *rest in lines:
        n = int(n_in) + int(n_out)
        out += struct.pack("<iii", types.index(kind), int(n_in), int(n_out))
        out += b"".join(struct.pack("<i", blobs.setdefault(name, len(blobs))) for name in rest[:n])
        for value in rest[n:]:
            key, _, v = value.partition("=")
            out += binary_value(int(key), v)
        out += struct.pack("<i", -233)
    return struct.pack("<iii", 7767517, len(lines), len(blobs)) + out


# ------------------------------------------------------------------------------------------- .bin


def floats(n, scale=1.0):
    return b"".join(struct.pack("<f", scale * ((i * 37 % 65) / 32 - 1)) for i in range(n))


def raw(*n):
    return b"".join(floats(k) for k in n)


def f32(n):
    return bytes(4) + floats(n)


def old_f32(n):
    return struct.pack("<I", 0x0002C056) + floats(n)


def f16(n):
    data = struct.pack("<I", 0x01306B47) + b"".join(struct.pack("<e", (i * 37 % 65) / 32 - 1) for i in range(n))
    return data + bytes(-len(data) % 4)


def i8(n):
    data = struct.pack("<I", 0x000D4B38) + bytes((i * 37) % 256 for i in range(n))
    return data + bytes(-len(data) % 4)


def table(n):
    data = struct.pack("<I", 1) + floats(256) + bytes((i * 11) % 256 for i in range(n))
    return data + bytes(-len(data) % 4)


ATTENTION = b"".join(f(16) + raw(4) for f in (f32, f16, f32, f16))
WEIGHTS = {
    "convolution": (0, f32(72) + raw(4), how(best=1)),
    "convolution_old": (0, old_f32(72) + raw(4), how()),
    "convolution_f16": (0, f16(72) + raw(4), how(best=1)),
    "convolution_table": (0, table(72) + raw(4), how()),
    "convolution_i8": (1, i8(8) + raw(4, 4, 1), how(best=1)),
    "convolution_to_i8": (1, f32(8) + raw(4, 4, 1), how(values=EXTREME)),
    "requantized": (2, i8(6) + raw(3, 3, 1, 1) + i8(54) + raw(2, 1), how(best=1)),
    "depthwise": (3, f16(36) + raw(4), how(best=1)),
    "depthwise_i8": (4, i8(16) + raw(2, 1), how()),
    "innerproduct": (5, f16(30) + raw(5), how(best=1)),
    "innerproduct_i8": (6, i8(30) + raw(5, 5, 1), how(values=EXTREME)),
    "lstm": (7, f32(96) + f32(24) + f16(72), how(best=1)),
    "lstm_i8": (8, i8(48) + f32(12) + i8(24) + f32(6) + raw(12, 12), how()),
    "gru_rnn": (9, f16(36) + f32(12) + f32(27) + f32(6) + f32(2) + f32(4), how(threads=1)),
    "memorydata": (10, f16(12) + raw(3), how()),
    "norms_by_channel": (11, raw(2, 2, 2, 2, 2, 2, 2, 2), how(best=1)),
    "norms": (12, raw(4, 4, 2, 2, 4, 2, 2), how(best=1)),
    "embed": (13, f16(20) + raw(4), how(values=WHOLE)),
    "embed_i8": (14, i8(20) + raw(1), how(values=WHOLE)),
    "attention": (15, ATTENTION, how(best=1)),
    "attention_i8": (16, b"".join(i8(16) + raw(4) for _ in range(4)) + raw(4, 4, 4, 1), how()),
    "gemm": (17, f16(20) + f32(5), how(best=1)),
    "gemm_i8": (18, i8(20) + f32(5) + raw(1), how(best=1)),
    "gemm_blocks": (19, i8(90) + raw(6, 40), how(best=1)),
    "quantize": (20, raw(3, 3, 1, 3, 1, 3), how(values=WHOLE)),
    "normalize": (21, raw(3), how()),
}


# ------------------------------------------------------------------------------------------- choices


def random_bytes(seed, n):
    """As fuzz_random in nets.c."""
    x, out = (seed * 0x9E3779B97F4A7C15 + 1) % 2**64, b""
    for _ in range(n):
        x ^= x << 13 & 2**64 - 1
        x ^= x >> 7
        x ^= x << 17 & 2**64 - 1
        out += bytes([x >> 32 & 255])
    return out


# ------------------------------------------------------------------------------------------- the program's files



def case(name, layer, shape, weights=b""):
    n = math.prod(map(int, shape.split()))
    head = "case %s\neps 0.001\nlayer %s\nbin %d\nin f32 %s\nout f32 %s\ndata %d\n"
    data = weights + floats(2 * n)
    return (head % (name, layer, len(weights), shape, shape, len(data))).encode() + data + b"\n"


CASES = {
    "one": case("A/0", "AbsVal 1 1", "2 3"),
    "two": case("A/0", "ReLU 1 1 0=0.1", "4") + case("A/1", "Bias 1 1 0=2", "2 2 2", floats(2)),
    "whole": b"case B\neps 0\nlayer Noop 2 2\nin i32 2\nin i8 1 4\nout i32 2\nout i8 1 4\ndata 24\n" + bytes(24) + b"\n",
    "layer_twice": b"case C\nlayer ReLU 1 1\nin f32 2\nlayer ReLU 8 8\nout f32 2\ndata 16\n" + bytes(16),
    "layer_late": b"case C\neps 1\nin f32 2\nout f32 2\nlayer ReLU 1 1\ndata 16\n" + bytes(16),
    "huge": b"case D\nlayer ReLU 1 1\nbin 9999999999\nin f32 99999 99999 99999 99999\nout f32 2\ndata 0\n",
    "cut": case("A/0", "AbsVal 1 1", "2 3")[:-20],
}
MODELS = {
    "random": b"param a.param\nbin a.bin\ntol 1e-3\nin data f32 3 8 8 lcg 7 -1 1\n"
    b"out prob f32 10 prob.f32 every 1 sum 1.0 abs 1.0 max 0.5\n",
    "file": b"param a.param\nin x i32 1 5 file x.i32\nin y f32 4 file y.f32\nout z f32 2 2 z.f32\nout e empty\n",
    "every": b"# a comment\n\nparam a\nin x f32 1 lcg 1 0 1\n"
    b"out y f32 1000 1000 y.f32 every 997 sum nan abs inf max 1e300\n",
    "broken": b"param\nbin\ntol x\nin x\nout y\nwhat\n",
    "sizes": b"param a\nin x f32 99999 99999 99999 99999 lcg 1 0 1\nout y f32 0 y every 0\n",
    "cut": b"param a.param\nin x f32 3 8",
}


def png(width, height, kind, depth, rows):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


# A gray square of 8 x 8: tables, a scan, no more.
JPEG = bytes.fromhex(
    "ffd8ffdb004300" + "01" * 64 + "ffc0000b080008000801011100"
    "ffc4001f0000010501010101010100000000000000000102030405060708090a0b"
    "ffc400b5100002010303020403050504040000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282"
    "090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788"
    "898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1"
    "f2f3f4f5f6f7f8f9faffda0008010100003f00d28a28ffd9"
)
EXIF = bytes.fromhex("ffd8ffe100224578696600004d4d002a00000008000101120003000000010006000000000000")
PICTURES = {
    "gray.pgm": b"P5\n# grey\n3 2\n255\n" + bytes(range(6)),
    "wide.pgm": b"P5 2 2 65535\n" + bytes(range(8)),
    "colour.ppm": b"P6\n2 1\n1\n" + bytes([0, 1, 0, 1, 0, 1]),
    "cut.ppm": b"P6\n200 100\n255\n" + bytes(7),
    "huge.pgm": b"P5\n99999999999 4\n255\n0",
    "gray.png": png(3, 2, 0, 8, bytes([0, 1, 2, 3, 0, 4, 5, 6])),
    "colour.png": png(1, 2, 2, 16, bytes([0] + [9] * 6 + [2] + [1] * 6)),
    "palette.png": png(2, 2, 3, 8, bytes(6)),
    "alpha.png": png(1, 1, 6, 8, bytes([0, 1, 2, 3, 4])),
    "large.png": png(1 << 30, 1 << 30, 2, 8, b""),
    "cut.png": png(3, 2, 0, 8, bytes(8))[:40],
    "square.jpg": JPEG,
    "turned.jpg": EXIF + JPEG[2:],
    "cut.jpg": JPEG[:200],
    "none": b"GIF89a",
}


def main():
    for name, (text, last) in {**SYNTAX, **LAYERS}.items():
        write("param", name, text.encode() + last)
    for name in [*LAYERS, "old_array", "new_array", "string", "hints"]:
        text, last = {**SYNTAX, **LAYERS}[name]
        write("param_bin", name, binary(text) + last)
    for name, (which, data, last) in WEIGHTS.items():
        write("bin", name, data + bytes([which]) + last)
    for seed in range(24):
        write("net", "seed_%02d" % seed, random_bytes(seed, (48, 96, 192, 384)[seed % 4]))
        write("api", "seed_%02d" % seed, random_bytes(seed, (96, 192, 384, 640)[seed % 4]))
    for folder, files in (("cases", CASES), ("model", MODELS), ("picture", PICTURES)):
        for name, data in files.items():
            write(folder, name, data)


if __name__ == "__main__":
    main()
