#pragma once
// The lowest version and the targets with which several files together pass, and the reasons.
#include "Targets/TargetNeeds.h"
#include <map>

namespace ptxray {

struct TargetFile {
  std::string path;
  std::unique_ptr<TargetNeeds> needs;
};

/// An obstacle and the file that contains it.
struct TargetReason {
  std::string path;
  Obstacle obstacle;
};

struct VersionAnswer {
  CellSet passes;
  uint16_t least = 0;                                // 0 if nothing fits
  std::map<uint16_t, std::vector<uint16_t>> targets; // the targets for each minimum version
  std::optional<TargetReason> version, target;       // reasons why lower ones do not pass
  std::vector<TargetReason> conflict;                // conflicting requirements, if nothing fits
};
VersionAnswer answerFor(llvm::ArrayRef<TargetFile> files);

} // namespace ptxray
