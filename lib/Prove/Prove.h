#pragma once
// The front door of proofs: can a kernel ever race, part at a barrier, or leave its buffers? docs/prove.md has the
// method.
#include "Prove/Questions.h"
#include "Prove/Replay.h"
#include "Prove/Smt.h"

namespace ptxray::prove {

struct Task {
  ProvenShape shape;
  std::vector<Comparison> assumed;
  bool mayAlias = false;
  std::string solver; // its path; empty: the one in PATH
  bool usesSolver = true;
  double seconds = 20; // for all of it
  unsigned secondsOfQuestion = 6;
};

enum class Decision : uint8_t { Proved, Refuted, Open };

/// A question without an answer.
struct Open {
  Range at; // empty: nothing in the text
  std::optional<Range> other;
  std::string what, advice;
};

struct Result {
  Decision decision = Decision::Open;
  std::vector<std::string> assumptions;
  std::vector<Open> open;
  std::vector<Range> assumedInBounds; // accesses that may leave their variable, where no length was given
  std::optional<Witness> witness;
  size_t questions = 0, bySolver = 0; // that were asked; of these, those that a solver answered
  std::string solver;
  double seconds = 0;
};

Result prove(const ReadModule &module, const Body &body, const machine::KernelEntry &kernel, const Task &task);

} // namespace ptxray::prove
