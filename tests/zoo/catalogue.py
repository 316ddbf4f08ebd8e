"""The models of the zoo: for each name a function that gives (module, inputs) with random weights.

Names are examples/NAME, torchvision/NAME, transformers/TYPE[+TASK] and timm/NAME. A function may raise LeftOut with its reason.
"""

import functools

import torch
import torch.nn as nn
from torch.utils._pytree import tree_leaves

LARGEST = 200_000_000  # parameters


class LeftOut(Exception):
    """Why a model is not tried."""


class Tensors(nn.Module):
    """A model called with tensors by name, which returns the tensors among its outputs."""

    def __init__(self, model, names=(), **constants):
        super().__init__()
        self.model, self.names, self.constants = model, names, constants

    def forward(self, *inputs):
        if self.names:
            out = self.model(**dict(zip(self.names, inputs)), **self.constants)
        else:
            out = self.model(*inputs, **self.constants)
        return tuple(t for t in tree_leaves(out) if isinstance(t, torch.Tensor))


def lively(model, *inputs):
    """Gives biases, scales and norms values that a test would miss when ignored: many start at zero, one or 1e-6."""
    if sum(p.numel() for p in model.parameters()) > LARGEST:
        raise LeftOut("more than 200 M parameters")
    model.eval()
    with torch.no_grad():
        for p in model.parameters():
            if p.numel() > 1 and p.is_floating_point() and p.min() == p.max():
                p.add_(torch.randn_like(p) * (0.1 if p.dim() < 2 else 0.05))
        norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm) and m.running_mean is not None]
        hooks = [m.register_forward_pre_hook(calibrate) for m in norms]
        if norms:
            model(*inputs)
        for hook in hooks:
            hook.remove()
    return model, inputs


def calibrate(norm, args):
    """Gives a batch norm the statistics of what it gets: with untrained ones activations vanish or explode.

    Deep random networks with batch norms are chaotic: they make large differences of rounding errors. So channels that are
    small or nearly constant stay so, and biases weigh as much as what varies.
    """
    channels = args[0].transpose(0, 1).flatten(1)
    power = channels.square().mean(1)
    norm.running_mean.copy_(channels.mean(1))
    norm.running_var.copy_(power + power.mean() * 0.1)
    if norm.affine:
        norm.weight.mul_(0.5)
        norm.bias.add_(torch.randn_like(norm.bias) * 0.5)


# ---- the example models of ExecuTorch's first table, at full size ----


class Mul(nn.Module):
    def forward(self, x, y):
        return x * y


class AddMul(nn.Module):
    def forward(self, a, x, b):
        return torch.add(torch.mm(a, x), b)


class ResidualBlock(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(features, features, 3, padding=1), nn.ReLU(), nn.Conv2d(features, features, 3, padding=1))

    def forward(self, x):
        return x + self.body(x)


class Edsr(nn.Module):
    """EDSR with 16 residual blocks of 64 features that doubles height and width (Lim et al., 2017)."""

    def __init__(self, blocks=16, features=64, scale=2):
        super().__init__()
        self.sub_mean, self.add_mean = self.shift(-1), self.shift(1)
        self.head = nn.Conv2d(3, features, 3, padding=1)
        self.body = nn.Sequential(*(ResidualBlock(features) for _ in range(blocks)), nn.Conv2d(features, features, 3, padding=1))
        self.tail = nn.Sequential(
            nn.Conv2d(features, features * scale**2, 3, padding=1), nn.PixelShuffle(scale), nn.Conv2d(features, 3, 3, padding=1)
        )

    @staticmethod
    def shift(sign):
        conv = nn.Conv2d(3, 3, 1).requires_grad_(False)
        conv.weight.copy_(torch.eye(3).view(3, 3, 1, 1))
        conv.bias.copy_(sign * torch.tensor([0.4488, 0.4371, 0.4040]))
        return conv

    def forward(self, x):
        x = self.head(self.sub_mean(x))
        return self.add_mean(self.tail(x + self.body(x)))


