#pragma once
// The lowest version, and the targets, that several files together pass with, and what keeps lower ones out.
#include "Targets/TargetNeeds.h"
#include <map>

namespace ptxray {

struct TargetFile {
  std::string path;
  std::unique_ptr<TargetNeeds> needs;
};

/// An obstacle and its file.
struct TargetReason {
  std::string path;
  Obstacle obstacle;
};

struct VersionAnswer {
  CellSet passes;
  uint16_t least = 0;                                // 0: nothing fits
  std::map<uint16_t, std::vector<uint16_t>> targets; // the list for each least version with which they pass
  std::optional<TargetReason> version, target;       // what keeps lower ones out
  std::vector<TargetReason> conflict;                // what excludes each other, where nothing fits
};
VersionAnswer answerFor(llvm::ArrayRef<TargetFile> files);

} // namespace ptxray
