"""python -m ptxray ... is ptxray ..."""

import os
import sys

from . import program

os.execv(program(), ["ptxray", *sys.argv[1:]])
