"""A training step of the method as one writes it in PyTorch: modules, autograd, torch.optim.AdamW. Eager, float32,
perturbation linear-map with full guidance, losses as the released code has them. Written for this benchmark from the
paper's equations; nothing of plume-bench is used.

usage: reference_step.py MAP OPTIMISER THREADS DIMENSION BATCH [DEVICE]
  MAP: explicit (a matrix [D, D] for each row) or rank-one (x + a (b . x));  OPTIMISER: adamw or fused;  DEVICE: cpu or cuda
Each line on standard input is answered by one of JSON: the seconds of a step and its loss.
"""
import json
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional

LAMBDA, TAU = 5.0, 0.5


class Perturbator(nn.Module):
    """A variational autoencoder whose output are the two halves a and b of a map for each row."""

    def __init__(self, d):
        super().__init__()
        self.fc1, self.fc2, self.fc3, self.fc4 = (nn.Linear(d, d) for _ in range(4))
        self.fc5 = nn.Linear(d, 2 * d)

    def forward(self, x, eps):
        hidden = functional.leaky_relu(self.fc1(x))
        mu, logvar = self.fc2(hidden), self.fc3(hidden)
        z = mu + torch.exp(0.5 * logvar) * eps
        a, b = self.fc5(functional.leaky_relu(self.fc4(z))).chunk(2, dim=1)
        return a, b, mu, logvar


class Classifier(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc1 = nn.Sequential(
            nn.Linear(d, d // 3, bias=False), nn.BatchNorm1d(d // 3, eps=1e-4, affine=False), nn.LeakyReLU(),
            nn.Linear(d // 3, d // 6, bias=False), nn.BatchNorm1d(d // 6, eps=1e-4, affine=False), nn.LeakyReLU())
        self.fc2 = nn.Linear(d // 6, 1, bias=False)

    def forward(self, x):
        embedding = self.fc1(x)
        return embedding, self.fc2(embedding).squeeze(1)


class Model(nn.Module):
    def __init__(self, d, explicit):
        super().__init__()
        self.explicit = explicit
        self.classifier = Classifier(d)
        self.vae = Perturbator(d)
        self.norm = nn.BatchNorm1d(d, affine=False)

    def perturb(self, x, a, b):
        if self.explicit:
            maps = torch.eye(x.shape[1], device=x.device) + torch.bmm(a.unsqueeze(2), b.unsqueeze(1))
            return torch.bmm(maps, x.unsqueeze(2)).squeeze(2)
        return x + a * (b * x).sum(dim=1, keepdim=True)

    def forward(self, rows, eps):
        x = self.norm(rows)
        a, b, mu, logvar = self.vae(x, eps)
        anomalies = self.perturb(x, a, b)
        z, logit = self.classifier(x)
        z_anomaly, logit_anomaly = self.classifier(anomalies)
        loss = functional.binary_cross_entropy_with_logits(logit, torch.ones_like(logit))
        loss = loss + functional.binary_cross_entropy_with_logits(logit_anomaly, torch.zeros_like(logit_anomaly))
        loss = loss + LAMBDA * ((a**2).mean() + ((b - 1) ** 2).mean())
        loss = loss + 0.5 * (torch.exp(logvar) + mu**2 - 1 - logvar).sum() / len(rows)
        return loss + guidance(z, z_anomaly)


def guidance(z, z_anomaly):
    """mean over c of log(sum_k exp S_a[k, c] + sum_{k != c} exp S_n[k, c]) - mean over k != c of S_n."""
    similarity = functional.cosine_similarity(z.unsqueeze(1), z.unsqueeze(0), dim=2) / TAU
    to_anomalies = functional.cosine_similarity(z.unsqueeze(1), z_anomaly.unsqueeze(0), dim=2) / TAU
    others = ~torch.eye(len(z), dtype=torch.bool, device=z.device)
    among = (torch.exp(similarity) * others).sum(dim=0)
    return torch.log(torch.exp(to_anomalies).sum(dim=0) + among).mean() - similarity[others].mean()


def formula(shape, number, bound):
    """benchmarks/formula.hpp: so that both programs have the same weights, rows and noise."""
    count = torch.Size(shape).numel()
    values = torch.arange(1, count + 1, dtype=torch.float64) * 0.6180339887498949 + number * 0.7548776662466927
    return ((values.frac() * 2 - 1) * bound).to(torch.float32).view(shape)


def fill(model):
    with torch.no_grad():
        fan_in = 1
        for number, parameter in enumerate(model.parameters()):
            fan_in = parameter.shape[1] if parameter.dim() == 2 else fan_in  # a bias comes after its weight
            parameter.copy_(formula(parameter.shape, number, 1 / fan_in**0.5))


def now(device):
    """The clock, when the device has done what it was given."""
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


STEPS_IN_A_ROW = 32


def in_a_row(step):
    """Seconds of a step on a GPU where nobody waits for each part."""
    start = now("cuda")
    for _ in range(STEPS_IN_A_ROW):
        step()
    return (now("cuda") - start) / STEPS_IN_A_ROW


def peak_bytes(device):
    on_device = {"peak_device_bytes": torch.cuda.max_memory_allocated()} if device == "cuda" else {}
    return {"peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, **on_device}


def main():
    which_map, which_optimiser, threads, dimension, batch = sys.argv[1:6]
    device = sys.argv[6] if len(sys.argv) > 6 else "cpu"
    torch.set_num_threads(int(threads))
    dimension, batch = int(dimension), int(batch)
    model = Model(dimension, which_map == "explicit")
    fill(model)
    model.to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-5, betas=(0.9, 0.999), weight_decay=0.01,
                                  fused=True if which_optimiser == "fused" else None)
    rows, eps = formula((batch, dimension), 1000, 1).to(device), formula((batch, dimension), 1001, 1.7).to(device)
    print(json.dumps({"torch": torch.__version__}), flush=True)

    def step():
        optimiser.zero_grad()
        model(rows, eps).backward()
        optimiser.step()

    for _ in sys.stdin:
        start = now(device)
        optimiser.zero_grad()
        loss = model(rows, eps)
        value = loss.item()
        forward = now(device)
        loss.backward()
        differentiated = now(device)
        optimiser.step()
        end = now(device)
        del loss
        whole = in_a_row(step) if device == "cuda" else end - start
        print(json.dumps({"whole": whole, "forward": forward - start, "gradient": differentiated - forward,
                          "update": end - differentiated, "loss": value, **peak_bytes(device)}), flush=True)


if __name__ == "__main__":
    main()
