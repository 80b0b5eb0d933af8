#include "Machine/Together.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "Machine/Joins.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

void missMeeting(Warp &warp, uint32_t lanes, const Instruction *instead) {
  if (!warp.others.meeting || !(warp.others.meeting->missing & lanes))
    return;
  const PartialMeeting meeting = *std::exchange(warp.others.meeting, std::nullopt);
  Fault *fault = raise(warp, meeting.instruction, meeting.lane);
  if (!fault)
    return;
  fault->code = meeting.code;
  fault->missing = static_cast<unsigned>(__builtin_ctz(meeting.missing & lanes));
  fault->instead = instead;
}

void noteMeeting(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t mask) {
  std::optional<PartialMeeting> &meeting = warp.others.meeting;
  const bool isHere = meeting && meeting->code == &code && meeting->instruction == instruction;
  if (isHere) {
    if (!(meeting->missing &= ~mask))
      meeting.reset();
    return;
  }
  missMeeting(warp, mask, &code.instruction(instruction));
  if (meeting || warp.fault)
    return;
  uint32_t missing = 0;
  const auto expect = [&](const Frame *frame, uint32_t at, uint32_t lanes) {
    if (lanes && frame->code.blocks[at].leadsToEffects)
      missing |= lanes & warp.alive & ~mask;
  };
  expect(warp.now.frame, warp.now.at, warp.now.mask);
  for (const auto *fragments : {&warp.others.ready, &warp.others.parted})
    for (const Fragment &other : *fragments)
      expect(other.frame, other.at, other.mask);
  for (const Join &join : warp.others.joins)
    expect(join.frame, join.at, join.arrived);
  if (missing)
    meeting = {&code, instruction, missing, static_cast<unsigned>(__builtin_ctz(mask))};
}

void together(Warp &warp, const CodeBlock &block) {
  Fragment &now = warp.now;
  uint32_t wanted = warp.alive;
  if (block.more)
    wanted &= static_cast<uint32_t>(
        addressIn(now.frame->registers, {*static_cast<const Place *>(block.more), 0}, __builtin_ctz(now.mask)));
  ++now.at;
  if (!block.more && (warp.others.meeting || (now.mask & wanted) != wanted) && warp.block->grid->launch.checks)
    noteMeeting(warp, now.frame->code, block.instruction, now.mask);
  if ((now.mask & wanted) == wanted)
    return;
  llvm::erase_if(warp.others.parted, [&](const Fragment &other) {
    if (other.at != now.at || other.frame != now.frame)
      return false;
    merge(warp, now, other);
    return true;
  });
  if ((now.mask & wanted) == wanted)
    return;
  warp.others.parted.push_back(now);
  now.mask = 0;
}

bool releaseParted(Warp &warp) {
  for (size_t i = 0; i < warp.others.parted.size(); ++i) {
    const Fragment one = warp.others.parted[i];
    const CodeBlock &block = one.frame->code.blocks[one.at - 1];
    uint32_t wanted = warp.alive;
    if (block.more)
      wanted &= static_cast<uint32_t>(
          addressIn(one.frame->registers, {*static_cast<const Place *>(block.more), 0}, __builtin_ctz(one.mask)));
    if ((one.mask & wanted) != wanted)
      continue;
    warp.others.parted.erase(warp.others.parted.begin() + static_cast<long>(i));
    warp.others.ready.push_back(one);
    return true;
  }
  return false;
}

} // namespace ptxray::machine
