#pragma once
// Command lines of the project's programs: options as data, and one parser for all. Depends only on the standard
// library, because ptxray-run is built without the rest.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxray {

struct Option {
  std::string_view name; // `--format`
  std::string value;     // text after `=` in help; `a|b` lists all possible values; empty for a switch; `[CHIP]` is
                         // optional and must follow `=`
  std::string_view help;
  std::string_view also = {}; // another name, which other commands or tools use

  bool isSwitch() const { return value.empty(); }
  bool mayBeSwitch() const { return isSwitch() || value[0] == '['; }
  /// Returns the help text: `the GPU (also --gpu)`.
  std::string described() const;
  /// Returns the notation in help: `--format=text|json`, `--emulate[=CHIP]`.
  std::string shown() const;
};

/// The words that a command accepts: its own options, also those of another program after `--`, or only those of
/// another program.
enum class Words { Own, PassedOn, Foreign };

struct Syntax {
  std::string_view operands = {}; // text in help: `FILE...`
  size_t fewest = 0, most = 0;
  std::vector<Option> options = {};
  Words words = Words::Own;
};

/// The parsed words, in order.
struct CommandLine {
  std::vector<std::pair<std::string_view, std::string_view>> options;
  std::vector<std::string_view> operands;
  std::vector<std::string_view> passedOn; // words after `--`, for commands that pass them on

  std::optional<std::string_view> value(std::string_view option) const; // the last one takes precedence
  bool has(std::string_view option) const { return value(option).has_value(); }
};

struct Complaint {
  std::string text;
  std::string_view unknownOption; // set if the option is unknown
};

/// Parses the words into `out`. Returns a complaint if they are invalid.
std::optional<Complaint> readCommandLine(const Syntax &syntax, const std::vector<std::string_view> &written,
                                         CommandLine &out);

/// Returns the help text with one line per option.
std::string helpFor(const std::vector<Option> &options);

} // namespace ptxray
