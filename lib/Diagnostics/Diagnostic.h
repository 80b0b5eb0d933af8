#pragma once
#include "Diagnostics/IdFor.h"
#include "Diagnostics/SharedText.h"
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

/// The subject of an offence. `--off=missing-qualifier:rounding` selects one.
enum class Kind : uint8_t {
  None,
#define KIND(name, text, families) name,
#include "Diagnostics/Diagnostics.def"
};
enum KindFamily : uint8_t {
  NoKinds = 0,
  OfWords = 1,
  OfTargets = 2,
  OfVersions = 4,
  OfConstants = 8,
  OfAddresses = 16,
  OfDescriptors = 32,
};
llvm::StringRef kindText(Kind kind);
/// Returns `Kind::None` if no kind has that name.
Kind findKind(llvm::StringRef text);

enum class Severity : uint8_t { Error, Warning, Pedantic };

struct DiagInfo {
  llvm::StringLiteral id;
  Severity level;
  llvm::StringLiteral message;
  KindFamily kinds = NoKinds;
};
const DiagInfo &info(DiagId id);
/// An argument of a message: `{name}`, `{name#}` or `{name#noun}`.
struct Argument {
  llvm::StringRef name;
  bool isNumber = false;
  llvm::StringRef noun = {}; // the unit that the number counts, such as `byte`

  /// Returns the value with its noun, as the message shows it: `2 bytes`.
  std::string shown(llvm::StringRef value) const;
};
/// Returns the placeholders of the message, in the order in which they first appear.
llvm::SmallVector<Argument, 4> argumentsOf(DiagId id);
llvm::ArrayRef<DiagInfo> allDiagInfos(); // indexed by DiagId
std::optional<DiagId> findDiag(llvm::StringRef id);
/// Returns the kinds of the offence, in the order of `Kind`; empty if it has none.
llvm::SmallVector<Kind, 0> kindsOf(DiagId id);

/// Returns a rule as it is shown: `missing-qualifier:rounding`, `missing-qualifier` for `Kind::Other`, `vector-length`.
std::string ruleText(DiagId id, Kind kind);

struct Note {
  SharedText message;
  std::optional<Range> range;
};

struct Edit {
  Range range; // empty for an insertion
  SharedText text;
};

struct Fix {
  SharedText title;
  llvm::SmallVector<Edit, 1> edits;
  bool safe = false; // unambiguous, or without effect on the meaning; `check --fix` applies it
};

/// The location of the rule: the section of the manual, and the line of the .isa file.
struct SpecRef {
  llvm::StringRef manual;
  llvm::StringRef file;
  uint32_t line = 0;
};

struct Diagnostic {
  Range range;
  llvm::SmallVector<std::string, 1> args; // values of the message's placeholders, in order
  llvm::SmallVector<Note, 0> notes;
  std::optional<Fix> fix;
  [[no_unique_address]] SpecRef spec;
  DiagId id; // fills the padding after `spec`
  Severity severity;
  Kind kind = Kind::None;

  std::string message() const;
  std::string ruleText() const { return ptxray::ruleText(id, kind); }
};

using DiagnosticList = std::vector<Diagnostic>;

/// Collects the reports of all steps. Does not produce output.
class DiagnosticSink {
public:
  /// Example: `report(DiagId::LargeCluster, range, directive, 8)`. The reference is valid until the next report.
  template <typename... Args> Diagnostic &report(IdFor<Args...> id, Range range, const Args &...args) {
    Diagnostic &d = add(id.value, range);
    (d.args.push_back(argumentText(args)), ...);
    return d;
  }
  /// Adds a diagnostic. The caller adds its arguments.
  Diagnostic &add(DiagId id, Range range);
  Diagnostic &at(size_t number) { return list[number]; } // indexed in the order of the reports
  bool hasErrors() const;
  const DiagnosticList &diagnostics() const;
  void sort(); // sorts by location, then by id
  void eraseIf(llvm::function_ref<bool(Diagnostic &)> unwanted);
  void append(DiagnosticList more);
  DiagnosticList take(); // returns all diagnostics and leaves the sink empty

private:
  DiagnosticList list;
};

} // namespace ptxray
