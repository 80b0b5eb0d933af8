#pragma once
// Compares kernels by the terms that they leave in memory, and by launches (docs/equal.md).
#include "Equal/Oracle.h"
#include "Equal/Side.h"
#include "Equal/TermObserver.h"

namespace ptxray::equal {

enum class Equality : uint8_t { Bits, Real, Different, Unknown };

/// A place in the text of one of the kernels.
struct PlaceOf {
  size_t side;
  Range range;
};

/// The first element in which two launches differ.
struct ElementDifference {
  size_t buffer;
  uint64_t index;
  ElementType type;
  uint64_t first, second;
};

struct Answer {
  Equality verdict = Equality::Unknown;
  std::string why;           // the obstacle, or the fault
  std::optional<PlaceOf> at; // of the obstacle
  std::optional<ElementDifference> difference;
  std::optional<ContentName> contents; // those that show the difference
  std::string schedule;                // the schedule that shows a fault
  bool isRounding = false;             // the real functions are equal, so any difference is rounding
};

/// Kernels that are the same real function.
struct ClassOfKernels {
  std::vector<std::vector<size_t>> alike; // those that leave the same bits are together
  Answer fromFirst;                       // how they differ from the first class
};
struct Grouping {
  std::vector<ClassOfKernels> classes;
  std::vector<std::pair<size_t, Answer>> others; // kernels that are not followed, and why
};

class TermValues;

class Comparison {
public:
  /// `oracle`: what decides terms that no law makes the same; null for none.
  Comparison(std::vector<Side *> sides, Contents contents, Oracle *oracle = nullptr);
  /// Compares the first two kernels.
  Answer compare();
  /// Groups all kernels into classes. Each kernel is followed once.
  Grouping group();

private:
  using AllBytes = std::vector<Bytes>;
  /// A kernel whose terms are known.
  struct Known {
    Followed terms;
    AllBytes left;          // what the launch left
    bool isOrdered = false; // the order of threads decides nothing
    Answer obstacle;
    bool isFollowed = false;
  };
  std::optional<Answer> faultOf(llvm::ArrayRef<size_t> of, llvm::ArrayRef<machine::Outcome> outcomes) const;
  std::optional<Answer> findFault(llvm::ArrayRef<size_t> of);
  void follow(size_t side);
  void inferTypes();
  void confirm();
  void nameConstants();
  bool isAsComputed(size_t side, const TermValues &values, const AllBytes &now);
  bool takeSameBuffers(size_t a, size_t b) const;
  bool isSameProgram(size_t a, size_t b);
  Answer compareTerms(const Known &x, const Known &y);
  Answer provedEquality(size_t a, size_t b);
  void addToClass(Grouping &grouping, size_t side);
  size_t sameBytes(const std::vector<Ref> &x, const std::vector<Ref> &y, size_t byte);
  size_t realBytes(const std::vector<Ref> &x, const std::vector<Ref> &y, size_t byte);
  std::optional<Answer> refute(size_t a, size_t b, unsigned seconds);
  bool seesDifference(size_t a, size_t b, const ContentName &name, Answer &answer);
  std::optional<ElementDifference> differenceOf(const AllBytes &x, const AllBytes &y, const AllBytes *noise) const;

  std::vector<Side *> sides;
  Contents contents;
  ContentName base;
  AllBytes start; // the contents of the launches that are followed
  Terms terms;
  Oracle *oracle;
  bool asksOracle = false; // once contents have shown no difference
  std::vector<Known> known;
};

} // namespace ptxray::equal
