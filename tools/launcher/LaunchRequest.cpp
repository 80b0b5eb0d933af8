#include "LaunchRequest.h"
#include <algorithm>
#include <cmath>

namespace ptxray::launcher {

static std::string setNumber(unsigned &to, const std::string &text, const std::string &option) {
  const std::optional<uint32_t> number = readNumber32(text);
  to = number.value_or(to);
  return number ? "" : "`" + option + "` requires a number, not `" + text + "`";
}

static std::string setExtents(std::array<uint32_t, 3> &to, const std::string &text, const std::string &option) {
  if (const auto extents = readExtents(text)) {
    to = *extents;
    return "";
  }
  // Finds out what is wrong: the first number that is not valid, or is 0, or is one too many.
  std::string rest = text;
  for (unsigned i = 0; i < to.size(); ++i) {
    const size_t end = std::min(rest.find(','), rest.size());
    unsigned number = 0;
    if (std::string problem = setNumber(number, rest.substr(0, end), option); !problem.empty())
      return problem;
    if (number == 0)
      return "`" + option + "` requires numbers above 0, not `" + text + "`";
    rest.erase(0, end + 1);
  }
  return "`" + option + "` requires X[,Y[,Z]], not `" + text + "`";
}

static std::string setTolerance(double &to, const std::string &text) {
  char *end = nullptr;
  to = std::strtod(text.c_str(), &end);
  return text.empty() || *end || !(to >= 0) || std::isinf(to)
             ? "`--tolerance` requires a number of 0 or more, not `" + text + "`"
             : "";
}

static Expected<std::pair<std::string, std::string>> readNamed(const std::string &text, const std::string &option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Problem{"`" + option + "` requires NAME=..., not `" + text + "`"};
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

static Expected<std::pair<std::string, Buffer>> readNamedBuffer(const std::string &text, const std::string &option) {
  const auto named = readNamed(text, option);
  if (!named)
    return Problem{named.problem()};
  std::pair<std::string, Buffer> read(named->first, {});
  const std::string problem = take(read.second, readBuffer(named->second));
  return problem.empty() ? Expected<std::pair<std::string, Buffer>>(std::move(read)) : Problem{problem};
}

static std::string setType(const ElementType *&to, const std::string &text) {
  to = findType(text);
  return to ? "" : "`" + text + "` is not a type; the types are " + typeNames();
}

std::string readSizes(const std::string &text, std::vector<size_t> &sizes) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    unsigned size = 0;
    if (std::string problem = setNumber(size, text.substr(at, end - at), "--parameters"); !problem.empty())
      return problem;
    sizes.push_back(size);
    at = end + 1;
  }
  return "";
}

static std::string addBuffer(LaunchRequest &request, const std::string &text) {
  std::pair<std::string, Buffer> read;
  std::string problem = take(read, readNamedBuffer(text, "--buffer"));
  request.buffers.push_back({std::move(read.first), std::move(read.second)});
  return problem;
}

static std::string addVariable(LaunchRequest &request, const std::string &text) {
  const auto named = readNamed(text, "--variable");
  if (named && isImage(named->second)) {
    auto &[name, image] = request.images.emplace_back(named->first, ImageDescription());
    return take(image, readImage(named->second));
  }
  return take(request.variables.emplace_back(), readNamedBuffer(text, "--variable"));
}

namespace {
/// Sets an option. Returns what is wrong with its value.
struct Setter {
  std::string_view option;
  std::string (*set)(LaunchRequest &to, const std::string &value);
};
} // namespace

static std::string set(bool &to, bool value) {
  to = value;
  return "";
}

using Request = LaunchRequest;
using Text = std::string;
static constexpr Setter setters[] = {
    {"--kernel", [](Request &r, const Text &v) { return take(r.kernel, Expected<Text>(v)); }},
    {"--grid", [](Request &r, const Text &v) { return setExtents(r.grid, v, "--grid"); }},
    {"--block", [](Request &r, const Text &v) { return setExtents(r.block, v, "--block"); }},
    {"--cluster", [](Request &r, const Text &v) { return setExtents(r.cluster, v, "--cluster"); }},
    {"--shared", [](Request &r, const Text &v) { return setNumber(r.shared, v, "--shared"); }},
    {"--cooperative", [](Request &r, const Text &) { return set(r.isCooperative, true); }},
    {"--buffer", [](Request &r, const Text &v) { return addBuffer(r, v); }},
    {"--variable", [](Request &r, const Text &v) { return addVariable(r, v); }},
    {"--out", [](Request &r, const Text &v) { return take(r.outputs.emplace_back(), readNamed(v, "--out")); }},
    {"--expect",
     [](Request &r, const Text &v) { return take(r.expectations.emplace_back(), readNamedBuffer(v, "--expect")); }},
    {"--type", [](Request &r, const Text &v) { return setType(r.type, v); }},
    {"--tolerance", [](Request &r, const Text &v) { return setTolerance(r.tolerance, v); }},
    {"--repeat", [](Request &r, const Text &v) { return setNumber(r.repeat, v, "--repeat"); }},
    {"--fresh", [](Request &r, const Text &) { return set(r.fresh, true); }},
    {"--time-limit", [](Request &r, const Text &v) { return setNumber(r.seconds, v, "--time-limit"); }},
    {"--no-guard", [](Request &r, const Text &) { return set(r.guards, false); }},
    {"--device", [](Request &r, const Text &v) { return setNumber(r.device, v, "--device"); }},
};

