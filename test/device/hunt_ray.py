"""Spreads a campaign over the machines of a Ray cluster. Each core works on one program at a time, with tools that come
to its machine as a bundle; a program whose machine is lost is given to another one."""

import os
import sys

WAITING = 4  # programs of each core that Ray holds, so that none has to wait


def work(options, seed):
    """On a machine of the cluster, in the folder of the bundle."""
    if os.getcwd() not in sys.path[:1]:  # Ray puts the folder of the first machine there
        sys.path.insert(0, os.getcwd())
    import hunt

    if hunt.Worker.tools is None:
        hunt.unpack()
        options.ptxray, options.ptxas = hunt.HERE / "ptxray", hunt.HERE / "ptxas"
        hunt.begin_worker(options)
    return hunt.work(seed)


def results(options, seeds, bundle):
    """The results of all seeds, in the order in which they come."""
    import ray

    address = None if options.ray == "auto" else options.ray
    ray.init(address=address, log_to_driver=False, runtime_env={"working_dir": str(bundle)})
    there = ray.cluster_resources()
    cores = int(there["CPU"])
    # Without a share of a GPU a task does not see it.
    remote = ray.remote(num_cpus=1, num_gpus=there.get("GPU", 0) / cores, max_retries=3)(work)
    kept, waiting, left = ray.put(options), [], iter(seeds)
    while True:
        while len(waiting) < WAITING * cores and (seed := next(left, None)) is not None:
            waiting.append(remote.remote(kept, seed))
        if not waiting:
            return
        done, waiting = ray.wait(waiting)
        yield from ray.get(done)
