#include "RunOptions.h"
#include "LaunchOptions.h"

namespace ptxray::launcher {

static std::vector<Option> knownOptions() {
  std::vector<Option> options = launchOptions();
  options.insert(options.end(),
                 {{"--log", "FILE", "file for the log of the driver's compiler"},
                  {"--name", "PATH", "name of the image in messages"},
                  {"--recording", "FILE", "launch a kernel of this image as `ptxray record` recorded it"},
                  {"--parameters", "BYTES,...", "sizes of the kernel's parameters"},
                  {"--probe", "", "print the GPU and the driver, without a launch"},
                  {"--driver-path", "", "print the path of the CUDA driver, without a launch"},
                  {"--validate", "", "check the arguments, without a launch"},
                  {"--help", "", "show this"}});
  return options;
}

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

/// Sets an option that a launch does not have. Returns what is wrong with its value.
static std::string setOwn(RunOptions &options, std::string_view name, const std::string &value) {
  static constexpr std::pair<std::string_view, bool RunOptions::*> flags[] = {
      {"--jit", &RunOptions::jit},
      {"--probe", &RunOptions::probe},
      {"--driver-path", &RunOptions::driverPath},
      {"--validate", &RunOptions::validate},
      {"--help", &RunOptions::help}};
  static constexpr std::pair<std::string_view, std::string RunOptions::*> texts[] = {{"--log", &RunOptions::log},
                                                                                     {"--name", &RunOptions::name}};
  for (const auto &[flag, member] : flags)
    if (name == flag)
      options.*member = true;
  for (const auto &[option, member] : texts)
    if (name == option)
      options.*member = value;
  return name == "--parameters" ? readSizes(value, options.parameterBytes) : "";
}

/// Takes the launch from a recording. Other options can change it.
static std::string setRecording(RunOptions &options, const std::string &path) {
  Expected<Recording> recording = readRecording(path);
  if (recording)
    static_cast<LaunchRequest &>(options) = requestOf(std::move(*recording));
  return recording.problem();
}

static std::string set(RunOptions &options, std::string_view name, const std::string &value) {
  const Expected<bool> isOfLaunch = setOption(options, name, value);
  return isOfLaunch && !*isOfLaunch ? setOwn(options, name, value) : isOfLaunch.problem();
}

Expected<RunOptions> readOptions(const std::vector<std::string_view> &words) {
  const Syntax syntax{.operands = "IMAGE ARGUMENT...", .most = ~size_t(0), .options = knownOptions()};
  constexpr const char *where = " (`ptxray-run --help` shows the options)";
  CommandLine line;
  if (const std::optional<Complaint> complaint = readCommandLine(syntax, words, line))
    return Problem{complaint->text + where};
  RunOptions options;
  std::string problem;
  for (const auto &[name, value] : line.options)
    if (problem.empty() && name == "--recording")
      problem = setRecording(options, std::string(value));
  for (const auto &[name, value] : line.options)
    if (problem.empty())
      problem = set(options, name, std::string(value));
  if (!line.operands.empty())
    options.image = line.operands.front();
  if (problem.empty() && !line.operands.empty())
    problem = addArguments(options, {line.operands.begin() + 1, line.operands.end()});
  if (problem.empty() && (options.probe || options.driverPath || options.help))
    return options;
  if (problem.empty())
    problem = options.image.empty() ? std::string("IMAGE is missing") + where : complete(options);
  return problem.empty() ? Expected<RunOptions>(std::move(options)) : Problem{problem};
}

} // namespace ptxray::launcher
