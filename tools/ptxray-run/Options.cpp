// One table of options serves reading and help.
#include "Options.h"
#include <algorithm>
#include <cmath>

namespace ptxray {

static unsigned readNumber(const std::string &text, const std::string &option) {
  char *end = nullptr;
  const unsigned long value = std::strtoul(text.c_str(), &end, 0);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end || value > 0xffffffffu)
    throw UsageError("`" + option + "` takes a number, not `" + text + "`");
  return static_cast<unsigned>(value);
}

static void readTriple(const std::string &text, const std::string &option, unsigned (&out)[3]) {
  size_t at = 0;
  for (unsigned &part : out)
    part = 1;
  for (unsigned i = 0; at <= text.size(); ++i) {
    if (i == 3)
      throw UsageError("`" + option + "` takes X[,Y[,Z]], not `" + text + "`");
    const size_t end = std::min(text.find(',', at), text.size());
    out[i] = readNumber(text.substr(at, end - at), option);
    if (out[i] == 0)
      throw UsageError("`" + option + "` takes numbers above 0, not `" + text + "`");
    at = end + 1;
  }
}

static double readTolerance(const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(value >= 0) || std::isinf(value))
    throw UsageError("`--tolerance` takes a number of 0 or more, not `" + text + "`");
  return value;
}

static std::pair<std::string, std::string> readNamed(const std::string &text, const std::string &option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("`" + option + "` takes NAME=..., not `" + text + "`");
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
    sizes.push_back(readNumber(text.substr(at, end - at), "--parameters"));
    at = end + 1;
  }
}

namespace {
struct Option {
  const char *name, *value, *help; // without a value a switch
  void (*read)(Options &options, const std::string &value);
};
} // namespace

#define READ [](Options & o, [[maybe_unused]] const std::string &v)
static const Option known[] = {{"--kernel", "NAME", "the kernel to launch", READ{o.kernel = v;
} // namespace ptxray
}
, {"--grid", "X[,Y[,Z]]", "blocks (1)", READ{readTriple(v, "--grid", o.grid);
}
}
, {"--block", "X[,Y[,Z]]", "threads of a block (1)", READ{readTriple(v, "--block", o.block);
}
}
, {"--cluster", "X[,Y[,Z]]", "blocks of a cluster", READ{readTriple(v, "--cluster", o.cluster);
}
}
, {"--shared", "BYTES", "dynamic shared memory", READ{o.shared = readNumber(v, "--shared");
}
}
, {"--cooperative", "", "launch so that all blocks run at once", READ{o.cooperative = true;
}
}
, {"--buffer", "NAME=BUFFER", "a buffer that arguments refer to by &NAME",
   READ{const auto [name, buffer] = readNamedBuffer(v, "--buffer");
o.buffers.push_back({name, buffer});
}
}
, {"--variable", "NAME=BUFFER", "what a variable of the module holds before the launch",
   READ{o.variables.push_back(readNamedBuffer(v, "--variable"));
}
}
, {"--out", "NAME=HOW", "print a buffer afterwards as hex or TYPE, or write it to file:PATH or npy:PATH",
   READ{o.outputs.push_back(readNamed(v, "--out"));
}
}
, {"--expect", "NAME=BUFFER", "compare a buffer with what it should hold",
   READ{o.expectations.push_back(readNamedBuffer(v, "--expect"));
}
}
, {"--type", "TYPE", "of the elements of buffers that do not say it", READ{o.type = readType(v);
}
}
, {"--tolerance", "T", "elements may differ by T, or by T times the expected value",
   READ{o.tolerance = readTolerance(v);
}
}
, {"--repeat", "N", "launch N times more and print the times", READ{o.repeat = readNumber(v, "--repeat");
}
}
, {"--fresh", "", "fill the buffers anew before each of these", READ{o.fresh = true;
}
}
, {"--time-limit", "SECONDS", "end a launch that takes longer (60; 0 for any time)",
   READ{o.seconds = readNumber(v, "--time-limit");
}
}
, {"--no-guard", "", "no zones around buffers that tell of writes outside", READ{o.guards = false;
}
}
, {"--device", "N", "the GPU (0)", READ{o.device = readNumber(v, "--device");
}
}
, {"--jit", "", "the image is PTX for the driver to compile", READ{o.jit = true;
}
}
, {"--log", "FILE", "where the driver's compiler writes to", READ{o.log = v;
}
}
, {"--name", "PATH", "what to call the image in messages", READ{o.name = v;
}
}
, {"--parameters", "BYTES,...", "the sizes of the kernel's parameters", READ{readSizes(v, o.parameterBytes);
}
}
, {"--probe", "", "print the GPU and the driver, launch nothing", READ{o.probe = true;
}
}
, {"--validate", "", "check the arguments, launch nothing", READ{o.validate = true;
}
}
, {"--help", "", "show this", READ{o.help = true;
}
}
,
}
;
#undef READ

