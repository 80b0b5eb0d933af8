// Reads the list of compile commands that CMake and other build systems write.
#include "CompileCommands.h"
#include "Source/JsonValue.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <filesystem>

namespace ptxray {

std::string wholePath(llvm::StringRef path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path.str(), ignored).generic_string();
}

/// Splits a command into words like a shell, but knows only quotes and backslashes.
static std::vector<std::string> wordsOf(llvm::StringRef command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool isWord = false;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool isEscape = c == '\\' && quote != '\'' && i + 1 < command.size();
    if (isEscape)
      word += command[++i];
    else if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    else if (!quote && llvm::isSpace(c)) {
      if (isWord)
        words.push_back(std::move(word));
      word.clear();
      isWord = false;
      continue;
    } else
      word += c;
    isWord = true;
  }
  if (isWord)
    words.push_back(std::move(word));
  return words;
}

static SourceCommand commandOf(const std::vector<std::string> &words, const std::filesystem::path &folder) {
  SourceCommand command;
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    const bool isMacro = word.consume_front("-D");
    const bool isFolder = !isMacro && (word.consume_front("-isystem") || word.consume_front("-I"));
    if ((isMacro || isFolder) && word.empty() && i + 1 < words.size())
      word = words[++i];
    if (isMacro)
      command.macros.push_back(word.str());
    else if (isFolder)
      command.folders.push_back((folder / word.str()).generic_string());
  }
  return command;
}

Expected<llvm::StringMap<SourceCommand>> readCompileCommands(llvm::StringRef path) {
  const auto source = SourceBuffer::open(path);
  if (!source)
    return Problem{source.problem()};
  const llvm::StringRef text = (*source)->text();
  const Json list = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!list.is_array())
    return Problem{"it does not contain a list of commands"};
  llvm::StringMap<SourceCommand> commands;
  for (const Json &entry : list) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string())
      continue;
    const bool hasFolder = entry.contains("directory") && entry["directory"].is_string();
    const std::filesystem::path folder = hasFolder ? entry["directory"].get<std::string>() : std::string();
    std::vector<std::string> words;
    if (entry.contains("arguments") && entry["arguments"].is_array()) {
      for (const Json &word : entry["arguments"])
        if (word.is_string())
          words.push_back(word.get<std::string>());
    } else if (entry.contains("command") && entry["command"].is_string()) {
      words = wordsOf(entry["command"].get<std::string>());
    }
    commands[wholePath((folder / entry["file"].get<std::string>()).generic_string())] = commandOf(words, folder);
  }
  return commands;
}

} // namespace ptxray
