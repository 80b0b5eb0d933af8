// `ptxray prove` decides whether a kernel can ever race, diverge at a barrier, or leave its buffers (docs/prove.md).
#include "Binaries.h"
#include "Kernels.h"
#include "Prove/Prove.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using prove::Decision;

/// Returns the three numbers of `X[,Y[,Z]]`.
static std::optional<std::array<uint32_t, 3>> numbersOf(llvm::StringRef text) {
  std::array<uint32_t, 3> numbers = {1, 1, 1};
  llvm::SmallVector<llvm::StringRef, 3> parts;
  text.split(parts, ',');
  if (parts.size() > 3)
    return {};
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].getAsInteger(10, numbers[i]) || !numbers[i] || numbers[i] > 0x7fffffff)
      return {};
  return numbers;
}

/// Reads the assumptions. Returns what is wrong, or an empty string.
static std::string readAssumptions(const Arguments &arguments, const KernelEntry &entry, prove::Task &task) {
  for (const auto &[name, value] : arguments.options) {
    std::string text = value.str();
    if (name == "--buffer") {
      const auto [buffer, length] = value.split('=');
      if (length.empty())
        return "`--buffer` takes a parameter and its length in bytes, such as `a=4*n`";
      text = "bytes(" + buffer.str() + ") == " + length.str();
    } else if (name != "--assume") {
      continue;
    }
    auto read = prove::readAssumption(text, entry);
    if (!read)
      return "`" + value.str() + "`: " + read.problem();
    task.assumed.insert(task.assumed.end(), read->begin(), read->end());
  }
  return "";
}

static std::string readShape(const Arguments &arguments, const KernelEntry &entry, prove::Task &task) {
  const auto block = arguments.value("--block");
  if (block) {
    const auto numbers = numbersOf(*block);
    if (!numbers)
      return "`--block` takes one to three numbers, such as `32,8`";
    task.shape.block = *numbers;
  } else if (entry.requiredBlock[0]) {
    task.shape.block = entry.requiredBlock;
  } else {
    return "the block size is unknown: specify it with `--block`";
  }
  if (task.shape.threads() > 1024)
    return "a block has at most 1024 threads";
  if (const auto grid = arguments.value("--grid"); grid && *grid != "any") {
    task.shape.grid = numbersOf(*grid);
    if (!task.shape.grid)
      return "`--grid` takes `any`, or one to three numbers";
  }
  task.shape.shared = prove::sharedOf(task.assumed);
  if (const auto seconds = arguments.value("--time-limit"))
    if (seconds->getAsDouble(task.seconds) || task.seconds <= 0)
      return "`--time-limit` takes a number of seconds";
  task.mayAlias = arguments.has("--may-alias");
  task.usesSolver = !arguments.has("--no-solver");
  task.solver = arguments.value("--solver").value_or("").str();
  return "";
}

