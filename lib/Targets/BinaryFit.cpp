#include "Targets/BinaryFit.h"
#include "Gpus/CudaReleases.h"
#include "Targets/Requirements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <map>
#include <set>

namespace ptxray {

using isa::Target;
using llvm::StringRef;

constexpr unsigned firstDriverWithoutOldGpus = 590; // R580 is the last branch that supports sm_50 to sm_72
constexpr uint16_t firstOfNewGpus = 75;
constexpr uint64_t textToJudge = 4 << 20; // maximum size of texts whose lowest version is determined by default

static uint16_t versionOf(const Entry &entry) { return entry.major * 100 + entry.minor; }

unsigned driverFor(uint16_t version) {
  unsigned driver = 0;
  firstDriverFor(version).getAsInteger(10, driver);
  return driver;
}

static bool isDropped(const Target &gpu, unsigned driver) {
  return gpu.number < firstOfNewGpus && driver >= firstDriverWithoutOldGpus;
}

/// Returns whether a PTX version is too new for an old GPU. No driver that supports old GPUs supports PTX of CUDA 13.1
/// and later.
static bool isTooNew(uint16_t version, const Target &gpu) {
  constexpr uint16_t lastForOldGpus = 900;
  return gpu.number < firstOfNewGpus && version > lastForOldGpus;
}

// ---- finding
static GpuFit fitOfAll(const BinaryFit &fit, const Target &gpu) {
  GpuFit all{&gpu};
  for (const DeviceModule &module : fit.modules) {
    const ModuleFit one = fitOf(module, *fit.binary, gpu);
    const Fit found = one.text && isTooNew(versionOf(*one.text), gpu) ? Fit::None : one.fit;
    ++(found == Fit::Native ? all.native : found == Fit::Compiled ? all.compiled : all.none);
    if (found == Fit::Compiled)
      all.version = std::max(all.version, versionOf(*one.text));
  }
  return all;
}

static void findLeast(TextGroup &group, const Binary &binary, const ReadLimits &limits,
                      std::vector<BinaryProblem> &problems) {
  Unpacker unpacker(limits);
  std::set<StringRef> seen; // equal texts have equal packed bytes
  for (const Entry *entry : group.entries) {
    if (!entry->isConcatenated && !seen.insert(entry->data).second)
      continue;
    const auto text = unpacker.unpack(*entry, "");
    if (const std::string unreadable = text ? whyNoText((*text)->text()) : text.problem(); !unreadable.empty()) {
      problems.push_back(unreadableEntry(binary, *entry, unreadable));
      continue;
    }
    const int target = isa::findTarget(group.target);
    if (target < 0)
      continue;
    group.least = std::max(group.least, Requirements::leastVersion(Requirements(**text).passes(), target));
  }
}

BinaryFit fitOf(const Binary &content, const ReadLimits &limits, bool wantsLeast) {
  BinaryFit fit;
  fit.binary = &content;
  fit.problems = content.problems;
  Unpacker unpacker(limits);
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
    if (entry.unpackedBytes <= limits.largestImage) // an image that is too large costs nothing
      bytes += entry.bytes;
  }
  for (auto &[key, name] : cubins)
    fit.cubins.push_back(std::move(name));
  for (auto &[key, group] : texts) {
    if (wantsLeast || bytes <= textToJudge)
      findLeast(group, content, limits, fit.problems);
    fit.texts.push_back(std::move(group));
  }
  for (const Target *gpu : gpusOfToday())
    fit.gpus.push_back(fitOfAll(fit, *gpu));
  return fit;
}

// ---- words
/// Returns why a driver does not compile PTX of that version for that GPU; empty if it does.
static std::string whyNotCompiled(uint16_t version, const Target &gpu, std::optional<unsigned> driver) {
  const std::string text = "PTX " + isa::versionText(version);
  const unsigned needed = driverFor(version);
  if (isTooNew(version, gpu))
    return text + " needs " + (needed ? "R" + std::to_string(needed) : std::string("a newer driver")) +
           ", and R580 is the last driver that supports " + std::string(gpu.name());
  if (needed == 0)
    return driver ? "no known driver supports " + text : "";
  if (driver && *driver < needed)
    return text + " needs R" + std::to_string(needed);
  return "";
}

/// Returns why a driver does not support a GPU at all.
static std::string whyUnknown(const Target &gpu, unsigned driver) {
  const unsigned first = driverFor(gpu.since);
  if (driver < first)
    return "R" + std::to_string(driver) + " does not know " + std::string(gpu.name()) + ": the first that does is R" +
           std::to_string(first);
  if (isDropped(gpu, driver))
    return "R" + std::to_string(driver) + " does not know " + std::string(gpu.name()) + " any more: R580 is the last";
  return "";
}

/// Returns the contents of a binary as a reason: `cubins of sm_70 and sm_80, no PTX`.
static std::string contentText(const BinaryFit &fit) {
  std::vector<std::string> texts;
  for (const TextGroup &group : fit.texts)
    if (texts.empty() || texts.back() != "compute_" + group.target.substr(3))
      texts.push_back("compute_" + group.target.substr(3));
  std::string words = fit.cubins.empty() ? "no cubins" : "cubins of " + llvm::join(fit.cubins, ", ");
  return words + (texts.empty() ? ", no PTX" : ", PTX of " + llvm::join(texts, ", "));
}

FitAnswer answer(const BinaryFit &fit, const GpuWithDriver &question) {
  FitAnswer found;
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
    const ModuleFit one = fitOf(fit.modules[i], *fit.binary, gpu);
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
    found.words.push_back("nothing for " + std::string(gpu.name()) + " (" + contentText(fit) + ")");
  found.words.insert(found.words.end(), words.begin(), words.end());
  return found;
}

std::vector<std::string> kernelsIn(const Entry &entry, StringRef bytes) {
  if (entry.kind == ImageKind::Cubin)
    return codeOf(bytes);
  std::vector<std::string> names;
  for (size_t at; entry.isText() && (at = bytes.find(".entry ")) != StringRef::npos;) {
    bytes = bytes.drop_front(at + StringRef(".entry ").size()).ltrim();
    names.push_back(bytes.take_until([](char c) { return c == '(' || llvm::isSpace(c); }).str());
  }
  return names;
}

std::vector<std::string> kernelsOf(const DeviceModule &module, const Binary &binary, const ReadLimits &limits) {
  Unpacker unpacker(limits);
  for (uint32_t index : module.images)
    for (const Entry &entry : binary.entriesOf(binary.containers[index])) {
      if (entry.kind != ImageKind::Cubin && !entry.isText())
        continue;
      if (const auto bytes = unpacker.unpack(entry, ""))
        return kernelsIn(entry, (*bytes)->text());
    }
  return {};
}

} // namespace ptxray
