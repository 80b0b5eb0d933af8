"""python -m ptxray._judge ... is ptxray judge ..."""

import sys

from ._command import main

sys.exit(main())
