"""Exports the models of the operator list with PyTorch: random weights, fixed seed.

    python export_models.py OUT [--small] [--only NAME ...]

writes OUT/NAME.pt2 (torch.export.save) and OUT/NAME.safetensors with input0, input1, ... and output0, ...; models with
state have further calls in the same session as call1.input0, ..., call1.output0, ... Existing files are kept. --small:
tiny widths and resolutions of the same structure, named NAME_small.

Needs torch, torchvision, safetensors; transformers for mobilebert.
"""
import argparse
import functools
import logging
import math
import os
import re
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save_file

IMAGE = lambda size: (torch.randn(1, 3, size, size),)


def calibrated(model, *inputs):
    """Gives batch norms the statistics of random data: with untrained ones activations would vanish or explode."""
    model.eval()
    norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    momentum = [m.momentum for m in norms]
    for m in norms:
        m.train()
        m.momentum = 1.0
    with torch.no_grad():
        model(*inputs)
    for m, value in zip(norms, momentum):
        m.eval()
        m.momentum = value
        with torch.no_grad():  # affine parameters that a test would miss when ignored
            m.weight.uniform_(0.7, 1.3)
            m.bias.uniform_(-0.2, 0.2)
    return model


class FirstOutput(nn.Module):
    """The main output of a segmentation model, which returns a dictionary."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


def mobilenet_v2(small):
    from torchvision.models import mobilenet_v2 as build
    model = build(weights=None, width_mult=0.25, num_classes=10) if small else build(weights=None)
    size = 64 if small else 224
    return calibrated(model, torch.randn(4, 3, size, size)), IMAGE(size)


def mobilenet_v3(build_name):
    def make(small):
        import torchvision.models as tv
        build = getattr(tv, build_name)
        model = build(weights=None, width_mult=0.25, num_classes=10) if small else build(weights=None)
        size = 64 if small else 224
        return calibrated(model, torch.randn(4, 3, size, size)), IMAGE(size)
    return make


class SmallResNet(nn.Module):
    def __init__(self, block, width=8, blocks=(2, 2)):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                                  nn.MaxPool2d(3, stride=2, padding=1))
        layers, channels = [], width
        for stage, count in enumerate(blocks):
            planes = width << stage
            for i in range(count):
                stride = 2 if stage > 0 and i == 0 else 1
                down = None
                if stride != 1 or channels != planes * block.expansion:
                    down = nn.Sequential(nn.Conv2d(channels, planes * block.expansion, 1, stride=stride, bias=False),
                                         nn.BatchNorm2d(planes * block.expansion))
                layers.append(block(channels, planes, stride, down))
                channels = planes * block.expansion
        self.layers = nn.Sequential(*layers)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(channels, 10)

    def forward(self, x):
        return self.fc(torch.flatten(self.pool(self.layers(self.stem(x))), 1))


def resnet(name):
    def make(small):
        import torchvision.models as tv
        from torchvision.models.resnet import BasicBlock, Bottleneck
        if small:
            model = SmallResNet(BasicBlock if name == "resnet18" else Bottleneck)
        else:
            model = getattr(tv, name)(weights=None)
        size = 64 if small else 224
        return calibrated(model, torch.randn(4, 3, size, size)), IMAGE(size)
    return make


def inception_v3(small):
    from torchvision.models import inception as tv
    if not small:
        model = tv.inception_v3(weights=None, init_weights=False, transform_input=True)
        return calibrated(model, torch.randn(2, 3, 299, 299)), IMAGE(299)

    class ThinConv(tv.BasicConv2d):
        def __init__(self, channels_in, channels_out, **kwargs):
            super().__init__(channels_in if channels_in == 3 else channels_in // 8, channels_out // 8, **kwargs)

    thin = [functools.partial(b, conv_block=ThinConv) for b in
            (tv.InceptionA, tv.InceptionB, tv.InceptionC, tv.InceptionD, tv.InceptionE)]
    model = tv.Inception3(num_classes=10, aux_logits=False, transform_input=True, init_weights=False, inception_blocks=[ThinConv, *thin, None])
    model.fc = nn.Linear(256, 10)
    return calibrated(model, torch.randn(4, 3, 75, 75)), IMAGE(75)


def deeplabv3(backbone):
    def make(small):
        from torchvision.models import segmentation as tv
        if not small:
            model = getattr(tv, "deeplabv3_" + backbone)(weights=None, weights_backbone=None)
            return calibrated(FirstOutput(model), torch.randn(2, 3, 224, 224)), IMAGE(224)
        from torchvision.models._utils import IntermediateLayerGetter
        from torchvision.models.resnet import BasicBlock, Bottleneck
        from torchvision.models.segmentation.deeplabv3 import ASPP, DeepLabV3
        block = BasicBlock if backbone == "mobilenet_v3_large" else Bottleneck
        body = SmallResNet(block)
        channels = body.fc.in_features
        features = IntermediateLayerGetter(nn.Sequential(body.stem, body.layers), {"1": "out"})
        head = nn.Sequential(ASPP(channels, [2, 4, 6], 16), nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
                             nn.Conv2d(16, 5, 1))
        return calibrated(FirstOutput(DeepLabV3(features, head)), torch.randn(4, 3, 64, 64)), IMAGE(64)
    return make


def vit_b_16(small):
    from torchvision.models import vision_transformer as tv
    if small:
        model = tv.VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=16, mlp_dim=32, num_classes=10)
    else:
        model = tv.vit_b_16(weights=None)
    nn.init.normal_(model.heads.head.weight, std=0.05)  # torchvision starts it at zero, which would hide every mistake
    nn.init.normal_(model.heads.head.bias, std=0.05)
    return model.eval(), IMAGE(32 if small else 224)


def mobilebert(small):
    from transformers import MobileBertConfig, MobileBertModel
    tiny = dict(vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, embedding_size=16,
                true_hidden_size=16, intra_bottleneck_size=16, max_position_embeddings=32, num_feedforward_networks=2)
    config = MobileBertConfig(**tiny) if small else MobileBertConfig()
    config._attn_implementation = "eager"

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = MobileBertModel(config)

        def forward(self, ids, mask):
            out = self.bert(input_ids=ids, attention_mask=mask, return_dict=True)
            return out.last_hidden_state, out.pooler_output

    model = Encoder().eval()
    with torch.no_grad():
        for name, p in model.named_parameters():  # NoNorm starts as the identity and biases at zero
            if p.dim() == 1:
                p.add_(torch.randn_like(p) * 0.05)
    length = 8 if small else 128
    mask = torch.ones(1, length, dtype=torch.int64)
    mask[:, length * 3 // 4:] = 0
    return model, (torch.randint(0, config.vocab_size, (1, length)), mask)


class Wav2Letter(nn.Module):
    """Collobert et al. 2016 on raw audio: a stack of one-dimensional convolutions."""

    def __init__(self, channels=250, wide=2000, classes=40, layers=7, first=250, stride=160):
        super().__init__()
        stack = [nn.Conv1d(1, channels, first, stride=stride, padding=45), nn.ReLU(), nn.Conv1d(channels, channels, 48, stride=2, padding=23),
                 nn.ReLU()]
        for _ in range(layers):
            stack += [nn.Conv1d(channels, channels, 7, padding=3), nn.ReLU()]
        stack += [nn.Conv1d(channels, wide, 32, padding=16), nn.ReLU(), nn.Conv1d(wide, wide, 1), nn.ReLU(), nn.Conv1d(wide, classes, 1)]
        self.stack = nn.Sequential(*stack)
        gain = nn.init.calculate_gain("relu")
        for m in self.stack:
            if isinstance(m, nn.Conv1d):
                nn.init.normal_(m.weight, std=gain / math.sqrt(m.in_channels * m.kernel_size[0]))

    def forward(self, wave):
        return F.log_softmax(self.stack(wave), dim=1)


def wav2letter(small):
    if small:
        return Wav2Letter(channels=8, wide=16, classes=5, layers=2, stride=32).eval(), (torch.randn(1, 1, 3200),)
    return Wav2Letter().eval(), (torch.randn(1, 1, 16000),)


class Tagger(nn.Module):
    """Embedding, two LSTM layers in both directions, a linear layer; returns the last states too."""

    def __init__(self, words, width, hidden, tags):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.tags = nn.Linear(2 * hidden, tags)

    def forward(self, ids, h, c):
        y, (h, c) = self.lstm(self.embedding(ids), (h, c))
        return F.log_softmax(self.tags(y), dim=-1), h, c


def lstm(small):
    words, width, hidden, length = (20, 8, 6, 5) if small else (1000, 128, 256, 32)
    return Tagger(words, width, hidden, 9).eval(), (torch.randint(0, words, (2, length)), torch.randn(4, 2, hidden), torch.randn(4, 2, hidden))


class ResidualBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1))

    def forward(self, x):
        return x + self.body(x) * 0.1


class EDSR(nn.Module):
    """Lim et al. 2017: super-resolution by residual blocks and a pixel shuffle."""

    def __init__(self, channels=64, blocks=16, scale=2):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.4488, 0.4371, 0.4040]).view(1, 3, 1, 1))
        self.head = nn.Conv2d(3, channels, 3, padding=1)
        self.body = nn.Sequential(*[ResidualBlock(channels) for _ in range(blocks)], nn.Conv2d(channels, channels, 3, padding=1))
        self.tail = nn.Sequential(nn.Conv2d(channels, channels * scale * scale, 3, padding=1), nn.PixelShuffle(scale), nn.Conv2d(channels, 3, 3, padding=1))

    def forward(self, x):
        x = self.head(x - self.mean)
        return self.tail(x + self.body(x)) + self.mean


def edsr(small):
    return (EDSR(8, 2).eval(), (torch.rand(1, 3, 16, 16),)) if small else (EDSR().eval(), (torch.rand(1, 3, 128, 128),))


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(dim) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def rotate(x, cos, sin):  # x: [batch, heads, length, head_dim]
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


class Attention(nn.Module):
    def __init__(self, dim, heads, kv_heads, length):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, dim // heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.register_buffer("k_cache", torch.zeros(1, kv_heads, length, self.head_dim))
        self.register_buffer("v_cache", torch.zeros(1, kv_heads, length, self.head_dim), persistent=False)

    def forward(self, x, positions, cos, sin, mask):
        batch, length, _ = x.shape
        q = self.wq(x).view(batch, length, self.heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(batch, length, self.kv_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(batch, length, self.kv_heads, self.head_dim).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        self.k_cache.index_copy_(2, positions, k)
        self.v_cache[:, :, positions] = v
        k = self.k_cache.repeat_interleave(self.heads // self.kv_heads, dim=1)
        v = self.v_cache.repeat_interleave(self.heads // self.kv_heads, dim=1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.wo(y.transpose(1, 2).reshape(batch, length, -1))


class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, kv_heads, hidden, length):
        super().__init__()
        self.attention_norm, self.mlp_norm = RMSNorm(dim), RMSNorm(dim)
        self.attention = Attention(dim, heads, kv_heads, length)
        self.gate, self.up = nn.Linear(dim, hidden, bias=False), nn.Linear(dim, hidden, bias=False)
        self.down = nn.Linear(hidden, dim, bias=False)

    def forward(self, x, *rest):
        x = x + self.attention(self.attention_norm(x), *rest)
        h = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Decoder(nn.Module):
    """Llama's structure: RMSNorm, rotary positions, grouped queries, SwiGLU, and a cache that the model itself keeps."""

    def __init__(self, words, dim, layers, heads, kv_heads, hidden, length):
        super().__init__()
        self.embedding = nn.Embedding(words, dim)
        self.blocks = nn.ModuleList([DecoderBlock(dim, heads, kv_heads, hidden, length) for _ in range(layers)])
        self.norm = RMSNorm(dim)
        self.output = nn.Linear(dim, words, bias=False)
        self.output.weight = self.embedding.weight  # tied
        angles = torch.outer(torch.arange(length).float(), 10000.0 ** (-torch.arange(0, dim // heads, 2).float() / (dim // heads)))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        self.register_buffer("mask", torch.tril(torch.ones(length, length, dtype=torch.bool)))

    def forward(self, tokens, positions):
        x = self.embedding(tokens)
        cos, sin, mask = self.cos[positions], self.sin[positions], self.mask[positions]
        for block in self.blocks:
            x = block(x, positions, cos, sin, mask)
        return self.output(self.norm(x))


def llama(small):
    words, dim, layers, heads, kv_heads, hidden, length = (32, 16, 2, 4, 2, 40, 16) if small else (512, 256, 4, 8, 2, 688, 128)
    model = Decoder(words, dim, layers, heads, kv_heads, hidden, length).eval()
    prompt = 5
    calls = [(torch.randint(0, words, (1, prompt)), torch.arange(prompt))]
    calls += [(torch.randint(0, words, (1, 1)), torch.tensor([prompt + i])) for i in range(3)]
    size = torch.export.Dim("t", min=1, max=length)
    return model, calls[0], dict(dynamic_shapes=({1: size}, {0: size})), calls[1:]


MODELS = {
    "mobilenet_v2": mobilenet_v2, "mobilenet_v3_small": mobilenet_v3("mobilenet_v3_small"), "mobilenet_v3_large": mobilenet_v3("mobilenet_v3_large"),
    "resnet18": resnet("resnet18"), "resnet50": resnet("resnet50"), "inception_v3": inception_v3, "deeplabv3_mobilenet": deeplabv3("mobilenet_v3_large"),
    "deeplabv3_resnet50": deeplabv3("resnet50"), "vit_b_16": vit_b_16, "mobilebert": mobilebert, "wav2letter": wav2letter, "lstm": lstm, "edsr": edsr,
    "llama": llama,
}


def flat(outputs):
    return list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]


def without_folders(program):
    """Source lines name files from the installed package on, not this machine's folders."""
    for node in program.graph.nodes:
        if node.meta.get("stack_trace"):
            trace = re.sub(r'"[^"]*/site-packages/', '"', node.meta["stack_trace"])
            node.meta["stack_trace"] = re.sub(r'"/[^"]*/([^"/]+)"', r'"\1"', trace)
    return program


def export(name, small, folder):
    path = os.path.join(folder, name + ("_small" if small else ""))
    if os.path.exists(path + ".pt2") and os.path.exists(path + ".safetensors"):
        return
    torch.manual_seed(0)
    model, inputs, *rest = MODELS[name](small)
    options, further = rest if rest else ({}, [])
    with torch.no_grad():
        program = torch.export.export(model, inputs, strict=False, **options)
        torch.export.save(without_folders(program), path + ".pt2")
        tensors = {}
        for call, args in enumerate([inputs, *further]):
            prefix = f"call{call}." if call > 0 else ""
            outputs = flat(model(*args))
            tensors.update({f"{prefix}input{i}": t.contiguous() for i, t in enumerate(args)})
            tensors.update({f"{prefix}output{i}": t.contiguous().clone() for i, t in enumerate(outputs)})
    save_file(tensors, path + ".safetensors")
    print(f"{path}.pt2: {os.path.getsize(path + '.pt2')} bytes, {len(list(program.graph.nodes))} nodes, outputs up to "
          f"{max(float(o.abs().max()) for o in outputs):.3g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--small", action="store_true", help="tiny variants, named NAME_small")
    parser.add_argument("--only", nargs="*", choices=sorted(MODELS), help="these models instead of all")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    os.makedirs(args.out, exist_ok=True)
    for name in args.only or MODELS:
        export(name, args.small, args.out)


if __name__ == "__main__":
    # Run under its bare name, so that the stack traces in the archives do not name this machine's folders.
    with open(__file__) as source:
        exec(compile(source.read(), os.path.basename(__file__), "exec"), {"__name__": "export"})
elif __name__ == "export":
    main()
