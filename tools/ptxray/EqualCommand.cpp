// `ptxray equal` decides whether two kernels leave the same contents in memory (docs/equal.md).
#include "../launcher/LaunchOptions.h"
#include "Equal/AnswerWords.h"
#include "EqualRuns.h"
#include "EqualSolver.h"
#include "Run.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

namespace ptxray {

using equal::Equality;
using llvm::StringRef;

// ---- the two launches

/// Returns the arguments of `run` for a file. `isB`: options that end in `-b` are those of this file.
static Arguments argumentsFor(const Arguments &given, StringRef file, llvm::ArrayRef<StringRef> operands, bool isB) {
  Arguments result;
  for (const auto &[name, value] : given.options) {
    const bool isOfB = name.ends_with("-b") && name.starts_with("--"), isText = name == "--ptx";
    if (!isOfB && !isText && name != "--group" && name != "--solver" && name != "--no-solver")
      result.options.push_back({name, value});
  }
  static std::vector<std::unique_ptr<std::string>> names;
  for (const auto &[name, value] : given.options)
    if (isB && (name.ends_with("-b") || name == "--ptx")) {
      names.push_back(std::make_unique<std::string>((name == "--ptx" ? name : name.drop_back(2)).str()));
      llvm::erase_if(result.options, [&](const auto &one) { return one.first == *names.back(); });
      result.options.push_back({*names.back(), value});
    }
  result.operands.push_back(file);
  result.operands.insert(result.operands.end(), operands.begin(), operands.end());
  return result;
}

static std::vector<const FileReport *> reportsOf(llvm::ArrayRef<EqualInput *> inputs) {
  std::vector<const FileReport *> reports;
  for (const EqualInput *one : inputs)
    reports.push_back(&one->report());
  return reports;
}

static void print(const equal::Answer &answer, llvm::ArrayRef<EqualInput *> inputs) {
  const equal::AnswerWords words = equal::wordsOf(answer, reportsOf(inputs), inputs[0]->buffers());
  llvm::raw_ostream &out = llvm::outs();
  out << equal::sentenceOf(answer.verdict) << '\n';
  if (!words.at.empty())
    out << "  " << words.at << ": " << answer.why << '\n';
  else if (!answer.why.empty())
    out << "  " << answer.why << '\n';
  if (answer.difference)
    out << "  buffer " << words.buffer << ", element " << answer.difference->index << ": " << words.first << " and "
        << words.second << '\n';
  if (!words.contents.empty())
    out << "  contents: " << words.contents << '\n';
}

static void printJson(const equal::Answer &answer, llvm::ArrayRef<EqualInput *> inputs) {
  Json json = equal::jsonOf(answer, reportsOf(inputs), inputs[0]->buffers());
  json["version"] = 1;
  llvm::outs() << dump(json, 2) << '\n';
}

static int statusOf(Equality verdict) {
  switch (verdict) {
  case Equality::Bits: return Clean;
  case Equality::Real: return EqualReals;
  case Equality::Different: return KernelFailed;
  default: return NotEmulated;
  }
}

// ---- groups

static void print(const equal::Grouping &grouping, llvm::ArrayRef<EqualInput *> inputs) {
  llvm::raw_ostream &out = llvm::outs();
  const auto name = [&](size_t side) { return inputs[side]->report().path; };
  for (size_t i = 0; i < grouping.classes.size(); ++i) {
    const equal::ClassOfKernels &one = grouping.classes[i];
    out << "class " << i + 1;
    if (i) {
      const equal::AnswerWords words = equal::wordsOf(one.fromFirst, reportsOf(inputs), inputs[0]->buffers());
      out << (one.fromFirst.verdict == Equality::Different ? ": different from class 1" : ": not shown to be class 1");
      if (one.fromFirst.difference)
        out << ", buffer " << words.buffer << ", element " << one.fromFirst.difference->index << ": " << words.first
            << " and " << words.second;
      else if (!one.fromFirst.why.empty())
        out << ", " << one.fromFirst.why;
    }
    out << '\n';
    for (const std::vector<size_t> &alike : one.alike) {
      out << "  the same bits:";
      for (const size_t side : alike)
        out << ' ' << name(side);
      out << '\n';
    }
  }
  for (const auto &[side, answer] : grouping.others)
    out << "not decided: " << name(side) << ": " << answer.why << '\n';
}

static void printJson(const equal::Grouping &grouping, llvm::ArrayRef<EqualInput *> inputs) {
  const auto name = [&](size_t side) { return inputs[side]->report().path; };
  Json classes = Json::array(), others = Json::array();
  for (const equal::ClassOfKernels &one : grouping.classes) {
    Json bits = Json::array();
    for (const std::vector<size_t> &alike : one.alike) {
      Json files = Json::array();
      for (const size_t side : alike)
        files.push_back(name(side));
      bits.push_back(std::move(files));
    }
    Json entry = {{"bits", std::move(bits)}};
    if (!classes.empty())
      entry["fromFirst"] = equal::jsonOf(one.fromFirst, reportsOf(inputs), inputs[0]->buffers());
    classes.push_back(std::move(entry));
  }
  for (const auto &[side, answer] : grouping.others)
    others.push_back({{"file", name(side)}, {"why", answer.why}});
  const Json json = {{"version", 1}, {"classes", std::move(classes)}, {"unknown", std::move(others)}};
  llvm::outs() << dump(json, 2) << '\n';
}

static Equality verdictOf(const equal::Grouping &grouping) {
  const auto isShown = [](const equal::ClassOfKernels &one) { return one.fromFirst.verdict == Equality::Different; };
  if (llvm::any_of(grouping.classes, isShown))
    return Equality::Different;
  if (!grouping.others.empty() || grouping.classes.size() != 1)
    return Equality::Unknown;
  return grouping.classes[0].alike.size() == 1 ? Equality::Bits : Equality::Real;
}

// ---- the command

/// Returns how many operands are files: with `--group` all that exist, up to the first argument.
static size_t countFiles(const Arguments &arguments) {
  if (!arguments.has("--group"))
    return arguments.has("--ptx") ? 1 : 2;
  const auto isFile = [](StringRef one) { return llvm::sys::fs::exists(one); };
  return static_cast<size_t>(llvm::find_if_not(arguments.operands, isFile) - arguments.operands.begin());
}

static int runEqual(const Arguments &arguments) {
  const size_t files = countFiles(arguments);
  if (files > arguments.operands.size() || !files || (files == 1 && !arguments.has("--ptx")))
    return usageError("`equal` compares two files, or a recording with the text of `--ptx`");
  const llvm::ArrayRef<StringRef> operands = llvm::ArrayRef(arguments.operands).drop_front(files);
  std::vector<std::unique_ptr<EqualInput>> kept;
  std::vector<EqualInput *> inputs;
  std::vector<equal::Side *> sides;
  equal::ModuleNumbers numbers;
  const size_t kernels = std::max<size_t>(files, 2);
  for (size_t i = 0; i < kernels; ++i) {
    EqualInput &input = *kept.emplace_back(std::make_unique<EqualInput>());
    const bool isB = i == 1 && !arguments.has("--group");
    const StringRef file = arguments.operands[std::min(i, files - 1)];
    if (const int status = input.prepare(argumentsFor(arguments, file, operands, isB)))
      return status;
    numbers.add(input.module());
    inputs.push_back(&input);
    sides.push_back(&input.side());
  }
  std::optional<EqualSolver> solver;
  if (!arguments.has("--no-solver"))
    solver.emplace(arguments.value("--solver").value_or(""));
  equal::Comparison comparison(sides, equal::Contents(inputs[0]->buffers(), numbers, inputs[0]->isRecorded()),
                               solver ? &*solver : nullptr);
  const bool isJson = arguments.value("--format").value_or("text") == "json";
  if (arguments.has("--group")) {
    const equal::Grouping grouping = comparison.group();
    isJson ? printJson(grouping, inputs) : print(grouping, inputs);
    return statusOf(verdictOf(grouping));
  }
  const equal::Answer answer = comparison.compare();
  isJson ? printJson(answer, inputs) : print(answer, inputs);
  return statusOf(answer.verdict);
}

Command equalCommand() {
  std::vector<Option> options;
  for (const Option &one : launchOptions())
    for (const char *name : {"--kernel", "--grid", "--block", "--cluster", "--shared", "--cooperative", "--buffer",
                             "--variable", "--type", "--time-limit"})
      if (StringRef(one.name) == name)
        options.push_back(one);
  options.insert(options.end(), {{"--kernel-b", "NAME", "kernel of the second file"},
                                 {"--grid-b", "X[,Y,Z]", "grid of the second kernel, if it differs"},
                                 {"--block-b", "X[,Y,Z]", "threads per block of the second kernel, if they differ"},
                                 {"--cluster-b", "X[,Y,Z]", "blocks per cluster of the second kernel, if they differ"},
                                 {"--shared-b", "BYTES", "dynamic shared memory of the second kernel, if it differs"},
                                 {"--solver", "PATH", "z3, bitwuzla or cvc5 (default: the one in PATH)"},
                                 {"--no-solver", "", "use no solver for integers"},
                                 {"--group", "", "group any number of files into classes of equal kernels"},
                                 {"--ptx", "FILE", "compare the kernel of a recording with the kernel of this file"},
                                 textOrJsonOption(),
                                 entryOption()});
  return {
      .name = "equal",
      .summary = "decide whether two kernels compute the same results, for all contents of their buffers",
      .syntax = {.operands = "A.ptx B.ptx ARGUMENT...", .fewest = 1, .most = anyNumber, .options = std::move(options)},
      .run = runEqual};
}

} // namespace ptxray