class Rnnt(nn.Module):
    """A part of torchaudio's RNN-T."""

    def __init__(self, part):
        super().__init__()
        import torchaudio

        self.rnnt = torchaudio.models.emformer_rnnt_base(num_symbols=4097)
        self.part = part

    def forward(self, *inputs):
        if self.part == "predict":
            inputs = (*inputs, None)
        return tuple(tree_leaves(getattr(self.rnnt, self.part)(*inputs)))


def vision_example(name, **options):
    import torchvision

    return torchvision.models.get_model(name, weights=None, **options)


def image(size=224):
    return (torch.randn(1, 3, size, size),)


def example_mobilebert():
    import transformers

    config = transformers.MobileBertConfig(return_dict=False)
    return transformers.MobileBertModel(config), (torch.tensor([[101, 7592, 1010, 2026, 3899, 2003, 10140, 102]]),)


def example_llama2():
    """ExecuTorch's own transformer in the size of its demonstration."""
    from executorch.examples.models.llama.llama_transformer import construct_transformer
    from executorch.examples.models.llama.model_args import ModelArgs

    args = ModelArgs(dim=64, multiple_of=4, n_heads=8, n_layers=5, norm_eps=1e-5, vocab_size=512)
    return construct_transformer(args), (torch.randint(0, 512, (1, 16)),)


def example_ic4():
    import timm

    return timm.create_model("inception_v4", pretrained=False), image(299)


def example_w2l():
    import torchaudio

    return torchaudio.models.Wav2Letter(num_classes=4096), (torch.randn(10, 1, 700),)


EXAMPLES = {
    "mul": lambda: (Mul(), (torch.randn(3, 2), torch.randn(3, 2))),
    "add_mul": lambda: (AddMul(), (torch.ones(2, 2), 2 * torch.ones(2, 2), 3 * torch.ones(2, 2))),
    "linear": lambda: (nn.Linear(3, 3), (torch.randn(3, 3),)),
    "edsr": lambda: (Edsr(), image()),
    "mobilebert": example_mobilebert,
    "mv2": lambda: (vision_example("mobilenet_v2"), image()),
    "mv3": lambda: (vision_example("mobilenet_v3_small"), image()),
    "vit": lambda: (vision_example("vit_b_16"), image()),
    "w2l": example_w2l,
    "ic3": lambda: (vision_example("inception_v3", init_weights=False), image()),
    "ic4": example_ic4,
    "resnet18": lambda: (vision_example("resnet18"), image()),
    "resnet50": lambda: (vision_example("resnet50"), image()),
    "llama2": example_llama2,
    "emformer_join": lambda: (
        Rnnt("join"),
        (torch.rand(1, 128, 1024), torch.tensor([128]), torch.rand(1, 128, 1024), torch.tensor([128])),
    ),
    "emformer_predict": lambda: (Rnnt("predict"), (torch.zeros(1, 128, dtype=torch.int64), torch.tensor([128]))),
    "emformer_transcribe": lambda: (Rnnt("transcribe"), (torch.randn(1, 128, 80), torch.tensor([128]))),
    "dl3": lambda: (Tensors(vision_example("deeplabv3_resnet50", weights_backbone=None)), image()),
}


def example_model(name):
    model, inputs = EXAMPLES[name]()
    return lively(model, *inputs)


# ---- torchvision ----


