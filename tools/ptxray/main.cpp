#include "Command.h"
#include "OutOfMemory.h"
#include "Printed.h"
#include "Render/Render.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace ptxray;
using llvm::StringRef;

Option ptxray::colorOption() { return {"--color", "auto|always|never", "use colours (auto: on a terminal)"}; }
Option ptxray::textOrJsonOption() { return {"--format", "text|json", "output format"}; }

std::string ptxray::diagnosticFormats() {
  auto names = llvm::map_range(llvm::ArrayRef(formats), [](const Format &format) -> StringRef { return format.name; });
  return llvm::join(names, "|");
}

std::optional<StringRef> Arguments::value(StringRef option) const {
  for (const auto &[name, value] : llvm::reverse(options))
    if (name == option)
      return value;
  return std::nullopt;
}

int ptxray::usageError(const std::string &message) {
  complained() << "ptxray: " << escaped(message) << '\n';
  return BadUsage;
}

int ptxray::refuseWithoutPtxas(const std::string &what) {
  usageError(what + " needs ptxas, which ptxray calls on Linux only");
  return NoPtxas;
}

std::optional<int> ptxray::refuseLacking(StringRef name) {
  for (const LackingCommand &lacking : lackingCommands())
    if (name == StringRef(lacking.name))
      return usageError("this build has no `" + name.str() + "`: " + std::string(lacking.reason));
  return std::nullopt;
}

int ptxray::faultyInput(StringRef path) {
  usageError("there are errors in `" + path.str() + "`: `ptxray check` shows them");
  return FoundErrors;
}

bool ptxray::wantsColor(const Arguments &arguments) {
  const StringRef choice = arguments.value("--color").value_or("auto");
  if (choice != "auto")
    return choice == "always";
  const char *term = std::getenv("TERM"), *noColor = std::getenv("NO_COLOR");
  return llvm::sys::Process::StandardOutIsDisplayed() && term && StringRef(term) != "dumb" && (!noColor || !*noColor);
}

/// Terminals that support hyperlinks set a variable; ptxray cannot ask them.
static bool knowsLinks() {
  auto is = [](const char *variable, llvm::ArrayRef<StringRef> values) {
    const char *value = std::getenv(variable);
    return value && (values.empty() || llvm::is_contained(values, value));
  };
  const char *vte = std::getenv("VTE_VERSION");
  unsigned version = 0;
  return is("WT_SESSION", {}) || is("KONSOLE_VERSION", {}) || is("TERM", {"xterm-kitty", "foot", "alacritty"}) ||
         is("TERM_PROGRAM", {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"}) ||
         (vte && !StringRef(vte).getAsInteger(10, version) && version >= 5000);
}

bool ptxray::wantsLinks(const Arguments &arguments) {
  if (!wantsColor(arguments))
    return false;
  if (const char *forced = std::getenv("FORCE_HYPERLINK"))
    return StringRef(forced) != "0";
  return llvm::sys::Process::StandardOutIsDisplayed() && knowsLinks();
}

int ptxray::finish(int status) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return status;
  const std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  return usageError("cannot write the output: " + reason);
}

void ptxray::printHelp(const Command &command, llvm::raw_ostream &out) {
  const Syntax &syntax = command.syntax;
  out << "usage: ptxray " << command.name << (syntax.options.empty() ? "" : " [OPTION]...")
      << (syntax.operands.empty() ? "" : " ") << syntax.operands << "\n\n"
      << command.summary << "\n";
  if (!syntax.options.empty())
    out << "\noptions:\n" << helpFor(syntax.options);
  if (!command.notes.empty())
    out << '\n' << command.notes << '\n';
}

static void printHelp(llvm::ArrayRef<Command> commands, llvm::raw_ostream &out) {
  out << "usage: ptxray COMMAND [OPTION]... [ARGUMENT]...\n\n"
         "checks PTX, the assembly language of NVIDIA GPUs\n\ncommands:\n";
  for (const Command &command : commands)
    out << "  " << llvm::left_justify(command.name, 9) << ' ' << command.summary << '\n';
  out << "\n`ptxray COMMAND --help` shows the options of a command.\n";
}

static std::vector<StringRef> references(const std::vector<std::string_view> &words) {
  return {words.begin(), words.end()};
}

/// Returns ptxray's name for an option or command of other tools, or an empty string.
static StringRef nameHere(StringRef written) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> names[] = {
      {"lint", "check"},       {"validate", "check"},  {"verify", "check"},      {"format", "fmt"},
      {"assemble", "as"},      {"-v", "--version"},    {"--select", "--on"},     {"--enable", "--on"},
      {"--ignore", "--off"},   {"--disable", "--off"}, {"-Werror", "--werror"},  {"--no-color", "--color=never"},
      {"--silent", "--quiet"}, {"-j", "--jobs"},       {"--gpu-name", "--arch"}, {"-arch", "--arch"},
  };
  const auto *found = llvm::find_if(names, [written](const auto &name) { return name.first == written; });
  return found == std::end(names) ? StringRef() : StringRef(found->second);
}

