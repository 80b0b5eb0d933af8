#include "Emulate/CertificateWords.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::machine {

using Use = Certificate::Use;

static uint32_t lineOf(const FileReport &report, Range range) { return report.source->lineColumn(range.begin).line; }

static llvm::StringRef reasonOf(Certificate::Decides decides) {
  switch (decides) {
  case Certificate::Decides::Address: return "its value is an address";
  case Certificate::Decides::Operand: return "its value is a size, a coordinate, a mask or a number of threads";
  case Certificate::Decides::Guard: return "its value decides whether the instruction executes";
  case Certificate::Decides::Branch: return "its value decides a branch";
  case Certificate::Decides::Value: return "threads store equal values there, and other values would race";
  }
  return "";
}

/// Returns the buffers whose contents do not matter.
static std::vector<std::string> freeBuffers(const Certificate &certificate) {
  std::vector<std::string> free;
  for (const std::string &buffer : certificate.buffers)
    if (!llvm::is_contained(free, buffer) &&
        llvm::none_of(certificate.uses, [&](const Use &use) { return use.buffer == buffer; }))
      free.push_back(buffer);
  return free;
}

static std::string inWords(const Use &use, const FileReport &report) {
  std::string text = "depends on buffer " + use.buffer + " at line " + std::to_string(lineOf(report, use.range)) +
                     ": " + reasonOf(use.decides).str();
  if (use.loaded)
    text += " (loaded at line " + std::to_string(lineOf(report, *use.loaded)) + ")";
  return text;
}

std::string certificateSummary(const Outcome &outcome, const FileReport &report, bool isGood) {
  if (!isGood || !outcome.certificate)
    return "no certificate: the launch has findings or did not end";
  const Certificate &certificate = *outcome.certificate;
  if (certificate.holds())
    return "holds for all contents";
  std::vector<std::string> parts;
  if (!certificate.obstacles.empty())
    parts.push_back("only this run");
  else if (const std::vector<std::string> free = freeBuffers(certificate); !free.empty())
    parts.push_back("holds for all contents of buffers " + llvm::join(free, ", "));
  for (const Use &use : certificate.uses)
    parts.push_back(inWords(use, report));
  for (const Certificate::Obstacle &obstacle : certificate.obstacles)
    parts.push_back(obstacle.text + (obstacle.range == Range()
                                         ? ""
                                         : " (line " + std::to_string(lineOf(report, obstacle.range)) + ")"));
  return llvm::join(parts, "; ");
}

static std::string extents(const std::array<uint32_t, 3> &size) {
  return std::to_string(size[0]) + "," + std::to_string(size[1]) + "," + std::to_string(size[2]);
}

std::string certificateText(const Outcome &outcome, const FileReport &report, llvm::StringRef kernel,
                            const LaunchShape &shape, bool isGood) {
  std::string text = "certificate of `" + kernel.str() + "`: " + certificateSummary(outcome, report, isGood) + "\n";
  if (!isGood || !outcome.certificate)
    return text;
  text += "  sizes: this launch alone, grid " + extents(shape.grid) + ", block " + extents(shape.block) + "\n";
  const Certificate &certificate = *outcome.certificate;
  if (!certificate.obstacles.empty())
    return text + "  schedules: this one\n";
  text += "  schedules: all; barriers, groups and phases of barrier objects order the threads\n";
  if (certificate.unordered)
    text += "  results of the atomic operation at line " +
            std::to_string(lineOf(report, certificate.unordered->range)) +
            " may differ between schedules; they decide nothing\n";
  return text;
}

std::string certificateJson(const Outcome &outcome, const FileReport &report, llvm::StringRef kernel,
                            const LaunchShape &shape, bool isGood) {
  Json json = {{"version", 1},       {"file", report.path},  {"kernel", kernel.str()},
               {"grid", shape.grid}, {"block", shape.block}, {"summary", certificateSummary(outcome, report, isGood)}};
  const Certificate none, &certificate = outcome.certificate ? *outcome.certificate : none;
  const bool isOnlyThisRun = !certificate.obstacles.empty();
  json["verdict"] = !isGood || !outcome.certificate ? "none"
                    : isOnlyThisRun                 ? "this-run"
                    : certificate.holds()           ? "all-contents"
                                                    : "some-contents";
  json["schedules"] = !isGood ? "none" : isOnlyThisRun ? "this" : "all";
  json["free"] = isGood && !isOnlyThisRun ? freeBuffers(certificate) : std::vector<std::string>();
  json["depends"] = Json::array();
  for (const Use &use : certificate.uses) {
    Json one = {{"buffer", use.buffer}, {"line", lineOf(report, use.range)}, {"reason", reasonOf(use.decides).str()}};
    if (use.loaded)
      one["loaded"] = lineOf(report, *use.loaded);
    json["depends"].push_back(std::move(one));
  }
  json["obstacles"] = Json::array();
  for (const Certificate::Obstacle &obstacle : certificate.obstacles) {
    Json one = {{"text", obstacle.text}};
    if (!(obstacle.range == Range()))
      one["line"] = lineOf(report, obstacle.range);
    json["obstacles"].push_back(std::move(one));
  }
  return json.dump();
}

} // namespace ptxray::machine