class Detector(nn.Module):
    """A detection model with one image."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return tuple(tree_leaves(self.model([image])))


def torchvision_model(name):
    import torchvision

    module = torchvision.models.get_model_builder(name).__module__.rsplit(".", 2)
    kind = module[1] if module[1] in ("detection", "segmentation", "video", "optical_flow") else "classification"
    options, shape = {"weights": None}, (1, 3, 64, 64)
    if kind in ("detection", "segmentation"):
        options["weights_backbone"] = None
    if kind == "detection":
        model = torchvision.models.get_model(name, **options).eval()
        size = {"ssd300_vgg16": 300, "ssdlite320_mobilenet_v3_large": 320}.get(name, 128)
        if size == 128:
            model.transform.min_size, model.transform.max_size = (128,), 128
        return lively(Detector(model), torch.rand(3, size, size))
    if kind == "optical_flow":
        model = torchvision.models.get_model(name, **options)
        images = (torch.rand(1, 3, 128, 128) * 2 - 1, torch.rand(1, 3, 128, 128) * 2 - 1)
        return Tensors(lively(model, *images)[0], num_flow_updates=3), images
    if kind == "video":
        shape = (1, 3, 8, 64, 64)
        if name.startswith("mvit") or name == "s3d":
            shape = (1, 3, 16, 224, 224)
    elif name.startswith("vit"):
        options["image_size"] = 64 if not name.endswith("14") else 56
        shape = (1, 3, options["image_size"], options["image_size"])
    elif name.startswith(("inception", "googlenet")):
        options["init_weights"] = False
        shape = (1, 3, 96, 96)
    elif name.startswith("maxvit"):
        shape = (1, 3, 224, 224)
    model = torchvision.models.get_model(name, **options)
    if kind == "segmentation":
        model = Tensors(model)
    return lively(model, torch.randn(*shape))


def torchvision_models():
    import torchvision

    return [n for n in torchvision.models.list_models() if not n.startswith("quantized")]


# ---- transformers ----

TINY = dict(
    vocab_size=128,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    intermediate_size=64,
    head_dim=8,
    max_position_embeddings=64,
    embedding_size=16,
    d_model=32,
    d_ff=64,
    d_kv=8,
    num_layers=2,
    num_heads=4,
    encoder_layers=2,
    decoder_layers=2,
    num_decoder_layers=2,
    num_encoder_layers=2,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=64,
    decoder_ffn_dim=64,
    num_experts=4,
    num_local_experts=4,
    n_routed_experts=4,
    num_experts_per_tok=2,
    moe_intermediate_size=32,
    shared_expert_intermediate_size=32,
    n_group=1,
    topk_group=1,
    q_lora_rank=16,
    kv_lora_rank=16,
    qk_nope_head_dim=8,
    qk_rope_head_dim=8,
    v_head_dim=8,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    decoder_start_token_id=1,
    image_size=64,
    patch_size=16,
    projection_dim=32,
    sliding_window=8,
    hidden_dim=32,
    dim=32,
    n_layers=2,
    n_heads=4,
    ffn_hidden_size=64,
    d_inner=64,
    n_head=4,
    n_embd=32,
    n_layer=2,
    n_positions=64,
    state_size=8,
    attention_hidden_size=32,
    encoder_dim=32,
    num_codevector_groups=2,
    query_pre_attn_scalar=8,
    hidden_size_per_layer_input=8,
    vocab_size_per_layer_input=128,
    mamba_d_state=8,
    mamba_d_head=16,
    mamba_n_heads=4,
    mamba_n_groups=1,
    mamba_d_ssm=64,
    conv_depthwise_kernel_size=7,
    num_conv_pos_embeddings=16,
    num_conv_pos_embedding_groups=4,
    max_source_positions=50,
    max_target_positions=32,
    num_mel_bins=32,
    max_length=128,
    word_embed_proj_dim=32,
    type_vocab_size=2,
    rotary_dim=8,
    lru_width=32,
    attention_window=8,
    prediction_length=4,
    context_length=16,
    decoder_hidden_size=32,
    audio_channels=1,
)

# Numbers of TINY that replace None too.
UNSET = ("head_dim", "pad_token_id", "q_lora_rank", "num_key_value_heads", "vocab_size")
# Models that stay as they are: their parts have to fit each other.
PLAIN = (
    "convnext",
    "convnextv2",
    "efficientnet",
    "swin",
    "swinv2",
    "donut-swin",
    "rt_detr",
    "rt_detr_v2",
    "d_fine",
    "rf_detr",
    "dpt",
    "beit",
    "data2vec-vision",
    "mimi",
    "dac",
    "encodec",
    "bit",
    "imagegpt",
    "pp_ocrv6_small_det",
)

# What the tiny sizes would break, or what makes a variant of its own.
LATENT_ATTENTION = [
    "axk1",
    "axk2",
    "deepseek_v2",
    "deepseek_v3",
    "deepseek_v32",
    "glm4_moe_lite",
    "glm_moe_dsa",
    "kimi_linear",
    "longcat_flash",
    "minicpm3",
    "sarvam_mla",
    "youtu",
]
SPECIAL = {
    **{kind: dict(num_key_value_heads=4) for kind in LATENT_ATTENTION},
    "gemma3n_text": dict(num_kv_shared_layers=0),
    "mamba": dict(intermediate_size=64, time_step_rank=4),
    "mamba2": dict(num_heads=8, head_dim=8, n_groups=1, chunk_size=8),
    "falcon_mamba": dict(intermediate_size=64, time_step_rank=4),
    "xlnet": dict(d_head=8),
    "funnel": dict(block_sizes=[1, 1], d_head=8),
    "longformer": dict(attention_window=4),
    "deberta-v2": dict(relative_attention=True, pos_att_type=["p2c", "c2p"], position_biased_input=False),
    "deberta": dict(relative_attention=True, pos_att_type=["p2c", "c2p"]),
    "led": dict(attention_window=4),
    "big_bird": dict(attention_type="original_full"),
    "bigbird_pegasus": dict(attention_type="original_full"),
    "reformer": dict(attn_layers=["local", "local"], axial_pos_embds=False, is_decoder=False, attention_head_size=8),
    "falcon": dict(multi_query=True),
    "gpt_neo": dict(attention_types=[[["global", "local"], 1]]),
    "rwkv": dict(attention_hidden_size=32),
    "ctrl": dict(dff=64),
    "phi3": dict(original_max_position_embeddings=64),
    "squeezebert": dict(embedding_size=32),
    "fnet": dict(),
    "codegen": dict(rotary_dim=4),
    "gptj": dict(rotary_dim=4),
    "convbert": dict(head_ratio=2, num_groups=1),
    "nystromformer": dict(num_landmarks=4, segment_means_seq_len=16),
    "vilt": dict(max_image_length=-1),
    "levit": dict(),
    "clap": dict(),
    "roformer": dict(embedding_size=32),
    "rembert": dict(input_embedding_size=16, output_embedding_size=16),
    "deit": dict(),
    "esm": dict(pad_token_id=1, mask_token_id=3, is_folding_model=False, token_dropout=False),
    "siglip2_vision_model": dict(),
    "neomme": dict(head_dim=16),
    "beit": dict(out_indices=[3, 5, 7, 11]),
    "mobilebert": dict(true_hidden_size=16, intra_bottleneck_size=16, embedding_size=16),
    "cpmant": dict(),
    "xmod": dict(languages=["en"], default_language="en"),
}

# Sizes of images where 64 is too small or fixed.
IMAGE_SIZES = {
    "convnext": 64,
    "levit": 224,
    "swiftformer": 224,
    "dinat": 224,
    "bit": 64,
    "efficientnet": 64,
    "mobilevit": 64,
    "cvt": 64,
    "hiera": 224,
    "detr": 128,
    "sam": 128,
    "mobilevitv2": 256,
    "donut-swin": 224,
    "rt_detr": 320,
    "rt_detr_v2": 320,
    "d_fine": 320,
    "rf_detr": 384,
    "perceiver": 224,
    "focalnet": 64,
    "imagegpt": 32,
    "owlvit": 64,
}


def tiny_config(config_class, **extra):
    """The configuration's default with every number that TINY knows made small, in its parts too."""
    default = config_class().to_dict()
    number = lambda k: type(default.get(config_class.attribute_map.get(k, k))) is int
    layered = config_class.model_type not in PLAIN and any(
        number(k) for k in ("num_hidden_layers", "num_layers", "encoder_layers", "decoder_layers", "n_layers", "num_encoder_layers")
    )
    options = {
        k: v for k, v in TINY.items() if layered and (number(k) or (k in UNSET and k in default))
    }  # convolutional networks stay as they are
    for part, part_class in (getattr(config_class, "sub_configs", None) or {}).items():
        if getattr(part_class, "model_type", "") and part_class.__name__ != "AutoConfig":
            options[part] = tiny_config(part_class, **SPECIAL.get(part_class.model_type, {})).to_dict()
    options.update(extra)
    return config_class(**options)


