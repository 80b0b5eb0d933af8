#pragma once
// Reads `.ptxray` files (docs/configuration.md).
#include "Format/FormatOptions.h"
#include "Module/CheckOptions.h"
#include "Source/Expected.h"
#include "Workspace/PathPatterns.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ptxray {

/// A setting, and where it is written: `/src/.ptxray:3`, or `command line`.
struct WrittenSetting {
  std::string name, value, origin;
};

/// The options for checking and formatting an input.
struct Settings {
  CheckOptions check;
  FormatOptions format;
  bool inlined = false;                // sources of other languages in folders are also checked
  bool isExcluded = false;             // excluded, unless the command line names it explicitly
  std::vector<WrittenSetting> written; // all that apply, in order of precedence
};

/// The contents of a `.ptxray` file.
class ConfigText {
public:
  /// Returns the problem, preceded by its line, or nothing.
  std::string read(llvm::StringRef text, llvm::StringRef name);
  /// Returns the indices of the sections that apply to a path, which is relative to the folder of the file.
  std::vector<uint32_t> sectionsFor(llvm::StringRef path) const;
  bool excludes(llvm::StringRef path) const { return excluded.match(path); }
  void apply(llvm::ArrayRef<uint32_t> sections, Settings &settings) const;

private:
  struct Section {
    PathPatterns files;
    std::vector<WrittenSetting> settings;
  };
  std::string readLine(llvm::StringRef line, const std::string &origin);

  std::vector<Section> sections = std::vector<Section>(1); // the first one applies to all paths
  PathPatterns excluded;
};

/// Determines the options of each input: those of the closest `.ptxray` file in its folder or a parent folder,
/// overridden by the command line.
class Configuration {
public:
  using Setting = std::pair<llvm::StringRef, llvm::StringRef>; // arguments of setOption

  /// Constructs a configuration. `file` replaces all other `.ptxray` files; if it is empty, no file is read.
  Configuration(std::vector<Setting> commandLine, std::optional<std::string> file)
      : commandLine(std::move(commandLine)), file(std::move(file)) {}

  /// Return the problem with a file or with the command line, if there is one.
  Expected<std::shared_ptr<const Settings>> settingsFor(llvm::StringRef path);
  Expected<std::shared_ptr<const CheckOptions>> forInput(llvm::StringRef path);

private:
  std::string fileAbove(const std::string &folder);
  Expected<const ConfigText *> read(const std::string &path);

  std::vector<Setting> commandLine;
  std::optional<std::string> file;
  std::map<std::string, std::string> fileOfFolder;              // empty if there is none
  std::map<std::string, ConfigText> texts;                      // keyed by path
  std::map<std::string, std::shared_ptr<const Settings>> known; // keyed by file and sections
};

} // namespace ptxray
