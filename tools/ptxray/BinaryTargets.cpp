// `ptxray targets` for binaries: on which GPUs and with which drivers they run.
#include "BinaryTargets.h"
#include "Explore/Requirements.h"
#include "Images.h"
#include "Ptxas/CudaReleases.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <map>
#include <set>

namespace ptxray {

using isa::Target;
using llvm::StringRef;

namespace {

/// PTX of one target and version.
struct TextGroup {
  std::string target;
  uint16_t version = 0;
  std::vector<const Entry *> entries;
  uint16_t least = 0; // the version that would do; 0: not asked
};

/// What a GPU can use of a binary, with any driver.
struct GpuFit {
  const Target *gpu = nullptr;
  size_t native = 0, compiled = 0, none = 0; // modules
  uint16_t version = 0;                      // of the newest PTX that is compiled
};

struct BinaryFit {
  const OpenBinary *binary = nullptr;
  std::vector<DeviceModule> modules;
  size_t loose = 0; // containers that are not modules
  std::vector<std::string> cubins;
  std::vector<TextGroup> texts;
  std::vector<GpuFit> gpus;
  std::vector<BinaryProblem> problems; // of reading it, and of unpacking what was looked at
};

/// The question that `--gpu` and `--driver` ask.
struct Question {
  const Target *gpu = nullptr;
  std::optional<unsigned> driver;
};

struct Answer {
  size_t runs = 0;
  std::vector<size_t> lacking;    // modules
  std::vector<std::string> words; // why, most important first
};

constexpr unsigned firstDriverWithoutOldGpus = 590; // R580 is the last that knows sm_50 to sm_72
constexpr uint16_t firstOfNewGpus = 75;
constexpr uint64_t textToJudge = 4 << 20; // whose least version is found without being asked for

} // namespace

static uint16_t versionOf(const Entry &entry) { return entry.major * 100 + entry.minor; }

static unsigned driverFor(uint16_t version) {
  unsigned driver = 0;
  firstDriverFor(version).getAsInteger(10, driver);
  return driver;
}

static bool isDropped(const Target &gpu, unsigned driver) {
  return gpu.number < firstOfNewGpus && driver >= firstDriverWithoutOldGpus;
}

/// No driver that supports an old GPU reads PTX of CUDA 13.1 and later.
static bool isTooNew(uint16_t version, const Target &gpu) {
  constexpr uint16_t lastForOldGpus = 900;
  return gpu.number < firstOfNewGpus && version > lastForOldGpus;
}

// ------------------------------------------------------------------------------------------ finding
static GpuFit fitOfAll(const BinaryFit &fit, const Target &gpu) {
  GpuFit all{&gpu};
  for (const DeviceModule &module : fit.modules) {
    const ModuleFit one = fitOf(module, fit.binary->content, gpu);
    const Fit found = one.text && isTooNew(versionOf(*one.text), gpu) ? Fit::None : one.fit;
    ++(found == Fit::Native ? all.native : found == Fit::Compiled ? all.compiled : all.none);
    if (found == Fit::Compiled)
      all.version = std::max(all.version, versionOf(*one.text));
  }
  return all;
}

static void findLeast(TextGroup &group, const OpenBinary &binary, std::vector<BinaryProblem> &problems) {
  Unpacker unpacker(binary.limits);
  std::set<StringRef> seen; // the same text is packed the same way
  for (const Entry *entry : group.entries) {
    if (!entry->isConcatenated && !seen.insert(entry->data).second)
      continue;
    std::string unreadable;
    const std::unique_ptr<SourceBuffer> text = unpacker.unpack(*entry, "", unreadable);
    if (text)
      unreadable = whyNoText(text->text());
    if (!unreadable.empty()) {
      problems.push_back(unreadableEntry(binary.content, *entry, unreadable));
      continue;
    }
    const int target = isa::findTarget(group.target);
    if (target < 0)
      continue;
    group.least = std::max(group.least, Requirements::leastVersion(Requirements(*text).passes(), target));
  }
}

static BinaryFit examine(const OpenBinary &binary, bool wantsLeast) {
  BinaryFit fit;
  fit.binary = &binary;
  fit.problems = binary.content.problems;
  const Binary &content = binary.content;
  Unpacker unpacker(binary.limits);
  fit.modules = modulesOf(content, unpacker);
  fit.loose = llvm::count_if(content.containers, [](const Container &c) { return c.role == Role::Loose && c.count; });
  std::map<std::pair<unsigned, char>, std::string> cubins;
  std::map<std::tuple<unsigned, char, uint16_t>, TextGroup> texts;
  uint64_t bytes = 0;
  for (const Entry &entry : content.entries) {
    if (content.containerOf(entry).role == Role::Debugging)
      continue;
    if (entry.kind == ImageKind::Cubin)
      cubins[{entry.number, entry.variant}] = entry.target();
    if (!entry.isText())
      continue;
    TextGroup &group = texts[{entry.number, entry.variant, versionOf(entry)}];
    group.target = entry.target();
    group.version = versionOf(entry);
    group.entries.push_back(&entry);
    if (entry.unpackedBytes <= binary.limits.largestImage) // a refusal costs nothing
      bytes += entry.bytes;
  }
  for (auto &[key, name] : cubins)
    fit.cubins.push_back(std::move(name));
  for (auto &[key, group] : texts) {
    if (wantsLeast || bytes <= textToJudge)
      findLeast(group, binary, fit.problems);
    fit.texts.push_back(std::move(group));
  }
  for (const Target *gpu : gpusOfToday())
    fit.gpus.push_back(fitOfAll(fit, *gpu));
  return fit;
}

// ------------------------------------------------------------------------------------------ words
static std::string plural(size_t n, StringRef what) {
  return std::to_string(n) + " " + what.str() + (n == 1 ? "" : "s");
}

/// The driver in words, `driver R570`, or that none is known.
static std::string driverText(uint16_t version) {
  const StringRef driver = firstDriverFor(version);
  return driver.empty() ? "no driver is known that loads it" : "driver R" + driver.str();
}

/// Why a driver does not compile PTX of that version for that GPU; empty if it does.
static std::string whyNotCompiled(uint16_t version, const Target &gpu, std::optional<unsigned> driver) {
  const std::string text = "PTX " + isa::versionText(version);
  const unsigned needed = driverFor(version);
  if (isTooNew(version, gpu))
    return text + " needs " + (needed ? "R" + std::to_string(needed) : std::string("a newer driver")) +
           ", and R580 is the last driver for " + std::string(gpu.name);
  if (needed == 0)
    return driver ? "no driver is known that loads " + text : "";
  if (driver && *driver < needed)
    return text + " needs R" + std::to_string(needed);
  return "";
}

/// Why a driver does not support a GPU at all.
static std::string whyUnknown(const Target &gpu, unsigned driver) {
  const unsigned first = driverFor(gpu.since);
  if (driver < first)
    return "R" + std::to_string(driver) + " does not know " + std::string(gpu.name) + ": the first that does is R" +
           std::to_string(first);
  if (isDropped(gpu, driver))
    return "R" + std::to_string(driver) + " does not know " + std::string(gpu.name) + " any more: R580 is the last";
  return "";
}

/// The contents of a binary, in place of a reason: `cubins of sm_70 and sm_80, no PTX`.
static std::string contentText(const BinaryFit &fit) {
  std::vector<std::string> texts;
  for (const TextGroup &group : fit.texts)
    if (texts.empty() || texts.back() != "compute_" + group.target.substr(3))
      texts.push_back("compute_" + group.target.substr(3));
  std::string words = fit.cubins.empty() ? "no cubins" : "cubins of " + llvm::join(fit.cubins, ", ");
  return words + (texts.empty() ? ", no PTX" : ", PTX of " + llvm::join(texts, ", "));
}

static Answer answer(const BinaryFit &fit, const Question &question) {
  Answer found;
  const Target &gpu = *question.gpu;
  if (question.driver)
    if (std::string why = whyUnknown(gpu, *question.driver); !why.empty()) {
      for (size_t i = 0; i < fit.modules.size(); ++i)
        found.lacking.push_back(i);
      found.words.push_back(std::move(why));
      return found;
    }
  std::set<std::string> words;
  bool isWithout = false;
  for (size_t i = 0; i < fit.modules.size(); ++i) {
    const ModuleFit one = fitOf(fit.modules[i], fit.binary->content, gpu);
    std::string why;
    if (one.fit == Fit::Compiled)
      why = whyNotCompiled(versionOf(*one.text), gpu, question.driver);
    isWithout |= one.fit == Fit::None;
    if (one.fit != Fit::None && why.empty()) {
      ++found.runs;
      continue;
    }
    found.lacking.push_back(i);
    if (!why.empty())
      words.insert(why);
  }
  if (isWithout)
    found.words.push_back("nothing for " + std::string(gpu.name) + " (" + contentText(fit) + ")");
  found.words.insert(found.words.end(), words.begin(), words.end());
  return found;
}

/// The kernels of a module: the entries of its PTX, or those for which its cubins have code.
static std::vector<std::string> kernelsOf(const DeviceModule &module, const OpenBinary &binary) {
  std::vector<std::string> names;
  Unpacker unpacker(binary.limits);
  for (uint32_t index : module.images)
    for (const Entry &entry : binary.content.entriesOf(binary.content.containers[index])) {
      if (entry.kind != ImageKind::Cubin && !entry.isText())
        continue;
      std::string unreadable;
      const std::unique_ptr<SourceBuffer> bytes = unpacker.unpack(entry, "", unreadable);
      if (!bytes)
        continue;
      if (entry.kind == ImageKind::Cubin)
        return codeOf(bytes->text());
      StringRef rest = bytes->text();
      for (size_t at; (at = rest.find(".entry ")) != StringRef::npos;) {
        rest = rest.drop_front(at + StringRef(".entry ").size()).ltrim();
        names.push_back(rest.take_until([](char c) { return c == '(' || llvm::isSpace(c); }).str());
      }
      return names;
    }
  return names;
}

// ------------------------------------------------------------------------------------------ output
static StringRef verdictOf(const GpuFit &fit) {
  if (fit.native + fit.compiled == 0)
    return "none";
  return fit.none ? "some" : fit.compiled ? "compiled" : "native";
}

/// Names in one line: `sm_50 52 60`.
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
  std::map<uint16_t, std::vector<std::string>> compiled; // by the version that the driver must know
  std::vector<const GpuFit *> some;
  std::vector<std::string> jetsons;
  for (const GpuFit &gpu : fit.gpus) {
    const StringRef verdict = verdictOf(gpu);
    const std::string name(gpu.gpu->name);
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
    const bool isLast = gpus.back() == fit.gpus.back().gpu->name;
    const unsigned driver = driverFor(version);
    const std::string who = driver ? "by the driver: R" + std::to_string(driver)
                                   : "but no driver is known that loads PTX " + isa::versionText(version);
    printRow(out, "compiled on", listed(gpus) + (isLast ? " and later GPUs, " : ", ") + who);
  }
  for (const GpuFit *gpu : some)
    printRow(out, "some on",
             std::string(gpu->gpu->name) + ": " + std::to_string(gpu->native + gpu->compiled) + " of " +
                 plural(fit.modules.size(), "module"));
  if (!none.empty() && !jetsons.empty() && !fit.cubins.empty())
    none.push_back("(cubins of other GPUs are not for Jetsons: " + listed(jetsons) + ")");
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
             plural(fit.loose, "container") + " outside of the sections for them: the program may choose among those");
}

