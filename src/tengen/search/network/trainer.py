"""Training of a network with torch, the optional dependency `train`. Nothing else imports torch.

The torch module has the arrays of `weights` as its parameters, so nothing needs to be converted.
"""

from __future__ import annotations

import math
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding

from tengen.core.errors import TengenError
from tengen.search.kernels.network import AROUND, REFERENCE_SIDE, SCORE_SCALE, SIDE_SCALE
from tengen.search.network.samples import Samples
from tengen.search.network.weights import NetworkShape, Weights

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError as error:
    raise TengenError("training a network needs torch: install tengen[train]") from error

# Threads of such small layers mostly wait for each other: on a busy machine two were 40 times slower than one.
torch.set_num_threads(1)
# Numbers of half the size: a third faster where the processor multiplies them, slower elsewhere.
HAS_BFLOAT16 = bool(binding.get_host_cpu_features().get("avx512bf16"))

SAVE_INTERVAL_S = 60.0

# Besides biases.
ZERO_AT_FIRST = ("block_pooling", "head_pooling", "pass_weights", "result_weights", "result_inputs")


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """How a network is trained: passes over the samples, batch size, the highest learning rate, loss weights."""

    epochs: float = 8.0
    batch: int = 64
    learning_rate: float = 2e-3
    weight_decay: float = 1e-3
    value_weight: float = 1.0
    score_weight: float = 0.15
    owner_weight: float = 0.6


@dataclass(frozen=True, slots=True)
class Quality:
    """How well a network predicts samples: the policy of those that have one, the rest of all.

    policy_loss: cross-entropy in nats; accuracy: how often the most probable move is the target's; value_loss:
    cross-entropy; value_accuracy: how often the winner is right; owner_error: mean absolute error of owners;
    score_error: in points.
    """

    positions: int
    policy_loss: float
    accuracy: float
    value_loss: float
    value_accuracy: float
    owner_error: float
    score_error: float


