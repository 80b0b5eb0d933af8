#include "Diagnostics/Diagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <numeric>

namespace ptxray {

static const DiagInfo infos[] = {
#define DIAG(name, id, level, message, ...) {id, Severity::level, message __VA_OPT__(, ) __VA_ARGS__},
#include "Diagnostics/Diagnostics.def"
};

namespace {
struct KindInfo {
  llvm::StringLiteral text;
  uint8_t families;
};
} // namespace

static constexpr KindInfo kindInfos[] = {
    {"", 0},
#define KIND(name, text, families) {text, families},
#include "Diagnostics/Diagnostics.def"
};

llvm::StringRef kindText(Kind kind) { return kindInfos[static_cast<size_t>(kind)].text; }

Kind findKind(llvm::StringRef text) {
  const KindInfo *found = llvm::find_if(kindInfos, [text](const KindInfo &known) { return known.text == text; });
  return found == std::end(kindInfos) ? Kind::None : static_cast<Kind>(found - kindInfos);
}

llvm::SmallVector<Kind, 0> kindsOf(DiagId id) {
  llvm::SmallVector<Kind, 0> kinds;
  for (size_t i = 1; i < std::size(kindInfos); ++i)
    if (kindInfos[i].families & info(id).kinds)
      kinds.push_back(static_cast<Kind>(i));
  return kinds;
}

const DiagInfo &info(DiagId id) { return infos[static_cast<size_t>(id)]; }

llvm::ArrayRef<DiagInfo> allDiagInfos() { return infos; }

std::optional<DiagId> findDiag(llvm::StringRef id) {
  for (size_t i = 0; i < std::size(infos); ++i)
    if (infos[i].id == id)
      return static_cast<DiagId>(i);
  return std::nullopt;
}

/// Calls `onText` for each run of plain text of a message and `onArgument` for each placeholder, in
/// order.
static void readMessage(llvm::StringRef message, llvm::function_ref<void(llvm::StringRef)> onText,
                        llvm::function_ref<void(const Argument &)> onArgument) {
  while (!message.empty()) {
    auto [text, after] = message.split('{');
    onText(text);
    if (after.empty())
      return;
    auto [placeholder, rest] = after.split('}');
    const auto [name, noun] = placeholder.split('#');
    onArgument({name, placeholder.contains('#'), noun});
    message = rest;
  }
}

std::string Argument::shown(llvm::StringRef value) const {
  if (noun.empty())
    return value.str();
  return (value + " " + noun + (value == "1" ? "" : "s")).str();
}

llvm::SmallVector<Argument, 4> argumentsOf(DiagId id) {
  llvm::SmallVector<Argument, 4> arguments;
  readMessage(
      info(id).message, [](llvm::StringRef) {},
      [&arguments](const Argument &argument) {
        if (llvm::none_of(arguments, [&](const Argument &known) { return known.name == argument.name; }))
          arguments.push_back(argument);
      });
  return arguments;
}

std::string Diagnostic::message() const {
  std::string out;
  const llvm::SmallVector<Argument, 4> arguments = argumentsOf(id);
  readMessage(
      info(id).message, [&out](llvm::StringRef text) { out += text; },
      [&](const Argument &argument) {
        const size_t index =
            llvm::find_if(arguments, [&](const Argument &known) { return known.name == argument.name; }) -
            arguments.begin();
        if (index < args.size())
          out += argument.shown(args[index]);
      });
  return out;
}

std::string ruleText(DiagId id, Kind kind) {
  const std::string rule = info(id).id.str();
  return kind == Kind::None || kind == Kind::Other ? rule : rule + ":" + kindText(kind).str();
}

Diagnostic &DiagnosticSink::add(DiagId id, Range range) {
  Diagnostic &d = list.emplace_back();
  d.id = id;
  d.severity = info(id).level;
  d.range = range;
  return d;
}

bool DiagnosticSink::hasErrors() const {
  return llvm::any_of(list, [](const Diagnostic &d) { return d.severity == Severity::Error; });
}

const DiagnosticList &DiagnosticSink::diagnostics() const { return list; }

DiagnosticList DiagnosticSink::take() { return std::exchange(list, {}); }

void DiagnosticSink::eraseIf(llvm::function_ref<bool(Diagnostic &)> unwanted) {
  if (!list.empty())
    llvm::erase_if(list, unwanted);
}

void DiagnosticSink::append(DiagnosticList more) { llvm::append_range(list, std::move(more)); }

void DiagnosticSink::sort() {
  auto before = [](const Diagnostic &a, const Diagnostic &b) {
    return std::pair(a.range.begin, a.id) < std::pair(b.range.begin, b.id);
  };
  if (list.size() < 2 || llvm::is_sorted(list, before))
    return;
  // Sort indices first, so that each diagnostic is moved only once.
  std::vector<uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](uint32_t a, uint32_t b) { return before(list[a], list[b]); });
  DiagnosticList sorted;
  for (uint32_t index : order)
    sorted.push_back(std::move(list[index]));
  list = std::move(sorted);
}

} // namespace ptxray
