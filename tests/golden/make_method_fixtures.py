"""Golden fixtures of the method for another seed: the form of tests/golden/method, other numbers.

    python tests/golden/make_method_fixtures.py --out DIR --seed 12345 [--small]
    python tests/golden/make_method_fixtures.py --check tests/golden/method [--small]

An independent statement of the method in PyTorch (autograd, torch.nn layers, AdamW, OneCycleLR): nothing here is taken
from the C++ code in plume/, so that two programs that agree were wrong together only by chance. `--out` writes
DIR/method and copies tests/golden/{backbones,e2e} beside it, so that the whole test program runs with
PLUME_GOLDEN_DIR=DIR. `--check` computes every result of existing fixtures again from the inputs stored in them and
compares at the tolerances of section 13 of tests/golden/method/README.md, which also defines every file and key; the
sections named below are its sections. `--small` copies (or skips) the two full-size fixtures of sections 6 and 7, which
take minutes and gigabytes.

Inputs are drawn again until every number that a test compares exactly (AUROC, shares, thresholds' sides, indices)
stands clear of float32 noise. Needs torch and the standard library only; runs on one thread, so that a seed gives the
same bytes.
"""

import argparse
import ctypes
import hashlib
import itertools
import json
import math
import random
import re
import shutil
import struct
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

PERTURBATIONS = ("linear-map", "add-mult", "add", "mult", "gaussian")
GUIDANCES = ("none", "full", "mean")
RELEASED = [f"{p}_{g}" for p in PERTURBATIONS for g in GUIDANCES] + ["add-mult_none_one-pass"]
PAPER = [f"{p}_{g}" for p in PERTURBATIONS for g in GUIDANCES if (p, g) != ("gaussian", "none")]
EPOCHS = ("linear-map_full", "add-mult_none")
FULL_SIZE = ("plad_raw", "full_linear-map_full")
WIDTH, HIDDEN, EMBEDDING = 24, 16, 8  # of every small fixture

# --- Formats (sections 1 and 5) ---------------------------------------------------------------------------------------

DTYPES = {"F32": torch.float32, "F64": torch.float64, "I32": torch.int32, "U8": torch.uint8}


@dataclass
class Fixture:
    """One fixture: its json and its arrays. A function that computes one gets the same type with the inputs only."""

    json: dict
    arrays: dict = field(default_factory=dict)


def read_fixture(folder, name):
    fixture = Fixture({})
    if (folder / f"{name}.json").exists():
        fixture.json = json.loads((folder / f"{name}.json").read_text())
    if (folder / f"{name}.safetensors").exists():
        blob = (folder / f"{name}.safetensors").read_bytes()
        start = 8 + struct.unpack("<Q", blob[:8])[0]
        for key, entry in json.loads(blob[8:start]).items():
            begin, end = (start + offset for offset in entry["data_offsets"])
            flat = torch.frombuffer(bytearray(blob[begin:end]), dtype=DTYPES[entry["dtype"]])
            fixture.arrays[key] = flat.reshape(entry["shape"])
    return fixture


def write_fixture(folder, name, fixture):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    if fixture.json:
        (folder / f"{name}.json").write_text(json.dumps(plain(fixture.json), indent=1, allow_nan=False) + "\n")
    if fixture.arrays:
        names = {dtype: name for name, dtype in DTYPES.items()}
        header, body = {}, b""
        for key, tensor in sorted(fixture.arrays.items(), key=lambda item: -item[1].element_size()):  # keeps alignment
            tensor = tensor.detach().contiguous()
            data = ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())
            offsets = [len(body), len(body) + len(data)]
            header[key] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": offsets}
            body += data
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        (folder / f"{name}.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)


def plain(value):
    """For json: tensors as numbers or lists, non-finite numbers as strings."""
    if isinstance(value, torch.Tensor):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def hashed(count, stream):
    """Section 5's h(i, stream) for i < count; its 32-bit products fit into the signed 64 bits that torch has."""
    x = (torch.arange(count, dtype=torch.int64) * 0x9E3779B1 + (stream * 0x85EBCA77 + 0x165667B1)) & 0xFFFFFFFF
    x = ((x ^ (x >> 15)) * 0x2C1B3C6D) & 0xFFFFFFFF
    x = ((x ^ (x >> 12)) * 0x297A2D39) & 0xFFFFFFFF
    return x ^ (x >> 15)


def fill(shape, stream, scale):
    return (scale * (hashed(math.prod(shape), stream).double() * 2.0**-31 - 1)).float().reshape(shape)


def digest(tensor):
    flat = tensor.detach().flatten()
    size = flat.numel()
    index = [0, 1, 2, 3, *(j * size // 9 + 2 * j % 5 for j in range(1, 9)), *range(size - 4, size)]
    wide = flat.double()
    return {"l2": wide.norm().item(), "sum": wide.sum().item(), "abs_sum": wide.abs().sum().item(), "index": index,
            "value": flat[index].tolist()}


# --- Networks (method.md section 2) -----------------------------------------------------------------------------------


class Perturbator(nn.Module):
    def __init__(self, width, outputs):
        super().__init__()
        self.fc1, self.fc2, self.fc3, self.fc4 = (nn.Linear(width, width) for _ in range(4))
        self.fc5 = nn.Linear(width, outputs)

    def forward(self, x, eps):
        hidden = F.leaky_relu(self.fc1(x), 0.01)
        mu, logvar = self.fc2(hidden), self.fc3(hidden)
        z = mu + torch.exp(logvar / 2) * eps
        return self.fc5(F.leaky_relu(self.fc4(z), 0.01)), mu, logvar


class RowClassifier(nn.Module):
    """Rows -> (logit, embedding)."""

    def __init__(self, width, hidden, embedding):
        super().__init__()

        def stage(inputs, outputs):
            return (nn.Linear(inputs, outputs, bias=False), nn.BatchNorm1d(outputs, eps=1e-4, affine=False),
                    nn.LeakyReLU(0.01))

        self.fc1 = nn.Sequential(*stage(width, hidden), *stage(hidden, embedding))
        self.fc2 = nn.Linear(embedding, 1, bias=False)

    def forward(self, rows):
        embedding = self.fc1(rows)
        return self.fc2(embedding).squeeze(1), embedding


class ImageClassifier(nn.Module):
    """PLAD's: flattened 3 x 32 x 32 images -> (logit, no embedding)."""

    def __init__(self):
        super().__init__()
        channels = (3, 16, 32, 64, 128)
        self.convs = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 5, padding=2, bias=False), nn.BatchNorm2d(b, eps=1e-4, affine=False),
                          nn.LeakyReLU(0.01), nn.MaxPool2d(2)) for a, b in itertools.pairwise(channels))
        self.fc1, self.fc2, self.fc3 = (nn.Linear(a, b, bias=False) for a, b in ((512, 128), (128, 64), (64, 1)))

    def forward(self, rows):
        x = rows.reshape(-1, 3, 32, 32)
        for conv in self.convs:
            x = conv(x)
        x = F.leaky_relu(self.fc2(F.leaky_relu(self.fc1(x.flatten(1)), 0.01)), 0.01)
        return self.fc3(x).squeeze(1), None


class Model(nn.Module):
    """The order of the members is the optimiser's order of the parameters."""

    def __init__(self, classifier, vae, batch_norm):
        super().__init__()
        self.classifier, self.vae, self.batch_norm = classifier, vae, batch_norm

    def normalised(self, rows):
        return rows.flatten(1) if self.batch_norm is None else self.batch_norm(rows)

    def state(self):
        return {k: v.clone() for k, v in self.state_dict().items() if not k.endswith("num_batches_tracked")}

    def gradients(self):
        return {name: parameter.grad.clone() for name, parameter in self.named_parameters()}

    def logits(self, rows):
        """In evaluation mode."""
        self.eval()
        with torch.no_grad():
            logits = self.classifier(self.normalised(rows))[0]
        self.train()
        return logits