class NetworkModule(nn.Module):  # type: ignore[misc]
    """The network of `search.kernels.network` in torch."""

    def __init__(self, shape: NetworkShape, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
        super().__init__()
        self.shape = shape
        for name in shape.array_shapes():
            self.register_parameter(name, nn.Parameter(torch.tensor(np.array(arrays[name], np.float32))))

    def forward(self, features: Any, inputs: Any) -> tuple[Any, Any, Any]:
        """(logits [n, points + 1], owners [n, points], results [n, 2]) for features [n, features, height, width].

        The score of `results` is in units of SCORE_SCALE points.
        """
        added = self.input_bias + inputs @ self.input_globals
        state = functional.relu(self._convolve(features, self.input_weights) + added[:, :, None, None])
        for block in range(self.shape.blocks):
            added = (
                self.block_biases[2 * block]
                + self._pool(state)[:, : -self.shape.channels] @ self.block_pooling[block]
            )
            middle = functional.relu(
                self._convolve(state, self.block_weights[2 * block]) + added[:, :, None, None]
            )
            change = self._convolve(middle, self.block_weights[2 * block + 1])
            state = functional.relu(state + change + self.block_biases[2 * block + 1][None, :, None, None])
        pooled = self._pool(state)
        points = state.flatten(2).transpose(1, 2)  # [n, points, channels]
        heads = points @ self.head_weights + self.head_bias
        hidden = functional.relu(heads[:, :, :-1] + (pooled @ self.head_pooling)[:, None, :])
        passing = pooled @ self.pass_weights[:-1] + self.pass_weights[-1]
        logits = torch.cat([hidden @ self.policy_weights, passing[:, None]], dim=1)
        value = functional.relu(pooled @ self.value_weights + self.value_bias)
        owners = torch.tanh(heads[:, :, -1])
        balance = owners.sum(1, keepdim=True) / SCORE_SCALE
        results = value @ self.result_weights + self.result_bias + inputs @ self.result_inputs
        return logits, owners, results + balance * self.result_owners

    def _convolve(self, state: Any, matrix: Any) -> Any:
        """A 3x3 convolution by a matrix [AROUND * in, out]."""
        kernels = matrix.reshape(3, 3, len(matrix) // AROUND, -1).permute(3, 2, 0, 1)
        return functional.conv2d(state, kernels, padding=1)

    def _pool(self, state: Any) -> Any:
        """[n, 3 * channels]: means, maxima, scaled means."""
        mean = state.mean((2, 3))
        side = math.sqrt(state.shape[2] * state.shape[3])
        return torch.cat([mean, state.amax((2, 3)), mean * ((side - REFERENCE_SIDE) / SIDE_SCALE)], dim=1)

    def weights(self, inputs: str, provenance: dict[str, Any]) -> Weights:
        arrays = {name: one.detach().numpy().copy() for name, one in self.named_parameters()}
        return Weights(self.shape, arrays, inputs, provenance)


def initial_arrays(shape: NetworkShape, seed: int) -> dict[str, np.ndarray[Any, Any]]:
    """Random arrays to start training from. The second convolution of each block starts small (Fixup)."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for name, dimensions in shape.array_shapes().items():
        if "bias" in name or name in ZERO_AT_FIRST:
            arrays[name] = np.zeros(dimensions, np.float32)
        else:
            inputs = dimensions[-2] if len(dimensions) > 1 else dimensions[0]
            arrays[name] = (rng.standard_normal(dimensions) * math.sqrt(2.0 / inputs)).astype(np.float32)
    arrays["result_owners"][:] = 1.0
    arrays["block_weights"][1::2] *= 0.2
    arrays["head_weights"][:, -1] *= 0.2
    return arrays


def train_network(
    start: Weights,
    samples: Sequence[Samples],
    plan: TrainingPlan,
    *,
    seed: int,
    on_progress: Callable[[int], None] = lambda steps: None,
    saved: Path | None = None,
) -> Weights:
    """Train a network further on these samples; `on_progress` gets the number of steps since the last call.

    With `saved`, the state is stored in this file every `SAVE_INTERVAL_S`, and an interrupted training with the
    same arguments continues from it. The caller removes the file.
    """
    torch.manual_seed(seed)
    module = NetworkModule(start.shape, dict(start.arrays))
    optimizer = torch.optim.AdamW(
        module.parameters(), lr=plan.learning_rate, weight_decay=plan.weight_decay, betas=(0.9, 0.98)
    )
    steps = count_steps(samples, plan)
    rising = 0.1 if steps != 10 else 0.2  # a rise of exactly one step divides by zero
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, plan.learning_rate, total_steps=steps, pct_start=rising
    )
    parts, done, saved_at = (module, optimizer, schedule), 0, time.monotonic()
    sizes = [(part.height, part.width, len(part)) for part in samples]
    identity = f"{start.digest}, {sizes}, {plan}, seed {seed}"
    if saved is not None and saved.exists():
        done = _restore(saved, parts, identity)
        on_progress(done)
    for batch in _batches(samples, plan.batch, steps, seed, done):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HAS_BFLOAT16):
            loss = _loss(module, batch, plan)
        loss.backward()
        nn.utils.clip_grad_norm_(module.parameters(), 2.0)
        optimizer.step()
        schedule.step()
        on_progress(1)
        done += 1
        if saved is not None and time.monotonic() - saved_at > SAVE_INTERVAL_S:
            _save(saved, parts, identity, done)
            saved_at = time.monotonic()
    return module.weights(start.inputs, start.provenance)


def _save(path: Path, parts: Sequence[Any], identity: str, steps: int) -> None:
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        states = [part.state_dict() for part in parts]
        torch.save({"training": identity, "steps": steps, "parts": states}, temporary)
        os.replace(temporary, path)
    except (OSError, RuntimeError) as error:  # torch raises RuntimeError on a full disk
        raise TengenError(f"cannot write {path}: {str(error).partition(chr(10))[0]}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _restore(path: Path, parts: Sequence[Any], identity: str) -> int:
    """Load the state of the parts; returns the number of steps done."""
    try:
        state = torch.load(path, weights_only=True)
        if state["training"] != identity:
            raise ValueError("another training")
        for part, stored in zip(parts, state["parts"], strict=True):
            part.load_state_dict(stored)
        return int(state["steps"])
    except (OSError, EOFError, RuntimeError, ValueError, KeyError, TypeError, pickle.UnpicklingError) as error:
        raise TengenError(f"{path} is damaged, or of another training: delete it to begin anew") from error


def count_steps(samples: Sequence[Samples], plan: TrainingPlan) -> int:
    """The number of batches of a training."""
    return max(1, math.ceil(plan.epochs * sum(map(len, samples)) / plan.batch))


def measure_quality(weights: Weights, samples: Samples, batch: int = 512) -> Quality:
    """Predictions for samples that were not used for training."""
    module = NetworkModule(weights.shape, dict(weights.arrays))
    sums = np.zeros(6)
    with torch.no_grad():
        for start in range(0, len(samples), batch):
            part = _tensors(samples.subset(np.arange(start, min(start + batch, len(samples)))))
            features, inputs, known, policy, wins, scores, owners = part
            logits, owned, results = module(features, inputs)
            logits = logits + known
            likelihood = -(policy * functional.log_softmax(logits, dim=1)).sum(1)
            right = (logits.argmax(1) == policy.argmax(1)) & (policy.sum(1) > 0)
            value = functional.binary_cross_entropy_with_logits(results[:, 0], wins, reduction="none")
            winner = (results[:, 0] > 0) == (wins > 0.5)
            ended = ~scores.isnan()
            owner = (owned - owners).abs().mean(1)[ended]
            score = (results[:, 1] * SCORE_SCALE - scores).abs()[ended]
            sums += [float(one.double().sum()) for one in (likelihood, right, value, winner, owner, score)]
    searched, scored = (np.count_nonzero(one) for one in (samples.policy.any(axis=1), ~np.isnan(samples.scores)))
    mean = sums / np.maximum(1, np.array([searched] * 2 + [len(samples)] * 2 + [scored] * 2))
    return Quality(len(samples), *(round(float(number), 5) for number in mean))


def _loss(module: NetworkModule, batch: tuple[Any, ...], plan: TrainingPlan) -> Any:
    features, inputs, known, policy, wins, scores, owners = batch
    logits, owned, results = module(features, inputs)
    policy_loss = -(policy * functional.log_softmax(logits + known, dim=1)).sum() / policy.sum().clamp(min=1.0)
    value_loss = functional.binary_cross_entropy_with_logits(results[:, 0], wins)
    ended = ~scores.isnan()  # the others have neither score nor owners
    score_loss = functional.huber_loss(results[ended, 1], scores[ended] / SCORE_SCALE, reduction="sum") / len(
        ended
    )
    owner_loss = functional.mse_loss(owned[ended], owners[ended], reduction="sum") / owners.numel()
    return (
        policy_loss
        + plan.value_weight * value_loss
        + plan.score_weight * score_loss
        + plan.owner_weight * owner_loss
    )


def _batches(
    samples: Sequence[Samples], size: int, steps: int, seed: int, skipped: int = 0
) -> Iterator[tuple[Any, ...]]:
    """Random batches, each of one board size in proportion to its samples, in a random symmetry."""
    rng = np.random.default_rng(seed)
    lengths = np.array([len(part) for part in samples])
    orders = [rng.permutation(length) for length in lengths]
    used = [0] * len(samples)
    for step in range(steps):
        number = int(rng.choice(len(samples), p=lengths / lengths.sum()))
        if used[number] + size > lengths[number]:
            orders[number], used[number] = rng.permutation(lengths[number]), 0
        chosen = orders[number][used[number] : used[number] + size]
        used[number] += size
        part = samples[number]
        symmetry = int(rng.integers(part.symmetries))
        if step >= skipped:
            yield _tensors(part.subset(chosen).turned(symmetry))


def _tensors(part: Samples) -> tuple[Any, ...]:
    """Features, inputs, known logits, policy, wins, scores and owners."""
    features = torch.from_numpy(part.features).reshape(len(part), part.height, part.width, -1)
    return (
        features.permute(0, 3, 1, 2).float(),  # channels last in memory, which is faster
        torch.from_numpy(part.inputs),
        torch.from_numpy(part.known_logits).float(),
        torch.from_numpy(part.policy).float(),
        torch.from_numpy(part.wins),
        torch.from_numpy(part.scores),
        torch.from_numpy(part.owners).float() / 100.0,
    )
