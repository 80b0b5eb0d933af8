#include "Command.h"
#include "Render/Render.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <unistd.h>

using namespace ptxray;
using llvm::StringRef;

static std::string formatNames() {
  auto names = llvm::map_range(formats, [](const Format &format) -> StringRef { return format.name; });
  return llvm::join(names, "|");
}

std::vector<Command> ptxray::allCommands() {
  const Option color{"--color", "auto|always|never", "colours of the text (auto: on a terminal)"};
  const Option textOrJson{"--format", "text|json", "form of the output"};
  return {
      {"as",
       "FILE|- -o OUT [-- PTXAS OPTION...]",
       1,
       1,
       "check a PTX file, then have ptxas assemble it",
       {{"-o", "OUT", "the object file"},
        {"--target", "sm_X", "the GPU to compile for (default: what `.target` says)"},
        {"--ptxas", "PATH", "the ptxas to use (default: $PTXAS, CUDA's, the one in PATH ...)"},
        {"--timeout", "SECONDS", "end ptxas after this time"},
        {"-v", "", "show what each function takes: registers, spills, shared memory ..."},
        {"--format", formatNames(), "form of the diagnostics"},
        {"--config", "FILE", "options of this file, not of the nearest `.ptxray`"},
        {"--no-config", "", "read no `.ptxray`"},
        {"--werror", "", "warnings are errors"},
        color},
       runAs,
       Words::PassedOn},
      {"check",
       "FILE|DIR|- ...",
       1,
       ~0u,
       "check PTX files, `*.ptx` below folders, standard input (-)",
       {{"--format", formatNames(), "form of the output"},
        {"--stdin-filename", "PATH", "name of what standard input (-) gives"},
        {"--target", "sm_X", "check as if `.target` said this"},
        {"--ptx", "V", "check as if `.version` said this"},
        {"--arch", "sm_X", "may the module be compiled for this GPU?"},
        {"--link", "whole|separate", "whole: the module must define all functions that it calls"},
        {"--pedantic", "", "also report what is only bad style"},
        {"--werror", "", "warnings are errors"},
        {"--on", "RULE,...", "report what these rules find"},
        {"--off", "RULE,...", "do not"},
        {"--error", "RULE,...", "what these rules find is an error"},
        {"--warning", "RULE,...", "it is a warning"},
        {"--config", "FILE", "options of this file, not of the nearest `.ptxray`"},
        {"--no-config", "", "read no `.ptxray`"},
        {"--baseline", "FILE", "report only what this file does not list"},
        {"--update-baseline", "", "write the findings into the baseline"},
        {"--fix", "", "make the fixes that are safe"},
        {"--unsafe-fixes", "", "with --fix: also those that are a guess"},
        {"--diff", "", "with --fix: show them, change nothing"},
        {"--statistics", "", "show how often each rule speaks, not where"},
        {"--quiet", "", "no summary, no progress"},
        {"--no-fold", "", "show diagnostics that are alike one by one"},
        {"--with-ptxas", "", "say also what ptxas says"},
        {"--ptxas", "PATH", "the ptxas to ask"},
        color,
        {"--jobs", "N", "files checked at the same time (default: one a core)"}},
       runCheck},
      {"desc",
       "[encode] idesc|smem|wgmma-smem|zero-mask|metadata [VALUE]",
       2,
       3,
       "explain the bits of a matrix descriptor, or make one",
       {textOrJson,
        {"--kind", "K", "idesc: f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 or ti16"},
        {"--cta-group", "1|2", "check the shape for this .cta_group"},
        {"--ws", "", "check for .ws"},
        {"--sp", "", "check for .sp"},
        {"--scale-vec", "1X|2X|4X|block16|block32", "check for this many scale factors"},
        {"--target", "sm_X", "for this target; sm_107 has more fields"},
        {"--m", "N", "rows of D; of a zero-mask: for which M"},
        {"--n", "N", "columns of D; of a zero-mask: for which N"},
        {"--k", "32|64|96", "K of mxf4 and mxf4nvf4; sm_107: of f8f6f4 and mxf8f6f4"},
        {"--k128", "no|yes", "sm_107: whether K of four bits is 128"},
        {"--d", "TYPE", "type of D"},
        {"--a", "TYPE", "type of A"},
        {"--b", "TYPE", "type of B"},
        {"--sparse", "dense|sparse", "whether A is sparse"},
        {"--selector", "N", "sparsity selector"},
        {"--saturate", "no|yes", "whether integers saturate"},
        {"--negate-a", "no|yes", "whether A is negated"},
        {"--negate-b", "no|yes", "whether B is negated"},
        {"--transpose-a", "no|yes", "whether A is M-major"},
        {"--transpose-b", "no|yes", "whether B is N-major"},
        {"--max-shift", "none|8|16|32", "greatest shift when .ws reuses B"},
        {"--scale", "ue8m0|ue4m3|ue5m3", "type of the scale factors"},
        {"--scale-a-lanes", "32|128", "sm_107: lanes that hold those of A"},
        {"--sparsity", "v0|v1", "sm_107: version of the sparsity of four bits"},
        {"--sfa-id", "N", "scale factor id of A"},
        {"--sfb-id", "N", "scale factor id of B"},
        {"--start", "N", "smem: start address"},
        {"--lbo", "N", "smem: leading dimension offset in bytes"},
        {"--sbo", "N", "smem: stride dimension offset in bytes"},
        {"--base-offset", "N", "smem: base offset"},
        {"--lbo-mode", "relative|absolute", "smem: what the leading dimension field is"},
        {"--swizzle", "none|32B|64B|128B|128B-base32B", "smem: swizzling mode"},
        {"--lut-start", "0|24", "smem, sm_107: start of a segment of K in a block of 48 bytes"},
        {"--non-zero", "no|yes", "zero-mask: whether there is a mask"},
        {"--skip-span", "N", "zero-mask: columns of zeros in a run, less one"},
        {"--use-span", "N", "zero-mask: columns of B in a run, less one"},
        {"--shift", "N", "zero-mask: column of B that is the first"},
        {"--sc0", "N", "zero-mask: columns skipped at the start, to --sc3"},
        {"--sc1", "N", ""},
        {"--sc2", "N", ""},
        {"--sc3", "N", ""},
        {"--fs0", "0|1", "zero-mask: 1: starts with zeros, to --fs3"},
        {"--fs1", "0|1", ""},
        {"--fs2", "0|1", ""},
        {"--fs3", "0|1", ""}},
       runDesc},
      {"dump",
       "FILE|-",
       1,
       1,
       "show what was read: the syntax of a file, in one canonical form",
       {textOrJson},
       runDump},
      {"explain", "RULE|INSTRUCTION", 1, 1, "explain a rule, or show what is known of an instruction", {}, runExplain},
      {"generate", "man|bash|zsh|fish", 1, 1, "print the manual page, or the completions of a shell", {}, runGenerate},
      {"isa",
       "",
       0,
       0,
       "list the instructions known, or texts that one accepts and refuses",
       {{"--list", "", "mnemonic, section of the manual and title of each"},
        {"--table", "", "the same with the least version and the targets, as docs/instructions.md"},
        {"--enumerate", "NAME", "texts of this instruction, with what is expected of each"},
        {"--all", "", "every combination of words, suffixes and signs that it accepts"},
        {"--ptx", "V", "enumerate for this PTX version (default: the newest)"},
        {"--target", "WORDS", "enumerate for this target: sm_X, or sm_X,texmode_independent (default: several)"},
        {"--count", "N", "about how many texts (default: 300)"},
        {"--seed", "N", "of the choice among them (default: 1)"}},
       runIsa},
      {"layout",
       "INSTRUCTION",
       1,
       1,
       "show which thread, register or address holds which element of a matrix",
       {{"--format", "text|json|svg", "form of the output"},
        {"--operand", "NAME", "only this operand: A, B, D, metadata, scale-a, ..."},
        {"--lane", "N", "what this thread (or lane of tensor memory) holds"},
        {"--element", "ROW,COLUMN", "where this element lies"},
        {"--arch", "sm_X|gfx12", "gfx12: the wmma instructions of RDNA 4"},
        {"--m", "N", "tcgen05.mma: rows of D, which the instruction descriptor holds"},
        {"--n", "N", "columns of D"},
        {"--k", "N", "96 instead of what the kind says; smem: elements along K"},
        {"--a", "TYPE", "tcgen05.mma: elements of A"},
        {"--d", "TYPE", "elements of D"},
        {"--lane-offset", "N", "16: the other half of the lanes in layouts C and F"},
        {"--selector", "N", "sparsity selector"},
        {"--sfa-id", "N", "scale factor id of A"},
        {"--sfb-id", "N", "scale factor id of B"},
        {"--byte-id-a", "N", "mma with block scaling: selectors of the scale data"},
        {"--byte-id-b", "N", ""},
        {"--thread-id-a", "N", ""},
        {"--thread-id-b", "N", ""},
        {"--warp", "N", "tcgen05.ld and .st: warp of the warpgroup"},
        {"--split", "N", "columns between the halves of .16x32bx2"},
        {"--type", "TYPE", "smem: element type"},
        {"--major", "k|mn", "what runs along neighbouring addresses"},
        {"--swizzle", "none|32B|64B|128B|128B-base32B", "swizzling mode"},
        {"--mn", "N", "elements along M or N"},
        {"--lbo", "N", "leading dimension offset in bytes"},
        {"--sbo", "N", "stride dimension offset in bytes"}},
       runLayout},
      {"ptxas",
       "PTXAS ARGUMENT...",
       0,
       ~0u,
       "be ptxas, after a check of its inputs; also under the name `ptxas`",
       {},
       runPtxas,
       Words::Foreign},
      {"run",
       "FILE ARGUMENT... [-- PTXAS OPTION...]",
       1,
       ~0u,
       "run a kernel of a PTX file on the GPU",
       {{"--kernel", "NAME", "the kernel (default: the only one)"},
        {"--grid", "X[,Y,Z]", "blocks (default: 1)"},
        {"--block", "X[,Y,Z]", "threads of a block (default: 1)"},
        {"--cluster", "X[,Y,Z]", "blocks of a cluster"},
        {"--shared", "BYTES", "dynamic shared memory"},
        {"--cooperative", "", "launch so that all blocks run at once"},
        {"--buffer", "NAME=BUFFER", "a buffer that arguments refer to by `&NAME`"},
        {"--variable", "NAME=BUFFER", "what a variable of the module holds before the launch"},
        {"--out", "N=HOW",
         "print the buffer of argument N, from 0, as `hex` or a type, or write it to `file:` or `npy:PATH`"},
        {"--expect", "N=BUFFER", "what the buffer of argument N must hold afterwards"},
        {"--type", "TYPE", "of the elements of buffers that do not say it"},
        {"--tolerance", "T", "how far elements may differ, relative and absolute"},
        {"--repeat", "N", "launch N times more and print the times"},
        {"--fresh", "", "fill the buffers anew before each of these"},
        {"--time-limit", "SECONDS", "end a launch that takes longer (default: 60; 0: any time)"},
        {"--no-guard", "", "no zones around buffers that tell of writes outside"},
        {"--device", "N", "the GPU (default: 0)"},
        {"--jit", "", "let the driver compile, instead of ptxas"},
        {"--ptxas", "PATH", "the ptxas to use"},
        {"--timeout", "SECONDS", "end ptxas after this time"},
        {"-v", "", "show what each function takes"},
        {"--format", formatNames(), "form of the diagnostics"},
        {"--config", "FILE", "options of this file, not of the nearest `.ptxray`"},
        {"--no-config", "", "read no `.ptxray`"},
        {"--werror", "", "warnings are errors"},
        color},
       runRun,
       Words::PassedOn},
      {"targets",
       "FILE|DIR|- ...",
       1,
       ~0u,
       "the least `.version` and the targets with which files pass as they stand",
       {textOrJson},
       runTargets},
      {"version", "", 0, 0, "show the version, and the PTX versions and targets known", {textOrJson}, runVersion},
  };
}