def built(model, initial, dtype):
    """The model with parameter `name` = initial(name), in dtype."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(initial(name))
    return model.to(dtype)


def small_model(perturbation, common, dtype):
    single = perturbation in ("add", "mult")
    vae = None if perturbation == "gaussian" else Perturbator(WIDTH, WIDTH if single else 2 * WIDTH)
    model = Model(RowClassifier(WIDTH, HIDDEN, EMBEDDING), vae, nn.BatchNorm1d(WIDTH, affine=False))
    return built(model, lambda name: common["init/" + (name.replace("fc5", "fc5_single") if single else name)], dtype)


# --- The training step (method.md sections 3 to 5) --------------------------------------------------------------------


@dataclass
class Setup:
    semantics: str
    perturbation: str
    guidance: str
    one_pass: bool
    lambda_: float
    tau: float
    sigma: float
    dense: bool  # linear-map as the D x D matrix of the released code, or as x + a (b . x)


def setup_of(given, dense=False):
    return Setup(given.get("semantics"), given.get("perturbation", "add-mult"), given.get("guidance", "none"),
                 given.get("one_pass", False), given["lambda"], given.get("tau"), given.get("sigma"), dense)


def halves_of(setup, output):
    """The VAE's output as (first, second, towards zero, towards one); what the perturbation does not have is None."""
    if setup.perturbation in ("add", "mult"):
        zero, one = (output, None) if setup.perturbation == "add" else (None, output)
        return (zero, one, zero, one) if setup.semantics == "released" else (output, None, zero, one)
    first, second = output.chunk(2, dim=1)
    return (first, second, first, second) if setup.semantics == "released" else (first, second, second, first)


def linear_map(x, a, b, dense):
    if not dense:
        return x + a * (b * x).sum(dim=1, keepdim=True)
    matrix = torch.eye(x.shape[1], dtype=x.dtype) + a.unsqueeze(2) * b.unsqueeze(1)
    return torch.bmm(matrix, x.unsqueeze(2)).squeeze(2)


def noise_terms(setup, zero, one):
    """(towards zero, towards one)."""

    def spread(tensor, target):
        if tensor is None:
            return torch.zeros(())
        square = (tensor - target) ** 2
        return square.mean() if setup.semantics == "released" else square.sum(dim=1).mean()

    return spread(zero, 0), spread(one, 1)


def cosines(a, b):
    """[k, c] = cos(a_k, b_c)."""
    return F.cosine_similarity(a.unsqueeze(1), b.unsqueeze(0), dim=2, eps=1e-8)


def full_guidance(setup, z, z_anomaly):
    count = z.shape[0]
    others = ~torch.eye(count, dtype=torch.bool)
    normal, anomaly = cosines(z, z) / setup.tau, cosines(z, z_anomaly) / setup.tau
    if setup.semantics == "released":  # the negatives of column c: all normals against the c-th pseudo-anomaly
        total = anomaly.exp().sum(dim=0) + (normal.exp() * others).sum(dim=0)
    else:  # the negatives of row i: all pseudo-anomalies against the i-th normal
        total = anomaly.exp().sum(dim=1) + (normal.exp() * others).sum(dim=1)
    return total.log().mean() - normal[others].mean()


def mean_guidance(setup, z, z_anomaly):
    to_normal = F.cosine_similarity(z, z.mean(dim=0, keepdim=True), eps=1e-8)
    to_anomaly = F.cosine_similarity(z, z_anomaly.mean(dim=0, keepdim=True), eps=1e-8)
    if setup.semantics == "released":
        return to_anomaly.mean() - to_normal.mean()
    normal, anomaly = (to_normal / setup.tau).exp(), (to_anomaly / setup.tau).exp()
    return -(normal / (anomaly + normal)).log().mean()


def forward(setup, model, rows, eps):
    """One forward pass in training mode -> (intermediates, loss terms)."""
    x = model.normalised(rows)
    made, zero, one, kl = {"x": x}, None, None, torch.zeros(())
    if model.vae is None:
        anomalies = x + setup.sigma * eps
    else:
        output, mu, logvar = model.vae(x, eps)
        first, second, zero, one = halves_of(setup, output)
        made.update(first=first, second=second, mu=mu, logvar=logvar)
        kl = 0.5 * (logvar.exp() + mu**2 - 1 - logvar).sum() / x.shape[0]
        if setup.perturbation == "linear-map":
            anomalies = linear_map(x, first, second, setup.dense)
        else:
            anomalies = (x if one is None else x * one) + (0 if zero is None else zero)
    if setup.one_pass:
        logit_normal, logit_anomaly = model.classifier(torch.cat([x, anomalies]))[0].chunk(2)
    else:
        (logit_normal, z), (logit_anomaly, z_anomaly) = model.classifier(x), model.classifier(anomalies)
        made.update(emb_normal=z, emb_anomaly=z_anomaly)
    made.update(anomalies=anomalies, logit_normal=logit_normal, logit_anomaly=logit_anomaly)

    ce_normal = F.binary_cross_entropy_with_logits(logit_normal, torch.ones_like(logit_normal))
    ce_anomaly = F.binary_cross_entropy_with_logits(logit_anomaly, torch.zeros_like(logit_anomaly))
    to_zero, to_one = noise_terms(setup, zero, one)
    terms = {"classification": ce_normal + ce_anomaly, "ce_normal": ce_normal, "ce_anomaly": ce_anomaly,
             "noise": to_zero + to_one, "noise_to_zero": to_zero, "noise_to_one": to_one, "kl": kl}
    total = terms["classification"] + setup.lambda_ * terms["noise"] + kl
    if not setup.one_pass:
        guidance = {"full": full_guidance(setup, z, z_anomaly), "mean": mean_guidance(setup, z, z_anomaly)}
        if setup.guidance != "none":
            total = total + guidance[setup.guidance]
        if setup.semantics == "released":
            terms.update(guidance_full=guidance["full"], guidance_mean=guidance["mean"])
        else:
            terms["guidance"] = guidance.get(setup.guidance, torch.zeros(()))
    return {k: v.detach() for k, v in made.items() if v is not None}, {"total": total, **terms}


class Training:
    """AdamW over the whole model; OneCycleLR where total_steps is given, otherwise the caller's rate and beta1 0.95."""

    def __init__(self, setup, model, max_lr=1.0, total_steps=None):
        self.setup, self.model, self.steps_left = setup, model, total_steps
        self.optimiser = torch.optim.AdamW(model.parameters(), lr=max_lr, betas=(0.95, 0.999), eps=1e-8,
                                           weight_decay=0.01)
        if total_steps is not None:
            self.schedule = torch.optim.lr_scheduler.OneCycleLR(self.optimiser, max_lr, total_steps)

    def step(self, rows, eps, lr=None):
        """-> (intermediates, {lr, beta1, loss terms}); the gradients stay in the model."""
        group = self.optimiser.param_groups[0]
        if lr is not None:
            group["lr"] = lr
        rates = {"lr": float(group["lr"]), "beta1": float(group["betas"][0])}
        dtype = next(self.model.parameters()).dtype
        self.optimiser.zero_grad()
        made, terms = forward(self.setup, self.model, rows.to(dtype), eps.to(dtype))
        terms["total"].backward()
        self.optimiser.step()
        if self.steps_left is not None:
            self.steps_left -= 1
            if self.steps_left > 0:
                self.schedule.step()
        return made, {**rates, **{name: term.item() for name, term in terms.items()}}


# --- Metrics ----------------------------------------------------------------------------------------------------------


def auc_of(scores, is_normal):
    """Exact rank AUROC from integer counts, ties at one half; None where a class is absent."""
    positive, negative = scores[is_normal].double(), scores[~is_normal].double().sort().values
    below = torch.searchsorted(negative, positive).sum().item()
    up_to = torch.searchsorted(negative, positive, right=True).sum().item()
    pairs = len(positive) * len(negative)
    return (below + up_to) / (2 * pairs) if pairs else None


def min_gap(logits, is_normal):
    return (logits[is_normal].unsqueeze(1) - logits[~is_normal]).abs().min().item()


def threshold_of(train_logits):
    """(threshold, its logit): the k-th smallest float32 sigmoid of the training rows, k = ceil(n / 10)."""
    k = (len(train_logits) + 9) // 10
    return train_logits.sigmoid().sort().values[k - 1], train_logits.sort().values[k - 1]


def shares_of(test_logits, classes, normal_class, threshold):
    accepted = test_logits.sigmoid() > threshold
    shares = {}
    for c in sorted(set(classes.tolist())):
        right = (accepted if c == normal_class else ~accepted)[classes == c]
        shares[str(c)] = {"right": right.sum().item(), "rows": len(right), "share": right.sum().item() / len(right)}
    return shares


