#pragma once
// Which instructions write each register of a body, for analyses that follow values backwards.
#include "Flow/Body.h"

namespace ptxray {

class Definitions {
public:
  static constexpr uint32_t none = ~0u;

  explicit Definitions(const Body &body);
  /// Calls `see` with the number of each instruction that writes it, from the last in the text to the first.
  template <typename See> void eachWriter(LocalId local, See see) const {
    for (uint32_t write = last[static_cast<uint32_t>(local)]; write != none; write = writes[write].before)
      see(writes[write].instruction);
  }
  /// The one instruction that writes it; `none`: there is no such or there are several.
  uint32_t only(LocalId local) const {
    const uint32_t write = last[static_cast<uint32_t>(local)];
    return write != none && writes[write].before == none ? writes[write].instruction : none;
  }
  /// More instructions than so many write it.
  bool hasMore(LocalId local, unsigned most) const {
    uint32_t write = last[static_cast<uint32_t>(local)];
    for (; write != none && most; --most)
      write = writes[write].before;
    return write != none;
  }
  bool isWritten(LocalId local) const { return last[static_cast<uint32_t>(local)] != none; }
  /// In the text; an instruction reads before it writes.
  bool isReadFirst(LocalId local) const { return readFirst[static_cast<uint32_t>(local)]; }

private:
  struct Write {
    uint32_t instruction;
    uint32_t before; // of the same register
  };
  void add(LocalId local, uint32_t instruction) {
    uint32_t &newest = last[static_cast<uint32_t>(local)];
    writes.push_back({instruction, newest});
    newest = static_cast<uint32_t>(writes.size()) - 1;
  }
  void noteRead(LocalId local, uint32_t instruction) {
    const uint32_t write = last[static_cast<uint32_t>(local)];
    if (write == none || (writes[write].instruction == instruction && writes[write].before == none))
      readFirst[static_cast<uint32_t>(local)] = true;
  }
  void note(LocalId local, uint8_t uses, uint32_t instruction) {
    if (uses & Writes)
      add(local, instruction);
    if (uses & Reads)
      noteRead(local, instruction);
  }

  std::vector<uint32_t> last; // by LocalId: into `writes`
  std::vector<Write> writes;
  std::vector<bool> readFirst; // by LocalId
};

} // namespace ptxray
