"""python -m ptxray ... is ptxray ..."""

import os
import subprocess
import sys

from . import program

if os.name == "nt":
    sys.exit(subprocess.run([program(), *sys.argv[1:]]).returncode)
os.execv(program(), ["ptxray", *sys.argv[1:]])