def threshold_min_gap(train_logits, test_logits):
    """How far the nearest test row is from the other side of the threshold."""
    return (test_logits.sigmoid() - threshold_of(train_logits)[0]).abs().min().item()


def relative(a, b):
    return abs(a - b) / abs(b) if b else abs(a - b)


def largest(a, b):
    """The largest difference over two dicts of tensors."""
    return max((a[key].double() - b[key].double()).abs().max().item() for key in a)


def variants(perturbation):
    """(dtype, dense) of the run that is stored, of the same in doubles, and of the other form of the linear map."""
    dense = perturbation == "linear-map"
    return [(torch.float32, dense), (torch.float64, dense)] + [(torch.float32, False)] * dense


# --- Sections 2 to 4: single steps of small models --------------------------------------------------------------------


def draw_common(generator):
    torch.manual_seed(generator.initial_seed())  # PyTorch's own initialisation
    single = nn.Linear(WIDTH, WIDTH)
    model = Model(RowClassifier(WIDTH, HIDDEN, EMBEDDING), Perturbator(WIDTH, 2 * WIDTH), None)
    arrays = {f"init/{name}": tensor for name, tensor in model.state().items() if "running" not in name}
    arrays.update({f"init/vae.fc5_single.{name}": tensor.detach() for name, tensor in single.named_parameters()})
    mean, std = row_statistics(generator)
    labels = torch.zeros(20, dtype=torch.int32)
    labels[torch.randperm(20, generator=generator)[:8]] = 1
    test_rows = normal(generator, 20, WIDTH) * std + mean
    strange = normal(generator, WIDTH) * 0.7, torch.rand(WIDTH, generator=generator) + 0.6
    test_rows[labels == 0] = (test_rows * strange[1] + strange[0])[labels == 0]
    arrays.update(batches=normal(generator, 5, 6, WIDTH) * std + mean, eps=normal(generator, 5, 6, WIDTH),
                  test_rows=test_rows, test_labels=labels)
    return Fixture({}, arrays)


def normal(generator, *shape):
    return torch.randn(*shape, generator=generator)


def row_statistics(generator):
    """A mean and a standard deviation for each dimension of a data set's rows."""
    return normal(generator, WIDTH) * 0.7, torch.rand(WIDTH, generator=generator) * 1.6 + 0.5


def five_steps(given, common, dtype, dense):
    """-> steps, grad1, step1, after {n: state}, eval {n: logits}."""
    model = small_model(given["perturbation"], common, dtype)
    training = Training(setup_of(given, dense), model, given["max_lr"], given["total_steps"])
    run = {"steps": [], "after": {}, "eval": {}}
    for k in range(5):
        made, terms = training.step(common["batches"][k], common["eps"][k])
        run["steps"].append({"step": k, **terms})
        if k == 0:
            run.update(step1=made, grad1=model.gradients())
        if k in (0, 4):
            run["after"][str(k + 1)] = model.state()
            run["eval"][str(k + 1)] = model.logits(common["test_rows"].to(dtype))
    return run


def compute_released(given, common):
    is_normal = common["test_labels"] == 1
    stored, *others = (five_steps(given.json, common, *variant) for variant in variants(given.json["perturbation"]))
    doubles = others[0]
    noise = {"grad1_max_abs": max(largest(stored["grad1"], run["grad1"]) for run in others),
             "after5_max_abs": max(largest(stored["after"]["5"], run["after"]["5"]) for run in others),
             "eval5_logits_max_abs": max(largest(stored["eval"], run["eval"]) for run in others),
             "steps_total_max_rel": max(relative(a["total"], b["total"]) for run in others
                                        for a, b in zip(stored["steps"], run["steps"]))}
    step0 = {name: value for name, value in doubles["steps"][0].items() if name != "step"}
    ranks = {n: {"auc": auc_of(logits, is_normal), "min_gap": min_gap(logits, is_normal)}
             for n, logits in stored["eval"].items()}
    arrays = {f"grad1_f64/{name}": tensor for name, tensor in doubles["grad1"].items()}
    arrays.update({f"{part}/{name}": tensor for part in ("grad1", "step1") for name, tensor in stored[part].items()})
    for n in stored["after"]:
        arrays.update({f"after{n}/{name}": tensor for name, tensor in stored["after"][n].items()})
        arrays[f"eval{n}/logits"] = stored["eval"][n]
    return Fixture({**given.json, "steps": stored["steps"], "step0_f64": step0, "eval": ranks, "float32_noise": noise},
                   arrays)


def doubts_released(fixture):
    """Noise below a third of what section 13 allows; ranks and the small guidance term clear of it."""
    noise, f64 = fixture.json["float32_noise"], fixture.json["step0_f64"]
    need = max(100 * noise["eval5_logits_max_abs"], 2e-5)
    yield "gap", min(entry["min_gap"] for entry in fixture.json["eval"].values()) >= need
    yield "noise after 5 steps", max(noise["after5_max_abs"], noise["eval5_logits_max_abs"]) < 1.6e-6
    yield "noise of the losses", noise["steps_total_max_rel"] < 1e-6 and noise["grad1_max_abs"] < 3e-6
    yield "guidance_mean near 0", abs(f64.get("guidance_mean", 1)) > 5e-4


def compute_paper(given, common):
    terms, arrays = {}, {}
    for dtype, suffix in ((torch.float64, "_f64"), (torch.float32, "_f32")):
        model = small_model(given.json["perturbation"], common, dtype)
        made, losses = forward(setup_of(given.json), model, common["batches"][0].to(dtype), common["eps"][0].to(dtype))
        losses["total"].backward()
        terms[f"terms{suffix}"] = {name: term.item() for name, term in losses.items()}
        prefix = "grad1_f64" if dtype == torch.float64 else "grad1"
        arrays.update({f"{prefix}/{name}": tensor for name, tensor in model.gradients().items()})
    arrays.update({f"step1/{name}": tensor for name, tensor in made.items()})
    return Fixture({**given.json, **terms}, arrays)


# --- Sections 6 and 7: full size, digests only ------------------------------------------------------------------------


def full_size_model(plad):
    # Without initialisation: every parameter is filled afterwards.
    with torch.device("meta"):
        classifier = ImageClassifier() if plad else RowClassifier(3072, 1024, 512)
        model = Model(classifier, Perturbator(3072, 6144), None if plad else nn.BatchNorm1d(3072, affine=False))
    model = model.to_empty(device="cpu")
    for module in model.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            module.reset_running_stats()
    return model


def draw_full_size(name, rng):
    plad = name == "plad_raw"
    shape, test = ([4, 3, 32, 32], [8, 3, 32, 32]) if plad else ([32, 3072], [16, 3072])
    stream = itertools.count(rng.randrange(10**4, 10**6))
    parameters, fan_in = {}, 0
    for key, parameter in full_size_model(plad).named_parameters():
        fan_in = math.prod(parameter.shape[1:]) or fan_in if parameter.dim() > 1 else fan_in
        scale = (1 if plad or "fc5" not in key else 8) / math.sqrt(fan_in)
        parameters[key] = {"stream": next(stream), "shape": list(parameter.shape), "scale": scale}

    def inputs(scale, shape):
        return {"streams": [next(stream) for _ in range(3)], "scale": scale, "shape": shape}

    given = {"semantics": "released"} if plad else {"semantics": "released", "perturbation": "linear-map",
                                                    "guidance": "full"}
    given.update({"n": shape[0], "lambda": round(rng.uniform(5, 25), 2)}, **({} if plad else {
        "tau": round(rng.uniform(0.35, 0.8), 3)}))
    given.update(max_lr=round(rng.uniform(6e-4, 1.4e-3), 6), total_steps=12, parameters=parameters)
    scale = rng.uniform(1.5, 2.5) if plad else rng.uniform(0.8, 1.5)
    given["images" if plad else "rows"] = inputs(round(scale, 3), shape)
    given["eps"] = inputs(math.sqrt(3), [shape[0], 3072])
    half = test[0] // 2
    given["test"] = {"stream": next(stream) + 10**6, "scale": 2.0 if plad else 1.0, "shape": test,
                     "note": (f"images {half}..{2 * half - 1} are then v * 0.5 + 0.25 in float32" if plad else
                              f"rows {half}..{2 * half - 1} are then v * 1.5 + 0.25 in float32"),
                     "labels": [1] * half + [0] * half}
    return Fixture(given)