def token_ids(length=12, vocabulary=100):
    return torch.randint(3, vocabulary, (1, length))


def text_inputs(padded):
    mask = torch.ones(1, 12, dtype=torch.int64)
    if padded:
        mask[:, 9:] = 0
    return ("input_ids", "attention_mask"), (token_ids(), mask)


def image_inputs(kind, config):
    config = getattr(config, "vision_config", config)
    size = IMAGE_SIZES.get(kind, getattr(config, "image_size", 64))
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    return ("pixel_values",), (torch.randn(1, getattr(config, "num_channels", 3), height, width),)


def speech_inputs(kind, config):
    if kind in ("audio-spectrogram-transformer",):
        return ("input_values",), (torch.randn(1, config.max_length, config.num_mel_bins),)
    if kind == "wav2vec2-bert":
        return ("input_features",), (torch.randn(1, 40, config.feature_projection_input_dim),)
    if kind == "whisper":
        return ("input_features",), (torch.randn(1, config.num_mel_bins, 2 * config.max_source_positions),)
    if kind in ("encodec", "dac", "mimi"):
        return ("input_values",), (torch.randn(1, 1, 3200),)
    if kind in ("parakeet_ctc", "lasr_ctc"):
        part = config.encoder_config
        return ("input_features",), (torch.randn(1, 64, part.num_mel_bins),)
    return ("input_values",), (torch.randn(1, 4000),)


