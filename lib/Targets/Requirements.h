#pragma once
// With which `.version` and `.target` a text passes as it stands. Every instruction is judged for all
// versions and targets at once: a verdict is found anew only where a gate that it asked for changes.
// What is around the instructions is little, and is checked again for each question.
#include "Check/PieceContext.h"
#include "Read/ReadModule.h"
#include "llvm/ADT/ArrayRef.h"
#include <bitset>
#include <optional>

namespace ptxray {

using CellSet = std::bitset<64 * 96>; // versions * targets, see Requirements::index

/// An obstacle keeps a text from a version or a target.
struct Obstacle {
  uint32_t line = 0;
  std::string rule, text, message; // of the first error; `text` is what it lies on
};

class Requirements {
public:
  struct Place {
    uint16_t version; // index into isa::versions()
    uint16_t target;  // index into isa::targets()
  };
  static size_t index(Place place);
  /// Returns the least version with which a target is in the set; 0: none.
  static uint16_t leastVersion(const CellSet &set, uint16_t target);

  explicit Requirements(const SourceBuffer &source, PieceContext context = {});

  const CellSet &passes() const { return all; }
  /// Returns the first error with that version and target, or the first on that line.
  Obstacle obstacle(Place place, uint32_t line = 0) const;

  /// An instruction, or the first of several that pass with the same versions and targets.
  struct Demand {
    uint32_t line;
    CellSet passes;
  };
  llvm::ArrayRef<Demand> demands() const { return needs; }

private:
  void addInstructions();
  void addModule();
  DiagnosticList errors(Place place, Range instructions) const;
  std::optional<uint32_t> moduleFailure(Place place) const;
  size_t firstPassing(llvm::ArrayRef<Place> places, uint32_t &firstFailure) const;
  /// These versions and targets pass.
  struct Passing {
    std::vector<bool> versions, targets;
  };
  Passing passingVariants() const;
  std::vector<bool> passingVersions() const;
  std::vector<bool> versionsFromFirst(uint32_t &firstFailure) const;
  std::vector<bool> targetsFromFirst(const std::vector<bool> &versions, uint32_t &firstFailure) const;
  void add(uint32_t line, const CellSet &passes);

  const PieceContext context;
  const ReadModule module;
  const SourceBuffer &source;
  CellSet all;
  std::vector<Demand> needs;
};

} // namespace ptxray
