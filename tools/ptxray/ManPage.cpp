#include "ManPage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <cstdlib>

namespace ptxray {

using llvm::StringRef;

namespace {

struct Example {
  StringRef line, meaning;
};

struct Named {
  StringRef name, meaning;
};

} // namespace

static constexpr Example examples[] = {
    {"ptxray check kernel.ptx", "Check a file."},
    {"ptxray check --fix kernels/", "Check all `*.ptx` files below a folder, and apply the safe fixes."},
    {"ptxray check --diff kernels/", "Show what `--fix` would change."},
    {"ptxray check --arch=sm_90a --werror kernel.ptx",
     "Check that the file can be compiled for sm_90a, and treat warnings as errors."},
    {"ptxray check kernel.cu libkernels.so", "Check the `asm` of a CUDA source, and the PTX in a library."},
    {"ptxray check --baseline=known.txt --update-baseline .", "Accept today's findings; `--baseline` alone then "
                                                              "reports new ones."},
    {"ptxray check --format=sarif --output-file=ptxray.sarif .", "Write a report for a code scanner."},
    {"nvcc -ptx -o - kernel.cu | ptxray check -", "Check the output of a compiler."},
    {"ptxray explain tcgen05.mma", "Show the forms and requirements of an instruction."},
    {"ptxray targets kernel.ptx", "Show the lowest `.version` and the targets for which the file is valid."},
    {"ptxray as kernel.ptx -o kernel.cubin -- -O3", "Check a file, then have ptxas assemble it."},
    {"ptxray run --emulate kernel.ptx --block=64 --out=1=f32 2.5 zeros:f32:64",
     "Run a kernel without a GPU, and print a buffer."},
};

static constexpr Named environment[] = {
    {"PTXAS",
     "The ptxas that `as`, `run`, `ptxas` and `check --with-ptxas` call, instead of the one from CUDA or in PATH."},
    {"PTXRAY_STRICT",
     "When ptxray runs as ptxas: `1` stops at errors and `warnings` at warnings, instead of calling ptxas."},
    {"PTXRAY_LOG", "When ptxray runs as ptxas: a file to which the findings are also appended."},
    {"PTXRAY_VERIFY_ONLY", "When ptxray runs as ptxas: `1` checks the inputs without calling ptxas."},
    {"PTXRAY_DRIVER",
     "The folder with the emulated `libcuda.so.1` and `libcudart.so.13` that `emulate` uses for its command."},
    {"PTXRAY_RUN", "The program `ptxray-run` that `run` starts."},
    {"NO_COLOR", "If this is not empty, text has colours only with `--color=always`."},
    {"PTXRAY_SITE", "The address of the documentation site, like `check --site`."},
    {"FORCE_HYPERLINK", "`1` writes links into coloured text on every terminal, `0` on none."},
};

static constexpr Named statuses[] = {
    {"0", "No error was found."},
    {"1", "An error was found."},
    {"2", "The usage was wrong, an input cannot be read, or an output cannot be written."},
    {"3", "ptxas rejected a file that ptxray accepted."},
    {"4", "There is no CUDA driver or no GPU."},
    {"5", "ptxas is missing, was killed or ran out of time."},
    {"6", "The kernel faulted or missed its expected result."},
    {"7", "`run --emulate` cannot execute an instruction that the kernel reached."},
};

static constexpr Named seeAlso[] = {
    {"The manual of PTX", "https://docs.nvidia.com/cuda/parallel-thread-execution/"},
    {"ptxas and cuobjdump",
     "https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/, https://docs.nvidia.com/cuda/cuda-binary-utilities/"},
    {"All rules", "`ptxray rules`, and `ptxray explain RULE` for each"},
};

std::string replaced(StringRef text, llvm::ArrayRef<std::pair<char, StringRef>> escapes) {
  std::string out;
  for (char c : text) {
    const auto *escape = llvm::find_if(escapes, [c](const auto &pair) { return pair.first == c; });
    if (escape == escapes.end())
      out += c;
    else
      out += escape->second;
  }
  return out;
}

/// Sets text in backticks in bold.
static std::string roff(StringRef text) {
  std::string out;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, '`');
  for (const auto &[i, part] : llvm::enumerate(parts)) {
    const std::string plain = replaced(part, {{'\\', "\\e"}, {'-', "\\-"}});
    out += i % 2 ? "\\fB" + plain + "\\fR" : plain;
  }
  return StringRef(out).starts_with(".") || StringRef(out).starts_with("'") ? "\\&" + out : out;
}