static StringRef wordOf(const Answer &found, const BinaryFit &fit) {
  return fit.modules.empty() || found.runs == 0 ? "no" : found.lacking.empty() ? "yes" : "some";
}

static std::string sentence(const Answer &found, const BinaryFit &fit) {
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

static void printLacking(const Answer &found, const BinaryFit &fit, llvm::raw_ostream &out) {
  for (size_t index : found.lacking) {
    const DeviceModule &module = fit.modules[index];
    const Entry &first = fit.binary->content.entriesOf(fit.binary->content.containers[module.images.front()]).front();
    out << "  " << escaped(entryName(fit.binary->content, &first - fit.binary->content.entries.data())) << '\n';
    for (const std::string &name : kernelsOf(module, *fit.binary))
      out << "    " << escaped(name) << '\n';
  }
}

static Json toJson(const Answer &found, const BinaryFit &fit, const Question &question) {
  Json json = {
      {"gpu", question.gpu->name}, {"runs", wordOf(found, fit).str()}, {"modules", found.runs}, {"why", found.words}};
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

static Json toJson(const BinaryFit &fit, const std::optional<Question> &question) {
  Json json = {{"path", fit.binary->path}, {"modules", fit.modules.size()}, {"loose", fit.loose},
               {"cubins", fit.cubins},     {"ptx", Json::array()},          {"gpus", Json::array()}};
  for (const TextGroup &group : fit.texts)
    json["ptx"].push_back(toJson(group));
  for (const GpuFit &gpu : fit.gpus) {
    Json &one = json["gpus"].emplace_back();
    one = {{"gpu", gpu.gpu->name}, {"verdict", verdictOf(gpu).str()}, {"modules", gpu.native + gpu.compiled}};
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
static int readQuestion(const Arguments &arguments, std::optional<Question> &question) {
  const std::optional<StringRef> gpu = arguments.value("--gpu"), driver = arguments.value("--driver");
  if (driver && !gpu)
    return usageError("`--driver` needs `--gpu`");
  if (!gpu)
    return Clean;
  const int target = isa::findTarget(*gpu);
  if (target < 0)
    return unknownTarget(*gpu);
  if (isa::targets()[target].variant)
    return usageError("`--gpu` is a GPU, as sm_90; `" + gpu->str() + "` is what code is made for");
  question = Question{&isa::targets()[target], std::nullopt};
  if (driver) {
    StringRef number = driver->split('.').first;
    if (!number.consume_front("R"))
      number.consume_front("r");
    unsigned branch;
    if (number.getAsInteger(10, branch))
      return usageError("`--driver` is a branch, as 535, or a version, as 535.104.05; not `" + driver->str() + "`");
    question->driver = branch;
  }
  return Clean;
}

static void print(const BinaryFit &fit, const std::optional<Question> &question, bool namesLacking,
                  llvm::raw_ostream &out) {
  if (!question)
    return printTable(fit, out);
  const Answer found = answer(fit, *question);
  out << escaped(sentence(found, fit)) << '\n';
  if (namesLacking)
    printLacking(found, fit, out);
}

int runBinaryTargets(llvm::ArrayRef<std::unique_ptr<OpenBinary>> binaries, const Arguments &arguments) {
  std::optional<Question> question;
  if (const int status = readQuestion(arguments, question))
    return status;
  int status = Clean;
  Json json = {{"version", 1}, {"files", Json::array()}};
  const bool asJson = arguments.value("--format") == "json";
  for (const auto &binary : binaries) {
    const BinaryFit fit = examine(*binary, arguments.has("--least"));
    if (asJson) {
      json["files"].push_back(toJson(fit, question));
    } else {
      if (binaries.size() > 1)
        llvm::outs() << escaped(binary->path) << ": ";
      print(fit, question, arguments.has("-v"), llvm::outs());
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
