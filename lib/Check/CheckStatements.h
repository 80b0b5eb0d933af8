#pragma once
// Checks assembly in a source of another language. Each statement is checked as PTX, and the findings are mapped to
// locations in the source.
#include "Check/CheckModule.h"
#include "Check/Checker.h"
#include "Check/PieceContext.h"
#include "Inline/MappedText.h"

namespace ptxray {

struct InlineText;

CheckedText checkStatements(const InlineText &text, const CheckOptions &options, Session &session,
                            Expansions expansions);

/// A statement and the statements that belong to it, as a PTX module with one function.
struct InlineModule {
  MappedText text;
  Range place; // location of the statement in the source
};
/// Returns the module that is checked in place of the statement at `place`. Returns nothing unless the statement is for
/// an NVIDIA GPU.
std::optional<InlineModule> moduleAt(uint32_t place, const InlineText &text, const CheckOptions &options,
                                     Session &session);

/// A statement and the statements that belong to it, as modules for queries about versions and targets.
struct InlineUnit {
  MappedText floats, bits; // module for targets below sm_100, and for targets from sm_100
  PieceContext context;
  Range place;
  bool isGuarded = false; // surrounded by `#if`
};
struct InlineUnits {
  std::vector<InlineUnit> units; // for NVIDIA GPUs, in source order
  InlineSummary summary;
};
InlineUnits inlineUnits(const SourceBuffer &source, Language language, llvm::StringRef path);

} // namespace ptxray
