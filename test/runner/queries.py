#!/usr/bin/env python3
"""Tests the answers of `ptxray explain` to typical queries: queries.py PTXRAY

queries.txt lists the queries, each with a fact that the answer must contain."""

import pathlib
import re
import subprocess
import sys


def read():
    """Yields (query, fact, whether the query is a name) of each line."""
    for line in (pathlib.Path(__file__).parent / "queries.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            query, fact = line.split(" => ")
            yield query.removeprefix("! "), fact, not query.startswith("! ")


def problems_of(ptxray, query, fact, is_name):
    done = subprocess.run([ptxray, "explain", query], capture_output=True, text=True)
    answer = re.sub(r"\s+", " ", done.stdout if is_name else done.stderr)
    if done.returncode != (0 if is_name else 2):
        yield f"explain {query}: status {done.returncode}: {done.stderr}"
    elif fact not in answer:
        yield f"explain {query}: `{fact}` is not in the answer: {answer[:400]}"
    if is_name and (done.stderr or len(done.stdout) < 60):
        yield f"explain {query}: {done.stderr or done.stdout}"


def main():
    queries = list(read())
    assert len(queries) >= 60 and len({query for query, *_ in queries}) == len(queries)
    problems = [problem for query in queries for problem in problems_of(sys.argv[1], *query)]
    print("\n".join(problems) or f"{len(queries)} queries")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