std::optional<StringRef> Arguments::value(StringRef option) const {
  for (const auto &[name, value] : llvm::reverse(options))
    if (name == option)
      return value;
  return std::nullopt;
}

int ptxray::usageError(const std::string &message) {
  llvm::errs() << "ptxray: " << escaped(message) << '\n';
  return BadUsage;
}

bool ptxray::wantsColor(const Arguments &arguments) {
  const StringRef choice = arguments.value("--color").value_or("auto");
  if (choice != "auto")
    return choice == "always";
  const char *term = std::getenv("TERM"), *noColor = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && term && StringRef(term) != "dumb" && (!noColor || !*noColor);
}

int ptxray::finish(int status) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return status;
  const std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  return usageError("cannot write the output: " + reason);
}

static void printHelp(const Command &command, llvm::raw_ostream &out) {
  out << "usage: ptxray " << command.name << (command.options.empty() ? "" : " [OPTION]...")
      << (command.operands.empty() ? "" : " ") << command.operands << "\n\n"
      << command.summary << "\n";
  if (!command.options.empty())
    out << "\noptions:\n";
  for (const Option &option : command.options) {
    const std::string written = option.name.str() + (option.value.empty() ? "" : "=" + option.value);
    out << "  " << llvm::left_justify(written, 28) << ' ' << option.help << '\n';
  }
}

