#pragma once
// Assembly in a source of another language: judged as PTX, statement by statement, its findings put back to the source.
#include "Check/CheckModule.h"
#include "Check/Checker.h"
#include "Check/PieceContext.h"
#include "Inline/MappedText.h"

namespace ptxray {

struct InlineText;

CheckedText checkStatements(const InlineText &text, const CheckOptions &options, Session &session,
                            Expansions expansions);

/// A statement, and those that belong to it, as a PTX module of one function.
struct InlineModule {
  MappedText text;
  Range place; // the place of the statement at hand in the source
};
/// Returns the module that is judged in place of the statement whose text is at the place, if that is for a GPU of
/// NVIDIA.
std::optional<InlineModule> moduleAt(uint32_t place, const InlineText &text, const CheckOptions &options,
                                     Session &session);

/// A statement and those that belong to it, as modules of which one may ask with which versions and targets they pass.
struct InlineUnit {
  MappedText floats, bits; // as a module below sm_100, and from there on
  PieceContext context;
  Range place;
  bool isGuarded = false; // an `#if` is around it
};
struct InlineUnits {
  std::vector<InlineUnit> units; // all that is for a GPU of NVIDIA, in the order of the text
  InlineSummary summary;
};
InlineUnits inlineUnits(const SourceBuffer &source, Language language, llvm::StringRef path);

} // namespace ptxray
