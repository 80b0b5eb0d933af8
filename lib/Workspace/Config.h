#pragma once
// Files named `.ptxray`; docs/configuration.md describes them.
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

/// A setting and where it was written: `/src/.ptxray:3`, or `command line`.
struct WrittenSetting {
  std::string name, value, origin;
};

/// The options with which an input is checked and formatted.
struct Settings {
  CheckOptions check;
  FormatOptions format;
  bool inlined = false;                // below folders, sources of other languages are checked too
  bool isExcluded = false;             // where it was not named itself, but found below a folder
  std::vector<WrittenSetting> written; // all that hold, in the order in which they count
};

/// The text of a `.ptxray` file.
class ConfigText {
public:
  /// Returns what is wrong, with the line in front, or nothing.
  std::string read(llvm::StringRef text, llvm::StringRef name);
  /// Returns the numbers of the sections that apply to a path, which is relative to the folder of the file.
  std::vector<uint32_t> sectionsFor(llvm::StringRef path) const;
  bool excludes(llvm::StringRef path) const { return excluded.match(path); }
  void apply(llvm::ArrayRef<uint32_t> sections, Settings &settings) const;

private:
  struct Section {
    PathPatterns files;
    std::vector<WrittenSetting> settings;
  };
  std::string readLine(llvm::StringRef line, const std::string &origin);

  std::vector<Section> sections = std::vector<Section>(1); // the first holds for all
  PathPatterns excluded;
};

/// The options that each input is checked and formatted with: a `.ptxray` file in its folder or the nearest above it,
/// then the command line.
class Configuration {
public:
  using Setting = std::pair<llvm::StringRef, llvm::StringRef>; // name and value, as setOption takes them

  /// `file` is read in place of any other; if it is empty, none is looked for.
  Configuration(std::vector<Setting> commandLine, std::optional<std::string> file)
      : commandLine(std::move(commandLine)), file(std::move(file)) {}

  /// The problem is that of a file or of the command line.
  Expected<std::shared_ptr<const Settings>> settingsFor(llvm::StringRef path);
  Expected<std::shared_ptr<const CheckOptions>> forInput(llvm::StringRef path);

private:
  std::string fileAbove(const std::string &folder);
  Expected<const ConfigText *> read(const std::string &path);

  std::vector<Setting> commandLine;
  std::optional<std::string> file;
  std::map<std::string, std::string> fileOfFolder;              // empty: none
  std::map<std::string, ConfigText> texts;                      // by path
  std::map<std::string, std::shared_ptr<const Settings>> known; // by file and sections
};

} // namespace ptxray
