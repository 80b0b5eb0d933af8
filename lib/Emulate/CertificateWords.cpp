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
  for (const Certificate::Buffer &buffer : certificate.buffers)
    if (!llvm::is_contained(free, buffer.name) &&
        llvm::none_of(certificate.uses, [&](const Use &use) { return use.buffer == buffer.name; }))
      free.push_back(buffer.name);
  return free;
}

static std::string inWords(const Use &use, const FileReport &report) {
  std::string text = "depends on buffer " + use.buffer + " at line " + std::to_string(lineOf(report, use.range)) +
                     ": " + reasonOf(use.decides).str();
  if (use.loaded)
    text += " (loaded at line " + std::to_string(lineOf(report, *use.loaded)) + ")";
  return text;
}

static std::string atLine(const FileReport &report, Range range) {
  return range == Range() ? "" : " (line " + std::to_string(lineOf(report, range)) + ")";
}

/// Returns the decimal digits of a number of at most 65 bits.
static std::string decimal(__int128 number) {
  const bool isNegative = number < 0;
  const auto magnitude = static_cast<uint64_t>(isNegative ? -number : number);
  return (isNegative ? "-" : "") + std::to_string(magnitude);
}

/// Returns a condition as a sentence.
static std::string inWords(const Certificate::Condition &one) {
  const std::string type = (one.isSigned ? "s" : "u") + std::to_string(8 * one.bytes);
  std::string text = "each " + type + " of buffer " + one.buffer;
  if (one.first || one.stride != one.bytes)
    text += " at byte " + std::to_string(one.first) + " + " + std::to_string(one.stride) + "*i";
  text += " is in [" + decimal(one.low) + ", " + decimal(one.high) + "]";
  if (one.modulus > 1 && one.rest)
    text += ", and " + std::to_string(one.rest) + " modulo " + std::to_string(one.modulus);
  else if (one.modulus > 1)
    text += ", and a multiple of " + std::to_string(one.modulus);
  if (!one.distance)
    return text;
  if (one.distance == 1 && one.leastStep == 0 && one.greatestStep >= one.high - one.low)
    return text + ", and not less than the element before";
  const std::string step = one.distance == 1 ? "the element before" : std::to_string(one.distance) + " elements before";
  text += ", and the difference from " + step + " is ";
  return text + (one.leastStep == one.greatestStep
                     ? decimal(one.leastStep)
                     : "in [" + decimal(one.leastStep) + ", " + decimal(one.greatestStep) + "]");
}

static Json toJson(const Certificate::Condition &one) {
  const auto number = [](__int128 value) { return value < 0 ? Json(int64_t(value)) : Json(uint64_t(value)); };
  Json json = {{"buffer", one.buffer},
               {"proved", one.isProved},
               {"type", (one.isSigned ? "s" : "u") + std::to_string(8 * one.bytes)},
               {"first", one.first},
               {"stride", one.stride},
               {"low", number(one.low)},
               {"high", number(one.high)}};
  if (one.modulus > 1) {
    json["modulus"] = one.modulus;
    json["rest"] = one.rest;
  }
  if (one.distance)
    json["step"] = {{"distance", one.distance}, {"low", number(one.leastStep)}, {"high", number(one.greatestStep)}};
  json["text"] = inWords(one);
  return json;
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
    parts.push_back(obstacle.text + atLine(report, obstacle.range));
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
  if (certificate.isTooLarge)
    text += "  conditions: not searched, because the launch is large (`--conditions` searches)\n";
  for (const Certificate::Condition &one : certificate.conditions)
    text += (one.isProved ? "  condition: " : "  condition, tested but not proved: ") + inWords(one) + "\n";
  for (const auto &[buffer, reason] : certificate.unconditional)
    if (llvm::none_of(certificate.conditions, [&](const auto &one) { return one.buffer == buffer; }))
      text += "  no condition for buffer " + buffer + ": " + reason.text + atLine(report, reason.range) + "\n";
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
  json["conditions"] = Json::array();
  for (const Certificate::Condition &one : certificate.conditions)
    json["conditions"].push_back(toJson(one));
  json["unconditional"] = Json::array();
  for (const auto &[buffer, reason] : certificate.unconditional) {
    Json one = {{"buffer", buffer}, {"text", reason.text}};
    if (!(reason.range == Range()))
      one["line"] = lineOf(report, reason.range);
    json["unconditional"].push_back(std::move(one));
  }
  if (isGood && certificate.unordered)
    json["unordered"] = {{"text", certificate.unordered->text}, {"line", lineOf(report, certificate.unordered->range)}};
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
