#include "ShowConfig.h"
#include "Source/Escape.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

namespace ptxray {

static void printSettings(const Settings &settings, llvm::raw_ostream &out) {
  if (settings.isExcluded)
    out << "# excluded\n";
  if (settings.written.empty())
    out << "# no settings\n";
  for (const WrittenSetting &one : settings.written)
    out << llvm::format("%-31s", escaped(one.name + " = " + one.value).c_str()) << " # " << escaped(one.origin) << '\n';
}

std::string showConfig(llvm::ArrayRef<Input> inputs, llvm::StringRef stdinName, Configuration &configuration,
                       llvm::raw_ostream &out) {
  llvm::MapVector<const Settings *, llvm::SmallVector<std::string>> filesOf;
  std::vector<std::shared_ptr<const Settings>> kept;
  for (const Input &input : inputs) {
    const std::string path = input.path == "-" ? stdinName.str() : input.path;
    const auto settings = configuration.settingsFor(path);
    if (!settings)
      return settings.problem();
    kept.push_back(*settings);
    filesOf[kept.back().get()].push_back(path);
  }
  const char *separator = "";
  for (const auto &[settings, files] : filesOf) {
    out << separator << "# " << escaped(files.front());
    if (files.size() > 1)
      out << " and " << files.size() - 1 << " more";
    out << '\n';
    printSettings(*settings, out);
    separator = "\n";
  }
  return "";
}

} // namespace ptxray
