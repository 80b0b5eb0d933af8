// Generates programs. Also generates the manual page and shell completions from the tables of commands and options.
#include "Diagnostics/Diagnostic.h"
#include "Generate/Program.h"
#include "ManPage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

using llvm::StringRef;

/// The kind of value that an option or operand takes, by its name in the help text.
enum class WhatFollows { None, Choice, Rules, Files, Anything };

static WhatFollows valuesOf(StringRef shown) {
  if (shown.empty())
    return WhatFollows::None;
  if (shown.contains("RULE"))
    return WhatFollows::Rules;
  if (shown.contains("FILE") || shown.contains("PATH"))
    return WhatFollows::Files;
  return shown.contains('|') ? WhatFollows::Choice : WhatFollows::Anything;
}

/// Returns the value that must follow an option, or an empty string if the option may stand alone.
static StringRef requiredValue(const Option &option) { return option.mayBeSwitch() ? StringRef() : option.value; }

static llvm::SmallVector<StringRef> choicesOf(StringRef shown) {
  llvm::SmallVector<StringRef> choices;
  shown.split(choices, '|');
  return choices;
}

static std::string ruleNames() {
  return llvm::join(llvm::map_range(allDiagInfos(), [](const DiagInfo &info) -> StringRef { return info.id; }), " ");
}

// ------------------------------------------------------------------------------------------ bash
static void generateBash(llvm::ArrayRef<Command> commands, llvm::raw_ostream &out) {
  out << "# bash completion for ptxray, made by `ptxray generate bash`\n"
         "_ptxray() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=${COMP_WORDS[1]} option value\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"";
  llvm::interleave(commands, out, [&](const Command &command) { out << command.name; }, " ");
  out << " help\" -- \"$current\"))\n    return\n  fi\n"
         "  # `=` is a word of its own here\n"
         "  if [ \"$current\" = = ]; then option=$previous value=\n"
         "  elif [ \"$previous\" = = ]; then option=${COMP_WORDS[COMP_CWORD-2]} value=$current\n"
         "  else option=$previous value=$current; fi\n"
         "  case $command$option in\n";
  for (const Command &command : commands)
    for (const Option &option : command.syntax.options) {
      const WhatFollows values = valuesOf(requiredValue(option));
      if (values == WhatFollows::None)
        continue;
      out << "  " << command.name << option.name << ") ";
      if (values == WhatFollows::Choice)
        out << "COMPREPLY=($(compgen -W \"" << llvm::join(choicesOf(option.value), " ") << "\" -- \"$value\"))";
      else if (values == WhatFollows::Rules)
        out << "COMPREPLY=($(compgen -W \"$_ptxray_rules\" -- \"$value\"))";
      else if (values == WhatFollows::Files)
        out << "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$value\"))";
      else
        out << ':';
      out << "; return ;;\n";
    }
  out << "  esac\n  case $command in\n";
  for (const Command &command : commands) {
    out << "  " << command.name << ")\n    case $current in\n    -*) COMPREPLY=($(compgen -W \"";
    for (const Option &option : command.syntax.options)
      out << option.name << (option.mayBeSwitch() ? "" : "=") << ' ';
    out << "--help\" -- \"$current\")); [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace ;;\n";
    const WhatFollows values = valuesOf(command.syntax.operands);
    if (values == WhatFollows::Rules)
      out << "    *) COMPREPLY=($(compgen -W \"$_ptxray_rules\" -- \"$current\")) ;;\n";
    else if (values == WhatFollows::Files)
      out << "    *) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\")) ;;\n";
    else if (values == WhatFollows::Choice)
      out << "    *) COMPREPLY=($(compgen -W \"" << llvm::join(choicesOf(command.syntax.operands), " ")
          << "\" -- \"$current\")) ;;\n";
    out << "    esac ;;\n";
  }
  out << "  esac\n}\n_ptxray_rules=\"" << ruleNames() << "\"\ncomplete -F _ptxray ptxray\n";
}

