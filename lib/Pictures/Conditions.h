#pragma once
// Describes a condition on threads in the terms of a kernel's author:
//|  shr.u32 %r2, %tid.x, 5;  setp.eq.s32 %p1, %r2, 0;     warp == 0
//|  elect.sync _|%p2, -1;  and.pred %p3, %p1, %p2;        warp == 0 and elected
//|  mov.b32 %r3, 0;  @%p2 mov.b32 %r3, 1;  setp.eq.s32 %p4, %r3, 0;        not elected
// A condition that is not recognised is represented by its register.
#include "Hazards/Places.h"
#include <compare>
#include <map>
#include <string>

namespace ptxray {

class Conditions {
public:
  Conditions(const Body &body, Analyses &analyses, Places &places) : body(body), analyses(analyses), places(places) {}

  /// Returns the description of a predicate that is true or false.
  std::string text(LocalId predicate, bool isTrue);
  /// Returns whether the threads of a block may have different values in `local`.
  bool dependsOnThread(LocalId local) { return analyses.sharing().of(local).isOfThreadAnyhow; }

private:
  struct Condition {
    std::string text;
    bool isChoice = false; // `a or b`
  };
  /// A text that is composed from texts of other registers, which are computed first.
  struct Part {
    LocalId local = LocalId::None;
    enum class As : uint8_t { Value, True, False } as = As::Value;
    unsigned depth = 0; // nesting depth in other texts
    auto operator<=>(const Part &) const = default;
  };
  static Part::As as(bool isTrue) { return isTrue ? Part::As::True : Part::As::False; }
  /// Returns the text of a part. If it is not available yet, records it as missing; the text that contains it is then
  /// computed again later.
  Condition part(const Part &one);
  Condition make(const Part &one);
  Condition condition(LocalId predicate, bool isTrue, unsigned depth);
  std::optional<Condition> computed(uint32_t number, bool isTrue, unsigned depth);
  std::optional<Condition> compared(uint32_t number, bool isTrue, unsigned depth);
  /// Returns the predicate that determines whether a register contains 1 or 0, as set by `selp` or a guarded `mov` of a
  /// number.
  std::optional<std::pair<LocalId, bool>> switchOf(LocalId local);
  bool isMove(uint32_t number) const;
  std::optional<int64_t> movedNumber(uint32_t number);
  std::string value(LocalId local, unsigned depth);
  std::string valueAt(uint32_t number, unsigned node, unsigned depth);

  const Body &body;
  Analyses &analyses;
  Places &places;
  std::map<Part, Condition> made;
  llvm::SmallVector<Part, 2> missing;
};

} // namespace ptxray
