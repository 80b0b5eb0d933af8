#include "Workspace/Config.h"
#include "Source/SourceBuffer.h"
#include "Workspace/Options.h"
#include <filesystem>

namespace ptxray {
namespace fs = std::filesystem;

static constexpr llvm::StringLiteral fileName = ".ptxray";

static std::string setIndent(FormatOptions &options, llvm::StringRef value) {
  constexpr uint32_t widest = 16;
  uint32_t blanks = 0;
  if (value != "tab" && (value.getAsInteger(10, blanks) || blanks == 0 || blanks > widest))
    return "`indent` must be `tab` or a number of spaces from 1 to " + std::to_string(widest) + ", not `" +
           value.str() + "`";
  options.indent = blanks;
  return "";
}

static std::string setColumns(FormatOptions &options, llvm::StringRef value) {
  options.keepsColumns = value == "keep";
  return options.keepsColumns || value == "one" ? "" : "`columns` is `one` or `keep`, not `" + value.str() + "`";
}

static std::string setInline(bool &inlined, llvm::StringRef value) {
  inlined = value == "yes" || value == "true";
  return inlined || value == "no" || value == "false" ? "" : "`inline` is yes or no, not `" + value.str() + "`";
}

static std::string setIn(Settings &settings, llvm::StringRef name, llvm::StringRef value) {
  return name == "indent"    ? setIndent(settings.format, value)
         : name == "columns" ? setColumns(settings.format, value)
         : name == "inline"  ? setInline(settings.inlined, value)
                             : setOption(settings.check, name, value);
}

std::string ConfigText::readLine(llvm::StringRef line, const std::string &origin) {
  if (line.consume_front("[")) {
    if (!line.consume_back("]"))
      return "expected `]` at the end of the line";
    return sections.emplace_back().files.add(line);
  }
  if (!line.contains('='))
    return "expected `NAME = VALUE`";
  const auto [before, after] = line.split('=');
  const llvm::StringRef name = before.trim(), value = after.trim();
  if (name == "exclude" && sections.size() > 1)
    return "`exclude` is only allowed above the first `[`...`]`";
  if (name == "exclude")
    return excluded.add(value);
  Settings tried;
  sections.back().settings.push_back({name.str(), value.str(), origin});
  return setIn(tried, name, value);
}

std::string ConfigText::read(llvm::StringRef text, llvm::StringRef name) {
  for (uint32_t number = 1; !text.empty(); ++number) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    const std::string place = std::to_string(number);
    if (const std::string problem = readLine(line, name.str() + ":" + place); !problem.empty())
      return place + ": " + problem;
  }
  return "";
}

std::vector<uint32_t> ConfigText::sectionsFor(llvm::StringRef path) const {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < sections.size(); ++i)
    if (i == 0 || sections[i].files.match(path))
      numbers.push_back(i);
  return numbers;
}

void ConfigText::apply(llvm::ArrayRef<uint32_t> numbers, Settings &settings) const {
  for (const uint32_t number : numbers)
    for (const WrittenSetting &one : sections[number].settings) {
      setIn(settings, one.name, one.value);
      settings.written.push_back(one);
    }
}

std::string Configuration::fileAbove(const std::string &folder) {
  std::vector<std::string> passed; // folders without a file of their own
  std::string file;
  for (std::string at = folder;;) {
    if (const auto known = fileOfFolder.find(at); known != fileOfFolder.end()) {
      file = known->second;
      break;
    }
    passed.push_back(at);
    std::error_code ignored;
    if (const fs::path candidate = fs::path(at) / fileName.str(); fs::is_regular_file(candidate, ignored)) {
      file = candidate.generic_string();
      break;
    }
    std::string parent = fs::path(at).parent_path().generic_string();
    if (parent == at)
      break;
    at = std::move(parent);
  }
  for (const std::string &one : passed)
    fileOfFolder[one] = file;
  return file;
}

/// Returns the path relative to the working folder, if it is in it.
static std::string shortPath(const std::string &path) {
  std::error_code ignored;
  const std::string relative = fs::path(path).lexically_relative(fs::current_path(ignored)).generic_string();
  return relative.empty() || relative.starts_with("..") ? path : relative;
}

Expected<const ConfigText *> Configuration::read(const std::string &path) {
  if (const auto known = texts.find(path); known != texts.end())
    return &known->second;
  ConfigText text;
  if (!path.empty()) {
    const auto source = SourceBuffer::open(path);
    if (!source)
      return Problem{"cannot read `" + path + "`: " + source.problem()};
    if (const std::string problem = text.read((*source)->text(), shortPath(path)); !problem.empty())
      return Problem{path + ":" + problem};
  }
  return &(texts[path] = std::move(text));
}

Expected<std::shared_ptr<const CheckOptions>> Configuration::forInput(llvm::StringRef path) {
  const auto settings = settingsFor(path);
  if (!settings)
    return Problem{settings.problem()};
  return std::shared_ptr<const CheckOptions>(*settings, &(*settings)->check);
}

Expected<std::shared_ptr<const Settings>> Configuration::settingsFor(llvm::StringRef path) {
  const fs::path input = normalizedPath(path);
  const std::string configured = file ? *file : fileAbove(input.parent_path().generic_string());
  const Expected<const ConfigText *> opened = read(configured);
  if (!opened)
    return Problem{opened.problem()};
  const ConfigText *text = *opened;
  const std::string below = input.lexically_relative(normalizedPath(configured).parent_path()).generic_string();
  const std::vector<uint32_t> sections = text->sectionsFor(below);
  const bool isExcluded = text->excludes(below);
  std::string key = configured + (isExcluded ? "\n!" : "\n");
  for (const uint32_t number : sections)
    key += std::to_string(number) + ",";
  auto [found, isNew] = known.try_emplace(key);
  if (!isNew)
    return found->second;
  auto settings = std::make_shared<Settings>();
  text->apply(sections, *settings);
  settings->isExcluded = isExcluded;
  for (const auto &[name, value] : commandLine) {
    if (const std::string problem = setIn(*settings, name, value); !problem.empty())
      return Problem{problem};
    settings->written.push_back({name.str(), value.str(), "command line"});
  }
  found->second = settings;
  return found->second;
}

} // namespace ptxray
