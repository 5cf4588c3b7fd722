"""What a device is made of, and which instructions NVIDIA's GPUs have by generation."""

from __future__ import annotations

import dataclasses

import pytest

from numr_api._profiles import FIRST, of_compute_capability
from numr_api.extensions.device import DeviceArch, DeviceCaps, DeviceProfile, profile

NONE, ALL = (), tuple(FIRST)
GENERATIONS = {
    (5, 2): (DeviceArch.CUDA_UNKNOWN, NONE),
    (6, 0): (DeviceArch.CUDA_UNKNOWN, NONE),
    (6, 1): (DeviceArch.CUDA_PASCAL, ("dp4a",)),
    (7, 0): (DeviceArch.CUDA_VOLTA, ("dp4a", "f16_mma")),
    (7, 2): (DeviceArch.CUDA_VOLTA, ("dp4a", "f16_mma")),
    (7, 5): (DeviceArch.CUDA_TURING, ("dp4a", "f16_mma", "int8_mma")),
    (8, 0): (DeviceArch.CUDA_AMPERE, ALL[:-1]),
    (8, 6): (DeviceArch.CUDA_AMPERE, ALL[:-1]),
    (8, 9): (DeviceArch.CUDA_ADA, ALL),
    (9, 0): (DeviceArch.CUDA_HOPPER, ALL),
    (10, 0): (DeviceArch.CUDA_BLACKWELL, ALL),
    (12, 1): (DeviceArch.CUDA_BLACKWELL, ALL),
}


@pytest.mark.parametrize("capability", GENERATIONS)
def test_generations_and_their_instructions(capability: tuple[int, int]):
    arch, names = GENERATIONS[capability]
    found, caps = of_compute_capability(*capability)
    assert found is arch
    assert caps == DeviceCaps(**dict.fromkeys(names, True))


def test_the_cpu_tells_its_processors_and_vectors():
    found = profile("cpu")
    assert (found.backend, found.arch) == ("cpu", DeviceArch.CPU)
    assert found.compute_units >= 1
    assert found.lane_width in (4, 8, 16)
    assert found.caps == DeviceCaps()


def test_the_default_device_is_meant_where_none_is_named():
    assert profile() == profile("cpu")


def test_a_device_of_which_nothing_is_known_has_a_profile(fakes: tuple[str, ...]):
    found = profile(fakes[0])
    assert found == DeviceProfile.unknown("fake")
    assert found.arch is DeviceArch.UNKNOWN
    assert not any(dataclasses.astuple(found.caps))
    assert found.compute_units == found.lane_width == found.max_threads_per_block == 0


def test_a_gpu_of_webgpu_tells_its_limits():
    pytest.importorskip("wgpu")
    try:
        found = profile("webgpu:0")
    except ValueError:
        pytest.skip("no adapter")
    assert (found.backend, found.arch) == ("webgpu", DeviceArch.WEBGPU)
    assert found.max_threads_per_block >= 128  # by the standard of WebGPU
    assert found.shared_memory_per_block >= 16384


def test_profiles_do_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        profile("cpu").lane_width = 1  # type: ignore[misc]


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="profile: no device 'cuda:77'"):
        profile("cuda:77")
