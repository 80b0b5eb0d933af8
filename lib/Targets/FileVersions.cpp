#include "Targets/FileVersions.h"
#include "Isa/Isa.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static std::optional<TargetReason> reasonAt(llvm::ArrayRef<TargetFile> files, Requirements::Place place) {
  for (const TargetFile &file : files)
    if (!file.needs->passes().test(Requirements::index(place)))
      return TargetReason{file.path, file.needs->obstacle(place)};
  return std::nullopt;
}

/// Returns two demands that exclude each other, or one that nothing satisfies.
static std::vector<TargetReason> conflictOf(llvm::ArrayRef<TargetFile> files) {
  struct One {
    const TargetFile *file;
    const TargetNeeds::Demand *demand;
  };
  std::vector<One> all;
  for (const TargetFile &file : files)
    for (const TargetNeeds::Demand &demand : file.needs->demands())
      all.push_back({&file, &demand});
  // The obstacle of one file for versions and targets with which the other one passes, or for its own best ones.
  auto reason = [](const One &one, const CellSet &elsewhere) {
    const uint16_t newest = isa::versions().size() - 1;
    for (int v = newest; v >= 0; --v)
      for (int t = isa::targets().size() - 1; t >= 0; --t) {
        const Requirements::Place place{narrow<uint16_t>(v), narrow<uint16_t>(t)};
        if (elsewhere.test(Requirements::index(place)))
          return TargetReason{one.file->path, one.file->needs->obstacle(place, *one.demand)};
      }
    return TargetReason{one.file->path, one.file->needs->obstacle({newest, 0}, *one.demand)};
  };
  for (const One &one : all)
    if (one.demand->passes.none()) {
      TargetReason found{one.file->path, {}};
      for (uint16_t t = isa::targets().size(); t-- > 0 && !found.obstacle.line;)
        found.obstacle = one.file->needs->obstacle({narrow<uint16_t>(isa::versions().size() - 1), t}, *one.demand);
      return {found};
    }
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if ((all[i].demand->passes & all[j].demand->passes).none())
        return {reason(all[j], all[i].demand->passes), reason(all[i], all[j].demand->passes)};
  // Only several demands together leave nothing. Report the one that removes the last cell, and the demand that left
  // it.
  CellSet left;
  left.set();
  for (const One &one : all) {
    if ((left & one.demand->passes).none())
      return {reason(one, left)};
    left &= one.demand->passes;
  }
  return {};
}

VersionAnswer answerFor(llvm::ArrayRef<TargetFile> files) {
  VersionAnswer answer;
  answer.passes.set();
  for (const TargetFile &file : files)
    answer.passes &= file.needs->passes();
  const auto targets = isa::targets();
  const auto versions = isa::versions();
  for (uint16_t t = 0; t < targets.size(); ++t)
    if (uint16_t least = Requirements::leastVersion(answer.passes, t); least && targets[t].documented)
      answer.targets[least].push_back(t);
  if (answer.targets.empty()) {
    answer.conflict = conflictOf(files);
    return answer;
  }
  answer.least = answer.targets.begin()->first;

  // The next lower version, with a target that it supports.
  const auto at = llvm::find(versions, answer.least) - versions.begin();
  if (at > 0)
    for (uint16_t t : answer.targets.begin()->second)
      if (targets[t].since <= versions[at - 1]) {
        answer.version = reasonAt(files, {narrow<uint16_t>(at - 1), t});
        break;
      }
  // The highest target without a suffix that does not pass. Ignores targets above all passing ones.
  int out = -1;
  uint16_t highest = 0;
  for (const auto &[version, group] : answer.targets)
    for (uint16_t t : group)
      highest = std::max(highest, targets[t].number);
  for (uint16_t t = 0; t < targets.size(); ++t)
    if (!targets[t].variant && targets[t].documented && targets[t].number <= highest &&
        !Requirements::leastVersion(answer.passes, t) && (out < 0 || targets[t].number > targets[out].number))
      out = t;
  if (out >= 0)
    answer.target = reasonAt(files, {narrow<uint16_t>(versions.size() - 1), narrow<uint16_t>(out)});
  return answer;
}

} // namespace ptxray
