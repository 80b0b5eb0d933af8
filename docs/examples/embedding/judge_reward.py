"""Rewards of generated kernels by `ptxray judge`: for a plain loop, for TRL, and for verl (docs/judge.md).

    judge_reward.py TASK.py LAUNCH.json FILE...  prints the best of these candidates

A model answers with a block of code, ```ptx or ```cuda. `task` is the path of the task, and `launch` is the path of
the launch file, which describes the call of the kernel. An answer without code gets 0."""

import concurrent.futures
import functools
import os
import pathlib
import re
import sys
import tempfile

import ptxray

CODE = re.compile(r"```(ptx|cuda|cpp|c\+\+|cu)?[ \t]*\n(.*?)```", re.S)


def code_of(answer):
    """Returns the suffix and the contents of the last block of code, or None if there is none."""
    blocks = CODE.findall(answer)
    if not blocks:
        return None
    language, text = blocks[-1]
    return (".ptx" if language == "ptx" or text.lstrip().startswith((".version", "//")) else ".cu"), text


@functools.lru_cache(maxsize=4096)  # models often repeat an answer
def judged(answer, task, launch, **options):
    """Returns the verdict on an answer, or None if it has no code."""
    found = code_of(answer)
    if found is None:
        return None
    suffix, text = found
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"candidate{suffix}"
        path.write_text(text)
        return ptxray.judge(task, path, launch, **options)


def reward_of(answer, task, launch):
    verdict = judged(answer, task, launch)
    return verdict.reward if verdict else 0.0


def trl_reward(completions, task, launch, **_):
    """Computes rewards for TRL: `GRPOTrainer(reward_funcs=trl_reward, ...)`. `task` and `launch` are columns of the
    dataset."""
    answers = [one if isinstance(one, str) else one[-1]["content"] for one in completions]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(reward_of, answers, task, launch))


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    """Computes a reward for verl: `custom_reward_function.path=judge_reward.py`. `ground_truth` has `task` and
    `launch`."""
    return reward_of(solution_str, ground_truth["task"], ground_truth["launch"])


def best_of(answers, task, launch):
    """Returns the best answer, and the feedback on it for the model."""
    best, words, most = None, "", -1.0
    for answer in answers:
        verdict = judged(answer, task, launch)
        if verdict and verdict.reward > most:
            best, words, most = answer, verdict.text, verdict.reward
    return best, words, most


def main():
    task, launch, *names = sys.argv[1:]
    answers = [f"```ptx\n{pathlib.Path(name).read_text()}```" for name in names]
    best, words, most = best_of(answers, task, launch)
    if best is not None:
        print(f"{names[answers.index(best)]}: {most}\n{words}")


if __name__ == "__main__":
    main()
