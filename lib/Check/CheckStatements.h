#pragma once
// Checks assembly in a source of another language: statement by statement as PTX, with its findings mapped to the
// source.
#include "Check/CheckModule.h"
#include "Check/PieceContext.h"
#include "Inline/Language.h"
#include "Inline/MappedText.h"

namespace ptxray {

struct InlineText;

/// Whether the report of a source includes the module that was judged in place of each statement.
enum class Expansions : bool { Left, Told };

CheckedText checkStatements(const InlineText &text, const CheckOptions &options, Session &session,
                            Expansions expansions);

/// A statement, with those that belong to it, as a PTX module of one function.
struct InlineModule {
  MappedText text;
  Range place; // of the statement at hand in the source
};
/// The module that is judged in place of the statement at the place, if that is for an NVIDIA GPU.
std::optional<InlineModule> moduleAt(uint32_t place, const InlineText &text, const CheckOptions &options,
                                     Session &session);

/// A statement, with those that belong to it, for questions about versions and targets.
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