// ------------------------------------------------------------------------------------------- zsh
static std::string zshAction(StringRef shown) {
  switch (valuesOf(shown)) {
  case WhatFollows::None: return "";
  case WhatFollows::Choice: return ":value:(" + llvm::join(choicesOf(shown), " ") + ")";
  case WhatFollows::Rules: return ":rule:($rules)";
  case WhatFollows::Files: return ":file:_files";
  case WhatFollows::Anything: return ":value:";
  }
  return "";
}

static void generateZsh(llvm::ArrayRef<Command> commands, llvm::raw_ostream &out) {
  auto quoted = [](StringRef text) {
    return replaced(text, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}});
  };
  out << "#compdef ptxray\n# zsh completion for ptxray, made by `ptxray generate zsh`\n"
         "_ptxray() {\n  local -a commands rules\n  rules=("
      << ruleNames() << ")\n  commands=(\n";
  for (const Command &command : commands)
    out << "    '" << command.name << ':' << quoted(command.summary) << "'\n";
  out << "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words; (( CURRENT-- ))\n  case $command in\n";
  for (const Command &command : commands) {
    out << "  " << command.name << ")\n    _arguments";
    for (const Option &option : command.syntax.options) {
      out << " \\\n      '" << option.name << (option.mayBeSwitch() ? "" : "=") << '[' << quoted(option.described())
          << "]'";
      if (!option.mayBeSwitch())
        out << "\"" << zshAction(option.value) << "\"";
    }
    if (const std::string action = zshAction(command.syntax.operands); !action.empty())
      out << " \\\n      \"*" << action << "\"";
    out << " ;;\n";
  }
  out << "  esac\n}\n_ptxray \"$@\"\n";
}

// ------------------------------------------------------------------------------------------ fish
static void generateFish(llvm::ArrayRef<Command> commands, llvm::raw_ostream &out) {
  auto quoted = [](StringRef text) { return "'" + replaced(text, {{'\\', "\\\\"}, {'\'', "\\'"}}) + "'"; };
  out << "# fish completion for ptxray, made by `ptxray generate fish`\nset -g __ptxray_rules " << ruleNames()
      << "\ncomplete -c ptxray -f\n";
  auto action = [&](StringRef shown) -> std::string {
    switch (valuesOf(shown)) {
    case WhatFollows::None: return "";
    case WhatFollows::Choice: return " -x -a " + quoted(llvm::join(choicesOf(shown), " "));
    case WhatFollows::Rules: return " -x -a '$__ptxray_rules'";
    case WhatFollows::Files: return " -r -F";
    case WhatFollows::Anything: return " -x";
    }
    return "";
  };
  for (const Command &command : commands) {
    out << "complete -c ptxray -n __fish_use_subcommand -a " << command.name << " -d " << quoted(command.summary)
        << '\n';
    const std::string within = "complete -c ptxray -n '__fish_seen_subcommand_from " + std::string(command.name) + "'";
    for (const Option &option : command.syntax.options)
      out << within << " -l " << option.name.substr(2) << " -d " << quoted(option.described())
          << action(requiredValue(option)) << '\n';
    if (valuesOf(command.syntax.operands) == WhatFollows::Files)
      out << within << " -F\n";
    else if (!command.syntax.operands.empty())
      out << within << action(command.syntax.operands) << '\n';
  }
}

// ------------------------------------------------------------------------------------- programs
/// Reads the names of families, separated by commas. Returns nothing, after a message, if one is not known.
static std::optional<Families> readFamilies(StringRef text) {
  Families families = 0;
  for (const StringRef word : llvm::split(text, ',')) {
    const std::optional<Family> family = findFamily(word);
    if (!family) {
      usageError("`" + word.str() + "` is not a family; the families are " + llvm::join(familyNames, ", "));
      return {};
    }
    families |= bitOf(*family);
  }
  return families;
}