static std::string placeOf(const SourceBuffer &source, llvm::StringRef path, Range range) {
  const LineColumn at = source.lineColumn(range.begin);
  return path.str() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

static std::string commandFor(const prove::Witness &witness, llvm::StringRef path, const KernelEntry &entry,
                              const prove::Task &task) {
  const auto text = [](const std::array<uint32_t, 3> &numbers) {
    return llvm::join(std::vector{std::to_string(numbers[0]), std::to_string(numbers[1]), std::to_string(numbers[2])},
                      ",");
  };
  std::string command = "ptxray run --emulate " + path.str() + " --kernel " + entry.name + " --grid " +
                        text(witness.grid) + " --block " + text(task.shape.block);
  if (witness.shared)
    command += " --shared " + std::to_string(witness.shared);
  if (!witness.schedule.empty())
    command += " --schedule " + witness.schedule;
  return command + " " + llvm::join(witness.arguments, " ");
}

static llvm::StringRef wordOf(Decision decision) {
  return decision == Decision::Proved ? "proved" : decision == Decision::Refuted ? "refuted" : "not decided";
}

static void print(const prove::Result &result, const SourceBuffer &source, llvm::StringRef path,
                  const KernelEntry &entry, const prove::Task &task) {
  llvm::raw_ostream &out = llvm::outs();
  out << entry.name << ": " << wordOf(result.decision);
  if (result.decision == Decision::Proved)
    out << (result.assumedInBounds.empty()
                ? ": no race, no divergence at barriers, no access outside of variables and given lengths"
                : ": no race, no divergence at barriers");
  out << '\n';
  if (result.decision == Decision::Refuted) {
    for (const Diagnostic &fault : result.witness->faults) {
      out << "  " << placeOf(source, path, fault.range) << ": " << fault.message() << '\n';
      for (const auto &note : fault.notes)
        out << "    " << (note.range ? placeOf(source, path, *note.range) + ": " : "") << llvm::StringRef(note.message)
            << '\n';
    }
    for (const std::string &size : result.witness->sizes)
      out << "  with " << size << '\n';
    out << "  " << commandFor(*result.witness, path, entry, task) << '\n';
    return;
  }
  if (result.decision == Decision::Open)
    for (const prove::Open &open : result.open) {
      out << "  " << placeOf(source, path, open.at) << ": " << open.what << '\n';
      if (open.other)
        out << "    and " << placeOf(source, path, *open.other) << '\n';
      if (!open.advice.empty())
        out << "    " << open.advice << '\n';
    }
  for (const std::string &one : result.assumptions)
    out << "  assumed: " << one << '\n';
  for (const Range at : result.assumedInBounds)
    out << "  assumed: the access at " << placeOf(source, path, at) << " stays in its variable\n";
}

static void printJson(const prove::Result &result, const SourceBuffer &source, llvm::StringRef path,
                      const KernelEntry &entry, const prove::Task &task) {
  const auto place = [&](Range range) {
    const LineColumn at = source.lineColumn(range.begin);
    return Json{{"line", at.line}, {"column", at.column}};
  };
  Json json = {
      {"version", 1}, {"file", path.str()}, {"kernel", entry.name}, {"verdict", wordOf(result.decision).str()}};
  json["assumptions"] = result.assumptions;
  json["questions"] = result.questions;
  json["bySolver"] = result.bySolver;
  json["assumedInBounds"] = Json::array();
  for (const Range at : result.assumedInBounds)
    json["assumedInBounds"].push_back(place(at));
  json["open"] = Json::array();
  if (result.decision == Decision::Open)
    for (const prove::Open &open : result.open) {
      Json one = {{"at", place(open.at)}, {"what", open.what}};
      if (open.other)
        one["other"] = place(*open.other);
      if (!open.advice.empty())
        one["advice"] = open.advice;
      json["open"].push_back(std::move(one));
    }
  if (result.witness) {
    Json faults = Json::array();
    for (const Diagnostic &fault : result.witness->faults)
      faults.push_back({{"at", place(fault.range)}, {"message", fault.message()}});
    json["witness"] = {{"faults", faults}, {"command", commandFor(*result.witness, path, entry, task)}};
  }
  llvm::outs() << dump(json, 2) << '\n';
}

static int runProve(const Arguments &arguments) {
  const llvm::StringRef path = arguments.operands.front();
  const OneText text = openText(path, arguments);
  if (!text.source)
    return usageError("cannot read `" + path.str() + "`: " + text.problem);
  const ReadModule module = readModule(*text.source);
  if (module.hasErrors())
    return faultyInput(path);
  KernelEntry entry;
  if (const std::string complaint = chooseKernel(module.ast(), arguments.value("--kernel"), entry); !complaint.empty())
    return usageError(complaint);
  prove::Task task;
  std::string complaint = readAssumptions(arguments, entry, task);
  if (complaint.empty())
    complaint = readShape(arguments, entry, task);
  if (!complaint.empty())
    return usageError(complaint);
  const Body *body = nullptr;
  for (const Body &one : module.bodies())
    if (one.function->kind == FunctionKind::Entry && module.ast().text(one.function->name) == entry.name)
      body = &one;
  if (!body)
    return usageError("the kernel `" + entry.name + "` has no body");
  const prove::Result result = prove::prove(module, *body, entry, task);
  if (arguments.value("--format").value_or("text") == "json")
    printJson(result, *text.source, path, entry, task);
  else
    print(result, *text.source, path, entry, task);
  return result.decision == Decision::Proved ? Clean : result.decision == Decision::Refuted ? FoundErrors : NotEmulated;
}

Command proveCommand() {
  return {.name = "prove",
          .summary = "prove that a kernel never races, for all sizes and contents, or show a launch that does",
          .syntax = {.operands = "FILE|-",
                     .fewest = 1,
                     .most = 1,
                     .options = {{"--kernel", "NAME", "the kernel (default: the only one)"},
                                 {"--block", "X[,Y,Z]", "threads of a block (default: that of `.reqntid`)"},
                                 {"--grid", "X[,Y,Z]", "blocks of the grid, or `any` (default)"},
                                 {"--assume", "TEXT",
                                  "a condition on parameters: `n >= 1 && bytes(a) == 4*n`, `shared == 1024`"},
                                 {"--buffer", "NAME=BYTES", "the length of a buffer, such as `a=4*n`"},
                                 {"--may-alias", "", "buffers of different parameters may overlap"},
                                 {"--solver", "PATH", "z3, bitwuzla or cvc5 (default: the one in PATH)"},
                                 {"--no-solver", "", "use no solver, and leave questions open that need one"},
                                 {"--time-limit", "SECONDS", "time limit for all questions together (20)"},
                                 textOrJsonOption(),
                                 entryOption()}},
          .run = runProve};
}

} // namespace ptxray
