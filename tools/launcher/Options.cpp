#include "Options.h"
#include "LaunchOptions.h"
#include "Recording.h"
#include <algorithm>
#include <cassert>
#include <cmath>

namespace ptxray::launcher {

static unsigned numberOf(const std::string &text, const std::string &option) {
  char *end = nullptr;
  const unsigned long value = std::strtoul(text.c_str(), &end, 0);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end || value > 0xffffffffu)
    throw UsageError("`" + option + "` requires a number, not `" + text + "`");
  return static_cast<unsigned>(value);
}

static void readTriple(const std::string &text, const std::string &option, unsigned (&out)[3]) {
  size_t at = 0;
  for (unsigned &part : out)
    part = 1;
  for (unsigned i = 0; at <= text.size(); ++i) {
    if (i == 3)
      throw UsageError("`" + option + "` requires X[,Y[,Z]], not `" + text + "`");
    const size_t end = std::min(text.find(',', at), text.size());
    out[i] = numberOf(text.substr(at, end - at), option);
    if (out[i] == 0)
      throw UsageError("`" + option + "` requires numbers above 0, not `" + text + "`");
    at = end + 1;
  }
}

static double readTolerance(const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(value >= 0) || std::isinf(value))
    throw UsageError("`--tolerance` requires a number of 0 or more, not `" + text + "`");
  return value;
}

static std::pair<std::string, std::string> readNamed(const std::string &text, const std::string &option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("`" + option + "` requires NAME=..., not `" + text + "`");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

static std::pair<std::string, Buffer> readNamedBuffer(const std::string &text, const std::string &option) {
  const auto [name, spec] = readNamed(text, option);
  return {name, readBuffer(spec)};
}

static const ElementType *readType(const std::string &text) {
  if (const ElementType *type = findType(text))
    return type;
  throw UsageError("`" + text + "` is not a type; the types are " + typeNames());
}

static void readSizes(const std::string &text, std::vector<size_t> &sizes) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    sizes.push_back(numberOf(text.substr(at, end - at), "--parameters"));
    at = end + 1;
  }
}

static std::vector<Option> knownOptions() {
  std::vector<Option> options = launchOptions();
  options.insert(options.end(), {{"--log", "FILE", "where the driver's compiler writes to"},
                                 {"--name", "PATH", "what to call the image in messages"},
                                 {"--recording", "FILE", "launch what `ptxray record` has recorded, of this image"},
                                 {"--parameters", "BYTES,...", "the sizes of the kernel's parameters"},
                                 {"--probe", "", "print the GPU and the driver, launch nothing"},
                                 {"--driver-path", "", "print where the CUDA driver is, launch nothing"},
                                 {"--validate", "", "check the arguments, launch nothing"},
                                 {"--help", "", "show this"}});
  return options;
}

namespace {
struct Setter {
  std::string_view option;
  void (*set)(Options &options, const std::string &value);
};
} // namespace

