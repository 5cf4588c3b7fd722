"""An open device: kernels and copies are recorded, and run when somebody reads or enough wait."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from struct import Struct
from typing import Any

import numpy as np

from numr_api._backends.webgpu import native
from numr_api._backends.webgpu.adapters import Adapter
from numr_api._backends.webgpu.memory import SLAB, Binding, Block, Buffer, Memory
from numr_api._errors import DeviceLost, DeviceOutOfMemory

wgpu: Any = import_module("wgpu")  # whose types say less than its documentation

MOST_COMMANDS = 256  # then they are submitted
# Bytes of large buffers that they touch: then the device has work while the host records more.
# Between two submissions it idles for some 60 us, which should not be long beside the work.
MOST_BYTES = 8 << 30
LARGE = 1024  # workgroups of a command that may touch so much that this matters
WORDS_SIZE = 1 << 18  # bytes of parameters that can wait
WINDOW = 1024  # bytes of parameters that one kernel can see
UPLOAD_SIZE = 1 << 18  # bytes of small uploads that can wait
SMALL_UPLOAD = 1 << 14
MOST_BIND_GROUPS = 4096
MOST_STAGING = 64 << 20  # bytes read at once
GROUPS = 65_535  # workgroups along an axis

# What the library's errors say; it counts both among the validation errors.
SHORT = re.compile("not enough memory", re.IGNORECASE)
LOST = re.compile(r"device\W*(is |was )?lost", re.IGNORECASE)

USAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST


class Program:
    """A compiled kernel.

    Attributes:
        label: the name of the operation, for errors.
        pipeline: wgpu's.
        handle: the library's, of the same.
    """

    __slots__ = ("handle", "label", "pipeline")

    def __init__(self, label: str, pipeline: Any) -> None:
        self.label, self.pipeline = label, pipeline
        self.handle = native.handle(pipeline)


@cache
def _packing(count: int) -> Struct:
    return Struct(f"{count}I")


class Gpu:
    """A device, its memory, its programs, and the commands that wait.

    A kernel has bind group 0: binding 0 is a uniform ``array<vec4<u32>, n>`` of parameters, whose
    first word is 0; the bindings from 1 on are storage buffers that may be read and written.
    Methods are called with ``lock`` held.

    Attributes:
        adapter: what was opened.
        lock: of everything here.
        memory: allocates blocks.
        most: how many bytes a binding can have.
        most_threads: how many threads a workgroup can have.
        most_storage: how many bytes of workgroup memory it can have.
        submits: how many times commands were submitted.
        reads: how many times data was read back.
        writes: how many times data was uploaded.
        lost: why the device is gone; empty while it is there.
        on_loss: called when it is found gone.
    """

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.lock = threading.RLock()
        self.checked = "checked" in os.environ.get("NUMR_API_DEBUG", "")
        self.printing = "wgsl" in os.environ.get("NUMR_API_DEBUG", "")
        self.submits = self.reads = self.writes = 0
        self.lost = ""
        self.on_loss: Callable[[], None] = lambda: None
        self._failure: Exception | None = None  # of commands, to be told to whoever reads next
        self._device = adapter.open()
        self._queue = self._device.queue
        limits = self._device.limits
        self.most = int(limits["max-storage-buffer-binding-size"]) // 4 * 4
        self.most_threads = int(limits["max-compute-invocations-per-workgroup"])
        self.most_storage = int(limits["max-compute-workgroup-storage-size"])
        self.memory = Memory(
            self._create,
            self._destroy,
            self._finish,
            largest=int(limits["max-buffer-size"]) // 256 * 256,
            most=self.most,
            cap=(512 << 20) if adapter.in_software else (4 << 30),
        )
        if self.most < SLAB:
            raise DeviceOutOfMemory(f"{adapter.name}: bindings of {self.most} bytes are too small")
        self._programs: dict[str, Program] = {}
        self._layouts: dict[int, tuple[Any, Any]] = {}
        self._bind_groups: dict[tuple[Binding, ...], tuple[Any, Any]] = {}
        self._staging: dict[int, Any] = {}
        self._step = max(int(limits["min-uniform-buffer-offset-alignment"]), 16)
        self._words = bytearray(WORDS_SIZE)
        self._uniforms = self._device.create_buffer(
            label="parameters",
            size=WORDS_SIZE + WINDOW,
            usage=wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST,
        )
        self._upload = bytearray(UPLOAD_SIZE)
        self._uploads = self._device.create_buffer(
            label="uploads",
            size=UPLOAD_SIZE,
            usage=wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST,
        )
        self._offset = native.dynamic_offset()
        self._begin()

    def _begin(self) -> None:
        """No commands wait."""
        self._encoder: Any = None
        self._pass: Any = None
        self._pass_handle: Any = None
        self._commands = self._bytes = self._words_used = self._upload_used = 0
        self._labels: set[str] = set()

    # Buffers

    def _create(self, size: int) -> Any:
        with self._errors(f"allocation of {size:,} bytes"):
            return self._device.create_buffer(label="arrays", size=size, usage=USAGE)

    def _destroy(self, buffer: Buffer) -> None:
        self.flush()  # what waits may use it
        gone = [key for key in self._bind_groups if any(part.buffer is buffer for part in key)]
        for key in gone:
            del self._bind_groups[key]
        buffer.handle.destroy()

    # Programs

    def program(self, label: str, source: str, bindings: int) -> Program:
        """The compiled form of a kernel with so many storage buffers."""
        found = self._programs.get(source)
        if found is None:
            if self.printing:
                print(f"// {label}\n{source}")
            with self._errors(label):
                found = Program(label, self._compile(label, source, bindings))
            self._programs[source] = found
        return found

    def _compile(self, label: str, source: str, bindings: int) -> Any:
        if self.checked:
            module = self._device.create_shader_module(label=label, code=source)
        else:
            module = native.trusted_module(self._device, label, source)
        return self._device.create_compute_pipeline(
            label=label,
            layout=self._layout(bindings)[1],
            compute={"module": module, "entry_point": "main"},
        )

    def _layout(self, bindings: int) -> tuple[Any, Any]:
        """The layout of a bind group with so many storage buffers, and of its pipelines."""
        if bindings not in self._layouts:
            visible = wgpu.ShaderStage.COMPUTE
            parameters = {
                "binding": 0,
                "visibility": visible,
                "buffer": {"type": "uniform", "has_dynamic_offset": True},
            }
            arrays = [
                {"binding": number, "visibility": visible, "buffer": {"type": "storage"}}
                for number in range(1, bindings + 1)
            ]
            group = self._device.create_bind_group_layout(entries=[parameters, *arrays])
            pipeline = self._device.create_pipeline_layout(bind_group_layouts=[group])
            self._layouts[bindings] = (group, pipeline)
        return self._layouts[bindings]

    # Recording

    def dispatch(
        self, program: Program, bindings: tuple[Binding, ...], words: Sequence[int], x: int
    ) -> None:
        """Record a kernel.

        Arguments:
            words: its parameters, each of 32 bits without sign; the first one is 0.
            x: how many workgroups; more than 65,535 are arranged in two axes, of which the kernel
                computes ``workgroup_id.y * num_workgroups.x + workgroup_id.x`` and ignores those
                from ``x`` on.
        """
        if self.lost:
            raise DeviceLost(self._gone(program.label))
        size = len(words) * 4
        if self._words_used + size > WORDS_SIZE or self._commands >= MOST_COMMANDS:
            self.flush()
        if self._pass is None:
            self._open_pass()
        group = self._bind_groups.get(bindings) or self._bind_group(program.label, bindings)
        offset = self._words_used
        _packing(len(words)).pack_into(self._words, offset, *words)
        self._offset[0] = offset
        self._words_used = offset + -(-size // self._step) * self._step
        native.set_pipeline(self._pass_handle, program.handle)
        native.set_bind_group(self._pass_handle, group[1], self._offset)
        if x <= GROUPS:
            native.dispatch(self._pass_handle, x, 1, 1)
        else:
            rows = -(-x // GROUPS)
            native.dispatch(self._pass_handle, -(-x // rows), rows, 1)
        self._commands += 1
        self._labels.add(program.label)
        if x >= LARGE:
            self._bytes += sum(part.size for part in bindings)
            if self._bytes >= MOST_BYTES:
                self.flush()

    def _open_pass(self) -> None:
        if self._encoder is None:
            self._encoder = self._device.create_command_encoder()
        self._pass = self._encoder.begin_compute_pass()
        self._pass_handle = native.handle(self._pass)

    def _close_pass(self) -> Any:
        """The encoder, outside of a compute pass."""
        if self._pass is not None:
            self._pass.end()
            self._pass = self._pass_handle = None
        if self._encoder is None:
            self._encoder = self._device.create_command_encoder()
        return self._encoder

    def _bind_group(self, label: str, bindings: tuple[Binding, ...]) -> tuple[Any, Any]:
        if len(self._bind_groups) >= MOST_BIND_GROUPS:
            self.flush()
            self._bind_groups.clear()
            self._open_pass()
        entries = [
            {"binding": 0, "resource": {"buffer": self._uniforms, "offset": 0, "size": WINDOW}}
        ]
        for number, part in enumerate(bindings, 1):
            resource = {"buffer": part.buffer.handle, "offset": part.offset, "size": part.size}
            entries.append({"binding": number, "resource": resource})
        with self._errors(label):
            layout = self._layout(len(bindings))[0]
            group = self._device.create_bind_group(layout=layout, entries=entries)
        self._bind_groups[bindings] = (group, native.handle(group))
        return self._bind_groups[bindings]

    def flush(self) -> None:
        """Submit the commands that wait."""
        if self._encoder is None:
            return
        try:
            with self._errors(", ".join(sorted(self._labels)) or "copy"):
                commands = self._close_pass().finish()
                # Writes to the queue come before what is submitted after them.
                if self._words_used:
                    self._write(self._uniforms, 0, self._words, self._words_used)
                if self._upload_used:
                    self._write(self._uploads, 0, self._upload, self._upload_used)
                self._queue.submit([commands])
        except Exception as error:
            # The operation that met it may be tried again, and then know nothing of the others
            # that waited.
            self._failure = error
            raise
        finally:
            self._begin()
        self.submits += 1

    def _write(self, buffer: Any, offset: int, data: Any, size: int) -> None:
        self._queue.write_buffer(buffer, offset, data, 0, size)

    # To and from the host

    def write(self, block: Block, data: np.ndarray[Any, Any]) -> None:
        """Fill a block from its begin with the bytes of a contiguous NumPy array."""
        size = data.nbytes
        if size == 0:
            return
        if self.lost:
            raise DeviceLost(self._gone("upload"))
        self.writes += 1
        flat = data.reshape(-1).view(np.uint8)
        padded = -(-size // 4) * 4
        if padded <= SMALL_UPLOAD:
            if self._upload_used + padded > UPLOAD_SIZE:
                self.flush()
            start = self._upload_used
            self._upload[start : start + size] = flat.tobytes()
            self._upload_used += padded
            self._close_pass().copy_buffer_to_buffer(
                self._uploads, start, block.buffer.handle, block.offset, padded
            )
            self._commands += 1
            return
        self.flush()  # what waits may still read what was in the block before
        with self._errors("upload"):
            whole = size // 4 * 4
            self._write(block.buffer.handle, block.offset, flat, whole)
            if whole < size:
                rest = np.zeros(4, np.uint8)
                rest[: size - whole] = flat[whole:]
                self._write(block.buffer.handle, block.offset + whole, rest, 4)

    def read(
        self, block: Block, start: int, size: int, behind: Block | None = None
    ) -> np.ndarray[Any, Any]:
        """So many bytes of a block from a byte on, when all that was recorded has run.

        The first word of another block can come behind them, without a round trip of its own.
        """
        out = np.empty(size + (4 if behind else 0), np.uint8)
        self.reads += 1
        with self._errors("reading an array"), self._told_failures():
            done = 0
            while done < size:
                piece = min(size - done, MOST_STAGING - 8)  # with the word behind
                last = behind if done + piece == size else None
                end = done + piece + (4 if last else 0)
                out[done:end] = self._read_piece(block, start + done, piece, last)
                done += piece
        return out

    def _read_piece(self, block: Block, start: int, size: int, behind: Block | None) -> Any:
        first = start // 4 * 4  # copies are of whole words
        padded = -(-(start + size - first) // 4) * 4
        whole, padded = padded, padded + (4 if behind else 0)
        staging = self._staging_buffer(padded)
        encoder = self._close_pass()
        encoder.copy_buffer_to_buffer(block.buffer.handle, block.offset + first, staging, 0, whole)
        if behind:
            encoder.copy_buffer_to_buffer(behind.buffer.handle, behind.offset, staging, whole, 4)
        self.flush()
        staging.map_async("READ_NOSYNC", 0, padded).sync_wait()
        try:
            view = staging.read_mapped(0, padded, copy=False)
            found = np.frombuffer(view, np.uint8)
            wanted = found[start - first : start - first + size]
            return np.append(wanted, found[whole:padded]) if behind else wanted.copy()
        finally:
            staging.unmap()

    def _staging_buffer(self, size: int) -> Any:
        rounded = max(1 << (size - 1).bit_length(), 4096)
        if rounded not in self._staging:
            self._staging[rounded] = self._device.create_buffer(
                label="reading",
                size=rounded,
                usage=wgpu.BufferUsage.COPY_DST | wgpu.BufferUsage.MAP_READ,
            )
        return self._staging[rounded]

    def wait(self) -> None:
        """Wait until all that was recorded has run."""
        with self._errors("synchronize"), self._told_failures():
            self._finish()

    def _finish(self) -> None:
        self.flush()
        native.wait(self._device)

    # Errors

    @contextmanager
    def _errors(self, label: str) -> Generator[None]:
        """wgpu's errors as this package's, with what was done."""
        if self.lost:
            raise DeviceLost(self._gone(label))
        try:
            yield
        except (wgpu.GPUError, wgpu.GPUPipelineError, RuntimeError) as error:
            if isinstance(error, DeviceLost):
                raise
            text = str(error)
            if isinstance(error, MemoryError) or SHORT.search(text):
                raise DeviceOutOfMemory(f"{label}: {self.adapter.name} is out of memory") from error
            if LOST.search(text):
                self.lost = text.splitlines()[-1].strip()
                self.on_loss()
                raise DeviceLost(self._gone(label)) from error
            if isinstance(error, RuntimeError):  # of this package, or a failed mapping
                raise
            raise RuntimeError(f"{label}: {self.adapter.name} refused it: {text}") from error

    def _gone(self, label: str) -> str:
        return f"{label}: {self.adapter.name} is lost, and with it its arrays: {self.lost}"

    @contextmanager
    def _told_failures(self) -> Generator[None]:
        """What waits for commands to run tells, once, that some could not."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        try:
            yield
        except Exception:
            self._failure = None  # just told
            raise
