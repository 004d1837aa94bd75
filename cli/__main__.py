"""``python -m satchel.cli``."""

import sys

from .entry import main

sys.exit(main())
