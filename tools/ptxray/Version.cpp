#include "Command.h"
#include "Isa/Availability.h"
#include "Isa/Isa.h"
#include "Source/JsonValue.h"
#include "Workspace/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

std::optional<uint16_t> findVersion(llvm::StringRef written) {
  for (uint16_t version : isa::versions())
    if (isa::versionText(version) == written)
      return version;
  return std::nullopt;
}

int unknownTarget(llvm::StringRef written) { return usageError(unknownTargetText(written)); }

static void versionAsJson(llvm::raw_ostream &out) {
  Json json = {{"name", "ptxray"}, {"version", PTXRAY_VERSION}, {"ptx", Json::array()}, {"targets", Json::array()}};
  for (uint16_t version : isa::versions())
    json["ptx"].push_back(isa::versionText(version));
  for (const isa::Target &target : isa::targets())
    json["targets"].push_back(
        {{"name", target.name()}, {"since", isa::versionText(target.since)}, {"documented", target.documented}});
  out << dump(json, 1) << '\n';
}

static void versionAsText(llvm::raw_ostream &out) {
  out << "ptxray " PTXRAY_VERSION "\nPTX " << isa::versionText(isa::versions().front()) << " to "
      << isa::versionText(isa::versions().back()) << "\ntargets";
  for (const isa::Target &target : isa::targets())
    if (target.documented)
      out << ' ' << target.name();
  out << '\n';
}

static int runVersion(const Arguments &arguments) {
  (arguments.value("--format") == "json" ? versionAsJson : versionAsText)(llvm::outs());
  return Clean;
}

Command versionCommand() {
  return {.name = "version",
          .summary = "show the version, and the supported PTX versions and targets",
          .syntax = {.options = {textOrJsonOption()}},
          .run = runVersion};
}

} // namespace ptxray