def full_size_test_rows(test):
    rows = fill(test["shape"], test["stream"], test["scale"])
    half = len(rows) // 2
    rows[half:] = rows[half:] * (0.5 if rows.dim() == 4 else 1.5) + 0.25
    return rows


def three_steps(given, initial, dtype):
    """-> (model, {steps, grad1, after3})."""
    plad = "images" in given
    setup = setup_of({**given, "one_pass": plad}, dense=not plad and dtype == torch.float32)
    model = built(full_size_model(plad), initial.__getitem__, dtype)
    training = Training(setup, model, given["max_lr"], given["total_steps"])
    rows, eps = given["images" if plad else "rows"], given["eps"]
    run = {"steps": []}
    for k in range(3):
        terms = training.step(*(fill(how["shape"], how["streams"][k], how["scale"]) for how in (rows, eps)))[1]
        run["steps"].append({"step": k, **terms})
        if k == 0:
            run["grad1"] = {name: digest(parameter.grad) for name, parameter in model.named_parameters()}
    run["after3"] = {name: {**digest(parameter), "moved_l2": digest(parameter.detach() - initial[name])["l2"]}
                     for name, parameter in model.named_parameters()}
    return model, run


def compute_full_size(given, move_test=False):
    """move_test: take the first test stream that ranks clear of the noise (the training does not depend on it)."""
    suffix = "_f64" if "images" in given.json else "_rank1_f64"
    initial = {name: fill(how["shape"], how["stream"], how["scale"]) for name, how in given.json["parameters"].items()}
    model_f64, run_f64 = three_steps(given.json, initial, torch.float64)
    model, run = three_steps(given.json, initial, torch.float32)
    is_normal = torch.tensor(given.json["test"]["labels"]) == 1
    for shift in range(100 if move_test else 1):
        test = {**given.json["test"], "stream": given.json["test"]["stream"] + shift}
        rows = full_size_test_rows(test)
        logits, logits_f64 = model.logits(rows), model_f64.logits(rows.double())
        noise, gap = (logits - logits_f64).abs().max().item(), min_gap(logits, is_normal)
        if gap >= max(2e-5, 100 * noise):
            break
    result = {**given.json, "test": test, **run, **{name + suffix: value for name, value in run_f64.items()},
              "eval3_logits": logits, f"eval3_logits{suffix}": logits_f64, "eval3_min_gap": gap,
              "eval3_auc": auc_of(logits, is_normal)}

    def worst(part, key):
        return max(relative(run[part][name][key], run_f64[part][name][key]) for name in run[part])

    result["float32_noise"] = {
        "total_max_rel": max(relative(a["total"], b["total"]) for a, b in zip(run["steps"], run_f64["steps"])),
        "grad1_l2_max_rel": worst("grad1", "l2"), "after3_moved_l2_max_rel": worst("after3", "moved_l2"),
        "eval3_logits_max_abs": noise}
    return Fixture(result, {f"after3/{name}": value for name, value in model.state().items() if "running" in name})


def doubts_full_size(fixture):
    noise = fixture.json["float32_noise"]
    yield "gap", fixture.json["eval3_min_gap"] >= max(2e-5, 100 * noise["eval3_logits_max_abs"])
    yield "noise", noise["total_max_rel"] < 1e-6 and noise["eval3_logits_max_abs"] < 3e-6
    yield "noise of the norms", max(noise["grad1_l2_max_rel"], noise["after3_moved_l2_max_rel"]) < 3e-6


# --- Sections 8 and 9: schedules and the range test -------------------------------------------------------------------


def draw_onecycle(rng):
    boundaries = {epoch * 157 + d for epoch in (1, 2, 10, 30, 99) for d in (-2, -1, 0, 1)}
    steps = {0, 1, 2, 3, 15697, 15698, 15699, *boundaries, *range(4707, 4712)}
    steps |= set(rng.sample(sorted(set(range(15700)) - steps), 63 - len(steps)))
    long = [{"max_lr": rate, "total_steps": 15700, "step": sorted(steps)}
            for rate in (round(rng.uniform(1e-3, 9e-3), 5), 1e-8 * 1e8 ** (rng.randrange(30, 70) / 100), 1.0)]
    rate = round(rng.uniform(0.005, 0.02), 4)
    return Fixture({"epochs": 100, "n": 5000, "batch": 32, "steps_per_epoch": 157, "long": long,
                    "short": [{"max_lr": rate, "total_steps": total} for total in range(1, 13)]})


def onecycle_points(max_lr, total_steps):
    optimiser = torch.optim.AdamW([nn.Parameter(torch.zeros(1))], lr=max_lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr, total_steps)
    for k in range(total_steps):
        yield float(optimiser.param_groups[0]["lr"]), float(optimiser.param_groups[0]["betas"][0])
        optimiser.step()
        if k + 1 < total_steps:
            schedule.step()


def compute_onecycle(given):
    result = {**given.json, "long": [], "short": []}
    for entry in given.json["long"]:
        points = list(onecycle_points(entry["max_lr"], entry["total_steps"]))
        result["long"].append({**entry, "phase_end": 0.3 * entry["total_steps"] - 1,
                               "lr": [points[k][0] for k in entry["step"]],
                               "beta1": [points[k][1] for k in entry["step"]],
                               "largest_lr_at": max(range(len(points)), key=lambda k: points[k][0])})
    for entry in given.json["short"]:
        lr, beta1 = zip(*onecycle_points(entry["max_lr"], entry["total_steps"]))
        result["short"].append({**entry, "lr": list(lr), "beta1": list(beta1)})
    return Fixture(result)


def range_rates():
    return [1e-8] + [1e-8 * (1 / 1e-8) ** ((k + 1) / 100) for k in range(1, 100)]


class RangeTest:
    def __init__(self):
        self.average, self.best, self.recorded, self.stopped_at = 0.0, 0.0, [], None
        self.margin = math.inf  # how near a decision was, relative

    def goes_on(self, loss):
        k = len(self.recorded)
        self.average = 0.98 * self.average + (1 - 0.98) * loss
        smoothed = self.average / (1 - 0.98 ** (k + 2))
        self.recorded.append(smoothed)
        if k > 0 and math.isfinite(smoothed) and math.isfinite(self.best) and smoothed:
            self.margin = min(self.margin, abs(smoothed - 4 * self.best) / abs(smoothed))
        if k > 0 and smoothed > 4 * self.best:
            self.stopped_at = k
        elif smoothed < self.best or k == 0:
            self.best = smoothed
        return self.stopped_at is None


def slopes_of(recorded):
    kept = [value for value in recorded[10:-1] if math.isfinite(value)]
    if len(kept) < 2:
        return []
    inner = [(b - a) / 2 for a, b in zip(kept, kept[2:])]
    return [kept[1] - kept[0], *inner, kept[-1] - kept[-2]]


def suggestion_of(recorded):
    slopes = slopes_of(recorded)
    index = slopes.index(min(slopes)) + 10 if slopes else None
    return {"suggestion_index": index, "suggestion_lr": None if index is None else range_rates()[index]}


def slope_margin(recorded):
    """How far the steepest slope is from the next different one; ties are exact by construction."""
    slopes = sorted(set(slopes_of(recorded)))
    return slopes[1] - slopes[0] if len(slopes) > 1 else math.inf


