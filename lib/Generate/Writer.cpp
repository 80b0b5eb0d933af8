#include "Generate/Writer.h"
#include "Generate/Registers.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace ptxray {

using llvm::StringRef;

namespace {

constexpr unsigned slotBytes = 8;   // size of memory for one register of one thread
constexpr unsigned pieceBytes = 16; // bytes that are copied at once

unsigned registerBytes() { return static_cast<unsigned>(generatedRegisters().size()) * slotBytes; }

} // namespace

/// Returns the bytes per thread in the buffers: its registers, then its parts of global, shared and local memory.
unsigned Writer::bytesOfThread() { return registerBytes() + 3 * ownBytes; }

Writer::Writer(const ProgramOptions &options, StringRef target, Stock &stock)
    : options(options), target(target), stock(stock), random(options.seed * 2654435761U + 1) {}

std::string Writer::anyOf(unsigned bits) {
  llvm::SmallVector<const GeneratedRegister *, 64> fitting;
  for (const GeneratedRegister &one : generatedRegisters())
    if (one.bits == bits)
      fitting.push_back(&one);
  const GeneratedRegister &chosen = *fitting[pick(static_cast<unsigned>(fitting.size()))];
  used.insert(chosen.number);
  return chosen.name;
}

/// Returns the operands with different registers of the same types. Distinct registers remain distinct.
std::string Writer::renamed(StringRef operands) {
  std::map<StringRef, unsigned> shifts;
  return withNames(operands, [&](StringRef name) {
    const GeneratedRegister *found = findRegister(name);
    if (!found) {
      if (name.starts_with("%"))
        names.insert(name.str());
      return name.str();
    }
    const llvm::ArrayRef<GeneratedRegister> all = generatedRegisters();
    const auto isSame = [&](const GeneratedRegister &one) { return one.family == found->family; };
    const auto count = static_cast<unsigned>(llvm::count_if(all, isSame));
    const auto first = static_cast<unsigned>(llvm::find_if(all, isSame) - all.begin());
    const unsigned shift = shifts.try_emplace(found->family, pick(count)).first->second;
    const unsigned chosen = first + (found->number - first + shift) % count;
    used.insert(chosen);
    return all[chosen].name;
  });
}

std::string Writer::baseOf(Region region, Owner owner) {
  std::string name = "%mine";
  switch (region) {
  case Region::Generic:
  case Region::Global:
    if (owner == Owner::Itself && region == Region::Generic && chance(50))
      name = "%slot_generic";
    else
      name = owner == Owner::Itself ? "%mine" : owner == Owner::Other ? "%theirs" : "%cells";
    break;
  case Region::GenericShared: name = "%slot_generic"; break;
  case Region::Shared:
    name = owner == Owner::Itself ? "%slot" : owner == Owner::Other ? "%their_slot" : "%shared_cells";
    break;
  case Region::Local: name = "%local"; break;
  case Region::Constant: name = "%numbers"; break;
  case Region::Input: name = "%given"; break;
  case Region::Uniform: name = "%first"; break;
  }
  names.insert(name);
  return name;
}

std::string Writer::textOf(const Blueprint &one, Owner owner, unsigned cell) {
  std::string operands;
  for (unsigned i = 0; i < one.operands.size(); ++i) {
    operands += i ? ", " : "";
    if (static_cast<int>(i) == one.threads)
      operands += number(threads);
    else if (static_cast<int>(i) == one.barrier)
      operands += number(pick(16));
    else if (one.memory && i == one.memory->operand) {
      const unsigned places = (ownBytes - one.memory->bytes) / one.memory->align + 1;
      const unsigned offset = owner == Owner::Block ? cell * cellBytes : pick(places) * one.memory->align;
      operands += "[" + baseOf(one.memory->region, owner) + "+" + number(offset) + one.memory->after;
    } else if (one.memory && i == 0 && owner == Owner::Block && one.memory->hasResult)
      operands += "_";
    else
      operands += one.operands[i];
  }
  ++made;
  return one.opcode + (operands.empty() ? "" : " ") + renamed(operands) + ";";
}

std::string Writer::guardFor(const Blueprint &one) {
  if (!chance(options.guards) || !stock.mayBeGuarded(one))
    return "";
  return "@" + std::string(chance(50) ? "!" : "") + anyOf(1) + " ";
}

