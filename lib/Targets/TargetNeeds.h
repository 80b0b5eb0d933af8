#pragma once
// The versions and targets that a file requires. PTX is checked as a whole, a source in another language statement by
// statement.
#include "Check/CheckStatements.h"
#include "Targets/Requirements.h"
#include <memory>

namespace ptxray {

class TargetNeeds {
public:
  explicit TargetNeeds(std::unique_ptr<SourceBuffer> ptx);
  TargetNeeds(std::unique_ptr<SourceBuffer> source, Language language, llvm::StringRef path);
  TargetNeeds(TargetNeeds &&) = default;

  /// Returns the versions and targets for which the file passes; for other languages, all statements outside of `#if`.
  const CellSet &passes() const { return all; }
  /// Returns the first error for that version and target, with its line in the source.
  Obstacle obstacle(Requirements::Place place) const;

  struct Demand {
    CellSet passes;
    size_t part;
    uint32_t line; // line in the part
  };
  llvm::ArrayRef<Demand> demands() const { return needs; }
  Obstacle obstacle(Requirements::Place place, const Demand &demand) const;

  struct Statement {
    uint32_t line;
    CellSet passes;
    std::string instruction; // the instruction with the highest requirements
    bool isGuarded;
  };
  llvm::ArrayRef<Statement> statements() const { return found; }
  const std::optional<InlineSummary> &inlined() const { return summary; }

private:
  /// A text that is checked as a whole, for some of the targets.
  struct Part {
    std::unique_ptr<SourceBuffer> text;
    std::unique_ptr<Requirements> needs;
    CellSet targets;
    const MappedText *map = nullptr; // null if the part is the file itself
    bool isGuarded = false;
  };
  Part &addPart(const MappedText &text, const PieceContext &context, const CellSet &targets);
  void addUnit(const InlineUnit &unit, const CellSet &below, const CellSet &from100);
  Obstacle inSource(Obstacle obstacle, const Part &part) const;

  std::unique_ptr<SourceBuffer> source; // set for languages other than PTX
  std::vector<InlineUnit> units;
  std::vector<Part> parts;
  std::vector<Demand> needs;
  std::vector<Statement> found;
  std::optional<InlineSummary> summary;
  CellSet all;
};

} // namespace ptxray
