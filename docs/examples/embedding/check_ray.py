"""Checks a column of PTX in Parquet with Ray Data: check_ray.py INPUT OUTPUT [COLUMN]. Each actor has one core and a
checker, which reuses the results of earlier texts. Batches arrive as Arrow, so that no text is copied."""

import sys

import ptxray
import pyarrow
import ray


class Check:
    def __init__(self, column):
        self.column = column
        self.checker = ptxray.Checker()

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        found = self.checker.check_many(batch[self.column], jobs=1)
        errors = [one.errors if one is not None else None for one in found]
        first = [one[0].rule if one else None for one in found]
        return batch.append_column("errors", pyarrow.array(errors, pyarrow.int64())).append_column(
            "first_rule", pyarrow.array(first, pyarrow.string())
        )


def main(source, target, column="ptx"):
    cores = int(ray.cluster_resources()["CPU"]) if ray.is_initialized() else None
    table = ray.data.read_parquet(source)
    checked = table.map_batches(
        Check,
        fn_constructor_args=(column,),
        batch_format="pyarrow",
        batch_size=256,
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=cores or 64),
    )
    checked.write_parquet(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