static void printHelp(llvm::ArrayRef<Command> commands, llvm::raw_ostream &out) {
  out << "usage: ptxray COMMAND [OPTION]... [ARGUMENT]...\n\n"
         "checks PTX, the assembly language of NVIDIA GPUs\n\ncommands:\n";
  for (const Command &command : commands)
    out << "  " << llvm::left_justify(command.name, 9) << ' ' << command.summary << '\n';
  out << "\n`ptxray COMMAND --help` shows the options of a command.\n";
}

/// Sorts what was written into options and operands; a message when it does not fit the command.
static std::optional<std::string> readArguments(const Command &command, llvm::ArrayRef<const char *> written,
                                                Arguments &arguments) {
  bool optionsEnded = command.words == Words::Foreign;
  for (size_t i = 0; i < written.size(); ++i) {
    const StringRef word = written[i];
    const bool isNumber = word.size() > 1 && (llvm::isDigit(word[1]) || word[1] == '.'); // `-1` is a value
    if (optionsEnded || word == "-" || !word.starts_with("-") || isNumber) {
      arguments.operands.push_back(word);
      continue;
    }
    if (word == "--" && command.words == Words::PassedOn) {
      const auto rest = written.drop_front(i + 1);
      arguments.passedOn.assign(rest.begin(), rest.end());
      break;
    }
    if (word == "--") {
      optionsEnded = true;
      continue;
    }
    auto [name, value] = word.split('=');
    auto option = llvm::find_if(command.options, [name = name](const Option &option) { return option.name == name; });
    if (option == command.options.end()) {
      llvm::SmallVector<StringRef> names;
      for (const Option &option : command.options)
        names.push_back(option.name);
      return "unknown option `" + name.str() + "`" + didYouMean(name, names);
    }
    const bool hasValue = word.contains('=');
    if (option->value.empty() && hasValue)
      return "`" + name.str() + "` takes no value";
    if (!option->value.empty() && !hasValue) {
      if (i + 1 == written.size())
        return "`" + name.str() + "` needs a value (" + option->value + ")";
      value = written[++i];
    }
    llvm::SmallVector<StringRef> choices;
    StringRef(option->value).split(choices, '|');
    if (choices.size() > 1 && !llvm::is_contained(choices, value))
      return "`" + name.str() + "` is one of " + llvm::join(choices, ", ") + ", not `" + value.str() + "`";
    arguments.options.emplace_back(option->name, value);
  }
  if (arguments.operands.size() < command.fewest)
    return command.operands.str() + " is missing";
  if (arguments.operands.size() > command.most)
    return "`" + arguments.operands[command.most].str() + "` is one argument too many";
  return std::nullopt;
}

