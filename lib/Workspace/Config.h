#pragma once
// Files named `.ptxray`; docs/configuration.md describes them.
#include "Format/FormatOptions.h"
#include "Module/CheckOptions.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ptxray {

struct Settings {
  CheckOptions check;
  FormatOptions format;
  bool inlined = false; // below folders, sources of other languages are checked too
};

/// Sets what the text of such a file says. Gives what is wrong, with its line in front, or nothing.
std::string readConfiguration(Settings &settings, llvm::StringRef text);

/// The options that each input is checked and formatted with: a `.ptxray` file in its folder or the nearest above it,
/// then the command line.
class Configuration {
public:
  using Setting = std::pair<llvm::StringRef, llvm::StringRef>; // name and value, as setOption takes them

  /// `file`: read instead of looking for one; nothing: look for none.
  Configuration(std::vector<Setting> commandLine, std::optional<std::string> file)
      : commandLine(std::move(commandLine)), file(std::move(file)) {}

  /// Null, and `problem` says why, when a file or the command line is wrong.
  std::shared_ptr<const Settings> settingsFor(llvm::StringRef path, std::string &problem);
  std::shared_ptr<const CheckOptions> forInput(llvm::StringRef path, std::string &problem);

private:
  std::string fileAbove(const std::string &folder);
  std::shared_ptr<const Settings> read(const std::string &path, std::string &problem);

  std::vector<Setting> commandLine;
  std::optional<std::string> file;
  std::map<std::string, std::string> fileOfFolder; // empty: none
  std::map<std::string, std::shared_ptr<const Settings>> settingsOfFile;
};

} // namespace ptxray
