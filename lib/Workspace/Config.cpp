#include "Workspace/Config.h"
#include "Source/SourceBuffer.h"
#include "Workspace/Options.h"
#include <filesystem>

namespace ptxray {
namespace fs = std::filesystem;

static constexpr llvm::StringLiteral fileName = ".ptxray";

std::string readConfiguration(CheckOptions &options, llvm::StringRef text) {
  for (uint32_t number = 1; !text.empty(); ++number) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    const auto [name, value] = line.split('=');
    const std::string problem =
        line.contains('=') ? setOption(options, name.trim(), value.trim()) : "`NAME = VALUE` expected";
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

std::shared_ptr<const CheckOptions> Configuration::read(const std::string &path, std::string &problem) {
  auto options = std::make_shared<CheckOptions>();
  if (!path.empty()) {
    const std::unique_ptr<SourceBuffer> source = SourceBuffer::open(path, problem);
    if (!source) {
      problem = "cannot read `" + path + "`: " + problem;
      return nullptr;
    }
    if (problem = readConfiguration(*options, source->text()); !problem.empty()) {
      problem = path + ":" + problem;
      return nullptr;
    }
  }
  for (const auto &[name, value] : commandLine)
    if (problem = setOption(*options, name, value); !problem.empty())
      return nullptr;
  return options;
}

std::shared_ptr<const CheckOptions> Configuration::forInput(llvm::StringRef path, std::string &problem) {
  std::string configured = file.value_or("");
  if (!file) {
    std::error_code ignored;
    configured = fileAbove(fs::absolute(fs::path(path.str()), ignored).lexically_normal().parent_path());
  }
  auto [known, isNew] = optionsOfFile.try_emplace(configured);
  if (isNew)
    known->second = read(configured, problem);
  return known->second;
}

} // namespace ptxray
