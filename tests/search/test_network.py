"""The network: compiled, plain Python and NumPy agree; files; samples. soak/ has the tests with torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen.core.errors import TengenError
from tengen.search.kernels.network import Network, run_forward
from tengen.search.network.evaluator import evaluator, rectangle_neighbourhoods
from tengen.search.network.growth import deepened
from tengen.search.network.samples import Samples, turn
from tengen.search.network.weights import NetworkFileError, NetworkShape, Weights, read_network, write_network
from tests.helpers.network_reference import SHAPE, learnable_samples, random_position, random_weights, reference

Array = np.ndarray[Any, Any]
BOARDS = ((3, 3), (5, 4), (9, 9))  # width, height


def evaluate(weights: Weights, width: int, height: int, features: Array, inputs: Array) -> Network:
    network = evaluator(weights, rectangle_neighbourhoods(width, height))
    network.features[:-1] = features
    network.inputs[:] = inputs
    run_forward(network)
    return network


def assert_close(network: Network, expected: tuple[Array, Array, Array]) -> None:
    for found, wanted in zip((network.logits, network.owners, network.results), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("channels", [6, 32, 40])  # the kernel rounds them up to a multiple of 32
@pytest.mark.parametrize(("width", "height"), BOARDS)
def test_the_compiled_network_agrees_with_numpy(width: int, height: int, channels: int) -> None:
    weights = random_weights(replace(SHAPE, channels=channels))
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


def test_a_deepened_network_predicts_the_same() -> None:
    weights, position = random_weights(), random_position(SHAPE, 20)
    network = evaluate(weights, 5, 4, *position)
    deeper = deepened(weights, 4, seed=1)
    assert deeper.shape.blocks == 4
    assert deeper.arrays["block_weights"][2 * SHAPE.blocks].any()  # what could never learn would be 0
    assert_close(evaluate(deeper, 5, 4, *position), (network.logits, network.owners, network.results))
    with pytest.raises(TengenError, match="2 blocks"):
        deepened(weights, 1, seed=1)


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
        content.replace(b'"channels": 6', b'"channels": 0'),
        content.replace(b"{", b"["),
    ):
        path.write_bytes(broken)
        with pytest.raises(NetworkFileError, match="damaged"):
            read_network(path, "test 1")
    path.write_bytes(b"something else")
    with pytest.raises(NetworkFileError, match="not a network file"):
        read_network(path, "test 1")


# ---- samples


def test_samples_are_joined_by_board_size() -> None:
    joined = Samples.join([learnable_samples(size, count, 0) for size, count in ((5, 3), (4, 2), (5, 4))])
    assert [(part.width, len(part)) for part in joined] == [(4, 2), (5, 7)]
    assert len(joined[1].subset(np.array([0, 6]))) == 2


def test_the_symmetries_of_samples() -> None:
    samples = learnable_samples(4, 3, 0)
    samples.owners[:] = np.arange(16)
    assert len({samples.turned(number).owners.tobytes() for number in range(samples.symmetries)}) == 8
    for number in range(samples.symmetries):
        turned = samples.turned(number)
        stones = turned.features[:, :, :2].any(axis=2)
        assert np.array_equal(turned.policy[:, :-1] > 0, stones)  # they move together
        moved = np.take_along_axis(turned.owners, turned.policy.argmax(axis=1)[:, None], axis=1)
        assert np.array_equal(moved[:, 0], samples.policy.argmax(axis=1))
        assert np.array_equal(turned.policy[:, -1], samples.policy[:, -1])
    assert turn(np.zeros((1, 2, 3)), 3).shape == (1, 2, 3)