Expected<bool> setOption(LaunchRequest &request, std::string_view option, const std::string &value) {
  const auto *setter =
      std::find_if(std::begin(setters), std::end(setters), [&](const Setter &one) { return one.option == option; });
  if (setter == std::end(setters))
    return false;
  const std::string problem = setter->set(request, value);
  return problem.empty() ? Expected<bool>(true) : Problem{problem};
}

std::string addArguments(LaunchRequest &request, const std::vector<std::string> &words) {
  for (const std::string &word : words) {
    const std::string number = std::to_string(request.arguments.size());
    std::string problem = take(request.arguments.emplace_back(), readArgument(word, number, request.buffers));
    if (!problem.empty())
      return problem;
  }
  return "";
}

const ElementType *LaunchRequest::typeOf(const std::string &name) const {
  for (const NamedBuffer &buffer : buffers)
    if (buffer.name == name && buffer.buffer.type)
      return buffer.buffer.type;
  return type;
}

static std::string checkAddress(const LaunchRequest &options, const Address &address) {
  for (const NamedBuffer &buffer : options.buffers)
    if (buffer.name == address.buffer) {
      if (address.offset > buffer.buffer.bytes.size())
        return "`&" + address.buffer + "+" + std::to_string(address.offset) + "` lies beyond the " +
               std::to_string(buffer.buffer.bytes.size()) + " bytes of that buffer";
      return "";
    }
  return "there is no buffer `" + address.buffer + "` (arguments are counted from 0)";
}

static std::string checkImage(const LaunchRequest &options, const ImageDescription &image) {
  return image.kind == ImageDescription::Kind::Sampler ? "" : checkAddress(options, image.at);
}

/// Extends structures to the size of their parameters, since C adds padding at the end.
static std::string fitToParameters(LaunchRequest &options) {
  if (options.parameterBytes.empty())
    return "";
  if (options.arguments.size() != options.parameterBytes.size())
    return "the kernel has " + counted(options.parameterBytes.size(), "parameter") +
           "; written: " + counted(options.arguments.size(), "argument");
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    Bytes &bytes = options.arguments[i].bytes;
    const size_t wanted = options.parameterBytes[i];
    if (bytes.size() > wanted)
      return "argument " + std::to_string(i) + " has " + std::to_string(bytes.size()) + " bytes, its parameter " +
             std::to_string(wanted);
    bytes.resize(wanted);
  }
  return "";
}

static bool isNumber(const std::string &name) { return name.find_first_not_of("0123456789.") == std::string::npos; }

/// Checks the addresses in arguments and images.
static std::string checkAddresses(const LaunchRequest &options) {
  std::string problem;
  const auto note = [&](std::string one) { problem = problem.empty() ? std::move(one) : problem; };
  for (const Argument &argument : options.arguments) {
    for (const auto &[offset, address] : argument.addresses)
      note(checkAddress(options, address));
    for (const auto &[offset, map] : argument.tensorMaps)
      note(checkAddress(options, map.at));
    for (const auto &[offset, image] : argument.images)
      note(checkImage(options, image));
  }
  for (const auto &[name, image] : options.images)
    note(checkImage(options, image));
  return problem;
}

/// Checks the name of a result. A name that is not a number may be the name of a variable of the module.
static std::string checkName(const LaunchRequest &options, const std::string &name) {
  return isNumber(name) ? checkAddress(options, {name, 0}) : "";
}

static std::string checkOutput(const LaunchRequest &options, const std::string &name, const std::string &how) {
  if (std::string problem = checkName(options, name); !problem.empty())
    return problem;
  if (how != "hex" && !findType(how) && how.rfind("file:", 0) != 0 && how.rfind("npy:", 0) != 0)
    return "`--out " + name + "=` requires hex, a type, file:PATH or npy:PATH, not `" + how + "`";
  if (how.rfind("npy:", 0) == 0 && !options.typeOf(name))
    return "`--out " + name + "=" + how + "`: specify the type of the elements with --type";
  return "";
}

static std::string checkExpectation(const LaunchRequest &options, const std::string &name, const Buffer &expected) {
  if (std::string problem = checkName(options, name); !problem.empty())
    return problem;
  const bool isTyped = expected.type || options.typeOf(name);
  if (options.tolerance > 0 && !isTyped)
    return "`--tolerance` applies to elements: specify their type with --type, or expect `file:TYPE:PATH`";
  for (const NamedBuffer &buffer : options.buffers)
    if (buffer.name == name && buffer.buffer.bytes.size() != expected.bytes.size())
      return "buffer " + name + " has " + std::to_string(buffer.buffer.bytes.size()) + " bytes, the expectation " +
             std::to_string(expected.bytes.size());
  return "";
}

std::string complete(LaunchRequest &request) {
  std::string problem = checkAddresses(request);
  if (problem.empty())
    problem = fitToParameters(request);
  for (const auto &[name, how] : request.outputs)
    if (problem.empty())
      problem = checkOutput(request, name, how);
  for (const auto &[name, expected] : request.expectations)
    if (problem.empty())
      problem = checkExpectation(request, name, expected);
  return problem;
}

} // namespace ptxray::launcher
