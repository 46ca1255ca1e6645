"""The network: compiled, plain Python, NumPy and torch agree; files; training learns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen.search.kernels.network import Network, run_forward
from tengen.search.network.evaluator import evaluator, rectangle_neighbourhoods
from tengen.search.network.samples import Samples
from tengen.search.network.weights import NetworkFileError, NetworkShape, Weights, read_network, write_network

Array = np.ndarray[Any, Any]
SHAPE = NetworkShape(features=5, inputs=2, channels=6, blocks=2, hidden=4, value_hidden=7)
BOARDS = ((3, 3), (5, 4), (9, 9))  # width, height


def random_weights(shape: NetworkShape = SHAPE, seed: int = 0) -> Weights:
    rng = np.random.default_rng(seed)
    arrays = {
        name: (0.4 * rng.standard_normal(sizes)).astype(np.float32) for name, sizes in shape.array_shapes().items()
    }
    return Weights(shape, arrays, "test 1", {"seed": seed})


def random_position(shape: NetworkShape, points: int, seed: int = 1) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 2, (points, shape.features)).astype(np.float32)
    return features, rng.standard_normal(shape.inputs).astype(np.float32)


def evaluate(weights: Weights, width: int, height: int, features: Array, inputs: Array) -> Network:
    network = evaluator(weights, rectangle_neighbourhoods(width, height))
    network.features[:-1] = features
    network.inputs[:] = inputs
    run_forward(network)
    return network


# ---- a simple implementation


def convolve(planes: Array, matrix: Array) -> Array:
    """A 3x3 convolution of [height, width, in] by [9 * in, out], one point after the other."""
    height, width, channels = planes.shape
    padded = np.zeros((height + 2, width + 2, channels))
    padded[1:-1, 1:-1] = planes
    out = np.zeros((height, width, matrix.shape[1]))
    for row in range(height):
        for column in range(width):
            out[row, column] = padded[row : row + 3, column : column + 3].reshape(-1) @ matrix
    return out


def pool(planes: Array) -> Array:
    height, width, _ = planes.shape
    mean = planes.mean((0, 1))
    return np.concatenate([mean, planes.max((0, 1)), mean * (np.sqrt(height * width) - 14) / 10])


def reference(
    weights: Weights, width: int, height: int, features: Array, inputs: Array
) -> tuple[Array, Array, Array]:
    """(logits, owners, results) in float64."""
    array = {name: one.astype(np.float64) for name, one in weights.arrays.items()}
    channels = weights.shape.channels
    added = array["input_bias"] + inputs @ array["input_globals"]
    state = np.maximum(0, convolve(features.reshape(height, width, -1), array["input_weights"]) + added)
    for block in range(weights.shape.blocks):
        added = array["block_biases"][2 * block] + pool(state)[: 2 * channels] @ array["block_pooling"][block]
        middle = np.maximum(0, convolve(state, array["block_weights"][2 * block]) + added)
        change = convolve(middle, array["block_weights"][2 * block + 1])
        state = np.maximum(0, state + change + array["block_biases"][2 * block + 1])
    pooled, points = pool(state), state.reshape(-1, channels)
    heads = points @ array["head_weights"] + array["head_bias"]
    hidden = np.maximum(0, heads[:, :-1] + pooled @ array["head_pooling"])
    passing = pooled @ array["pass_weights"][:-1] + array["pass_weights"][-1]
    value = np.maximum(0, pooled @ array["value_weights"] + array["value_bias"])
    results = (value @ array["result_weights"] + array["result_bias"]) * [1, 10]
    return np.append(hidden @ array["policy_weights"], passing), np.tanh(heads[:, -1]), results


def assert_close(network: Network, expected: tuple[Array, Array, Array]) -> None:
    for found, wanted in zip((network.logits, network.owners, network.results), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("width", "height"), BOARDS)
def test_the_compiled_network_agrees_with_numpy(width: int, height: int) -> None:
    weights = random_weights()
    position = random_position(SHAPE, width * height)
    network = evaluate(weights, width, height, *position)
    assert_close(network, reference(weights, width, height, *position))
    first = network.logits.copy()
    run_forward(network)  # nothing of the last evaluation is left
    assert np.array_equal(network.logits, first)


def test_plain_python_agrees_with_numpy() -> None:
    weights = random_weights(replace(SHAPE, channels=3))
    position = random_position(SHAPE, 9)
    network = evaluator(weights, rectangle_neighbourhoods(3, 3))
    network.features[:-1], network.inputs[:] = position
    plain = run_forward if not hasattr(run_forward, "py_func") else run_forward._run_plain
    plain(network)
    assert_close(network, reference(weights, 3, 3, *position))


def test_a_tiny_network_with_known_results() -> None:
    """One channel that counts the neighbours of each stone."""
    shape = NetworkShape(features=1, inputs=1, channels=1, blocks=0, hidden=1, value_hidden=1)
    arrays = {name: np.zeros(sizes, np.float32) for name, sizes in shape.array_shapes().items()}
    arrays["input_weights"][:] = 1
    arrays["input_globals"][:] = 2
    arrays["head_weights"][:] = [[1, 0.1]]
    arrays["policy_weights"][:] = 3
    arrays["pass_weights"][:] = [1, 1, 0, 5]  # mean, maximum, scaled mean, bias
    arrays["value_weights"][:] = [[0], [1], [0]]
    arrays["result_weights"][:] = [[1, -1]]
    features = np.array([[1], [0], [0], [0]], np.float32)
    network = evaluate(Weights(shape, arrays, "test 1"), 2, 2, features, np.array([0.5], np.float32))
    assert network.logits.tolist() == [6, 6, 6, 6, 9]  # 2 at each point: the stone and the global input
    np.testing.assert_allclose(network.owners, np.tanh(0.2), rtol=1e-6)
    assert network.results.tolist() == [2, -20]


# ---- files


def test_files_keep_networks(tmp_path: Path) -> None:
    weights, path = random_weights(), tmp_path / "x.network"
    write_network(path, weights)
    loaded = read_network(path, "test 1")
    assert loaded.shape == weights.shape
    assert loaded.provenance == {"seed": 0}
    for name, array in loaded.arrays.items():
        assert np.array_equal(array, weights.arrays[name].astype(np.float16)), name
        assert not array.flags.writeable
    again = tmp_path / "y.network"
    write_network(again, loaded)
    assert again.read_bytes() == path.read_bytes()


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.network"
    with pytest.raises(NetworkFileError, match="No such file"):
        read_network(path, "test 1")
    write_network(path, random_weights())
    with pytest.raises(NetworkFileError, match="for the inputs 'test 1', not 'test 2'"):
        read_network(path, "test 2")
    content = path.read_bytes()
    for broken in (
        content[:-40],
        content.replace(b'"channels": 6', b'"channels": 7'),
        content.replace(b"{", b"["),
    ):
        path.write_bytes(broken)
        with pytest.raises(NetworkFileError, match="damaged"):
            read_network(path, "test 1")
    path.write_bytes(b"something else")
    with pytest.raises(NetworkFileError, match="not a network file"):
        read_network(path, "test 1")


# ---- training


def learnable_samples(size: int, count: int, seed: int) -> Samples:
    """Positions with one stone: the best move is the point itself, and a stone of the first kind wins."""
    rng = np.random.default_rng(seed)
    points, kinds = rng.integers(size * size, size=count), rng.integers(2, size=count)
    features, policy = np.zeros((count, size * size, 5), np.int8), np.zeros((count, size * size + 1), np.float16)
    features[:, :, 2] = 1
    features[np.arange(count), points, kinds] = 1
    policy[np.arange(count), points] = 1
    wins = 1.0 - kinds
    return Samples(
        size,
        size,
        features=features,
        inputs=np.zeros((count, 2), np.float32),
        known_logits=np.zeros_like(policy),
        policy=policy,
        wins=wins.astype(np.float32),
        scores=(20 * wins - 10).astype(np.float32),
        owners=np.repeat((200 * wins - 100)[:, None], size * size, axis=1).astype(np.int8),
    )


def test_samples_are_joined_by_board_size() -> None:
    joined = Samples.join([learnable_samples(size, count, 0) for size, count in ((5, 3), (4, 2), (5, 4))])
    assert [(part.width, len(part)) for part in joined] == [(4, 2), (5, 7)]
    assert len(joined[1].subset(np.array([0, 6]))) == 2


def test_torch_agrees_with_numpy_and_learns() -> None:
    torch = pytest.importorskip("torch")
    from tengen.search.network import trainer

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
    before, after = (trainer.measure_quality(one, learnable_samples(5, 100, 3)) for one in (start, learned))
    assert after.accuracy > 0.9 > before.accuracy
    assert after.value_accuracy > 0.9
    assert after.owner_error < before.owner_error
    again = trainer.train_network(start, samples, plan, seed=1)
    assert all(np.array_equal(again.arrays[name], learned.arrays[name]) for name in learned.arrays)


def test_the_eight_symmetries_differ() -> None:
    torch = pytest.importorskip("torch")
    from tengen.search.network.trainer import SYMMETRIES, turn

    planes = torch.arange(9).reshape(1, 3, 3)
    assert len({tuple(turn(planes, symmetry).flatten().tolist()) for symmetry in range(SYMMETRIES)}) == SYMMETRIES
