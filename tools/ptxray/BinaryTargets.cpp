// `ptxray targets` for binaries: prints the GPUs and drivers on which they run.
#include "BinaryTargets.h"
#include "Gpus/CudaReleases.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"
#include "Targets/BinaryFit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <map>

namespace ptxray {

using llvm::StringRef;

static std::string plural(size_t n, StringRef what) {
  return std::to_string(n) + " " + what.str() + (n == 1 ? "" : "s");
}

/// Returns the name of a driver, such as `driver R570`, or a text that none is known.
static std::string driverText(uint16_t version) {
  const StringRef driver = firstDriverFor(version);
  return driver.empty() ? "no known driver supports it" : "driver R" + driver.str();
}

// ---- output
static StringRef verdictOf(const GpuFit &fit) {
  if (fit.native + fit.compiled == 0)
    return "none";
  return fit.none ? "some" : fit.compiled ? "compiled" : "native";
}

/// Returns names in one line: `sm_50 52 60`.
static std::string listed(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (StringRef name : names) {
    if (!text.empty())
      name.consume_front("sm_");
    text += (text.empty() ? "" : " ") + name.str();
  }
  return text;
}

static void printRow(llvm::raw_ostream &out, StringRef head, const std::string &text) {
  if (!text.empty())
    out << "  " << llvm::left_justify(head, 13) << ' ' << text << '\n';
}

static void printTexts(const BinaryFit &fit, llvm::raw_ostream &out) {
  for (const TextGroup &group : fit.texts) {
    const CudaRelease &release = firstToolkitFor(group.version);
    std::string words = "compute_" + group.target.substr(3) + ", " + isa::versionText(group.version);
    if (release.ptx >= group.version)
      words += " (CUDA " + release.name() + ")";
    words += ": " + driverText(group.version);
    if (group.least && group.least < group.version)
      words += "; it would pass as " + isa::versionText(group.least) + ": R" + firstDriverFor(group.least).str();
    printRow(out, "PTX", words);
  }
}

static void printGpus(const BinaryFit &fit, llvm::raw_ostream &out) {
  std::vector<std::string> native, none;
  std::map<uint16_t, std::vector<std::string>> compiled; // keyed by the lowest version that the driver needs
  std::vector<const GpuFit *> some;
  std::vector<std::string> jetsons;
  for (const GpuFit &gpu : fit.gpus) {
    const StringRef verdict = verdictOf(gpu);
    const std::string name(gpu.gpu->name());
    if (verdict == "native")
      native.push_back(name);
    else if (verdict == "compiled")
      compiled[gpu.version].push_back(name);
    else if (verdict == "some")
      some.push_back(&gpu);
    else
      none.push_back(name);
    if (verdict == "none" && gpu.gpu->integrated)
      jetsons.push_back(name);
  }
  printRow(out, "native on", listed(native));
  for (const auto &[version, gpus] : compiled) {
    const bool isLast = gpus.back() == fit.gpus.back().gpu->name();
    const unsigned driver = driverFor(version);
    const std::string who = driver ? "by the driver: R" + std::to_string(driver)
                                   : "but no known driver supports PTX " + isa::versionText(version);
    printRow(out, "compiled on", listed(gpus) + (isLast ? " and later GPUs, " : ", ") + who);
  }
  for (const GpuFit *gpu : some)
    printRow(out, "some on",
             std::string(gpu->gpu->name()) + ": " + std::to_string(gpu->native + gpu->compiled) + " of " +
                 plural(fit.modules.size(), "module"));
  if (!none.empty() && !jetsons.empty() && !fit.cubins.empty())
    none.push_back("(cubins of other GPUs do not run on Jetsons: " + listed(jetsons) + ")");
  printRow(out, "not on", listed(none));
}

static void printTable(const BinaryFit &fit, llvm::raw_ostream &out) {
  out << plural(fit.modules.size(), "module") << '\n';
  printRow(out, "cubin", listed(fit.cubins));
  printTexts(fit, out);
  if (!fit.modules.empty())
    printGpus(fit, out);
  if (fit.loose)
    printRow(out, "besides",
             plural(fit.loose, "container") + " outside of the usual sections; the program may choose among these");
}

static StringRef wordOf(const FitAnswer &found, const BinaryFit &fit) {
  return fit.modules.empty() || found.runs == 0 ? "no" : found.lacking.empty() ? "yes" : "some";
}

static std::string sentence(const FitAnswer &found, const BinaryFit &fit) {
  const StringRef word = wordOf(found, fit);
  std::string text = word.str();
  if (fit.modules.empty())
    return text + ": it has no modules" +
           (fit.loose ? ", but " + plural(fit.loose, "container") + " among which the program chooses itself" : "");
  if (word == "some")
    text += ": " + std::to_string(found.runs) + " of " + plural(fit.modules.size(), "module") + "; the others:";
  if (word == "no" && !found.words.empty())
    text += ": " + (fit.modules.size() == 1 ? std::string("the module:")
                                            : "all " + plural(fit.modules.size(), "module") + ":");
  return text + (found.words.empty() ? "" : " " + llvm::join(found.words, "; "));
}

static void printLacking(const FitAnswer &found, const BinaryFit &fit, const ReadLimits &limits,
                         llvm::raw_ostream &out) {
  for (size_t index : found.lacking) {
    const DeviceModule &module = fit.modules[index];
    const Entry &first = fit.binary->entriesOf(fit.binary->containers[module.images.front()]).front();
    out << "  " << escaped(entryName(*fit.binary, &first - fit.binary->entries.data())) << '\n';
    for (const std::string &name : kernelsOf(module, *fit.binary, limits))
      out << "    " << escaped(name) << '\n';
  }
}

static Json toJson(const FitAnswer &found, const BinaryFit &fit, const GpuWithDriver &question) {
  Json json = {
      {"gpu", question.gpu->name()}, {"runs", wordOf(found, fit).str()}, {"modules", found.runs}, {"why", found.words}};
  if (question.driver)
    json["driver"] = std::to_string(*question.driver);
  return json;
}

static Json toJson(const TextGroup &group) {
  Json json = {{"target", group.target},
               {"version", isa::versionText(group.version)},
               {"driver", firstDriverFor(group.version).str()}};
  if (group.least) {
    json["least"] = isa::versionText(group.least);
    json["leastDriver"] = firstDriverFor(group.least).str();
  }
  return json;
}

static Json toJson(const BinaryFit &fit, const std::string &path, const std::optional<GpuWithDriver> &question) {
  Json json = {{"path", path},         {"modules", fit.modules.size()}, {"loose", fit.loose},
               {"cubins", fit.cubins}, {"ptx", Json::array()},          {"gpus", Json::array()}};
  for (const TextGroup &group : fit.texts)
    json["ptx"].push_back(toJson(group));
  for (const GpuFit &gpu : fit.gpus) {
    Json &one = json["gpus"].emplace_back();
    one = {{"gpu", gpu.gpu->name()}, {"verdict", verdictOf(gpu).str()}, {"modules", gpu.native + gpu.compiled}};
    if (gpu.version)
      one["driver"] = firstDriverFor(gpu.version).str();
  }
  if (question)
    json["answer"] = toJson(answer(fit, *question), fit, *question);
  json["problems"] = Json::array();
  for (const BinaryProblem &problem : fit.problems)
    json["problems"].push_back(problemText(problem));
  return json;
}

/// Reads `--gpu` and `--driver`. Returns an exit status.
static int readQuestion(const Arguments &arguments, std::optional<GpuWithDriver> &question) {
  const std::optional<StringRef> gpu = arguments.value("--gpu"), driver = arguments.value("--driver");
  if (driver && !gpu)
    return usageError("`--driver` needs `--gpu`");
  if (!gpu)
    return Clean;
  const int target = isa::findTarget(*gpu);
  if (target < 0)
    return unknownTarget(*gpu);
  if (isa::targets()[target].variant)
    return usageError("`--gpu` requires a GPU such as sm_90; `" + gpu->str() + "` is a target, not a GPU");
  question = GpuWithDriver{&isa::targets()[target], std::nullopt};
  if (driver) {
    StringRef number = driver->split('.').first;
    if (!number.consume_front("R"))
      number.consume_front("r");
    unsigned branch;
    if (number.getAsInteger(10, branch))
      return usageError("`--driver` requires a branch such as 535 or a version such as 535.104.05, not `" +
                        driver->str() + "`");
    question->driver = branch;
  }
  return Clean;
}

static void print(const BinaryFit &fit, const std::optional<GpuWithDriver> &question) {
  if (question)
    llvm::outs() << escaped(sentence(answer(fit, *question), fit)) << '\n';
  else
    printTable(fit, llvm::outs());
}

int runBinaryTargets(llvm::ArrayRef<std::unique_ptr<OpenBinary>> binaries, const Arguments &arguments) {
  std::optional<GpuWithDriver> question;
  if (const int status = readQuestion(arguments, question))
    return status;
  int status = Clean;
  Json json = {{"version", 1}, {"files", Json::array()}};
  const bool asJson = arguments.value("--format") == "json";
  for (const auto &binary : binaries) {
    const BinaryFit fit = fitOf(binary->content, binary->limits, arguments.has("--least"));
    if (asJson) {
      json["files"].push_back(toJson(fit, binary->path, question));
    } else {
      if (binaries.size() > 1)
        llvm::outs() << escaped(binary->path) << ": ";
      print(fit, question);
      if (question && arguments.has("-v"))
        printLacking(answer(fit, *question), fit, binary->limits, llvm::outs());
    }
    if (question && wordOf(answer(fit, *question), fit) != "yes")
      status = std::max<int>(status, FoundErrors);
    if (!fit.problems.empty())
      status = BadUsage;
    for (const BinaryProblem &problem : fit.problems)
      llvm::errs() << "ptxray: " << escaped(binary->path) << ": " << escaped(problemText(problem)) << '\n';
  }
  if (asJson)
    llvm::outs() << dump(json, 1) << '\n';
  return status;
}

} // namespace ptxray
