"""Parts of the text of kernels that several families have."""

from __future__ import annotations


def boolean(value: bool) -> str:
    """A truth value in C++."""
    return "true" if value else "false"


def index_type(wide: bool) -> str:
    """The type that counts elements, in 64 bits or in 32."""
    return "uint64" if wide else "uint32"


def kernel_text(name: str, parameters: str, body: str, head: str = "KERNEL") -> str:
    """A kernel in the namespace of the sources."""
    return f"namespace numr {{\n\n{head} void {name}({parameters}) {{\n{body}\n}}\n\n}}\n"