std::string ptxray::readArguments(const Command &command, llvm::ArrayRef<const char *> written, Arguments &arguments) {
  CommandLine line;
  const std::vector<std::string_view> words(written.begin(), written.end());
  if (std::optional<Complaint> complaint = readCommandLine(command.syntax, words, line)) {
    llvm::SmallVector<StringRef> names;
    for (const Option &option : command.syntax.options)
      names.push_back(option.name);
    const StringRef unknown = complaint->unknownOption, here = nameHere(unknown);
    if (llvm::is_contained(names, here.split('=').first))
      return complaint->text + "; here it is `" + here.str() + "`";
    return complaint->text + (unknown.empty() ? "" : didYouMean(unknown, names));
  }
  arguments.options.assign(line.options.begin(), line.options.end());
  arguments.operands = references(line.operands);
  arguments.passedOn = references(line.passedOn);
  return "";
}

/// Reports a name that is not the name of a command. Returns BadUsage.
static int refuseUnknown(StringRef name, llvm::ArrayRef<Command> commands) {
  if (const std::optional<int> status = refuseLacking(name))
    return *status;
  if (llvm::sys::fs::exists(name))
    return usageError("`" + name.str() + "` is a file, not a command; `ptxray check " + name.str() + "` checks it");
  if (const StringRef here = nameHere(name); !here.empty())
    return usageError("unknown command `" + name.str() + "`; here it is `ptxray " + here.str() + "`");
  llvm::SmallVector<StringRef> names;
  for (const Command &command : commands)
    names.push_back(command.name);
  return usageError("unknown command `" + name.str() + "`" + didYouMean(name, names) +
                    " (`ptxray --help` lists the commands)");
}

/// Runs as the program `ptxas` or one with a similar name.
static int runAsPtxas(StringRef program, llvm::ArrayRef<StringRef> words) {
  if constexpr (startsPrograms)
    return actAsPtxas(program, words);
  else
    return refuseWithoutPtxas("`ptxas`");
}

int main(int argc, char **argv) {
  endWhereMemoryEnds();
  const StringRef program = llvm::sys::path::filename(argv[0]);
  if (program.starts_with("ptxas"))
    return runAsPtxas(program, std::vector<StringRef>(argv + 1, argv + argc));
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
  if (name == "--version" || name == "-V")
    name = "version";
  llvm::ArrayRef<const char *> written(argv + 2, argc - 2);
  const bool help = name == "help" || llvm::any_of(written.take_until([](StringRef word) { return word == "--"; }),
                                                   [](StringRef word) { return word == "--help" || word == "-h"; });
  if (name == "help")
    name = argv[2];
  for (const Command &command : commands) {
    if (StringRef(command.name) != name)
      continue;
    if (help && (command.syntax.words != Words::Foreign || argv[1] == StringRef("help"))) {
      printHelp(command, llvm::outs());
      return finish(Clean);
    }
    Arguments arguments;
    if (const std::string complaint = readArguments(command, written, arguments); !complaint.empty())
      return usageError(complaint + " (`ptxray " + name.str() + " --help` shows the options)");
    return finish(command.run(arguments));
  }
  return refuseUnknown(name, commands);
}
