// `ptxray equal`: whether two kernels leave the same in memory (docs/equal.md).
#include "../launcher/LaunchOptions.h"
#include "EqualRuns.h"
#include "Run.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using equal::Equality;
using llvm::StringRef;

// ---- the command

/// Returns the arguments of `run` for one of the two: options that end in `-b` are those of B.
static Arguments argumentsFor(const Arguments &given, bool isB) {
  Arguments result;
  for (const auto &[name, value] : given.options) {
    const bool isOfB = name.ends_with("-b") && name.starts_with("--");
    if (!isOfB)
      result.options.push_back({name, value});
  }
  static std::vector<std::unique_ptr<std::string>> names;
  for (const auto &[name, value] : given.options)
    if (isB && name.ends_with("-b")) {
      names.push_back(std::make_unique<std::string>(name.drop_back(2).str()));
      llvm::erase_if(result.options, [&](const auto &one) { return one.first == *names.back(); });
      result.options.push_back({*names.back(), value});
    }
  result.operands.push_back(given.operands[isB ? 1 : 0]);
  result.operands.insert(result.operands.end(), given.operands.begin() + 2, given.operands.end());
  return result;
}

static const char *wordOf(Equality verdict) {
  switch (verdict) {
  case Equality::Bits: return "bits";
  case Equality::Real: return "real";
  case Equality::Different: return "different";
  default: return "unknown";
  }
}

static const char *sentenceOf(Equality verdict) {
  switch (verdict) {
  case Equality::Bits: return "equal: the same bits for all contents";
  case Equality::Real: return "equal as real functions: only rounding differs";
  case Equality::Different: return "different";
  default: return "not decided";
  }
}

namespace {

/// The texts of an answer.
struct AnswerWords {
  std::string at, contents, buffer, first, second;
};

} // namespace

static std::string placeIn(const FileReport &report, Range range) {
  const LineColumn at = report.source->lineColumn(range.begin);
  return report.path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

static AnswerWords wordsOf(const equal::Answer &answer, llvm::ArrayRef<EqualInput *> inputs) {
  AnswerWords words;
  if (answer.at)
    words.at = placeIn(inputs[answer.at->side]->report(), answer.at->range);
  if (!answer.schedule.empty())
    words.contents = "schedule " + answer.schedule;
  else if (answer.contents)
    words.contents =
        "kind " + std::to_string(answer.contents->kind) + ", seed " + std::to_string(answer.contents->seed);
  if (const std::optional<equal::ElementDifference> &one = answer.difference) {
    words.buffer = inputs[0]->buffers()[one->buffer].name;
    words.first = equal::shown(one->type, one->first);
    words.second = equal::shown(one->type, one->second);
  }
  return words;
}

static void print(const equal::Answer &answer, llvm::ArrayRef<EqualInput *> inputs) {
  const AnswerWords words = wordsOf(answer, inputs);
  llvm::raw_ostream &out = llvm::outs();
  out << sentenceOf(answer.verdict) << '\n';
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
  const AnswerWords words = wordsOf(answer, inputs);
  Json json = {{"version", 1}, {"verdict", wordOf(answer.verdict)}};
  if (!answer.why.empty())
    json["why"] = answer.why;
  if (!words.at.empty())
    json["at"] = words.at;
  if (answer.difference)
    json["difference"] = {
        {"buffer", words.buffer}, {"element", answer.difference->index}, {"a", words.first}, {"b", words.second}};
  if (!words.contents.empty())
    json["contents"] = words.contents;
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

static int runEqual(const Arguments &arguments) {
  EqualInput a, b;
  if (const int status = a.prepare(argumentsFor(arguments, false)))
    return status;
  if (const int status = b.prepare(argumentsFor(arguments, true)))
    return status;
  equal::ModuleNumbers numbers;
  numbers.add(a.module());
  numbers.add(b.module());
  equal::Comparison comparison({&a.side(), &b.side()}, equal::Contents(a.buffers(), numbers));
  const equal::Answer answer = comparison.compare();
  if (arguments.value("--format").value_or("text") == "json")
    printJson(answer, {&a, &b});
  else
    print(answer, {&a, &b});
  return statusOf(answer.verdict);
}

Command equalCommand() {
  std::vector<Option> options;
  for (const Option &one : launchOptions())
    for (const char *name : {"--kernel", "--grid", "--block", "--cluster", "--shared", "--cooperative", "--buffer",
                             "--variable", "--type", "--time-limit"})
      if (StringRef(one.name) == name)
        options.push_back(one);
  options.insert(options.end(), {{"--kernel-b", "NAME", "the kernel of the second file"},
                                 {"--grid-b", "X[,Y,Z]", "its blocks, if they are others"},
                                 {"--block-b", "X[,Y,Z]", "its threads of a block"},
                                 {"--cluster-b", "X[,Y,Z]", "its blocks of a cluster"},
                                 {"--shared-b", "BYTES", "its dynamic shared memory"},
                                 textOrJsonOption(),
                                 entryOption()});
  return {
      .name = "equal",
      .summary = "find out whether two kernels leave the same in memory, for all contents of their buffers",
      .syntax = {.operands = "A.ptx B.ptx ARGUMENT...", .fewest = 2, .most = anyNumber, .options = std::move(options)},
      .run = runEqual};
}

} // namespace ptxray
