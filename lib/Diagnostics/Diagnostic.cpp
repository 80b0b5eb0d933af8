#include "Diagnostics/Diagnostic.h"
#include <algorithm>

namespace ptxray {

static const DiagInfo infos[] = {
#define DIAG(name, id, level, message) {id, Severity::level, message},
#include "Diagnostics/Diagnostics.def"
};

const DiagInfo &info(DiagId id) { return infos[static_cast<size_t>(id)]; }

std::optional<DiagId> findDiag(llvm::StringRef id) {
  for (size_t i = 0; i < std::size(infos); ++i)
    if (infos[i].id == id)
      return static_cast<DiagId>(i);
  return std::nullopt;
}

std::string Diagnostic::message() const {
  std::string out;
  llvm::SmallVector<llvm::StringRef, 4> names;
  llvm::StringRef rest = info(id).message;
  while (!rest.empty()) {
    auto [text, behind] = rest.split('{');
    out += text;
    if (behind.empty())
      break;
    auto [name, tail] = behind.split('}');
    auto at = llvm::find(names, name);
    size_t index = at - names.begin();
    if (at == names.end())
      names.push_back(name);
    if (index < args.size())
      out += args[index];
    rest = tail;
  }
  return out;
}

Diagnostic &DiagnosticSink::report(DiagId id, Range range, std::initializer_list<std::string> args) {
  Diagnostic &d = list.emplace_back();
  d.id = id;
  d.severity = info(id).level;
  d.range = range;
  d.args.assign(args.begin(), args.end());
  return d;
}

bool DiagnosticSink::hasErrors() const {
  return llvm::any_of(list, [](const Diagnostic &d) { return d.severity == Severity::Error; });
}

llvm::ArrayRef<Diagnostic> DiagnosticSink::diagnostics() const { return list; }

void DiagnosticSink::sort() {
  llvm::stable_sort(list, [](const Diagnostic &a, const Diagnostic &b) {
    return std::pair(a.range.begin, a.id) < std::pair(b.range.begin, b.id);
  });
}

} // namespace ptxray