# Task: the auto class, and the inputs for a model type with a configuration.
TASKS = {
    "causal-lm": ("AutoModelForCausalLM", lambda kind, c: text_inputs(False)),
    "masked-lm": ("AutoModelForMaskedLM", lambda kind, c: text_inputs(True)),
    "seq2seq": (
        "AutoModelForSeq2SeqLM",
        lambda kind, c: (text_inputs(True)[0] + ("decoder_input_ids",), text_inputs(True)[1] + (token_ids(6),)),
    ),
    "image-classification": ("AutoModelForImageClassification", image_inputs),
    "semantic-segmentation": ("AutoModelForSemanticSegmentation", image_inputs),
    "depth": ("AutoModelForDepthEstimation", image_inputs),
    "detection": ("AutoModelForObjectDetection", image_inputs),
    "universal-segmentation": ("AutoModelForUniversalSegmentation", image_inputs),
    "ctc": ("AutoModelForCTC", speech_inputs),
    "audio-classification": ("AutoModelForAudioClassification", speech_inputs),
    "image-text": (
        "AutoModel",
        lambda kind, c: (("pixel_values",) + text_inputs(True)[0], image_inputs(kind, c)[1] + text_inputs(True)[1]),
    ),
    "encoder": ("AutoModel", lambda kind, c: text_inputs(True)),
    "vision": ("AutoModel", image_inputs),
    "speech": ("AutoModel", speech_inputs),
    "speech-seq2seq": (
        "AutoModelForSpeechSeq2Seq",
        lambda kind, c: (speech_inputs(kind, c)[0] + ("decoder_input_ids",), speech_inputs(kind, c)[1] + (token_ids(6),)),
    ),
}

LISTS = {
    "causal-lm": "CAUSAL_LM",
    "masked-lm": "MASKED_LM",
    "seq2seq": "SEQ_TO_SEQ_CAUSAL_LM",
    "image-classification": "IMAGE_CLASSIFICATION",
    "semantic-segmentation": "SEMANTIC_SEGMENTATION",
    "depth": "DEPTH_ESTIMATION",
    "detection": "OBJECT_DETECTION",
    "universal-segmentation": "UNIVERSAL_SEGMENTATION",
    "ctc": "CTC",
    "audio-classification": "AUDIO_CLASSIFICATION",
}
OTHERS = {
    "image-text": [
        "clip",
        "siglip",
        "siglip2",
        "blip",
        "chinese_clip",
        "clipseg",
        "align",
        "altclip",
        "groupvit",
        "vilt",
        "flava",
        "x_clip",
    ],
    "encoder": ["t5gemma", "clip_text_model", "siglip_text_model", "splinter", "canine", "ernie_m", "lilt", "mt5", "dpr"],
    "vision": [
        "clip_vision_model",
        "siglip_vision_model",
        "blip_2_vision_model",
        "sam_vision_model",
        "sam2_vision_model",
        "dinov3_vit",
        "dinov3_convnext",
        "vit_mae",
        "ijepa",
        "vitdet",
        "superpoint",
        "aimv2_vision_model",
        "hgnet_v2",
        "maskformer-swin",
        "pixtral_vision",
    ],
    "speech": ["clap_audio_model", "univnet", "encodec", "dac", "mimi", "speecht5", "wav2vec2", "hubert"],
    "speech-seq2seq": ["whisper", "speech_to_text", "moonshine"],
}


