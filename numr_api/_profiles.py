"""What a device is made of: the physical properties by which kernels are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["DeviceArch", "DeviceCaps", "DeviceProfile", "of_compute_capability"]


class DeviceArch(Enum):
    """A family of devices; NVIDIA's GPUs by generation, each with what earlier ones have."""

    CPU = "cpu"
    WEBGPU = "webgpu"
    CUDA_PASCAL = "Pascal"
    CUDA_VOLTA = "Volta"
    CUDA_TURING = "Turing"
    CUDA_AMPERE = "Ampere"
    CUDA_ADA = "Ada"
    CUDA_HOPPER = "Hopper"
    CUDA_BLACKWELL = "Blackwell"
    CUDA_UNKNOWN = "an NVIDIA GPU of an unknown generation"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class DeviceCaps:
    """Instructions that NVIDIA's GPUs have by generation; all False elsewhere.

    Attributes:
        dp4a: dot products of four integers of 8 bits.
        f16_mma: products of float16 matrices (tensor cores).
        int8_mma: products of int8 matrices.
        int8_mma_m16n8k32: these in tiles of 16 x 8 x 32.
        bf16: arithmetic and products of matrices of bfloat16.
        fp8: products of matrices of both floats of 8 bits.
    """

    dp4a: bool = False
    f16_mma: bool = False
    int8_mma: bool = False
    int8_mma_m16n8k32: bool = False
    bf16: bool = False
    fp8: bool = False


@dataclass(frozen=True)
class DeviceProfile:
    """A device's physical properties. A number is 0 where nobody tells it.

    Attributes:
        backend: the kind of device: "cpu", "cuda" or "webgpu".
        arch: the family of devices.
        compute_units: processors that work at the same time; multiprocessors of NVIDIA's GPUs.
        shared_memory_per_block: bytes that a group of threads may share at most.
        shared_memory_per_unit: bytes that the groups on one compute unit may share together.
        max_threads_per_block: threads of a group at most.
        lane_width: threads that run in step, or numbers of float32 in one of a processor's vectors.
        caps: special instructions.
    """

    backend: str
    arch: DeviceArch = DeviceArch.UNKNOWN
    compute_units: int = 0
    shared_memory_per_block: int = 0
    shared_memory_per_unit: int = 0
    max_threads_per_block: int = 0
    lane_width: int = 0
    caps: DeviceCaps = DeviceCaps()

    @classmethod
    def unknown(cls, backend: str) -> DeviceProfile:
        """That of a device of which nothing is known, for which only what works on any is right."""
        return cls(backend)


# The first compute capability of each generation, from the latest on.
# Source: NVIDIA, CUDA C++ Programming Guide, "Compute Capabilities".
GENERATIONS = (
    ((10, 0), DeviceArch.CUDA_BLACKWELL),
    ((9, 0), DeviceArch.CUDA_HOPPER),
    ((8, 9), DeviceArch.CUDA_ADA),
    ((8, 0), DeviceArch.CUDA_AMPERE),
    ((7, 5), DeviceArch.CUDA_TURING),
    ((7, 0), DeviceArch.CUDA_VOLTA),
    ((6, 1), DeviceArch.CUDA_PASCAL),
)
# And the first one that has each kind of instructions.
FIRST = {
    "dp4a": (6, 1),
    "f16_mma": (7, 0),
    "int8_mma": (7, 5),
    "int8_mma_m16n8k32": (8, 0),
    "bf16": (8, 0),
    "fp8": (8, 9),
}


def of_compute_capability(major: int, minor: int) -> tuple[DeviceArch, DeviceCaps]:
    """The generation and the instructions of NVIDIA's GPUs of a compute capability.

    What every choice of a kernel by generation reads; it needs no GPU.
    """
    capability = (major, minor)
    arch = next((a for first, a in GENERATIONS if capability >= first), DeviceArch.CUDA_UNKNOWN)
    return arch, DeviceCaps(**{name: capability >= first for name, first in FIRST.items()})
