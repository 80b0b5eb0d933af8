"""Computes a number in [0, 1] for a verdict, for reinforcement learning and search."""

import typing

# These are the weights of the parts that passed. Parts count in this order, up to the first that failed: a candidate
# that is right for one shape must not earn what a candidate that compiles and races does not.
WEIGHTS: dict[str, float] = {
    "compiles": 0.10,
    "bounds": 0.10,
    "races": 0.10,
    "deadlocks": 0.05,
    "uninitialised": 0.05,
    "traps": 0.05,
    "inputs": 0.05,
    "written": 0.05,
    "results": 0.15,
    "contents": 0.10,
    "shapes": 0.10,
    "schedules": 0.05,
    "deterministic": 0.03,
    "precision": 0.02,
}
_MOST_REJECTED = 0.5  # maximum for a rejected candidate


def reward(
    verdict: typing.Mapping[str, typing.Any], weights: typing.Optional[typing.Mapping[str, float]] = None
) -> float:
    """Returns the reward of a verdict from `judge` or from the JSON lines of a folder.

    An accepted candidate gets the weights of its parts that passed, as a share of all weights: 1 if all passed, less
    if its bits depend on the order, or if it computes in lower precision. A rejected candidate gets half of the
    weights of the parts before the first one that failed. One without a verdict gets 0."""
    weights = WEIGHTS if weights is None else weights
    parts, total = verdict["parts"], sum(weights.values())
    if verdict["verdict"] == "unknown" or not total:
        return 0.0
    if verdict["verdict"] == "accepted":
        noted = {note["part"] for note in verdict["notes"]}
        gained = sum(weight for part, weight in weights.items() if part not in noted)
        return round(gained / total, 6)
    gained = 0.0
    for part, weight in weights.items():
        if parts[part] != "passed":
            break
        gained += weight
    return round(_MOST_REJECTED * gained / total, 6)
