#include "CommandLine.h"
#include <algorithm>

namespace ptxray {

using std::string_view;

std::string Option::shown() const {
  const std::string text(name);
  return isSwitch() ? text : mayBeSwitch() ? text + "[=" + value.substr(1) : text + '=' + value;
}

std::string Option::described() const {
  return std::string(help) + (also.empty() ? "" : " (also " + std::string(also) + ")");
}

std::optional<string_view> CommandLine::value(string_view option) const {
  const auto found = std::find_if(options.rbegin(), options.rend(), [&](const auto &o) { return o.first == option; });
  return found == options.rend() ? std::nullopt : std::optional(found->second);
}

static std::string quoted(string_view text) { return "`" + std::string(text) + "`"; }

static std::vector<string_view> choicesOf(string_view shown) {
  std::vector<string_view> choices;
  for (size_t begin = 0; begin <= shown.size();) {
    const size_t end = std::min(shown.find('|', begin), shown.size());
    choices.push_back(shown.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

static std::string wrongChoice(const Option &option, string_view value) {
  const std::vector<string_view> choices = choicesOf(option.value);
  if (choices.size() < 2 || std::find(choices.begin(), choices.end(), value) != choices.end())
    return "";
  std::string listed;
  for (string_view choice : choices)
    listed += (listed.empty() ? "" : ", ") + std::string(choice);
  return quoted(option.name) + " is one of " + listed + ", not " + quoted(value);
}

/// Reads the option at `written[i]`, and advances to its value if that is a separate word.
static std::optional<Complaint> readOption(const Syntax &syntax, const std::vector<string_view> &written, size_t &i,
                                           CommandLine &out) {
  const string_view word = written[i];
  const size_t equals = word.find('=');
  const string_view name = word.substr(0, equals);
  // In `-DNAME=1`, the value follows the letter directly.
  for (const Option &option : syntax.options)
    if (option.also.size() == 2 && !option.mayBeSwitch() && word.size() > 2 && word[2] != '=' &&
        word.substr(0, 2) == option.also) {
      out.options.emplace_back(option.name, word.substr(2));
      return std::nullopt;
    }
  const auto option = std::find_if(syntax.options.begin(), syntax.options.end(),
                                   [name](const Option &option) { return option.name == name || option.also == name; });
  if (option == syntax.options.end())
    return Complaint{"unknown option " + quoted(name), name};
  string_view value = equals == string_view::npos ? string_view() : word.substr(equals + 1);
  if (option->isSwitch() && equals != string_view::npos)
    return Complaint{quoted(name) + " accepts no value", {}};
  if (!option->mayBeSwitch() && equals == string_view::npos) {
    if (i + 1 == written.size())
      return Complaint{quoted(name) + " needs a value (" + option->value + ")", {}};
    value = written[++i];
  }
  if (std::string problem = wrongChoice(*option, value); !problem.empty())
    return Complaint{std::move(problem), {}};
  out.options.emplace_back(option->name, value);
  return std::nullopt;
}

/// Returns whether a word is an option. `-` is not one: it means standard input. Neither is a number such as `-1`.
static bool isOption(string_view word) {
  return word.size() > 1 && word[0] == '-' && word[1] != '.' && !(word[1] >= '0' && word[1] <= '9');
}

std::optional<Complaint> readCommandLine(const Syntax &syntax, const std::vector<string_view> &written,
                                         CommandLine &out) {
  bool optionsEnded = syntax.words == Words::Foreign;
  for (size_t i = 0; i < written.size(); ++i) {
    const string_view word = written[i];
    if (optionsEnded || !isOption(word)) {
      out.operands.push_back(word);
    } else if (word == "--" && syntax.words == Words::PassedOn) {
      out.passedOn.assign(written.begin() + i + 1, written.end());
      break;
    } else if (word == "--") {
      optionsEnded = true;
    } else if (std::optional<Complaint> complaint = readOption(syntax, written, i, out)) {
      return complaint;
    }
  }
  if (out.operands.size() < syntax.fewest)
    return Complaint{std::string(syntax.operands) + " is missing", {}};
  if (out.operands.size() > syntax.most)
    return Complaint{quoted(out.operands[syntax.most]) + " is one argument too many", {}};
  return std::nullopt;
}

std::string helpFor(const std::vector<Option> &options) {
  constexpr size_t width = 28;
  std::string help;
  for (const Option &option : options) {
    std::string written = option.shown();
    written.resize(std::max(width, written.size()), ' ');
    help += "  " + written + ' ' + option.described() + '\n';
  }
  return help;
}

} // namespace ptxray