def transformers_models():
    from transformers.models.auto import modeling_auto

    names = {}  # a type with two tasks is tried for both when they are of two lists that differ much
    for task, mapping in LISTS.items():
        for kind in getattr(modeling_auto, f"MODEL_FOR_{mapping}_MAPPING_NAMES"):
            names.setdefault(f"{kind}+{task}", None)
    for task, kinds in OTHERS.items():
        for kind in kinds:
            names.setdefault(f"{kind}+{task}", None)
    return list(names)


def transformers_model(name):
    import transformers

    kind, task = name.split("+")
    auto, inputs_of = TASKS[task]
    config_class = transformers.models.auto.configuration_auto.CONFIG_MAPPING[kind]
    extra = dict(SPECIAL.get(kind, {}))
    if task == "causal-lm" and "is_decoder" in config_class().to_dict():
        extra["is_decoder"] = True
    config = tiny_config(config_class, **extra)
    for c in [config] + [getattr(config, part) for part in (getattr(config, "sub_configs", None) or {}) if hasattr(config, part)]:
        if hasattr(c, "use_cache"):
            c.use_cache = False
    model_class = getattr(transformers, auto)._model_mapping[config_class]
    model_class = model_class[0] if isinstance(model_class, (tuple, list)) else model_class
    with torch.device("meta"):
        parameters = sum(p.numel() for p in model_class._from_config(config).parameters())
    if parameters > LARGEST:
        raise LeftOut("more than 200 M parameters")
    model = model_class._from_config(config)
    names, inputs = inputs_of(kind, config)
    model = Tensors(model, names)
    return lively(model, *inputs)


# ---- timm ----

SMALLEST = [
    "atto",
    "femto",
    "pico",
    "nano",
    "xxtiny",
    "tiny",
    "_xxs",
    "_xs",
    "mini",
    "small",
    "_s",
    "_t",
    "18",
    "_b0",
    "_m0",
    "_0",
    "_1",
    "medium",
    "base",
    "_b",
]


@functools.cache
def timm_models():
    """One of each source file: the smallest, as far as its name tells."""
    import timm

    names = []
    for module in timm.list_modules():
        candidates = [n for n in timm.list_models(module=module) if not n.startswith("test_")]
        rank = lambda n: (next((i for i, part in enumerate(SMALLEST) if part in n), len(SMALLEST)), len(n), n)
        if candidates:
            names.append(min(candidates, key=rank))
    return names


def timm_model(name):
    import timm

    model = timm.create_model(name, pretrained=False)
    config = model.pretrained_cfg
    size = config["input_size"] if config.get("fixed_input_size") or min(config["input_size"][1:]) < 128 else (3, 128, 128)
    x = torch.randn(1, *size)
    try:
        with torch.no_grad():
            model.eval()(x)
    except (RuntimeError, AssertionError):
        x = torch.randn(1, *config["input_size"])
    return lively(model, x)


# ---- variants ----


def flexible(model, inputs):
    """Batch and, of token ids and masks, length are symbols; run at other sizes than exported."""
    batch = torch.export.Dim("batch", min=1, max=4)
    text = [not x.is_floating_point() for x in inputs]
    lengths = {n: torch.export.Dim(f"length{n}", min=2, max=32) for n in {x.shape[1] for x, t in zip(inputs, text) if t}}
    sizes = tuple({0: batch, 1: lengths[x.shape[1]]} if t else {0: batch} for x, t in zip(inputs, text))
    twice = tuple(x.repeat(2, *[1] * (x.dim() - 1)) for x in inputs)
    further = tuple(torch.cat([x, x[:, :5]], 1).repeat(3, 1) if t else torch.cat([x, x * 0.5, -x]) for x, t in zip(inputs, text))
    return Tensors(model), twice, further, dict(dynamic_shapes={"inputs": sizes})


def halved(dtype):
    return lambda model, inputs: (model.to(dtype), tuple(x.to(dtype) if x.is_floating_point() else x for x in inputs))


