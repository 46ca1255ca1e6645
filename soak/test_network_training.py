"""Training of networks with torch: it computes what the kernel computes, learns, and a run can be resumed.

Not in `make test`, because torch is large and only training needs it.
"""

from __future__ import annotations

import csv
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.network_reference import SHAPE, learnable_samples, random_position, random_weights, reference

from tengen.core.errors import TengenError
from tengen.engines.go.network.files import INPUT_NAME
from tengen.engines.go.network.files import SHAPE as GO_SHAPE
from tengen.engines.go.training import network_job, network_refit
from tengen.engines.go.training.network_games import GameBatch, NetworkGameSettings
from tengen.search.network import trainer
from tengen.search.network.weights import NetworkShape, Weights, read_network


def test_torch_agrees_with_numpy_and_learns() -> None:
    weights = random_weights()
    features, inputs = random_position(SHAPE, 20)
    module = trainer.NetworkModule(SHAPE, dict(weights.arrays))
    planes = torch.tensor(features.reshape(1, 4, 5, -1)).permute(0, 3, 1, 2)
    logits, owners, results = (one.detach().numpy()[0] for one in module(planes, torch.tensor(inputs[None])))
    expected = reference(weights, 5, 4, features, inputs)
    for found, wanted in zip((logits, owners, results * [1, 10]), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)

    start = Weights(SHAPE, trainer.initial_arrays(SHAPE, 1), "test 1")
    samples = [learnable_samples(4, 400, 1), learnable_samples(5, 200, 2)]
    plan = trainer.TrainingPlan(epochs=8, batch=20, learning_rate=1e-2)
    counted: list[int] = []
    learned = trainer.train_network(start, samples, plan, seed=1, on_progress=counted.append)
    assert sum(counted) == trainer.count_steps(samples, plan)
    ten = trainer.TrainingPlan(epochs=1, batch=60)
    assert trainer.count_steps(samples, ten) == 10  # torch has a defect there
    trainer.train_network(start, samples, ten, seed=1)
    before, after = (trainer.measure_quality(one, learnable_samples(5, 100, 3)) for one in (start, learned))
    assert after.accuracy > 0.9 > before.accuracy
    assert after.value_accuracy > 0.9
    assert after.owner_error < before.owner_error
    again = trainer.train_network(start, samples, plan, seed=1)
    assert all(np.array_equal(again.arrays[name], learned.arrays[name]) for name in learned.arrays)


def test_training_can_be_resumed_and_is_deterministic(tmp_path: Path) -> None:
    batches = (GameBatch(NetworkGameSettings(5, 40, 10, 0.5), 4),)
    generation = network_job.NetworkGeneration(
        batches, trainer.TrainingPlan(epochs=1, batch=8), match_games=2, match_size=3
    )
    shape = NetworkShape(GO_SHAPE.features, GO_SHAPE.inputs, channels=4, blocks=1)
    told: list[str] = []
    for name in ("one.network", "two.network"):
        with ThreadPoolExecutor(1) as here:
            network_job.train(
                tmp_path / "games",
                tmp_path / name,
                plan=(generation, generation),
                shape=shape,
                max_games=3,
                executor=here,
                on_message=told.append,
            )
    assert (tmp_path / "one.network").read_bytes() == (tmp_path / "two.network").read_bytes()
    network = read_network(tmp_path / "one.network", INPUT_NAME)
    with ThreadPoolExecutor(1) as here:
        network_job.train(
            tmp_path / "more",
            tmp_path / "three.network",
            plan=(replace(generation, match_games=0),),
            start=network,
            executor=here,
            on_message=told.append,
        )
    continued = read_network(tmp_path / "three.network", INPUT_NAME)
    assert continued.shape == shape
    assert continued.provenance["start"] == network.provenance
    assert network.provenance["command"] == "tengen train go --seed 1 --games 3"
    assert network.provenance["generations"][0]["games"] == 3
    rows = list(csv.DictReader((tmp_path / "games" / "learning.csv").read_text().splitlines()))
    assert [(row["generation"], row["board"]) for row in rows] == [("0", "5x5"), ("1", "5x5")]
    assert len({row["positions"] for row in rows}) == 1  # all networks predict the same positions
    assert any("generation 1" in line for line in told)
    plot = ElementTree.fromstring((tmp_path / "games" / "learning.svg").read_text())
    assert len(plot.findall(".//{http://www.w3.org/2000/svg}circle")) == 2 * len(rows)  # policy and value
    rows = list(csv.DictReader((tmp_path / "more" / "learning.csv").read_text().splitlines()))
    assert [row["generation"] for row in rows] == ["start", "0"]

    network_refit.refit(
        [tmp_path / "games", tmp_path / "more"],
        tmp_path / "four.network",
        network,
        blocks=3,
        plan=trainer.TrainingPlan(epochs=2, batch=8),
        on_message=told.append,
    )
    deeper = read_network(tmp_path / "four.network", INPUT_NAME)
    assert (deeper.shape.blocks, deeper.provenance["games"]) == (3, [3, 3, 4])
    assert deeper.provenance["start"] == network.provenance
    assert not list(tmp_path.glob("*.training"))
    with pytest.raises(TengenError, match="has no games"):
        network_refit.read_generations(tmp_path)


def test_an_interrupted_training_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "SAVE_INTERVAL_S", 0.0)
    start = Weights(SHAPE, trainer.initial_arrays(SHAPE, 1), "test 1")
    samples, saved = [learnable_samples(4, 90, 1)], tmp_path / "x.training"
    plan = trainer.TrainingPlan(epochs=2, batch=10)
    steps: list[int] = []

    def count(more: int) -> None:
        steps.append(more)
        if sum(steps) == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.train_network(start, samples, plan, seed=1, on_progress=count, saved=saved)
    steps.clear()
    continued = trainer.train_network(start, samples, plan, seed=1, on_progress=steps.append, saved=saved)
    assert steps == [10, *[1] * 8]
    at_once = trainer.train_network(start, samples, plan, seed=1)
    assert all(np.array_equal(continued.arrays[name], at_once.arrays[name]) for name in at_once.arrays)
    for others, other_plan, seed in (
        ([learnable_samples(4, 80, 1)], plan, 1),
        (samples, replace(plan, epochs=3), 1),
        (samples, plan, 2),
    ):
        with pytest.raises(TengenError, match="of another training"):
            trainer.train_network(start, others, other_plan, seed=seed, saved=saved)
    for damaged in (b"", b"no training"):
        saved.write_bytes(damaged)
        with pytest.raises(TengenError, match="damaged"):
            trainer.train_network(start, samples, plan, seed=1, saved=saved)
