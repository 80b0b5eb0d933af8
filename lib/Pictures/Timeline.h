#pragma once
// A time line says what a kernel does asynchronously, and what waits for it, as the rules see it: it is a value for
// people and programs. Events are in the order of the text, in sections: loops, and what only those threads come to of
// which a condition on their number holds. Lines are those of the source.
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

class Analyses;
class SourceBuffer;
struct Body;

/// Lines that are shown together.
using Lines = std::vector<uint32_t>;

/// Objects at one place, or as many as a ring has.
struct TimelineBarrier {
  std::string place;
  bool isRing = false;
  uint32_t objects = 0; // that are initialised
  std::string count;    // with which; empty: it is not known, or not the same
  std::string expected; // bytes; likewise
  Lines inits, expects, signals, waits;
};

struct TimelineSection {
  enum Kind : uint8_t { Loop, Role };
  Kind kind = Loop;
  int parent = -1;        // -1: the function
  uint32_t firstLine = 0; // of a role: of the branch
  uint32_t lastLine = 0;  // of a loop
  std::string condition;  // of a role
};

enum class EventKind : uint8_t {
  Operation,
  Commit,
  Wait,
  Init,
  Invalidate,
  Expect,
  Arrive,
  Complete,
  Await,
  Barrier,
  Fence,
  Allocate,
  Relinquish,
  Free,
  Call,
  Hazard,
};
llvm::StringRef kindName(EventKind kind);

struct TimelineEvent {
  EventKind kind = EventKind::Operation;
  uint32_t line = 0;
  int section = -1;
  std::string name;         // of the instruction, or of the rule
  std::string text;         // what it does, in a few words
  std::string condition;    // of its guard
  int barrier = -1;         // of the time line
  Lines takes, ends, keeps; // operations: that join a batch or a barrier here, are complete after it, are still pending
  bool arrives = false;     // at the barrier, beside what it does else
};

struct Timeline {
  std::string function;
  bool isEntry = false;
  bool isComplete = true; // false: it was too long to be followed, so nothing is said of what waits end
  uint32_t firstLine = 0, lastLine = 0;
  std::vector<TimelineBarrier> barriers;
  std::vector<TimelineSection> sections;
  std::vector<TimelineEvent> events;
};

/// Nothing: the function has no asynchronous operations.
std::optional<Timeline> timelineOf(const Body &body, Analyses &analyses, const SourceBuffer &source);

} // namespace ptxray
