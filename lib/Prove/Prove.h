#pragma once
// The entry point of proofs: can a kernel ever race, diverge at a barrier, or access memory outside of its buffers?
// docs/prove.md describes the method.
#include "Prove/Questions.h"
#include "Prove/Replay.h"
#include "Prove/Smt.h"

namespace ptxray::prove {

struct Task {
  ProvenShape shape;
  std::vector<Comparison> assumed;
  bool mayAlias = false;
  std::string solver; // path of the solver; empty to search PATH
  bool usesSolver = true;
  double seconds = 20; // total time limit
  unsigned secondsOfQuestion = 6;
};

enum class Decision : uint8_t { Proved, Refuted, Open };

/// An undecided question.
struct Open {
  Range at; // empty if the question has no location in the source
  std::optional<Range> other;
  std::string what, advice;
};

struct Result {
  Decision decision = Decision::Open;
  std::vector<std::string> assumptions;
  std::vector<Open> open;
  std::vector<Range> assumedInBounds; // accesses that may leave their variable, because no length was specified
  std::optional<Witness> witness;
  size_t questions = 0, bySolver = 0; // number of questions, and how many of them a solver answered
  std::string solver;
  double seconds = 0;
};

Result prove(const ReadModule &module, const Body &body, const machine::KernelEntry &kernel, const Task &task);

} // namespace ptxray::prove
