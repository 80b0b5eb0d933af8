#include "Inline/Arms.h"

namespace ptxray {

void Arms::clear() {
  arms.clear();
  branches.clear();
  pending.reset();
  ended.reset();
}

void Arms::begin(bool isElse) {
  if (isElse && ended)
    pending = InlineBranch{ended->choice, ended->arm + 1};
  else
    pending = InlineBranch{newChoice(), 0};
  ended.reset();
}

void Arms::enter(size_t depth, bool isSingle) {
  arms.push_back({depth, isSingle});
  branches.push_back(*std::exchange(pending, std::nullopt));
}

void Arms::leave() {
  ended = branches.back();
  arms.pop_back();
  branches.pop_back();
}

void Arms::see(bool isElse, size_t depth) {
  if (!isElse)
    ended.reset();
  if (pending)
    enter(depth, /*isSingle=*/true);
}

void Arms::open(size_t depth) {
  ended.reset();
  if (pending)
    enter(depth, /*isSingle=*/false);
}

void Arms::close(size_t depth, bool isElseNext) {
  ended.reset();
  while (!arms.empty() && arms.back().depth > depth)
    leave();
  const bool wasArm = !arms.empty() && arms.back().depth == depth && !arms.back().isSingle;
  if (wasArm)
    leave();
  // A scope may be the whole body without braces: `if (a) for (;;) {}`.
  while (!(wasArm && isElseNext) && !arms.empty() && arms.back().depth == depth && arms.back().isSingle) {
    leave();
    if (isElseNext)
      return;
  }
}

void Arms::endStatement(size_t depth) {
  ended.reset();
  while (!arms.empty() && arms.back().depth == depth && arms.back().isSingle)
    leave();
}

} // namespace ptxray
