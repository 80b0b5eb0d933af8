// Telling PTX from the assembly of other machines.
#include "Diagnostics/Nearest.h"
#include "Inline/Fragment.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ptxray {

/// The first words of all instructions.
static const llvm::StringSet<> &opcodes() {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> all;
    for (const isa::Mnemonic &mnemonic : isa::mnemonics())
      all.insert(llvm::StringRef(mnemonic.text).split('.').first);
    return all;
  }();
  return names;
}

static bool isNearOpcode(llvm::StringRef word) {
  constexpr size_t shortest = 3;
  if (word.size() < shortest)
    return false;
  Nearest nearest(word, 2);
  return llvm::any_of(opcodes(), [&](const auto &entry) { return nearest.offer(entry.getKey()); });
}

/// Whether a statement of the template can be one of PTX. `isSure`: nothing else has it.
static bool isPtxStatement(llvm::StringRef text, bool isDevice, bool isNearDevice, bool &isSure) {
  isSure = false;
  if (text.starts_with("@")) {
    isSure = true;
    return true;
  }
  if (text.starts_with(".reg ") || text.starts_with(".reg\t") || text.starts_with(".pragma")) {
    isSure = true;
    return true;
  }
  const llvm::StringRef word =
      text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == ':'; });
  const auto [name, rest] = word.split('.');
  llvm::SmallVector<llvm::StringRef> qualifiers;
  if (!rest.empty())
    rest.split(qualifiers, '.');
  const bool hasQualifier =
      llvm::any_of(qualifiers, [](llvm::StringRef q) { return isa::findWord(("." + q).str()) != 0; });
  const bool known = opcodes().contains(name);
  if (known && hasQualifier) {
    isSure = true;
    return true;
  }
  static constexpr llvm::StringLiteral bare[] = {"ret", "exit", "trap", "brkpt", "bra", "isspacep", "griddepcontrol"};
  if (known && qualifiers.empty() && llvm::is_contained(bare, name))
    return true;
  return (known && (isDevice || (isNearDevice && !qualifiers.empty()))) ||
         (hasQualifier && (isDevice || name.size() > 2) && isNearOpcode(name)) ||
         (isDevice && isNearOpcode(name) && !name.contains('_'));
}

bool looksLikePtx(const InlineStatement &statement) {
  if (statement.isForeign)
    return false;
  const bool hasOtherLetters = llvm::any_of(statement.operands, [](const InlineOperand &operand) {
    const llvm::StringRef letters = llvm::StringRef(operand.constraint).ltrim("=+&%*");
    return letters.size() != 1 || !llvm::StringRef("hrlqfdnbc").contains(letters[0]);
  });
  const bool hasOtherClobbers = llvm::any_of(statement.clobbers, [](const auto &clobber) {
    return clobber.first != "memory" && clobber.first != "~{memory}";
  });
  bool any = false, sure = false;
  llvm::SmallVector<llvm::StringRef> lines;
  statement.text.text().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> parts;
    line.split("//").first.split(parts, ';');
    for (llvm::StringRef part : parts) {
      part = part.trim(" \t\r{}");
      if (const size_t colon = part.find(':');
          colon != llvm::StringRef::npos && !part.substr(colon).starts_with("::") && part.find_first_of(" .") > colon)
        part = part.drop_front(colon + 1).ltrim();
      bool isSure = false;
      any |= isPtxStatement(part, statement.isDevice, statement.isNearDevice && !statement.operands.empty(), isSure);
      sure |= isSure;
    }
  }
  return sure || (any && !hasOtherLetters && !hasOtherClobbers);
}

} // namespace ptxray
