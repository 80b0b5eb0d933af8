"""Checks a column of PTX in Parquet with Dask: check_dask.py INPUT OUTPUT [COLUMN]. Each worker process keeps one
checker for all its partitions."""

import functools
import sys

import dask.dataframe
import ptxray


@functools.cache
def checker():
    return ptxray.Checker()


def check(rows, column):
    found = checker().check_many(rows[column], jobs=1)
    return rows.assign(
        errors=[-1 if one is None else one.errors for one in found],
        first_rule=[one[0].rule if one else "" for one in found],
    )


def main(source, target, column="ptx"):
    rows = dask.dataframe.read_parquet(source)
    types = {"errors": "int64", "first_rule": rows._meta[column].dtype}
    meta = rows._meta.assign(errors=[], first_rule=[]).astype(types)
    rows.map_partitions(check, column, meta=meta).to_parquet(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
