"""Namespaces with one fault each, which numr_conformance must find.

A fault replaces one function of numr_api, or one method of its arrays; everything else is
numr_api's own. Each says which checks of the suite find it, as patterns of their names.
"""

from __future__ import annotations

import faults_of_arrays
import faults_of_combinations
import faults_of_values
from faulty import FAULTS, Fault, Namespace, array_class

import numr_api as xp

__all__ = [
    "FAULTS",
    "Fault",
    "Namespace",
    "array_class",
    "faults_of_arrays",
    "faults_of_combinations",
    "faults_of_values",
    "xp",
]
