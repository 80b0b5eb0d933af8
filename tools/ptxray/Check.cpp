#include "Command.h"
#include "Reports.h"
#include "Inputs.h"
#include "Isa/Isa.h"
#include "Render/Render.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <mutex>
#include <thread>

namespace ptxray {

void checkReport(FileReport &report, const std::string &problem, const CheckOptions &options,
                 bool werror) {
  DiagnosticSink sink;
  if (report.source) {
    ModuleSummary summary = checkSource(*report.source, options, sink);
    report.ptx = summary.ptx;
    report.target = summary.target;
  } else
    sink.report(DiagId::UnreadableInput, {}, {report.path, problem});
  sink.sort();
  report.diagnostics = sink.take();
  if (!options.pedantic)
    llvm::erase_if(report.diagnostics,
                   [](const Diagnostic &d) { return d.severity == Severity::Pedantic; });
  if (werror)
    for (Diagnostic &d : report.diagnostics)
      d.severity = Severity::Error;
}

static FileReport checkFile(const Input &input, const CheckOptions &options, bool werror) {
  FileReport report;
  report.path = input.path == "-" ? "<stdin>" : input.path;
  std::string problem = input.problem;
  if (problem.empty())
    report.source = SourceBuffer::open(input.path, problem);
  checkReport(report, problem, options, werror);
  return report;
}

namespace {

/// The rendered reports, written in the order of the inputs as soon as all before them are there.
class OrderedOutput {
public:
  OrderedOutput(size_t count, const Format &format) : format(format), waiting(count) {}

  void put(size_t index, std::string text, const FileReport &report) {
    std::lock_guard<std::mutex> lock(mutex);
    totals.add(report);
    waiting[index] = std::move(text);
    for (; next < waiting.size() && waiting[next]; ++next) {
      llvm::outs() << (next > 0 ? format.separator : llvm::StringLiteral("")) << *waiting[next];
      waiting[next] = "";
    }
  }

  Totals totals;

private:
  const Format &format;
  std::mutex mutex;
  std::vector<std::optional<std::string>> waiting;
  size_t next = 0;
};

} // namespace

int runCheck(const Arguments &arguments) {
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  if (std::optional<llvm::StringRef> written = arguments.value("--jobs"))
    if (written->getAsInteger(10, jobs) || jobs == 0)
      return usageError("`--jobs` takes a number from 1, not `" + written->str() + "`");
  CheckOptions options;
  options.target = arguments.value("--target").value_or("").str();
  options.ptx = arguments.value("--ptx").value_or("").str();
  options.arch = arguments.value("--arch").value_or("").str();
  for (const std::string &target : {options.target, options.arch})
    if (!target.empty() && isa::findTarget(target) < 0)
      return unknownTarget(target);
  if (!options.ptx.empty() && !findVersion(options.ptx))
    return usageError("unknown PTX version `" + options.ptx + "`");
  options.pedantic = arguments.has("--pedantic");
  options.wholeProgram = arguments.value("--link") == "whole";
  const bool werror = arguments.has("--werror");
  const bool withPtxas = arguments.has("--with-ptxas");
  std::atomic<int> worst = Clean;
  const RenderOptions rendering{.color = wantsColor(arguments),
                                .fold = !arguments.has("--no-fold")};
  const llvm::StringRef formatName = arguments.value("--format").value_or("text");
  const Format &format =
      *llvm::find_if(formats, [&](const Format &f) { return f.name == formatName; });

  const std::vector<Input> inputs = findInputs(arguments.operands);
  OrderedOutput output(inputs.size(), format);
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < inputs.size();) {
      FileReport report = checkFile(inputs[i], options, werror);
      if (withPtxas && report.source) {
        const int verdict = addVerdict(report, arguments.value("--ptxas").value_or(""));
        if (verdict == NoPtxas || (verdict == PtxasRefused && worst != NoPtxas))
          worst = verdict;
      }
      std::string text;
      llvm::raw_string_ostream stream(text);
      format.file(report, rendering, stream);
      output.put(i, std::move(text), report);
    }
  };
  format.begin(llvm::outs());
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min<size_t>(jobs, inputs.size()); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  format.end(output.totals, llvm::outs());
  return output.totals.unreadable ? BadUsage
         : worst                  ? worst.load()
         : output.totals.errors   ? FoundErrors
                                  : Clean;
}

} // namespace ptxray