static constexpr Setter setters[] = {
    {"--kernel", [](Options &o, const std::string &v) { o.kernel = v; }},
    {"--grid", [](Options &o, const std::string &v) { readTriple(v, "--grid", o.grid); }},
    {"--block", [](Options &o, const std::string &v) { readTriple(v, "--block", o.block); }},
    {"--cluster", [](Options &o, const std::string &v) { readTriple(v, "--cluster", o.cluster); }},
    {"--shared", [](Options &o, const std::string &v) { o.shared = numberOf(v, "--shared"); }},
    {"--cooperative", [](Options &o, const std::string &) { o.cooperative = true; }},
    {"--buffer",
     [](Options &o, const std::string &v) {
       const auto [name, buffer] = readNamedBuffer(v, "--buffer");
       o.buffers.push_back({name, buffer});
     }},
    {"--variable",
     [](Options &o, const std::string &v) {
       if (const auto [name, what] = readNamed(v, "--variable"); isImage(what))
         o.images.emplace_back(name, readImage(what));
       else
         o.variables.push_back(readNamedBuffer(v, "--variable"));
     }},
    {"--out", [](Options &o, const std::string &v) { o.outputs.push_back(readNamed(v, "--out")); }},
    {"--expect", [](Options &o, const std::string &v) { o.expectations.push_back(readNamedBuffer(v, "--expect")); }},
    {"--type", [](Options &o, const std::string &v) { o.type = readType(v); }},
    {"--tolerance", [](Options &o, const std::string &v) { o.tolerance = readTolerance(v); }},
    {"--repeat", [](Options &o, const std::string &v) { o.repeat = numberOf(v, "--repeat"); }},
    {"--fresh", [](Options &o, const std::string &) { o.fresh = true; }},
    {"--time-limit", [](Options &o, const std::string &v) { o.seconds = numberOf(v, "--time-limit"); }},
    {"--no-guard", [](Options &o, const std::string &) { o.guards = false; }},
    {"--device", [](Options &o, const std::string &v) { o.device = numberOf(v, "--device"); }},
    {"--jit", [](Options &o, const std::string &) { o.jit = true; }},
    {"--log", [](Options &o, const std::string &v) { o.log = v; }},
    {"--name", [](Options &o, const std::string &v) { o.name = v; }},
    {"--recording", [](Options &o, const std::string &v) { take(o, readRecording(v)); }},
    {"--parameters", [](Options &o, const std::string &v) { readSizes(v, o.parameterBytes); }},
    {"--probe", [](Options &o, const std::string &) { o.probe = true; }},
    {"--driver-path", [](Options &o, const std::string &) { o.driverPath = true; }},
    {"--validate", [](Options &o, const std::string &) { o.validate = true; }},
    {"--help", [](Options &o, const std::string &) { o.help = true; }},
};

std::string usage() {
  std::string text = "usage: ptxray-run IMAGE [OPTION]... ARGUMENT...\n\n"
                     "launches a kernel of a cubin, or of PTX, and compares what it computes\n\noptions:\n";
  text += helpFor(knownOptions());
  return text +
         "\narguments, in the order of the parameters:\n"
         "  u32=7, f16=-1.5           a value; the types are " +
         typeNames() +
         "\n"
         "  zeros:BYTES, zeros:TYPE:COUNT, iota:TYPE:COUNT, fill:TYPE:COUNT:VALUE, random:TYPE:COUNT:SEED,\n"
         "  file:PATH, file:TYPE:PATH a buffer, whose address the kernel gets; .npy files bring type and size\n"
         "  &0, &1+128, &NAME         an address within the buffer of an argument, or of --buffer\n"
         "  {u32=7,&0+16,pad=4}       a structure, laid out as in C\n"
         "  tma=TYPE:64x32:box=64x8:swizzle=128:&0   a tensor map, the innermost dimension first; of images, with\n"
         "                            im2col, im2col=w or im2col=w128, lower=, upper=, channels=, pixels=\n"
         "  tex=TYPE:64x64:linear:wrap:&0, surf=TYPE:64x64:&0, sampler=linear:clamp   the handle of a texture, a "
         "surface,\n"
         "                            a sampler; TYPE is f32, u8x4 and the like\n"
         "  hex=00ff                  bytes\n";
}

const ElementType *Options::typeOf(const std::string &name) const {
  for (const NamedBuffer &buffer : buffers)
    if (buffer.name == name && buffer.buffer.type)
      return buffer.buffer.type;
  return type;
}

static void checkAddress(const Options &options, const Address &address) {
  for (const NamedBuffer &buffer : options.buffers)
    if (buffer.name == address.buffer) {
      if (address.offset > buffer.buffer.bytes.size())
        throw UsageError("`&" + address.buffer + "+" + std::to_string(address.offset) + "` lies beyond the " +
                         std::to_string(buffer.buffer.bytes.size()) + " bytes of that buffer");
      return;
    }
  throw UsageError("there is no buffer `" + address.buffer + "` (arguments are counted from 0)");
}

