"""Distributes a campaign over the machines of a Ray cluster. Each core processes one program at a time, with tools
that its machine receives as a bundle. If a machine is lost, another one gets its program."""

import os
import sys

WAITING = 4  # programs per core that Ray holds, so that no core has to wait


def work(options, seed):
    """Runs on a machine of the cluster, in the folder of the bundle."""
    if os.getcwd() not in sys.path[:1]:  # Ray inserts the folder of the first machine there
        sys.path.insert(0, os.getcwd())
    import hunt

    if hunt.Worker.tools is None:
        hunt.unpack()
        options.ptxray, options.ptxas = hunt.HERE / "ptxray", hunt.HERE / "ptxas"
        hunt.begin_worker(options)
    return hunt.work(seed)


def results(options, seeds, bundle):
    """Returns the results of all seeds in the order of their arrival."""
    import ray

    address = None if options.ray == "auto" else options.ray
    ray.init(address=address, log_to_driver=False, runtime_env={"working_dir": str(bundle)})
    there = ray.cluster_resources()
    cores = int(there["CPU"])
    # A task without a share of a GPU does not see the GPU.
    remote = ray.remote(num_cpus=1, num_gpus=there.get("GPU", 0) / cores, max_retries=3)(work)
    kept, waiting, left = ray.put(options), [], iter(seeds)
    while True:
        while len(waiting) < WAITING * cores and (seed := next(left, None)) is not None:
            waiting.append(remote.remote(kept, seed))
        if not waiting:
            return
        done, waiting = ray.wait(waiting)
        yield from ray.get(done)