/// Adds an initial capital and a full stop.
static std::string sentence(StringRef text) {
  const char last = text.empty() ? '.' : text.back();
  const std::string begun = text.empty() ? "" : text.take_front(1).upper() + text.drop_front().str();
  return roff(begun) + (last == '.' || last == '?' ? "" : ".");
}

static void section(StringRef title, llvm::ArrayRef<Named> entries, llvm::raw_ostream &out) {
  out << ".SH " << title << '\n';
  for (const Named &entry : entries)
    out << ".TP\n.B " << entry.name << '\n' << roff(entry.meaning) << '\n';
}

/// Returns the day of the release, which the release script puts into the environment, or an empty string.
static std::string releaseDay() {
  const char *written = std::getenv("SOURCE_DATE_EPOCH");
  int64_t seconds;
  if (!written || StringRef(written).getAsInteger(10, seconds) || seconds < 0)
    return "";
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{std::chrono::seconds{seconds}})};
  return llvm::formatv("{0:4}-{1:02}-{2:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                       static_cast<unsigned>(day.day()));
}

void generateMan(llvm::ArrayRef<Command> commands, llvm::raw_ostream &out) {
  out << ".TH PTXRAY 1 \"" << releaseDay()
      << "\" \"ptxray " PTXRAY_VERSION "\" \"User Commands\"\n"
         ".ad l\n" // the choices of some options are longer than what can be stretched
         ".SH NAME\nptxray \\- check PTX, the assembly language of NVIDIA GPUs\n"
         ".SH SYNOPSIS\n.B ptxray\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n"
         ".SH DESCRIPTION\nptxray reads PTX and reports what is wrong with it: where, why, which section of the\n"
         "manual says so, and how to fix it. It needs no CUDA toolkit and no GPU.\n"
         ".SH COMMANDS\n";
  for (const Command &command : commands) {
    out << ".SS \"ptxray " << roff(command.name);
    if (!command.syntax.operands.empty())
      out << ' ' << roff(command.syntax.operands);
    out << "\"\n" << sentence(command.summary) << '\n';
    for (const Option &option : command.syntax.options) {
      out << ".TP\n\\fB" << roff(option.name) << "\\fR";
      if (!option.isSwitch())
        out << (option.mayBeSwitch() ? "[=" : "=") << "\\fI" << roff(StringRef(option.value).trim("[]")) << "\\fR"
            << (option.mayBeSwitch() ? "]" : "");
      out << '\n' << sentence(option.described()) << '\n';
    }
    if (!command.notes.empty())
      out << ".PP\n" << roff(command.notes) << '\n';
  }
  section("EXIT STATUS", statuses, out);
  section("ENVIRONMENT", environment, out);
  out << ".SH FILES\n.TP\n.I .ptxray\nOptions for the files of its folder and of those below, as lines of the form\n"
         "NAME = VALUE. After a line such as [vendor, old/*.ptx] they hold for these files alone.\n"
         ".B ptxray check \\-\\-show\\-config\nshows which hold for a file.\n.SH EXAMPLES\n";
  for (const Example &example : examples)
    out << ".TP\n.B " << roff(example.line) << '\n' << roff(example.meaning) << '\n';
  section("SEE ALSO", seeAlso, out);
}

} // namespace ptxray
