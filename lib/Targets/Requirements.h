#pragma once
// Determines with which `.version` and `.target` a module passes unchanged. Every instruction is checked for all
// versions and targets at once: a verdict is recomputed only if a gate on which it depends changes. Everything outside
// of instructions is small, and is checked again for each query.
#include "Check/PieceContext.h"
#include "Read/ReadModule.h"
#include "llvm/ADT/ArrayRef.h"
#include <bitset>
#include <optional>

namespace ptxray {

using CellSet = std::bitset<64 * 96>; // versions * targets, indexed by Requirements::index

/// The reason why a module does not pass for a version or a target.
struct Obstacle {
  uint32_t line = 0;
  std::string rule, text, message; // the first error; `text` is the source at its location
};

class Requirements {
public:
  struct Place {
    uint16_t version; // index into isa::versions()
    uint16_t target;  // index into isa::targets()
  };
  static size_t index(Place place);
  /// Returns the lowest version with which the target is in the set, or 0.
  static uint16_t leastVersion(const CellSet &set, uint16_t target);

  explicit Requirements(const SourceBuffer &source, PieceContext context = {});

  const CellSet &passes() const { return all; }
  /// Returns the first error for that version and target, or the first one on that line.
  Obstacle obstacle(Place place, uint32_t line = 0) const;

  /// An instruction, or the first of several that pass for the same versions and targets.
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
  /// The versions and targets that pass.
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