int main(int argc, char **argv) {
  const StringRef program = llvm::sys::path::filename(argv[0]);
  if (program.starts_with("ptxas"))
    return actAsPtxas(program, std::vector<StringRef>(argv + 1, argv + argc));
  const std::vector<Command> commands = allCommands();
  if (argc < 2) {
    printHelp(commands, llvm::errs());
    return BadUsage;
  }
  StringRef name = argv[1];
  if (name == "--help" || name == "-h" || (name == "help" && argc == 2)) {
    printHelp(commands, llvm::outs());
    return finish(Clean);
  }
  if (name == "--version")
    name = "version";
  llvm::ArrayRef<const char *> written(argv + 2, argc - 2);
  const bool help = name == "help" || llvm::any_of(written.take_until([](StringRef word) { return word == "--"; }),
                                                   [](StringRef word) { return word == "--help" || word == "-h"; });
  if (name == "help")
    name = argv[2];
  for (const Command &command : commands) {
    if (command.name != name)
      continue;
    if (help && (command.words != Words::Foreign || argv[1] == StringRef("help"))) {
      printHelp(command, llvm::outs());
      return finish(Clean);
    }
    Arguments arguments;
    if (std::optional<std::string> complaint = readArguments(command, written, arguments))
      return usageError(*complaint + " (`ptxray " + name.str() + " --help` shows the options)");
    return finish(command.run(arguments));
  }
  llvm::SmallVector<StringRef> names;
  for (const Command &command : commands)
    names.push_back(command.name);
  return usageError("unknown command `" + name.str() + "`" + didYouMean(name, names) +
                    " (`ptxray --help` lists the commands)");
}
