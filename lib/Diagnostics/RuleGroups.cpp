#include "Diagnostics/RuleGroups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

namespace ptxray {

static constexpr RuleGroup groups[] = {
    {"input", "What is read", DiagId::HeaderDisagrees},
    {"ptxas", "What ptxas says", DiagId::PtxasAccepts},
    {"syntax", "Syntax", DiagId::CastType},
    {"suppressions", "Comments that silence a rule", DiagId::UnknownSuppression},
    {"names", "Names", DiagId::DuplicateDefinition},
    {"header", "The header of a module", DiagId::AddressSize},
    {"declarations", "Declarations, functions, calls", DiagId::AliasTarget},
    {"flow", "Functions as a whole", DiagId::AbsentLane},
    {"hazards", "Asynchronous operations", DiagId::AllocationAfterRelinquish},
    {"inline", "Assembly in other languages", DiagId::EndlessComment},
    {"codegen", "What code generation refuses", DiagId::CodegenAbi},
    {"debugging", "Debugging and metadata", DiagId::DuplicateFileIndex},
    {"instructions", "Instructions", DiagId::AddressRegister},
};

static_assert(static_cast<size_t>(groups[0].first) == 0 && "every rule belongs to a group");

static constexpr DiagId fixable[] = {
    DiagId::MalformedNumber,     DiagId::ExpectedBracket,       DiagId::ExpectedColon,
    DiagId::ExpectedComma,       DiagId::ExpectedSemicolon,     DiagId::ExtraToken,
    DiagId::NonAsciiCharacter,   DiagId::StrayCharacter,        DiagId::SyntaxError,
    DiagId::UnknownDirective,    DiagId::UnusedSuppression,     DiagId::UndefinedSymbol,
    DiagId::MissingVersion,      DiagId::UnknownTarget,         DiagId::IgnoredQualifier,
    DiagId::IllegalQualifier,    DiagId::ImmediateType,         DiagId::IncompleteInstruction,
    DiagId::MissingQualifier,    DiagId::OperandShape,          DiagId::QualifierCombination,
    DiagId::QualifierNotAllowed, DiagId::QualifierOrder,        DiagId::QualifierType,
    DiagId::RedundantQualifier,  DiagId::RepeatedQualifier,     DiagId::RequiresPtx,
    DiagId::RequiresTarget,      DiagId::RequiresTargetVariant, DiagId::UnknownInstruction,
    DiagId::UnknownQualifier,    DiagId::VectorLength,
};

llvm::ArrayRef<RuleGroup> ruleGroups() { return groups; }

const RuleGroup &groupOf(DiagId id) {
  const RuleGroup *after = llvm::find_if(groups, [id](const RuleGroup &group) { return group.first > id; });
  return *std::prev(after);
}

bool mayHaveFix(DiagId id) { return llvm::is_contained(fixable, id); }

llvm::SmallVector<DiagId, 0> matchRules(llvm::StringRef text) {
  llvm::SmallVector<DiagId, 0> rules;
  if (const std::optional<DiagId> id = findDiag(text))
    return {*id};
  const bool isPattern = text.contains('*');
  llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
  if (!pattern) {
    llvm::consumeError(pattern.takeError());
    return rules;
  }
  for (size_t i = 0; i < allDiagInfos().size(); ++i) {
    const auto id = static_cast<DiagId>(i);
    if (isPattern ? pattern->match(info(id).id) : groupOf(id).name == text)
      rules.push_back(id);
  }
  return rules;
}

} // namespace ptxray
