#!/bin/sh
# On the machine with the GPU: unpacks what build.py packed, runs it, and leaves report.json, report.md, layouts.txt and example.txt in the folder
# given ($OUT, else here).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-${OUT:-$here}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$here" "$work" <<'EOF'
import lzma, pathlib, sys, tarfile
here, work = map(pathlib.Path, sys.argv[1:])
with lzma.open(here / "cubins.tar.xz") as packed, tarfile.open(fileobj=packed) as tar:
    tar.extractall(work)
(work / "kernels.txt").write_bytes(lzma.open(here / "kernels.txt.xz").read())
EOF
cp "$here/device-run" "$work/"
chmod +x "$work/device-run"
sh "$here/layouts/run.sh" | tee "$out/layouts.txt"
sh "$here/example/run.sh" >"$out/example.txt" || { cat "$out/example.txt" && exit 1; }
"$work/device-run" "$work" "$out"
