// The C interface of include/ptxray/ptxray-c.h, implemented with the steps of lib/.
#include "Api/Structs.h"
#include "RulePages/RulePages.h"
#include "Source/Origin.h"
#include "Source/SourceBuffer.h"
#include "Workspace/Options.h"
#include "llvm/Support/ErrorHandling.h"
#include <new>

using namespace ptxray;

struct ptxray_checker {
  std::optional<Checker> checker; // none: memory ended within a check
};

namespace {

using Findings = ptxray_result::Findings;

/// Converts findings into C structures that outlive the source.
class FindingsWriter {
public:
  FindingsWriter(const SourceBuffer &source, Findings &result) : source(source), result(result) {}

  /// Adds a diagnostic. `origins` is null for sources in other languages.
  void add(const Diagnostic &d, const OriginTable *origins);

private:
  ptxray_place place(uint32_t offset) const {
    const LineColumn at = source.lineColumn(offset);
    return {at.line, at.column, offset};
  }
  /// Returns the text with U+FFFD for each NUL, which would end the string.
  const char *keep(std::string text) {
    for (size_t at; (at = text.find('\0')) != std::string::npos;)
      text.replace(at, 1, "\xEF\xBF\xBD");
    return result.strings.emplace_back(std::move(text)).c_str();
  }

  const SourceBuffer &source;
  Findings &result;
};

void FindingsWriter::add(const Diagnostic &d, const OriginTable *origins) {
  ptxray_diagnostic &out = result.diagnostics.emplace_back();
  out.rule = info(d.id).id.data();
  out.kind = d.kind == Kind::None ? nullptr : kindText(d.kind).data();
  out.severity = static_cast<int>(d.severity);
  out.message = keep(d.message());
  out.begin = place(d.range.begin);
  out.end = place(d.range.end);
  auto &notes = result.noteLists.emplace_back();
  for (const Note &note : d.notes) {
    const Range range = note.range.value_or(Range());
    result.notes.push_back({keep(note.message.str()), note.range.has_value(), place(range.begin), place(range.end)});
    notes.push_back(&result.notes.back());
  }
  out.notes = notes.data();
  out.note_count = notes.size();
  if (d.fix) {
    out.fix_title = keep(d.fix->title.str());
    out.fix_is_safe = d.fix->safe;
    auto &edits = result.editLists.emplace_back();
    for (const Edit &edit : d.fix->edits) {
      result.edits.push_back({place(edit.range.begin), place(edit.range.end), keep(edit.text.str())});
      edits.push_back(&result.edits.back());
    }
    out.edits = edits.data();
    out.edit_count = edits.size();
  }
  if (std::optional<Origin> origin = origins ? origins->at(d.range.begin) : std::nullopt) {
    out.origin_path = keep(std::move(origin->path));
    out.origin_line = origin->line;
  }
  if (!d.spec.manual.empty())
    out.manual = keep(d.spec.manual.str());
}

FileReport checked(Checker &checker, llvm::StringRef text, const ptxray_options &how) {
  FileReport report;
  report.source = SourceBuffer::fromText("", text.rtrim('\0'));
  return how.constraints ? checker.checkStatement(std::move(report), *how.constraints, how.options)
                         : checker.check(std::move(report), how.language, how.options);
}

} // namespace

std::unique_ptr<ptxray_result> ptxray::resultOf(const FileReport &report) {
  auto result = std::make_unique<ptxray_result>();
  result->ptx = report.ptx;
  result->target = report.target;
  if (report.diagnostics.empty())
    return result;
  std::optional<OriginTable> origins;
  if (!report.inlined)
    origins.emplace(*report.source);
  FindingsWriter writer(*report.source, result->findings.emplace());
  for (const Diagnostic &d : report.diagnostics)
    writer.add(d, origins ? &*origins : nullptr);
  return result;
}

const char *ptxray_version(void) { return PTXRAY_VERSION; }

ptxray_options *ptxray_options_new(void) { return new (std::nothrow) ptxray_options(); }

const char *ptxray_options_set(ptxray_options *options, const char *name, const char *value) {
  const llvm::StringRef option = name;
  if (option == "constraints") {
    options->constraints = value;
    return nullptr;
  }
  if (option == "language") {
    const std::optional<Language> language = findLanguage(value);
    options->language = language.value_or(options->language);
    options->problem = language ? "" : std::string("unknown language `") + value + "`";
  } else {
    options->problem = setOption(options->options, name, value);
  }
  return options->problem.empty() ? nullptr : options->problem.c_str();
}

void ptxray_options_free(ptxray_options *options) { delete options; }

ptxray_result *ptxray_check(const char *text, size_t length, const ptxray_options *options) {
  ptxray_checker once;
  return ptxray_checker_check(&once, text, length, options);
}

size_t ptxray_result_count(const ptxray_result *result) {
  return result->findings ? result->findings->diagnostics.size() : 0;
}

const ptxray_diagnostic *ptxray_result_diagnostic(const ptxray_result *result, size_t index) {
  return &result->findings->diagnostics[index];
}

const char *ptxray_result_ptx(const ptxray_result *result) { return result->ptx.c_str(); }
const char *ptxray_result_target(const ptxray_result *result) { return result->target.c_str(); }
const char *ptxray_result_printed(const ptxray_result *result) { return result->printed.c_str(); }
const char *ptxray_result_refusal(const ptxray_result *result) {
  return result->refusal ? result->refusal->c_str() : nullptr;
}
const char *ptxray_result_counters(const ptxray_result *result) {
  return result->counters ? result->counters->c_str() : nullptr;
}
const char *ptxray_result_fidelity(const ptxray_result *result) {
  return result->fidelity ? result->fidelity->c_str() : nullptr;
}

const char *ptxray_result_equality(const ptxray_result *result) {
  return result->equality ? result->equality->c_str() : nullptr;
}

const char *ptxray_result_certificate(const ptxray_result *result) {
  return result->certificate ? result->certificate->c_str() : nullptr;
}
void ptxray_result_free(ptxray_result *result) { delete result; }

/// Makes LLVM's containers throw if memory is exhausted, like those of the standard library. By default, they would
/// abort the process.
static const bool throwsWhereMemoryEnds = [] {
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { throw std::bad_alloc(); });
  return true;
}();

ptxray_checker *ptxray_checker_new(void) { return new (std::nothrow) ptxray_checker(); }

ptxray_result *ptxray_checker_check(ptxray_checker *checker, const char *text, size_t length,
                                    const ptxray_options *options) {
  if (length > SourceBuffer::largest)
    return nullptr;
  static const ptxray_options none;
  try {
    if (!checker->checker)
      checker->checker.emplace();
    return resultOf(checked(*checker->checker, llvm::StringRef(text, length), options ? *options : none)).release();
  } catch (const std::bad_alloc &) {
    checker->checker.reset(); // may be in an inconsistent state
    return nullptr;
  }
}

void ptxray_checker_free(ptxray_checker *checker) { delete checker; }

const char *ptxray_explain(const char *rule) {
  const llvm::StringRef page = rulePage(rule);
  return page.empty() ? nullptr : page.data();
}