def draw_lr_finder(rng):
    height, centre, width = rng.uniform(0.5, 9), rng.uniform(50, 75), rng.uniform(2, 8)
    smooth = [height * (0.4 + 0.6 / (1 + math.exp((k - centre) / width))) for k in range(100)]
    blown = rng.randrange(82, 92)
    at = rng.randrange(40, 70)

    def changed(values, *changes):
        return [dict(changes).get(k, value) for k, value in enumerate(values)]

    def noisy(level, spread):
        drop = [spread * 2 / (1 + math.exp((centre - k) / width)) for k in range(100)]
        return [round(rng.gauss(level - drop[k], spread), 6) for k in range(100)]

    spike, tail = rng.uniform(300, 900), [(k, math.nan) for k in range(at, 100)]
    sequences = {
        "smooth drop, runs to the end": smooth,
        "drop, then blow-up": [v * (1 if k < blown else 4.0 ** (k - blown)) for k, v in enumerate(smooth)],
        "much larger second loss": changed([height] * 100, (1, spike * height)),
        "stops with 12 recorded": changed([1.0] * 100, (11, spike)),
        "stops with 13 recorded": changed([1.0] * 100, (12, spike)),
        "stops at a random step": changed([1.0] * 100, (rng.randrange(13, 60), 2 * spike)),
        f"nan from step {at}": changed(smooth, *tail),
        f"one nan at step {at}": changed(smooth, (at, math.nan)),
        "nan at step 5": changed(smooth, (5, math.nan)),
        f"inf at step {at}": changed(smooth, (at, math.inf)),
        f"-inf at step {at}": changed(smooth, (at, -math.inf)),
        "constant loss": [height] * 100,
        "negative losses": [-height] * 100,
        "losses that become negative": [height - k * height / 40 for k in range(100)],
        "zero losses": [0.0] * 100,
        "noisy": noisy(rng.uniform(8, 20), 1.0),
        "noisier": noisy(rng.uniform(20, 40), 4.0),
        "wild": [round(math.exp(rng.gauss(0, 1.5)), 6) for _ in range(100)],
        "rising": [round(1 + 0.01 * k + rng.random(), 6) for k in range(100)],
        "fewer than 100 losses": smooth[:12],
    }
    line, length = rng.randrange(200, 300), rng.randrange(20, 60)
    shuffled = [float(v) for v in rng.sample(range(1000), length)]
    recorded = {
        "straight line: all differences equal, first wins": [float(line - k) for k in range(100)],
        "stairs: ties between interior differences": [float(line - 2 * (k // 2)) for k in range(length)],
        "steepest at the left end": [9.0] * 10 + [float(line), line / 2, *(line / 2 - k for k in range(1, 9))],
        "steepest at the right end": [9.0] * 10 + [float(line), line - 1.0, line - 2.0, line - 20.0, 0.0],
        "non-finite values inside": [9.0] * 10 + [50.0, math.nan, 49.0, math.inf, -math.inf, 48.0, 20.0, 19.0, 18.0],
        "random": shuffled,
        "random with non-finite values": changed(shuffled, (12, math.nan), (15, math.inf), (18, -math.inf)),
        "eleven values": shuffled[:11],
        "twelve values": shuffled[:12],
        "thirteen values": shuffled[:13],
        "no values": [],
        "rising": [float(k * k) for k in range(length)],
    }
    return Fixture({"sequences": [{"name": name, "raw": raw} for name, raw in sequences.items()],
                    "suggestions": [{"name": name, "recorded": values} for name, values in recorded.items()]})


def tested(raw):
    test = RangeTest()
    for loss in raw:
        if not test.goes_on(float(loss)):
            break
    return test


def compute_lr_finder(given):
    result = {"lr": range_rates(), "beta": 0.98, "one_minus_beta": 1 - 0.98, "early_stop_factor": 4.0, "sequences": [],
              "suggestions": []}
    for entry in given.json["sequences"]:
        test = tested(entry["raw"])
        result["sequences"].append({**entry, "recorded": test.recorded, "stopped_at": test.stopped_at,
                                    **suggestion_of(test.recorded)})
    for entry in given.json["suggestions"]:
        result["suggestions"].append({**entry, **suggestion_of([float(v) for v in entry["recorded"]])})
    return Fixture(result)


def doubts_lr_finder(fixture):
    for entry in fixture.json["sequences"]:
        yield entry["name"], tested(entry["raw"]).margin > 1e-6 and slope_margin(entry["recorded"]) > 1e-9
    for entry in fixture.json["suggestions"]:
        yield entry["name"], slope_margin(entry["recorded"]) > 1e-9


def draw_lr_finder_small(generator, setting):
    order = torch.cat([torch.randperm(30, generator=generator) for _ in range(20)]).reshape(100, 6).int()
    return Fixture({"semantics": "released", "perturbation": "linear-map", "guidance": "full", **setting,
                    "beta1": 0.95}, {"order": order, "eps": normal(generator, 100, 6, WIDTH)})


def compute_lr_finder_small(given, common):
    rows = common["batches"].reshape(30, WIDTH)
    runs = []
    for dtype, dense in variants("linear-map"):
        model = small_model("linear-map", common, dtype)
        training = Training(setup_of(given.json, dense), model)
        test, raw = RangeTest(), []
        for k, lr in enumerate(range_rates()):
            terms = training.step(rows[given.arrays["order"][k].long()], given.arrays["eps"][k], lr)[1]
            raw.append(terms["total"])
            if not test.goes_on(raw[-1]):
                break
        runs.append((raw, test, model))
    (raw, test, model), (raw_f64, test_f64, _), (raw_rank1, test_rank1, _) = runs
    suggestions = [suggestion_of(t.recorded) for _, t, _ in runs]
    return Fixture(
        {**given.json, "lr": range_rates()[:len(raw)], "raw": raw, "recorded": test.recorded,
         "stopped_at": test.stopped_at, **suggestions[0], "raw_f64": raw_f64, "recorded_f64": test_f64.recorded,
         "stopped_at_f64": test_f64.stopped_at, "suggestion_index_f64": suggestions[1]["suggestion_index"],
         "stopped_at_rank1_f32": test_rank1.stopped_at,
         "suggestion_index_rank1_f32": suggestions[2]["suggestion_index"],
         "two_smallest_differences": sorted(slopes_of(test.recorded))[:2], "stop_margin": min(test.margin, 1e9),
         "float32_noise": {"raw_rel_by_step_f32_vs_f64": list(map(relative, raw, raw_f64)),
                           "raw_rel_by_step_f32_vs_rank1_f32": list(map(relative, raw, raw_rank1))}},
        {**given.arrays, **{f"after/{name}": tensor for name, tensor in model.state().items()}})


def doubts_lr_finder_small(fixture):
    found, noise = fixture.json, fixture.json["float32_noise"]
    for what in ("stopped_at", "suggestion_index"):
        yield what, found[what] == found[f"{what}_f64"] == found[f"{what}_rank1_f32"]
    slopes = found["two_smallest_differences"]
    yield "suggestion", found["suggestion_index"] is not None and slopes[1] - slopes[0] > 5e-4
    yield "steepest in the chaotic part", (found["suggestion_index"] or 0) < 86
    yield "stop", found["stop_margin"] > 0.1
    for by_step in noise.values():
        yield "noise", max(by_step[:88]) < 1e-5 and max(by_step[88:92], default=0) < 3e-4


# --- Sections 10 and 11: AUROC, threshold, adaptive pooling -----------------------------------------------------------


def draw_auc(rng, generator):
    def exact(values):
        return torch.tensor(values).float().tolist()

    def case(name, scores, labels):
        return {"name": name, "scores": exact(scores), "labels": list(labels)}

    n = rng.randrange(6, 20)
    down = sorted((rng.gauss(0, 3) for _ in range(n)), reverse=True)
    half = [1] * (n // 2) + [0] * (n - n // 2)
    mixed = rng.sample(half, n)
    hot = [rng.randrange(n)]
    near = torch.tensor(rng.uniform(0.5, 4))
    above = torch.nextafter(near, torch.tensor(math.inf)).item()
    below = torch.nextafter(near, torch.tensor(-math.inf)).item()
    wide = [rng.choice((-1, 1)) * rng.randrange(76, 84) / 2 for _ in range(n)]
    large_logits = [rng.uniform(17, 40) for _ in range(n)]
    batches = [rng.uniform(0.05, 0.95) for _ in range(32)] + [rng.uniform(-2, 2) for _ in range(32)]
    cases = [
        case("perfect", down, half), case("inverted", down[::-1], half), case("random", down, mixed),
        case("one tie across the classes", [down[0], 0.5, 0.5, down[-1]], [1, 1, 0, 0]),
        case("ties inside the classes only", [1.0] * (n // 2) + [0.0] * (n - n // 2), half),
        case("all constant", [0.25] * n, mixed),
        case("two values", [float(rng.random() < 0.5) for _ in range(n)], mixed),
        case("0.0 and -0.0 are tied", [0.0, -0.0, 0.0, -0.0], [1, 0, 0, 1]),
        case("one positive", down, [int(i in hot) for i in range(n)]),
        case("positives only: undefined", down, [1] * n), case("negatives only: undefined", down, [0] * n),
        case("empty: undefined", [], []), case("logits around +-40: a float32 sigmoid would tie them", wide, mixed),
        case("logits between 17 and 40: sigmoid is 1.0f for all of them", large_logits, mixed),
        case("neighbouring float32 values", [near.item(), above, near.item(), below], [0, 1, 1, 0]),
        case("one batch of 32 within [0, 1], one not", batches, [rng.randrange(2) for _ in range(64)]),
    ]
    labels = (torch.rand(2000, generator=generator) < 0.1).to(torch.uint8)
    continuous = normal(generator, 2000) + rng.uniform(0.8, 1.8) * labels
    arrays = {"continuous": continuous, "quarter_steps": (continuous * 4).round() / 4, "times_30": continuous * 30,
              "labels": labels}
    return Fixture({"positive": "label 1", "cases": cases,
                    "file_cases": [{"scores": key, "labels": "labels"} for key in list(arrays)[:3]]}, arrays)


def compute_auc(given):
    def measured(scores, labels):
        positive = torch.as_tensor(labels) == 1
        count = int(positive.sum())
        auc = auc_of(torch.as_tensor(scores), positive)
        return {"positives": count, "negatives": len(positive) - count, "auc": auc}

    result = {**given.json, "cases": [], "file_cases": []}
    for entry in given.json["cases"]:
        result["cases"].append({**entry, **measured(torch.tensor(entry["scores"]), torch.tensor(entry["labels"]))})
    for entry in given.json["file_cases"]:
        counted = measured(given.arrays[entry["scores"]], given.arrays["labels"])
        del counted["negatives"]
        result["file_cases"].append({**entry, "n": 2000, **counted})
    # Its streams stand in words only, so they are the same for every seed.
    labels = hashed(140000, 4002) & 1
    counted = measured(fill((140000,), 4001, 1.0) + torch.tensor(0.25) * labels.float(), labels)
    result["large"] = {"n": 140000, "scores": "float32(float32(hash_unit(i, 4001)) + 0.25f * label)",
                       "labels": "hash_u32(i, 4002) & 1", "positives": counted["positives"], "auc": counted["auc"]}
    return Fixture(result, given.arrays)


def draw_threshold(generator, rng):
    cases, arrays = [], {}

    def add(name, train, test, classes=5, normal_class=2):
        key = f"case{len(cases)}"
        cases.append({"name": name, "key": key, "normal_class": normal_class})
        arrays.update({f"{key}/train_logits": train, f"{key}/test_logits": test,
                       f"{key}/test_classes": torch.randint(classes, (len(test),), generator=generator).int()})

    for n in (1, 5, 10, 11, 70, 157):
        add(f"{n} train rows: k = {(n + 9) // 10}", normal(generator, n) * 2 + 1, normal(generator, 60) * 2,
            normal_class=rng.randrange(5))
    train, test = normal(generator, 100) + 1, normal(generator, 60)
    test[torch.randperm(60, generator=generator)[:12]] = threshold_of(train)[1]
    add("test logits equal to the threshold's: not above it, so they count as anomalies", train, test)
    add("saturated: every train logit above 18, threshold 1.0, nothing is above it",
        torch.rand(50, generator=generator) * 20 + 18, normal(generator, 60) * 8)
    add("a class (4) without test rows", normal(generator, 40) * 2 + 1, normal(generator, 30) * 2, classes=4,
        normal_class=0)
    add("tied train logits", (normal(generator, 90) * 4).round() / 4 + 1, (normal(generator, 60) * 4).round() / 4 + 1,
        normal_class=1)
    return Fixture({"cases": cases}, arrays)


def compute_threshold(given):
    result = {**given.json, "cases": []}
    for entry in given.json["cases"]:
        train, test, classes = (given.arrays[f"{entry['key']}/{part}"]
                                for part in ("train_logits", "test_logits", "test_classes"))
        threshold, logit = threshold_of(train)
        result["cases"].append({**entry, "n": len(train), "k": (len(train) + 9) // 10, "threshold": threshold.item(),
                                "threshold_logit": logit.item(),
                                "classes": shares_of(test, classes, entry["normal_class"], threshold)})
    return Fixture(result, given.arrays)


def doubts_threshold(fixture):
    for entry in fixture.json["cases"]:
        test = fixture.arrays[f"{entry['key']}/test_logits"]
        logit = torch.tensor(entry["threshold_logit"])
        saturated = (test > 18) & (logit > 18)
        gap = (test.double().sigmoid() - logit.double().sigmoid()).abs()
        yield entry["name"], bool((gap > 1e-6)[(test != logit) & ~saturated].all())
        present = set(fixture.arrays[f"{entry['key']}/test_classes"].tolist())
        yield f"{entry['name']}: a class is missing", len(present) == (4 if "(4)" in entry["name"] else 5)


def draw_adaptive_pool(rng):
    stream = rng.randrange(10**4, 10**6)
    return Fixture({"cases": [{"length": length, "input": {"shape": [2, length], "stream": stream + i, "scale": 1.0},
                               "row0": f"L{length} of adaptive_pool.safetensors"}
                              for i, length in enumerate((2048, 4096, 1024, 1280))]})


def compute_adaptive_pool(given):
    result, arrays = {**given.json, "cases": []}, {}
    for entry in given.json["cases"]:
        how, length = entry["input"], entry["length"]
        rows = fill(how["shape"], how["stream"], how["scale"])
        pooled = nn.AdaptiveAvgPool1d(3072)(rows.unsqueeze(1)).squeeze(1)
        sizes = {-(-(i + 1) * length // 3072) - i * length // 3072 for i in range(3072)}
        arrays[f"L{length}"] = pooled[0]
        result["cases"].append({**entry, "rows": [digest(row) for row in pooled], "window_sizes": sorted(sizes)})
    return Fixture(result, arrays)


# --- Section 12: whole trainings --------------------------------------------------------------------------------------


def draw_epochs(name, generator, setting):
    perturbation, guidance = name.split("_")
    mean, std = row_statistics(generator)
    classes = torch.arange(30, dtype=torch.int32)[torch.randperm(30, generator=generator)] % 3
    test = normal(generator, 30, WIDTH) * std + mean
    for c in (1, 2):
        shift, stretch = normal(generator, WIDTH) * 0.7, torch.rand(WIDTH, generator=generator) + 0.6
        test[classes == c] = (test * stretch + shift)[classes == c]
    return Fixture(
        {"semantics": "released", "perturbation": perturbation, "guidance": guidance, **setting, "epochs": 6,
         "train_rows": 44, "batch": 8, "steps_per_epoch": 6, "total_steps": 36, "test_rows": 30, "normal_class": 0,
         "init": "init/* of small_common.safetensors"},
        {"train_rows": normal(generator, 44, WIDTH) * std + mean, "test_rows": test, "test_classes": classes,
         "order": torch.stack([torch.randperm(44, generator=generator) for _ in range(6)]).int(),
         "eps": normal(generator, 264, WIDTH)})


def trained(given, common, dtype, dense):
    """-> (losses and rates of every step, (train logits, test logits) after every epoch, final state)."""
    how, arrays = given.json, given.arrays
    rows, batch = how["train_rows"], how["batch"]
    model = small_model(how["perturbation"], common, dtype)
    training = Training(setup_of(how, dense), model, how["max_lr"], how["total_steps"])
    steps, logits = [], []
    for epoch in range(how["epochs"]):
        for start in range(0, rows, batch):
            taken = arrays["order"][epoch, start:start + batch].long()
            eps = arrays["eps"][epoch * rows + start:][:len(taken)]
            steps.append((training.step(arrays["train_rows"][taken], eps)[1], len(taken)))
        logits.append([model.logits(arrays[key].to(dtype)) for key in ("train_rows", "test_rows")])
    return steps, logits, model.state()


def epoch_record(given, epoch, steps, train_logits, test_logits):
    how, classes = given.json, given.arrays["test_classes"]
    losses, sizes = [terms["total"] for terms, _ in steps], [size for _, size in steps]
    threshold = threshold_of(train_logits)[0]
    is_normal = classes == how["normal_class"]
    return {"epoch": epoch, "batch_sizes": sizes, "loss": losses, "mean_loss_over_batches": sum(losses) / len(losses),
            "mean_loss_over_rows": sum(a * b for a, b in zip(losses, sizes)) / sum(sizes),
            "lr": [terms["lr"] for terms, _ in steps], "beta1": [terms["beta1"] for terms, _ in steps],
            "auc": auc_of(test_logits, is_normal), "min_gap": min_gap(test_logits, is_normal),
            "threshold": threshold.item(), "threshold_min_gap": threshold_min_gap(train_logits, test_logits),
            "classes": shares_of(test_logits, classes, how["normal_class"], threshold)}


def compute_epochs(given, common):
    how, per_epoch = given.json, []
    runs = [trained(given, common, *variant) for variant in variants(how["perturbation"])]
    steps, logits, final = runs[0]
    for epoch in range(how["epochs"]):
        part = steps[epoch * how["steps_per_epoch"]:(epoch + 1) * how["steps_per_epoch"]]
        per_epoch.append(epoch_record(given, epoch, part, *logits[epoch]))
    aucs = [record["auc"] for record in per_epoch]
    noise = {"loss_max_rel": max(relative(a["total"], b["total"]) for run in runs[1:]
                                 for (a, _), (b, _) in zip(steps, run[0])),
             "logits_max_abs": max((a - b).abs().max().item() for run in runs[1:]
                                   for ours, theirs in zip(logits, run[1]) for a, b in zip(ours, theirs)),
             "final_max_abs": max(largest(final, run[2]) for run in runs[1:])}
    result = {**how, "per_epoch": per_epoch, "best_epoch": aucs.index(max(aucs)), "best_auc": max(aucs),
              "last_epoch": how["epochs"] - 1, "last_auc": aucs[-1], "mean_auc": sum(aucs) / len(aucs),
              "float32_noise": noise}
    return Fixture(result, {**given.arrays, "logits": torch.stack([test for _, test in logits]),
                            **{f"final/{name}": tensor for name, tensor in final.items()}})


def doubts_epochs(fixture):
    noise = fixture.json["float32_noise"]
    records = fixture.json["per_epoch"]
    yield "gap", min(record["min_gap"] for record in records) >= max(100 * noise["logits_max_abs"], 1e-4)
    yield "threshold gap", (min(record["threshold_min_gap"] for record in records) >=
                            max(100 * noise["logits_max_abs"] / 4, 5e-5))
    yield "noise", noise["loss_max_rel"] < 3e-6 and max(noise["logits_max_abs"], noise["final_max_abs"]) < 1.6e-5


# --- Making -----------------------------------------------------------------------------------------------------------


class Maker:
    def __init__(self, folder, seed):
        self.folder, self.seed = folder, seed

    def draws(self, name, attempt):
        """Two random number generators of their own for every fixture and attempt: Python's and torch's."""
        digest_ = hashlib.sha256(f"{self.seed} {name} {attempt}".encode()).digest()
        number = int.from_bytes(digest_[:7], "little")
        return random.Random(number), torch.Generator().manual_seed(number)

    def make(self, name, draw, compute, doubts=lambda fixture: ()):
        """Draws inputs until no doubt is left; writes and returns the fixture."""
        started, dropped = time.monotonic(), []
        for attempt in range(300):
            fixture = compute(draw(*self.draws(name, attempt)))
            reasons = [reason for reason, holds in doubts(fixture) if not holds]
            if not reasons:
                write_fixture(self.folder, name, fixture)
                tries = f", {attempt} tries dropped, last for: {dropped[-1]}" if dropped else ""
                print(f"{name}: {time.monotonic() - started:.1f} s{tries}", flush=True)
                return fixture
            dropped.append(reasons[0])
        sys.exit(f"{name}: no inputs in 300 tries keep clear of noise, last doubt: {dropped[-1]}; give another --seed")

    def steps(self):
        """small_common with all fixtures of sections 3 and 4, which share its inputs."""
        rng, _ = self.draws("settings", 0)
        setting = {"lambda": round(rng.uniform(3, 12), 2), "tau": round(rng.uniform(0.3, 0.8), 3)}
        sigma, max_lr = round(rng.uniform(0.5, 1.2), 3), round(rng.uniform(0.006, 0.014), 4)

        def given(semantics, name):
            perturbation, guidance, *one_pass = name.split("_")
            result = {"semantics": semantics, "perturbation": perturbation, "guidance": guidance, **setting,
                      "sigma": sigma if perturbation == "gaussian" else None}
            if semantics == "released":
                result.update(one_pass=bool(one_pass), max_lr=max_lr, total_steps=12)
            return Fixture(result)

        def compute(common):
            self.released = {name: compute_released(given("released", name), common.arrays) for name in RELEASED}
            return common

        def doubts(_):
            return ((f"{name}: {reason}", holds) for name, fixture in self.released.items()
                    for reason, holds in doubts_released(fixture))

        common = self.make("small_common", lambda _, g: draw_common(g), compute, doubts).arrays
        for name, fixture in self.released.items():
            write_fixture(self.folder, f"released/{name}", fixture)
        for name in PAPER:
            write_fixture(self.folder, f"paper/{name}", compute_paper(given("paper", name), common))
        return common, {**setting, "max_lr": max_lr}


def make_all(out, seed, small):
    golden = Path(__file__).resolve().parent
    maker = Maker(out / "method", seed)
    maker.folder.mkdir(parents=True, exist_ok=True)
    common, setting = maker.steps()
    finder = {key: setting[key] for key in ("lambda", "tau")}
    for name in EPOCHS:
        maker.make(f"epochs_{name}", lambda _, g, name=name: draw_epochs(name, g, setting),
                   lambda given: compute_epochs(given, common), doubts_epochs)
    maker.make("onecycle", lambda rng, _: draw_onecycle(rng), compute_onecycle)
    maker.make("lr_finder", lambda rng, _: draw_lr_finder(rng), compute_lr_finder, doubts_lr_finder)
    maker.make("lr_finder_small", lambda _, g: draw_lr_finder_small(g, finder),
               lambda given: compute_lr_finder_small(given, common), doubts_lr_finder_small)
    maker.make("auc", draw_auc, compute_auc)
    maker.make("threshold", lambda rng, g: draw_threshold(g, rng), compute_threshold, doubts_threshold)
    maker.make("adaptive_pool", lambda rng, _: draw_adaptive_pool(rng), compute_adaptive_pool)
    for name in FULL_SIZE:
        if small:
            for file in (f"{name}.json", f"{name}.safetensors"):
                shutil.copyfile(golden / "method" / file, maker.folder / file)
            print(f"{name}: copied", flush=True)
        else:
            maker.make(name, lambda rng, _, name=name: draw_full_size(name, rng),
                       lambda given: compute_full_size(given, move_test=True), doubts_full_size)
    for name in ("backbones", "e2e"):
        shutil.copytree(golden / name, out / name, dirs_exist_ok=True)
    files = {str(path.relative_to(maker.folder)): {"bytes": path.stat().st_size,
                                                   "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
             for path in sorted(maker.folder.rglob("*.*")) if path.name != "manifest.json"}
    manifest = {"torch": torch.__version__, "seed": seed, "small": small, "threads": 1, "files": files}
    (maker.folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


# --- Checking (section 13) --------------------------------------------------------------------------------------------


def within(absolute=0.0, relative_=0.0, scaled=False):
    """-> judge(expected, actual): the largest difference as a share of what is allowed."""

    def judge(expected, actual):
        magnitude = max(1.0, expected.abs().max().item()) if scaled else 1.0
        allowed = absolute * magnitude + relative_ * expected.abs()
        same = (expected == actual) | (expected.isnan() & actual.isnan())
        share = torch.where(same, torch.zeros(()).double(), (expected - actual).abs() / allowed)
        return share.nan_to_num(math.inf, math.inf).max().item() if share.numel() else 0.0

    return judge


def within_l2(relative_):
    return lambda expected, actual: ((expected - actual).norm() / (relative_ * expected.norm())).item()


def range_losses(expected, actual):
    """lr_finder_small: section 13's tolerances by step."""
    k = torch.arange(len(expected))
    if len(expected) != len(actual):
        return math.inf
    allowed = torch.where(k < 88, 3e-5, torch.where(k < 92, 1e-3, math.inf)).double() * expected.abs()
    return ((expected - actual).abs() / allowed).max().item()


ANY = lambda expected, actual: 0.0  # noqa: E731: stored for information, not compared
EXACT = within()
# Path in the json or name of the array -> judge; the first that matches. What no rule names must be equal.
WORDS = [(r"(^|/)origin$|^(batch|k|data_seed|init|rows)$|^guidance_weights/|torchmetrics|f32_vs_f64_max_abs$", ANY),
         (r"float32_noise|two_smallest|guidance_f64_if|formula_(exact_at|worst_rel)|_rank1_f32$", ANY)]
STEP_RULES = [(r"/lr$", within(4e-18)), (r"/beta1$", within(4e-16)), (r"^(step0|terms)_f64", within(0, 1e-12)),
              (r"^(steps|terms_f32)", within(3e-6, 3e-6)), (r"min_gap", within(1e-5)),
              (r"^.grad1_f64", within(1e-12, 1e-9)), (r"^.(grad1|step1)", within(1e-5, scaled=True)),
              (r"^.(after|eval)", within(5e-6))]
DIGEST_RULES = [(r"/lr$", within(4e-19)), (r"/beta1$", within(4e-16)), (r"^steps(_rank1)?_f64", within(0, 1e-12)),
                (r"^steps", within(3e-6, 3e-6)), (r"^(grad1|after3|eval3_logits)_(rank1_)?f64", within(1e-9, 1e-9)),
                (r"^grad1/.*/elements", within(1e-4)), (r"^after3/.*/elements", within(1e-2)),
                (r"/(l2|moved_l2|abs_sum|sum_share)$", within(1e-7, 1e-5)), (r"min_gap", within(2e-5)),
                (r"eval3_logits", within(1e-5)), (r"^.after3/.*running", within_l2(1e-4))]
RULES = {
    "released": STEP_RULES, "paper": STEP_RULES, "plad_raw": DIGEST_RULES, "full_linear-map_full": DIGEST_RULES,
    "onecycle": [(r"/(lr|beta1)$", within(4e-16, 4e-16))],
    "lr_finder": [(r"lr$|recorded$", within(0, 1e-12))],
    "lr_finder_small": [(r"^(raw|recorded)$", range_losses), (r"^(raw|recorded)_f64$", within(0, 1e-8)),
                        (r"lr$", within(0, 1e-12)), (r"^.after/", ANY)],
    "auc": [],
    "threshold": [(r"/threshold$", within(1e-7))],
    "adaptive_pool": [(r"^.L|elements|l2|sum", within(1e-7, 1e-6))],
    "epochs": [(r"/lr$", within(4e-18)), (r"/beta1$", within(4e-16)), (r"loss", within(0, 1e-5)),
               (r"min_gap", within(1e-4)), (r"/threshold$", within(5e-5)), (r"^.(logits|final/)", within(5e-5)),
               (r"mean_auc", within(1e-15))],
}


def leaves(value, path=""):
    """(path, tensor or word) of a json: a list of numbers is one tensor; a digest's values are made comparable."""
    if isinstance(value, dict):
        if "l2" in value and "index" in value:
            typical = value["l2"] / math.sqrt(value["index"][-1] + 1)
            value = {**value, "elements": [v / typical for v in value["value"]],
                     "sum_share": value["sum"] / value["abs_sum"]}
            del value["value"], value["sum"]
        for key, entry in value.items():
            yield from leaves(entry, f"{path}/{key}".lstrip("/"))
    elif isinstance(value, list) and any(isinstance(entry, (dict, list)) for entry in value):
        for i, entry in enumerate(value):
            yield from leaves(entry, f"{path}/{i}")
    elif isinstance(value, list) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        numbers = [float(v) for v in value] if isinstance(value, list) else float(value)
        yield path, torch.tensor(numbers, dtype=torch.float64)
    else:
        yield path, value


def differences(stored, computed, rules):
    """[(share of the allowed difference, path)] of everything that is stored."""
    actual = {**dict(leaves(plain(computed.json))), **{f"[{key}]": value for key, value in computed.arrays.items()}}
    arrays = ((f"[{key}]", value) for key, value in stored.arrays.items())
    for path, expected in itertools.chain(leaves(stored.json), arrays):
        judge = next((judge for pattern, judge in WORDS + rules if re.search(pattern, path)), EXACT)
        if judge is ANY:
            continue
        found = actual.get(path, "missing")
        if not isinstance(expected, torch.Tensor) or not isinstance(found, torch.Tensor):
            yield 0.0 if type(expected) is type(found) and expected == found else math.inf, path
        elif expected.shape != found.shape:
            yield math.inf, path
        else:
            yield judge(expected.double(), found.double()), path


def only(stored, *keys, arrays=r"$^"):
    """The inputs of a stored fixture: nothing of its results, so that these cannot be compared with themselves."""
    return Fixture({key: stored.json[key] for key in keys if key in stored.json},
                   {key: tensor for key, tensor in stored.arrays.items() if re.search(arrays, key)})


def parts(stored, lists, arrays=r"$^"):
    """The same where the inputs lie in lists of objects: {list: keys of its objects}."""
    given = only(stored, "positive", "epochs", "n", "batch", "steps_per_epoch", arrays=arrays)
    given.json.update({name: [{key: entry[key] for key in keys if key in entry} for entry in stored.json[name]]
                       for name, keys in lists.items()})
    return given


def recomputed(name, stored, common):
    step = ("semantics", "perturbation", "guidance", "one_pass", "lambda", "tau", "sigma", "max_lr", "total_steps")
    if name.startswith("released/"):
        return compute_released(only(stored, *step), common)
    if name.startswith("paper/"):
        return compute_paper(only(stored, *step), common)
    if name.startswith("epochs_"):
        keys = ("epochs", "train_rows", "batch", "steps_per_epoch", "test_rows", "normal_class")
        arrays = "^(train_rows|test_rows|test_classes|order|eps)$"
        return compute_epochs(only(stored, *step, *keys, arrays=arrays), common)
    if name in FULL_SIZE:
        return compute_full_size(only(stored, *step, "n", "parameters", "rows", "images", "eps", "test"))
    if name == "onecycle":
        schedule = ("max_lr", "total_steps")
        return compute_onecycle(parts(stored, {"long": (*schedule, "step"), "short": schedule}))
    if name == "lr_finder":
        return compute_lr_finder(parts(stored, {"sequences": ("name", "raw"), "suggestions": ("name", "recorded")}))
    if name == "lr_finder_small":
        return compute_lr_finder_small(only(stored, *step, "beta1", arrays="^(order|eps)$"), common)
    if name == "auc":
        scores = ("scores", "labels")
        return compute_auc(parts(stored, {"cases": ("name", *scores), "file_cases": scores}, "."))
    if name == "threshold":
        return compute_threshold(parts(stored, {"cases": ("name", "key", "normal_class")}, "."))
    return compute_adaptive_pool(parts(stored, {"cases": ("length", "input", "row0")}))


def check_all(folder, small):
    """One line a fixture; -> whether all agree."""
    common = read_fixture(folder, "small_common").arrays
    names = [f"released/{name}" for name in RELEASED] + [f"paper/{name}" for name in PAPER]
    names += [f"epochs_{name}" for name in EPOCHS] + ["onecycle", "lr_finder", "lr_finder_small", "auc", "threshold",
                                                      "adaptive_pool", *(() if small else FULL_SIZE)]
    wrong = 0
    for name in names:
        started = time.monotonic()
        stored = read_fixture(folder, name)
        rules = RULES[max((start for start in RULES if name.startswith(start)), key=len)]
        shares = sorted(differences(stored, recomputed(name, stored, common), rules), key=lambda entry: -entry[0])
        bad = [path for share, path in shares if not share <= 1]
        wrong += bool(bad) or not shares
        verdict = f"{len(bad)} DIFFER, first {bad[0]}" if bad else "ok" if shares else "EMPTY"
        worst = f"; worst {shares[0][0]:.2g} of the tolerance at {shares[0][1]}" if shares and shares[0][0] else ""
        print(f"{name}: {verdict}, {len(shares)} compared{worst} ({time.monotonic() - started:.1f} s)", flush=True)
    print(f"{len(names) - wrong} of {len(names)} fixtures agree" + (", full-size ones skipped" if small else ""))
    return wrong == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path, help="folder to write method/, backbones/ and e2e/ into")
    what.add_argument("--check", type=Path, help="folder of existing fixtures of the method to compute again")
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--small", action="store_true", help="copy or skip the two full-size fixtures")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.check:
        return 0 if check_all(arguments.check, arguments.small) else 1
    make_all(arguments.out, arguments.seed, arguments.small)
    return 0


if __name__ == "__main__":
    sys.exit(main())
