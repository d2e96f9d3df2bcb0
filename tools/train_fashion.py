#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trains the picture classifier in tools/fashion and writes it as an ncnn model, with its sample pictures.

Debian: apt install python3-torch python3-numpy dataset-fashion-mnist; then tools/train_fashion.py (about ten minutes
on one core). The seed is fixed, nothing is chosen by looking at the test pictures: the last epoch is what is written.
"""
import argparse
import gzip
import pathlib
import struct
import time
import zlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

LABELS = ["T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"]
MEAN, SCALE = 73.0, 0.0111  # of the training pictures: the model sees (pixel - MEAN) * SCALE
WIDTH, DEEP = 40, 96        # channels at 14x14 and at 7x7
ROOT = pathlib.Path(__file__).resolve().parent.parent


# ---------------------------------------------------------------------------------------------- data

def read_idx(path):
    with gzip.open(path) as f:
        rank = struct.unpack(">HBB", f.read(4))[2]
        shape = struct.unpack(">%dI" % rank, f.read(4 * rank))
        return np.frombuffer(f.read(), np.uint8).reshape(shape)


def read_split(folder, name):
    return read_idx(folder / f"{name}-images-idx3-ubyte.gz"), read_idx(folder / f"{name}-labels-idx1-ubyte.gz")


def as_input(pictures):
    return ((torch.from_numpy(pictures.astype(np.float32)) - MEAN) * SCALE).unsqueeze(1)


def augment(x, rng):
    """Mirrors half of the pictures and moves all by up to two pixels; what comes in is background."""
    flip = torch.rand(len(x), 1, 1, 1, generator=rng) < 0.5
    x = torch.where(flip, x.flip(3), x)
    padded = F.pad(x, (2, 2, 2, 2), value=-MEAN * SCALE)
    dy, dx = torch.randint(0, 5, (2, len(x), 1), generator=rng)
    rows, columns = (dy + torch.arange(28)).unsqueeze(2), (dx + torch.arange(28)).unsqueeze(1)
    return padded[torch.arange(len(x)).view(-1, 1, 1), 0, rows, columns].unsqueeze(1)


# ---------------------------------------------------------------------------------------------- the network

class Conv(nn.Module):
    """A convolution with batch normalisation, which `folded` takes into weights and bias."""

    def __init__(self, inputs, outputs, kernel=1, stride=1, depthwise=False, relu=False):
        super().__init__()
        groups = inputs if depthwise else 1
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.relu = relu

    def forward(self, x):
        x = self.norm(self.conv(x))
        return F.relu(x) if self.relu else x

    def folded(self):
        factor = self.norm.weight / torch.sqrt(self.norm.running_var + self.norm.eps)
        return self.conv.weight * factor.view(-1, 1, 1, 1), self.norm.bias - self.norm.running_mean * factor


class Block(nn.Module):
    """x + narrow(wide(depthwise(x)))"""

    def __init__(self, channels):
        super().__init__()
        self.depth = Conv(channels, channels, 3, depthwise=True)
        self.wide = Conv(channels, 2 * channels, relu=True)
        self.narrow = Conv(2 * channels, channels)

    def forward(self, x):
        return x + self.narrow(self.wide(self.depth(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Conv(1, WIDTH, 3, stride=2, relu=True)
        self.block1 = Block(WIDTH)
        self.down = Conv(WIDTH, WIDTH, 3, stride=2, depthwise=True)
        self.mix = Conv(WIDTH, DEEP)
        self.block2 = Block(DEEP)
        self.block3 = Block(DEEP)
        self.answer = nn.Linear(DEEP, len(LABELS))

    def forward(self, x):
        x = self.mix(self.down(self.block1(self.stem(x))))
        return self.answer(self.block3(self.block2(x)).mean((2, 3)))


def train(net, pictures, labels, epochs, batch=128, peak=0.1):
    x, y = as_input(pictures), torch.from_numpy(labels.astype(np.int64))
    rng = torch.Generator().manual_seed(1)
    weights = [p for p in net.parameters() if p.dim() > 1]
    others = [p for p in net.parameters() if p.dim() <= 1]
    optimizer = torch.optim.SGD([{"params": weights, "weight_decay": 5e-4}, {"params": others}], peak, 0.9, nesterov=True)
    steps = len(x) // batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, peak, epochs * steps, pct_start=0.15, cycle_momentum=False)
    for epoch in range(epochs):
        net.train()
        order, total, start = torch.randperm(len(x), generator=rng), 0.0, time.process_time()
        for i in range(steps):
            pick = order[i * batch:(i + 1) * batch]
            inputs = augment(x[pick], rng).contiguous(memory_format=torch.channels_last)
            loss = F.cross_entropy(net(inputs), y[pick], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1:2d}: loss {total / steps:.4f}, {time.process_time() - start:.0f} s", flush=True)
    net.eval()


# ---------------------------------------------------------------------------------------------- the ncnn files

class Model:
    """Collects .param lines and .bin bytes."""

    def __init__(self):
        self.lines, self.blobs, self.bin = [], 0, b""

    def layer(self, type, name, inputs, outputs, **params):
        words = [f"{k[1:]}={v}" for k, v in params.items()]
        self.lines.append(" ".join([f"{type:<22} {name:<14} {len(inputs)} {len(outputs)}", *inputs, *outputs, *words]))
        self.blobs += len(outputs)
        return outputs[0]

    def weights(self, weight, bias):
        half = weight.detach().numpy().astype("<f2").tobytes()
        self.bin += struct.pack("<I", 0x01306B47) + half + b"\0" * (-len(half) % 4)
        self.bin += bias.detach().numpy().astype("<f4").tobytes()

    def conv(self, conv, name, x):
        weight, bias = conv.folded()
        c = conv.conv
        params = dict(_0=c.out_channels, _1=c.kernel_size[0], _3=c.stride[0], _4=c.padding[0], _5=1, _6=weight.numel())
        if c.groups > 1:
            params["_7"] = c.groups
        if conv.relu:
            params["_9"] = 1
        self.weights(weight, bias)
        return self.layer("ConvolutionDepthWise" if c.groups > 1 else "Convolution", name, [x], [name], **params)

    def block(self, block, name, x):
        self.layer("Split", f"{name}_split", [x], [f"{name}_a", f"{name}_b"])
        y = self.conv(block.depth, f"{name}_depth", f"{name}_a")
        y = self.conv(block.narrow, f"{name}_narrow", self.conv(block.wide, f"{name}_wide", y))
        return self.layer("BinaryOp", name, [f"{name}_b", y], [name], _0=0)

    def net(self, net):
        x = self.layer("Input", "data", [], ["data"], _0=28, _1=28, _2=1)
        x = self.block(net.block1, "block1", self.conv(net.stem, "stem", x))
        x = self.conv(net.mix, "mix", self.conv(net.down, "down", x))
        x = self.block(net.block3, "block3", self.block(net.block2, "block2", x))
        x = self.layer("Pooling", "pool", [x], ["pool"], _0=1, _4=1)
        self.weights(net.answer.weight, net.answer.bias)
        x = self.layer("InnerProduct", "answer", [x], ["answer"], _0=len(LABELS), _1=1, _2=net.answer.weight.numel())
        self.layer("Softmax", "prob", [x], ["prob"], _0=0, _1=1)

    def text(self):
        return "\n".join(["7767517", f"{len(self.lines)} {self.blobs}", *self.lines]) + "\n"


class Runner:
    """Runs the written files in numpy: a second opinion that shares nothing with torch."""

    def __init__(self, folder):
        self.bin, self.at = (folder / "fashion.bin").read_bytes(), 0
        self.rows = []
        for line in (folder / "fashion.param").read_text().splitlines()[2:]:
            type, name, n_in, n_out, *rest = line.split()
            n_in, n_out = int(n_in), int(n_out)
            p = {int(k): int(v) for k, v in (word.split("=") for word in rest[n_in + n_out:])}
            weight = bias = None
            if type in ("Convolution", "ConvolutionDepthWise", "InnerProduct"):
                weight, bias = self.read(p[2 if type == "InnerProduct" else 6]), self.read_raw(p[0])
            self.rows.append((type, rest[:n_in], rest[n_in:n_in + n_out], p, weight, bias))
        assert self.at == len(self.bin), "the .bin file is longer than its layers"

    def take(self, count, dtype):
        part = np.frombuffer(self.bin, dtype, count, self.at)
        self.at += part.nbytes
        return part

    def read(self, count):
        assert self.take(1, "<u4")[0] == 0x01306B47
        part = self.take(count, "<f2")
        self.at += -part.nbytes % 4
        return part.astype(np.float64)

    def read_raw(self, count):
        return self.take(count, "<f4").astype(np.float64)

    @staticmethod
    def conv(x, p, weight, bias):
        n, c, h, w = x.shape
        k, stride, pad, groups = p[1], p[3], p[4], p.get(7, 1)
        weight = weight.reshape(p[0], c // groups, k, k)
        x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        oh, ow = (h + 2 * pad - k) // stride + 1, (w + 2 * pad - k) // stride + 1
        y = np.zeros((n, p[0], oh, ow)) + bias.reshape(1, -1, 1, 1)
        for i in range(k):
            for j in range(k):
                part = x[:, :, i:i + stride * oh:stride, j:j + stride * ow:stride][:, :, :oh, :ow]
                if groups > 1:
                    y += part * weight[:, 0, i, j].reshape(1, -1, 1, 1)
                else:
                    y += np.einsum("nchw,oc->nohw", part, weight[:, :, i, j], optimize=True)
        return np.maximum(y, 0) if p.get(9) else y

    def run(self, x):
        blobs = {"data": x.astype(np.float64)}
        for type, inputs, outputs, p, weight, bias in self.rows:
            a = blobs[inputs[0]] if inputs else None
            if type.startswith("Convolution"):
                a = self.conv(a, p, weight, bias)
            elif type == "BinaryOp":
                a = a + blobs[inputs[1]]
            elif type == "Pooling":
                a = a.mean((2, 3))
            elif type == "InnerProduct":
                a = a @ weight.reshape(p[0], -1).T + bias
            elif type == "Softmax":
                a = np.exp(a - a.max(1, keepdims=True))
                a /= a.sum(1, keepdims=True)
            if type != "Input":
                blobs.update((name, a) for name in outputs)
        return blobs["prob"]


def restored(folder):
    """The network in torch, with the weights that the files hold."""
    rows = [(weight, bias) for *_, weight, bias in Runner(folder).rows if weight is not None]
    net = Net().eval()
    for m in net.modules():
        if isinstance(m, (Conv, nn.Linear)):
            layer = m.conv if isinstance(m, Conv) else m
            weight, bias = (torch.from_numpy(part).float() for part in rows.pop(0))
            layer.weight.data, layer.bias = weight.view_as(layer.weight), nn.Parameter(bias)
            if isinstance(m, Conv):
                m.norm = nn.Identity()
    return net


# ---------------------------------------------------------------------------------------------- pictures

def write_png(path, picture):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    h, w = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 0, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def write_samples(folder, pictures, labels, each=2):
    """The first pictures of every class in the test set, whatever the network says about them."""
    for label, name in enumerate(LABELS):
        for i, at in enumerate(np.flatnonzero(labels == label)[:each]):
            write_png(folder / f"{name.replace(' ', '-').lower()}-{i + 1}.png", pictures[at])


def evaluate(folder, pictures, labels):
    """Runs the files in torch and in numpy."""
    net = restored(folder)
    in_torch, in_numpy = [], []
    for i in range(0, len(pictures), 500):
        x = as_input(pictures[i:i + 500])
        with torch.no_grad():
            in_torch.append(F.softmax(net(x), 1).numpy())
        in_numpy.append(Runner(folder).run(x.numpy()))
    in_torch, in_numpy = np.concatenate(in_torch), np.concatenate(in_numpy)
    for name, prob in (("torch", in_torch), ("numpy", in_numpy)):
        right = prob.argmax(1) == labels
        print(f"{name}: {right.sum()} of {len(right)} right, {right[:200].sum()} of the first 200")
    print(f"largest difference of the two: {np.abs(in_torch - in_numpy).max():.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--out", type=pathlib.Path, default=ROOT)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--evaluate", action="store_true", help="the files that are there, without training")
    args = parser.parse_args()
    model_folder, test_folder = args.out / "tools/fashion", args.out / "tests/data"
    pictures, labels = read_split(args.data, "t10k")
    torch.set_num_threads(1)
    if args.evaluate:
        evaluate(model_folder, pictures, labels)
        return

    torch.manual_seed(1)
    net = Net().to(memory_format=torch.channels_last)
    train(net, *read_split(args.data, "train"), args.epochs)
    model = Model()
    model.net(net)
    for folder in (model_folder, test_folder):
        folder.mkdir(parents=True, exist_ok=True)
    (model_folder / "fashion.param").write_text(model.text())
    (model_folder / "fashion.bin").write_bytes(model.bin)
    (model_folder / "labels.txt").write_text("\n".join(LABELS) + "\n")
    write_samples(model_folder, pictures, labels)
    records = [bytes([label]) + picture.tobytes() for picture, label in zip(pictures[:200], labels[:200])]
    (test_folder / "fashion_200.bin").write_bytes(b"".join(records))
    print(f"input (pixel - {MEAN}) * {SCALE}; files of {len(model.text())} + {len(model.bin)} bytes")
    evaluate(model_folder, pictures, labels)


if __name__ == "__main__":
    main()
