"""``python -m satchel.cli``."""

import sys

from .app import main

sys.exit(main())
