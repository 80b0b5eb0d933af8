#pragma once
// A time line lists the asynchronous operations of a kernel and the waits for them, as the hazard rules analyse them.
// It is a value for display and for programs. Events are in source order, grouped into sections: loops, and code that
// only some threads execute because of a condition on their number. Lines refer to the source.
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

class Analyses;
class SourceBuffer;
struct Body;

/// Lines that are displayed together.
using Lines = std::vector<uint32_t>;

/// The mbarrier objects at one location, or in a ring.
struct TimelineBarrier {
  std::string place;
  bool isRing = false;
  uint32_t objects = 0; // number of initialised objects
  std::string count;    // their arrival count; empty if unknown or not the same for all
  std::string expected; // expected bytes; empty if unknown or not the same for all
  Lines inits, expects, signals, waits;
};

struct TimelineSection {
  enum Kind : uint8_t { Loop, Role };
  Kind kind = Loop;
  int parent = -1;        // -1 for the function
  uint32_t firstLine = 0; // for a role: line of the branch
  uint32_t lastLine = 0;  // for a loop
  std::string condition;  // for a role
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
  std::string name;         // name of the instruction or the rule
  std::string text;         // description of the effect in a few words
  std::string condition;    // condition of the guard
  int barrier = -1;         // index in the time line
  Lines takes, ends, keeps; // lines of operations: that join a batch or barrier here, that are complete afterwards,
                            // that are still pending
  bool arrives = false;     // also arrives at the barrier
};

struct Timeline {
  std::string function;
  bool isEntry = false;
  bool isComplete = true; // false if the kernel was too long to determine which operations waits complete
  uint32_t firstLine = 0, lastLine = 0;
  std::vector<TimelineBarrier> barriers;
  std::vector<TimelineSection> sections;
  std::vector<TimelineEvent> events;
};

/// Returns nothing if the function has no asynchronous operations.
std::optional<Timeline> timelineOf(const Body &body, Analyses &analyses, const SourceBuffer &source);

} // namespace ptxray