std::string usage() {
  std::string text = "usage: ptxray-run IMAGE --kernel NAME [OPTION]... ARGUMENT...\n\n"
                     "launches a kernel of a cubin, or of PTX, and compares what it computes\n\noptions:\n";
  constexpr size_t column = 28;
  for (const Option &option : known) {
    std::string written = std::string("  ") + option.name + (*option.value ? "=" : "") + option.value;
    written.resize(std::max(column, written.size() + 1), ' ');
    text += written + option.help + '\n';
  }
  return text +
         "\narguments, in the order of the parameters:\n"
         "  u32=7, f16=-1.5           a value; the types are " +
         typeNames() +
         "\n"
         "  zeros:BYTES, zeros:TYPE:COUNT, iota:TYPE:COUNT, fill:TYPE:COUNT:VALUE, random:TYPE:COUNT:SEED,\n"
         "  file:PATH, file:TYPE:PATH a buffer, whose address the kernel gets; .npy files bring type and size\n"
         "  &0, &1+128, &NAME         an address within the buffer of an argument, or of --buffer\n"
         "  {u32=7,&0+16,pad=4}       a structure, laid out as in C\n"
         "  tma=TYPE:64x32:box=64x8:swizzle=128:&0   a tensor map, the innermost dimension first\n"
         "  hex=00ff                  bytes\n";
}

const ElementType *Options::typeOf(const std::string &name) const {
  for (const NamedBuffer &buffer : buffers)
    if (buffer.name == name && buffer.buffer.type)
      return buffer.buffer.type;
  return type;
}

/// Sets an option; gives whether the next word was its value.
static bool readOption(Options &options, std::string word, const char *next) {
  std::string value;
  const size_t equals = word.find('=');
  if (equals != std::string::npos) {
    value = word.substr(equals + 1);
    word.resize(equals);
  }
  const Option *option =
      std::find_if(std::begin(known), std::end(known), [&](const Option &one) { return word == one.name; });
  if (option == std::end(known))
    throw UsageError("unknown option `" + word + "` (`ptxray-run --help` shows them)");
  if (!*option->value) {
    if (equals != std::string::npos)
      throw UsageError("`" + word + "` takes no value");
    option->read(options, "");
    return false;
  }
  if (equals == std::string::npos && !next)
    throw UsageError("`" + word + "` needs a value (" + option->value + ")");
  option->read(options, equals == std::string::npos ? next : value);
  return equals == std::string::npos;
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

/// A structure may be shorter than its parameter, which C pads at its end.
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
  }
  fitToParameters(options);
  auto checkName = [&](const std::string &name) {
    if (isNumber(name)) // others may be variables of the module
      checkAddress(options, {name, 0});
  };
  for (const auto &[name, how] : options.outputs) {
    checkName(name);
    if (how != "hex" && !findType(how) && how.rfind("file:", 0) != 0 && how.rfind("npy:", 0) != 0)
      throw UsageError("`--out " + name + "=` takes hex, a type, file:PATH or npy:PATH, not `" + how + "`");
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

Options readOptions(int argc, char **argv) {
  Options options;
  bool ended = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--" && !ended) {
      ended = true;
    } else if (!ended && word.rfind("--", 0) == 0) {
      i += readOption(options, word, i + 1 < argc ? argv[i + 1] : nullptr);
    } else if (options.image.empty()) {
      options.image = word;
    } else {
      const std::string number = std::to_string(options.arguments.size());
      options.arguments.push_back(readArgument(word, number, options.buffers));
    }
  }
  if (options.probe || options.help)
    return options;
  if (options.image.empty() || options.kernel.empty())
    throw UsageError("IMAGE and --kernel are missing (`ptxray-run --help` shows the options)");
  check(options);
  return options;
}

} // namespace ptxray
