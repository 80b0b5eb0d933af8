#pragma once
// The command lines of our programs: options as data, and one reader for all. It uses only the standard library, since
// ptxray-run is built without the rest.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxray {

struct Option {
  std::string_view name; // `--format`
  std::string value;     // what help shows after `=`; `a|b` lists all that are possible; empty: a switch; `[CHIP]`: may
                         // be left out, and follows `=` alone
  std::string_view help;
  std::string_view also = {}; // another name, which other commands or tools have for it

  bool isSwitch() const { return value.empty(); }
  bool mayBeSwitch() const { return isSwitch() || value[0] == '['; }
  /// Returns the text of the help: `the GPU (also --gpu)`.
  std::string described() const;
  /// Returns how the option is written: `--format=text|json`, `--emulate[=CHIP]`.
  std::string shown() const;
};

/// A command takes its own options; its own, and another program's after `--`; or only another program's.
enum class Words { Own, PassedOn, Foreign };

struct Syntax {
  std::string_view operands = {}; // as help shows them: `FILE...`
  size_t fewest = 0, most = 0;
  std::vector<Option> options = {};
  Words words = Words::Own;
};

/// The words that were written, in their order.
struct CommandLine {
  std::vector<std::pair<std::string_view, std::string_view>> options;
  std::vector<std::string_view> operands;
  std::vector<std::string_view> passedOn; // what follows `--`, of a command that passes it on

  std::optional<std::string_view> value(std::string_view option) const; // the last one counts
  bool has(std::string_view option) const { return value(option).has_value(); }
};

struct Complaint {
  std::string text;
  std::string_view unknownOption; // set if that is the complaint
};

/// Fills `out`; returns a complaint if the words do not fit.
std::optional<Complaint> readCommandLine(const Syntax &syntax, const std::vector<std::string_view> &written,
                                         CommandLine &out);

/// Returns the help text: a line for each option.
std::string helpFor(const std::vector<Option> &options);

} // namespace ptxray
