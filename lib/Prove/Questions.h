#pragma once
// The questions whose answers decide properties of a kernel: can two threads race, diverge at a barrier, or leave a
// buffer? A question is a conjunction of terms. If it is unsatisfiable, the property holds.
#include "Prove/Phases.h"

namespace ptxray::prove {

enum class Property : uint8_t { Race, GridRace, Divergence, Bounds };

struct Question {
  Property property = Property::Race;
  uint32_t first = 0, second = 0; // instructions
  bool isShared = false;          // in shared memory
  std::vector<Term> asserted;
  Term isOther = Term::None; // two writes differ in address or value; None if the condition does not apply
  std::array<std::array<Term, 3>, 2> threads{}, blocks{}; // coordinates of the two threads
  Term difference = Term::None;                           // difference between the addresses of a race
  uint32_t bytes = 0;                                     // size of the larger access
  std::string obstacle;                                   // why the question cannot be expressed
  uint32_t weight = 0;                                    // number of terms below it
};

class Questions {
public:
  Questions(Model &model, bool mayAlias);
  /// Returns the questions that simplification alone does not answer.
  std::vector<Question> all();
  size_t asked = 0; // number of questions, including those that simplification answered

private:
  struct Side {
    unsigned thread;
    Rounds rounds;
    bool ofGrid; // the other thread is in another block
    auto operator<=>(const Side &) const = default;
  };
  enum class Warps : uint8_t { Any, Same, Different };

  Term at(Term term, const Side &side);
  Term copyOf(Term variable, const Side &side);
  Term counterAt(Term variable, size_t loop, const Side &side);
  void divergence(const Phases &phases, bool inWarp);
  void races(const Phases &phases, Warps warps);
  void gridRaces();
  void bounds();
  void race(const ModelAccess &a, const ModelAccess &b, const Side &first, const Side &second, Warps warps);
  bool mayOverlap(const ModelAccess &a, const ModelAccess &b, Question &question) const;
  Term overlap(Term a, uint32_t bytesOfA, Term b, uint32_t bytesOfB);
  Term linear(const Side &side);
  void nameThreads(Question &question, const Side &first, const Side &second);
  void add(Question question);
  bool isRelevant(const ModelAccess &access) const {
    return access.memory == Memory::Global || access.memory == Memory::Shared;
  }

  Model &model;
  Terms &terms;
  bool mayAlias;
  const Phases *phases = nullptr;
  Phases ofBlock;
  std::map<Side, llvm::DenseMap<Term, Term>> known;
  std::map<std::pair<Term, std::vector<uint8_t>>, Term> copies;
  std::vector<Question> found;
  bool warpsMeet = true; // all lanes of a warp reach its barriers together
};

/// Returns whether the sums in a question already exclude a solution. Does not run a solver.
bool isImpossible(Terms &terms, const Question &question);

} // namespace ptxray::prove
