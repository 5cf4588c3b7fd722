"""Conformance of any array namespace to the Python array API standard, with reports.

Nothing here imports numr_api, unless that is the namespace under test, and importing this package
imports nothing heavy.
"""

__version__ = "0.1.0"