static int printProgram(const Arguments &arguments) {
  constexpr unsigned mostInstructions = 100'000, mostBlocks = 4096, mostThreads = 1024, lanes = 32;
  ProgramOptions options;
  ProgramTarget target;
  for (const auto &[name, value] : arguments.options) {
    bool isGood = true;
    if (name == "--seed")
      isGood = !value.getAsInteger(10, options.seed);
    else if (name == "--size")
      isGood = !value.getAsInteger(10, options.size) && options.size > 0 && options.size <= mostInstructions;
    else if (name == "--blocks")
      isGood = !value.getAsInteger(10, options.blocks) && options.blocks > 0 && options.blocks <= mostBlocks;
    else if (name == "--guards")
      isGood = !value.getAsInteger(10, options.guards) && options.guards <= 100;
    else if (name == "--threads")
      isGood = !value.getAsInteger(10, options.threads) && options.threads >= lanes && options.threads <= mostThreads &&
               llvm::isPowerOf2_32(options.threads);
    else if (name == "--target")
      target.target = value.str();
    else if (name == "--families") {
      const std::optional<Families> families = readFamilies(value);
      if (!families)
        return BadUsage;
      options.families = *families;
    } else
      for (const StringRef word : llvm::split(value, ','))
        (name == "--except" ? target.without : target.instructions).push_back(word.str());
    if (!isGood)
      return usageError("`" + name.str() + "` requires a number" + (name == "--threads" ? " such as 32, 64, 128" : "") +
                        ", not `" + value.str() + "`");
  }
  if (isa::findTarget(target.target) < 0)
    return unknownTarget(target.target);
  for (const std::string &word : target.instructions)
    if (llvm::none_of(isa::mnemonics(),
                      [&](const isa::Mnemonic &one) { return StringRef(one.text()).split('.').first == word; }))
      return unknownInstruction(word);
  llvm::outs() << Generator(std::move(target)).program(options);
  return Clean;
}

static int runGenerate(const Arguments &arguments) {
  if (arguments.operands.empty())
    return arguments.has("--seed") ? printProgram(arguments)
                                   : usageError("`generate` requires man, bash, zsh, fish or `--seed=N`");
  if (!arguments.options.empty())
    return usageError("`" + arguments.options.front().first.str() + "` is for programs, not for `" +
                      arguments.operands.front().str() + "`");
  static constexpr std::pair<llvm::StringLiteral, void (*)(llvm::ArrayRef<Command>, llvm::raw_ostream &)> kinds[] = {
      {"man", generateMan}, {"bash", generateBash}, {"zsh", generateZsh}, {"fish", generateFish}};
  for (const auto &[name, generate] : kinds)
    if (name == arguments.operands.front()) {
      generate(allCommands(), llvm::outs());
      return Clean;
    }
  return usageError("`generate` prints man, bash, zsh or fish, not `" + arguments.operands.front().str() + "`");
}

Command generateCommand() {
  return {
      .name = "generate",
      .summary = "print a random program, the manual page, or completions for a shell",
      .syntax = {.operands = "man|bash|zsh|fish",
                 .most = 1,
                 .options = {{"--seed", "N", "seed of the program, which is valid and well-defined"},
                             {"--size", "N", "approximate number of instructions (60)"},
                             {"--target", "sm_X", "the target of the program (sm_90)"},
                             {"--families", "NAME,...",
                              "only these families: compute, memory, atomics, warp, "
                              "barriers, matrices, control (all)"},
                             {"--blocks", "N", "blocks of the grid (a few)"},
                             {"--threads", "N", "threads per block, such as 32, 64 or 128"},
                             {"--instructions", "NAME,...", "use only these instructions for computations: add,mul"},
                             {"--except", "PATTERN,...",
                              "without these opcodes: slct.*.f32, or @testp* to exclude guarded ones"},
                             {"--guards", "PERCENT", "percentage of instructions with a guard (10)"}}},
      .run = runGenerate};
}

} // namespace ptxray