/// Writes the declarations, and code that computes the addresses for the steps.
void Writer::declareAndBegin(std::string &out) const {
  const auto add = [&](const std::string &text) { (out += "  " + text) += '\n'; };
  out += registerDeclarations();
  add(".reg .pred %flag;");
  add(".reg .b32 %thread, %index, %bit, %round<4>, %bound<4>, %slot, %their_slot, %shared_cells, %kept, %word<4>;");
  add(".reg .b64 %in, %out, %given, %first, %mine, %theirs, %cells, %slot_generic, %local, %numbers, %policy;");
  if (isIn("%slot"))
    add(".shared .align 64 .b8 slots[" + number(threads * ownBytes) + "];");
  if (isIn("%shared_cells"))
    add(".shared .align 16 .b8 shared_cells[" + number(ownBytes) + "];");
  if (isIn("%local"))
    add(".local .align 64 .b8 own[" + number(ownBytes) + "];");
  add("ld.param.u64 %in, [in];");
  add("ld.param.u64 %out, [out];");
  if (isIn("%first"))
    add("add.u64 %first, %in, " + number(registerBytes()) + ";");
  add("mov.u32 %thread, %tid.x;");
  add("mov.u32 %index, %ctaid.x;");
  if (isIn("%cells")) {
    add("mad.wide.u32 %cells, %index, " + number(ownBytes) + ", %out;");
    add("add.u64 %cells, %cells, " + number(bytesOfThread() * threads * blocks) + ";");
  }
  add("mad.lo.u32 %index, %index, " + number(threads) + ", %thread;");
  add("mad.wide.u32 %in, %index, " + number(bytesOfThread()) + ", %in;");
  add("mad.wide.u32 %out, %index, " + number(bytesOfThread()) + ", %out;");
  add("add.u64 %given, %in, " + number(registerBytes()) + ";");
  add("add.u64 %mine, %out, " + number(registerBytes()) + ";");
  if (isIn("%slot")) {
    add("mov.u32 %slot, slots;");
    add("mad.lo.u32 %slot, %thread, " + number(ownBytes) + ", %slot;");
    add("cvt.u64.u32 %slot_generic, %slot;");
    add("cvta.shared.u64 %slot_generic, %slot_generic;");
  }
  if (isIn("%local"))
    add("mov.u64 %local, own;");
  if (isIn("%numbers"))
    add("mov.u64 %numbers, numbers;");
  if (isIn(policyName))
    add("createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;");
  if (isIn(keptName)) // the two highest of four indices, or the higher one of two
    add("mov.u32 %kept, 0xeeeeeeee;");
  for (const auto &[name, space] : {std::pair("%mine", "global"), {"%slot", "shared"}, {"%local", "local"}})
    for (unsigned at = 0; isIn(name) && at < ownBytes; at += pieceBytes) {
      add("ld.global.v4.b32 {%word0, %word1, %word2, %word3}, [%given+" + number(at) + "];");
      add(std::string("st.") + space + ".v4.b32 [" + name + "+" + number(at) + "], {%word0, %word1, %word2, %word3};");
    }
  if (isIn("%shared_cells")) {
    add("mov.u32 %shared_cells, shared_cells;");
    add("setp.eq.u32 %flag, %thread, 0;");
    add("mov.u32 %bit, 0;");
    for (unsigned at = 0; at < ownBytes; at += pieceBytes)
      add("@%flag st.shared.v4.b32 [%shared_cells+" + number(at) + "], {%bit, %bit, %bit, %bit};");
  }
}

void Writer::loadRegisters(std::string &out) const {
  for (const unsigned i : used) {
    const GeneratedRegister &one = generatedRegisters()[i];
    const std::string place = "[%in+" + number(i * slotBytes) + "];\n";
    if (one.bits > 1)
      out += "  ld.global.b" + number(one.bits) + " " + one.name + ", " + place;
    else
      out += "  ld.global.b32 %bit, " + place + "  setp.lt.s32 " + one.name + ", %bit, 0;\n";
  }
}

void Writer::storeRegisters(std::string &out) const {
  for (const unsigned i : used) {
    const GeneratedRegister &one = generatedRegisters()[i];
    const std::string place = "[%out+" + number(i * slotBytes) + "], ";
    if (one.bits > 1)
      out += "  st.global.b" + number(one.bits) + " " + place + one.name + ";\n";
    else
      out += "  selp.b32 %bit, 1, 0, " + one.name + ";\n  st.global.b32 " + place + "%bit;\n";
  }
  unsigned after = registerBytes() + ownBytes; // offset after the registers and the thread's own part of global memory
  for (const auto &[name, space] : {std::pair("%slot", "shared"), {"%local", "local"}}) {
    for (unsigned at = 0; isIn(name) && at < ownBytes; at += pieceBytes) {
      out += std::string("  ld.") + space + ".v4.b32 {%word0, %word1, %word2, %word3}, [" + name + "+" + number(at) +
             "];\n";
      out += "  st.global.v4.b32 [%out+" + number(after + at) + "], {%word0, %word1, %word2, %word3};\n";
    }
    after += ownBytes;
  }
  out += "  ret;\n";
}

std::string Writer::write(uint16_t ptx) {
  threads = options.threads ? options.threads : lanes << pick(3);
  blocks = options.blocks ? options.blocks : 1 + pick(3);
  for (unsigned before = ~0U; made < options.size && made != before;) {
    before = made;
    steps(options.size, 0, /*isTogether=*/true);
  }
  if (isIn("%their_slot") || isIn("%slot_generic"))
    names.insert("%slot");
  if (isIn("%theirs"))
    names.insert("%mine");
  const unsigned bytes = threads * blocks * bytesOfThread() + blocks * ownBytes;
  std::string out = "// A program of `ptxray generate --seed=" + std::to_string(options.seed) + "`.\n";
  out += "// run: --grid=" + number(blocks) + " --block=" + number(threads) + " edges:u64:" + number(bytes / 8) +
         ":1 zeros:u64:" + number(bytes / 8) + "\n";
  out += ".version " + isa::versionText(ptx) + "\n.target " + target.str() + "\n.address_size 64\n";
  if (isIn("%numbers")) {
    out += ".const .align 64 .b8 numbers[" + number(ownBytes) + "] = {";
    for (unsigned i = 0; i < ownBytes; ++i)
      out += (i ? ", " : "") + number(pick(256));
    out += "};\n";
  }
  out += functions + ".visible .entry generated(.param .u64 in, .param .u64 out)\n{\n";
  declareAndBegin(out);
  loadRegisters(out);
  out += tables + body;
  storeRegisters(out);
  return out + "}\n";
}

} // namespace ptxray
