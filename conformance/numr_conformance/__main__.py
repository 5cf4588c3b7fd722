"""``python -m numr_conformance`` is the command ``numr-conformance``."""

import sys

from numr_conformance.cli import main

sys.exit(main())