static void checkImage(const Options &options, const ImageDescription &image) {
  if (image.kind != ImageDescription::Kind::Sampler)
    checkAddress(options, image.at);
}

/// A structure may be shorter than its parameter, which C pads at the end.
static void fitToParameters(Options &options) {
  if (options.parameterBytes.empty())
    return;
  if (options.arguments.size() != options.parameterBytes.size())
    throw UsageError("the kernel has " + counted(options.parameterBytes.size(), "parameter") +
                     "; written: " + counted(options.arguments.size(), "argument"));
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    Bytes &bytes = options.arguments[i].bytes;
    const size_t wanted = options.parameterBytes[i];
    if (bytes.size() > wanted)
      throw UsageError("argument " + std::to_string(i) + " has " + std::to_string(bytes.size()) +
                       " bytes, its parameter " + std::to_string(wanted));
    bytes.resize(wanted);
  }
}

static bool isNumber(const std::string &name) { return name.find_first_not_of("0123456789.") == std::string::npos; }

static void check(Options &options) {
  for (const Argument &argument : options.arguments) {
    for (const auto &[offset, address] : argument.addresses)
      checkAddress(options, address);
    for (const auto &[offset, map] : argument.tensorMaps)
      checkAddress(options, map.at);
    for (const auto &[offset, image] : argument.images)
      checkImage(options, image);
  }
  for (const auto &[name, image] : options.images)
    checkImage(options, image);
  fitToParameters(options);
  auto checkName = [&](const std::string &name) {
    if (isNumber(name)) // others may be variables of the module
      checkAddress(options, {name, 0});
  };
  for (const auto &[name, how] : options.outputs) {
    checkName(name);
    if (how != "hex" && !findType(how) && how.rfind("file:", 0) != 0 && how.rfind("npy:", 0) != 0)
      throw UsageError("`--out " + name + "=` requires hex, a type, file:PATH or npy:PATH, not `" + how + "`");
    if (how.rfind("npy:", 0) == 0 && !options.typeOf(name))
      throw UsageError("`--out " + name + "=" + how + "`: name the type of the elements by --type");
  }
  for (const auto &[name, expected] : options.expectations) {
    checkName(name);
    const bool isTyped = expected.type || options.typeOf(name);
    if (options.tolerance > 0 && !isTyped)
      throw UsageError("`--tolerance` is for elements: name their type by --type, or expect `file:TYPE:PATH`");
    for (const NamedBuffer &buffer : options.buffers)
      if (buffer.name == name && buffer.buffer.bytes.size() != expected.bytes.size())
        throw UsageError("buffer " + name + " has " + std::to_string(buffer.buffer.bytes.size()) +
                         " bytes, the expectation " + std::to_string(expected.bytes.size()));
  }
}

Options readOptions(const std::vector<std::string_view> &words) {
  const Syntax syntax{.operands = "IMAGE ARGUMENT...", .most = ~size_t(0), .options = knownOptions()};
  CommandLine line;
  if (const std::optional<Complaint> complaint = readCommandLine(syntax, words, line))
    throw UsageError(complaint->text + " (`ptxray-run --help` shows the options)");
  Options options;
  for (const auto &[name, value] : line.options) {
    const auto setter = std::find_if(std::begin(setters), std::end(setters),
                                     [name = name](const Setter &one) { return one.option == name; });
    assert(setter != std::end(setters) && "each known option has a setter");
    setter->set(options, std::string(value));
  }
  for (std::string_view word : line.operands) {
    if (options.image.empty()) {
      options.image = word;
      continue;
    }
    const std::string number = std::to_string(options.arguments.size());
    options.arguments.push_back(readArgument(std::string(word), number, options.buffers));
  }
  if (options.probe || options.driverPath || options.help)
    return options;
  if (options.image.empty())
    throw UsageError("IMAGE is missing (`ptxray-run --help` shows the options)");
  check(options);
  return options;
}

} // namespace ptxray::launcher
