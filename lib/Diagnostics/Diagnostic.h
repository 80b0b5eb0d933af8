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

/// What an offence concerns; `--off=missing-qualifier:rounding` chooses one.
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
/// `Kind::None` when there is none of that name.
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
  llvm::StringRef noun = {}; // of what the number counts

  /// As the message shows it: `2 bytes`.
  std::string shown(llvm::StringRef value) const;
};
/// The placeholders of the message in the order of first appearance.
llvm::SmallVector<Argument, 4> argumentsOf(DiagId id);
llvm::ArrayRef<DiagInfo> allDiagInfos(); // in the order of DiagId
std::optional<DiagId> findDiag(llvm::StringRef id);
/// In the order of `Kind`; empty when the offence has none.
llvm::SmallVector<Kind, 0> kindsOf(DiagId id);

/// How the rule is shown: `missing-qualifier:rounding`, `missing-qualifier` of `Kind::Other`, `vector-length`.
std::string ruleText(DiagId id, Kind kind);

struct Note {
  SharedText message;
  std::optional<Range> range;
};

struct Edit {
  Range range; // empty: an insertion
  SharedText text;
};

struct Fix {
  SharedText title;
  llvm::SmallVector<Edit, 1> edits;
  bool safe = false; // there is no other reading, or the meaning stays: `check --fix` applies it
};

/// Where the rule stands: section of the manual, and the line of the .isa that states it.
struct SpecRef {
  llvm::StringRef manual;
  llvm::StringRef file;
  uint32_t line = 0;
};

struct Diagnostic {
  Range range;
  llvm::SmallVector<std::string, 1> args; // in the order of the message's placeholders
  llvm::SmallVector<Note, 0> notes;
  std::optional<Fix> fix;
  [[no_unique_address]] SpecRef spec;
  DiagId id; // where `spec` leaves room
  Severity severity;
  Kind kind = Kind::None;

  std::string message() const;
  std::string ruleText() const { return ptxray::ruleText(id, kind); }
};

using DiagnosticList = std::vector<Diagnostic>;

/// Collects what the steps report. It knows no output.
class DiagnosticSink {
public:
  /// `report(DiagId::LargeCluster, range, directive, 8)`. The reference is good until the next report.
  template <typename... Args> Diagnostic &report(IdFor<Args...> id, Range range, const Args &...args) {
    Diagnostic &d = add(id.value, range);
    (d.args.push_back(argumentText(args)), ...);
    return d;
  }
  /// For arguments that exist already.
  Diagnostic &add(DiagId id, Range range);
  Diagnostic &at(size_t number) { return list[number]; } // in the order of the reports
  bool hasErrors() const;
  const DiagnosticList &diagnostics() const;
  void sort(); // by place, then id
  void eraseIf(llvm::function_ref<bool(Diagnostic &)> unwanted);
  void append(DiagnosticList more);
  DiagnosticList take(); // leaves the sink empty

private:
  DiagnosticList list;
};

} // namespace ptxray