def quantized(dynamic):
    """As the recipes for XNNPACK do it, before lowering."""

    def convert(model, inputs):
        from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
        from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

        config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=dynamic)
        quantizer = XNNPACKQuantizer().set_module_type(nn.Linear, config) if dynamic else XNNPACKQuantizer().set_global(config)
        with torch.no_grad():
            prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
            prepared(*inputs)
            return convert_pt2e(prepared), inputs

    return convert


def grouped(model, inputs):
    """torchao's weights of 4 bits in groups, activations of 8 bits."""
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
    from torchao.quantization.granularity import PerGroup
    from torchao.utils import unwrap_tensor_subclass

    quantize_(model, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(8)))
    return unwrap_tensor_subclass(model), inputs


VARIANTS = {
    "flexible": flexible,
    "bf16": halved(torch.bfloat16),
    "f16": halved(torch.float16),
    "int8": quantized(False),
    "int8-dynamic": quantized(True),
    "int4-grouped": grouped,
}
IMAGE_NETS = [
    "torchvision/" + n
    for n in (
        "mobilenet_v2",
        "mobilenet_v3_small",
        "resnet18",
        "efficientnet_b0",
        "shufflenet_v2_x0_5",
        "squeezenet1_1",
        "densenet121",
        "vit_b_32",
        "swin_t",
        "convnext_tiny",
        "regnet_y_400mf",
        "lraspp_mobilenet_v3_large",
    )
]
TEXT_NETS = [
    "transformers/" + n
    for n in (
        "bert+masked-lm",
        "distilbert+masked-lm",
        "roberta+masked-lm",
        "albert+masked-lm",
        "deberta-v2+masked-lm",
        "mpnet+masked-lm",
        "modernbert+masked-lm",
        "convbert+masked-lm",
        "funnel+masked-lm",
        "fnet+masked-lm",
        "gpt2+causal-lm",
        "gpt_neox+causal-lm",
        "opt+causal-lm",
        "bloom+causal-lm",
        "falcon+causal-lm",
        "llama+causal-lm",
        "mistral+causal-lm",
        "mixtral+causal-lm",
        "qwen2+causal-lm",
        "qwen3+causal-lm",
        "qwen3_moe+causal-lm",
        "gemma+causal-lm",
        "gemma2+causal-lm",
        "gemma3_text+causal-lm",
        "phi+causal-lm",
        "phi3+causal-lm",
        "olmo2+causal-lm",
        "cohere+causal-lm",
        "granite+causal-lm",
        "smollm3+causal-lm",
        "starcoder2+causal-lm",
        "mamba+causal-lm",
        "rwkv+causal-lm",
        "gpt_oss+causal-lm",
        "bart+seq2seq",
        "marian+seq2seq",
        "mt5+seq2seq",
        "pegasus+seq2seq",
    )
]
EXAMPLE_NETS = [f"examples/{n}" for n in EXAMPLES]
VARIED = {
    "flexible": IMAGE_NETS + TEXT_NETS,
    "bf16": IMAGE_NETS[:4] + IMAGE_NETS[7:10] + TEXT_NETS,
    "f16": EXAMPLE_NETS + IMAGE_NETS[:3] + TEXT_NETS[10:30:2],
    "int8": IMAGE_NETS,
    "int8-dynamic": IMAGE_NETS[7:10],
    "int4-grouped": TEXT_NETS[10:31:3],
}


LIBRARIES = {"examples": example_model, "torchvision": torchvision_model, "transformers": transformers_model, "timm": timm_model}


def names():
    """All names; NAME@VARIANT is the model in another form."""
    plain = (
        EXAMPLE_NETS
        + [f"torchvision/{n}" for n in torchvision_models()]
        + [f"transformers/{n}" for n in transformers_models()]
        + [f"timm/{n}" for n in timm_models()]
    )
    return plain + [f"{n}@{variant}" for variant, of in VARIED.items() for n in of]


def build(name):
    """(model, inputs to export with, inputs to run with, options of torch.export)."""
    name, _, variant = name.partition("@")
    library, kind = name.split("/", 1)
    model, inputs = LIBRARIES[library](kind)
    model, inputs, *rest = VARIANTS[variant](model, inputs) if variant else (model, inputs)
    return (model, inputs, *rest) if rest else (model, inputs, inputs, {})
