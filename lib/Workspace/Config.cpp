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
    return "`indent` is `tab` or a number of blanks from 1 to " + std::to_string(widest) + ", not `" + value.str() +
           "`";
  options.indent = blanks;
  return "";
}

static std::string setInline(bool &inlined, llvm::StringRef value) {
  inlined = value == "yes" || value == "true";
  return inlined || value == "no" || value == "false" ? "" : "`inline` is yes or no, not `" + value.str() + "`";
}

std::string readConfiguration(Settings &settings, llvm::StringRef text) {
  for (uint32_t number = 1; !text.empty(); ++number) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    const auto [name, value] = line.split('=');
    const std::string problem = !line.contains('=')       ? "`NAME = VALUE` expected"
                                : name.trim() == "indent" ? setIndent(settings.format, value.trim())
                                : name.trim() == "inline" ? setInline(settings.inlined, value.trim())
                                                          : setOption(settings.check, name.trim(), value.trim());
    if (!problem.empty())
      return std::to_string(number) + ": " + problem;
  }
  return "";
}

std::string Configuration::fileAbove(const std::string &folder) {
  auto [known, isNew] = fileOfFolder.try_emplace(folder);
  if (!isNew)
    return known->second;
  std::error_code ignored;
  const fs::path candidate = fs::path(folder) / fileName.str();
  const std::string parent = fs::path(folder).parent_path();
  if (fs::is_regular_file(candidate, ignored))
    known->second = candidate;
  else if (parent != folder)
    known->second = fileAbove(parent); // a map's nodes stay where they are
  return known->second;
}

std::shared_ptr<const Settings> Configuration::read(const std::string &path, std::string &problem) {
  auto settings = std::make_shared<Settings>();
  if (!path.empty()) {
    const std::unique_ptr<SourceBuffer> source = SourceBuffer::open(path, problem);
    if (!source) {
      problem = "cannot read `" + path + "`: " + problem;
      return nullptr;
    }
    if (problem = readConfiguration(*settings, source->text()); !problem.empty()) {
      problem = path + ":" + problem;
      return nullptr;
    }
  }
  for (const auto &[name, value] : commandLine)
    if (problem = setOption(settings->check, name, value); !problem.empty())
      return nullptr;
  return settings;
}

std::shared_ptr<const CheckOptions> Configuration::forInput(llvm::StringRef path, std::string &problem) {
  const std::shared_ptr<const Settings> settings = settingsFor(path, problem);
  return settings ? std::shared_ptr<const CheckOptions>(settings, &settings->check) : nullptr;
}

std::shared_ptr<const Settings> Configuration::settingsFor(llvm::StringRef path, std::string &problem) {
  std::string configured = file.value_or("");
  if (!file) {
    std::error_code ignored;
    configured = fileAbove(fs::absolute(fs::path(path.str()), ignored).lexically_normal().parent_path());
  }
  auto [known, isNew] = settingsOfFile.try_emplace(configured);
  if (isNew)
    known->second = read(configured, problem);
  return known->second;
}

} // namespace ptxray
