// What may be meant by a name that is not declared.
#include "Diagnostics/Nearest.h"
#include "Isa/Isa.h"
#include "Resolve/Resolver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace ptxray {

/// Returns the PTX equivalent of a name in CUDA C++; empty if there is none.
static llvm::StringRef nameInPtx(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> names[] = {
      {"threadIdx", "%tid"},
      {"blockIdx", "%ctaid"},
      {"blockDim", "%ntid"},
      {"gridDim", "%nctaid"},
      {"warpSize", "WARP_SZ"},
      {"laneId", "%laneid"},
      {"warpId", "%warpid"},
      {"NULL", "0"},
      {"nullptr", "0"},
      {"true", "1"},
      {"false", "0"},
      {"inf", "0f7F800000"},
      {"INFINITY", "0f7F800000"},
      {"nan", "0f7FFFFFFF"},
      {"NAN", "0f7FFFFFFF"},
      {"clusterIdx", "%clusterid"},
      {"clusterDim", "%cluster_nctaid"},
      {"lane_id", "%laneid"},
      {"warp_id", "%warpid"},
      {"FLT_MAX", "0f7F7FFFFF"},
      {"INT_MAX", "2147483647"},
      {"UINT_MAX", "4294967295"},
  };
  name.consume_front("%");
  const auto *found = llvm::find_if(names, [name](const auto &pair) { return pair.first == name; });
  return found == std::end(names) ? llvm::StringRef() : llvm::StringRef(found->second);
}

/// Returns the special registers with the first or the last part of a name, `%lanemask_lt`, quoted; empty if there are
/// none, or too many.
static std::string specialNamesLike(llvm::StringRef name) {
  constexpr size_t most = 8;
  const llvm::StringRef plain = name.ltrim('%');
  const size_t at = plain.rfind('_');
  if (at == llvm::StringRef::npos || at < 3)
    return "";
  const llvm::StringRef head = plain.take_front(at + 1), tail = plain.drop_front(at + 1);
  std::vector<std::string> alike, names;
  for (const isa::SpecialRegister &reg : isa::specialRegisters()) {
    const llvm::StringRef own = llvm::StringRef(reg.name()).drop_front();
    if (!own.starts_with(head))
      continue;
    names.push_back("`%" + own.str() + "`");
    if (tail.size() > 2 && own.ends_with(tail))
      alike.push_back(names.back());
  }
  if (!alike.empty())
    names = alike;
  return names.size() > most ? "" : llvm::join(names, ", ");
}

/// Returns a declared name that is similar; empty if there is none. Short names such as `%q1` are similar to too many
/// others.
std::string Resolver::similarName(llvm::StringRef name, bool isGuard) {
  std::string plain = name.str(); // `p%1`, `$p1`
  std::erase_if(plain, [](char c) { return c == '%' || c == '$'; });
  for (const std::string &variant : {"%" + name.str(), "%" + plain, plain, "%" + name.lower(), name.lower()}) {
    const bool isOtherCase = variant.size() == 1 && llvm::toUpper(variant.front()) == name.front();
    const Symbol *symbol = variant == name || isOtherCase ? nullptr : scopes.findText(variant);
    if (symbol ? !isGuard || symbol->isPredicate : !isGuard && variant != name && isa::findSpecialRegister(variant))
      return variant;
  }
  if (const size_t at = name.size() < 3 ? 0 : name.size() - 2; at && name[at] == '_')
    for (const isa::SpecialRegister &reg : isa::specialRegisters())
      if (reg.vector && name.take_front(at) == llvm::StringRef(reg.name()) &&
          llvm::StringRef("xyz").contains(name.back()))
        return std::string(reg.name()) + "." + name.back();
  const llvm::StringRef stem = name.ltrim('%').rtrim("0123456789");
  if (stem.size() < 3)
    return "";
  Nearest nearest(name, stem.size() < 6 ? 2 : 3);
  if (name.starts_with("%"))
    for (const isa::SpecialRegister &reg : isa::specialRegisters())
      nearest.offer(reg.name());
  scopes.offerNames(nearest, [&](const Symbol &symbol) { return !isGuard || symbol.isPredicate; });
  // Names that differ only in their numbers are not typos of each other.
  const llvm::StringRef near = nearest.only(), digits = "0123456789";
  const bool isFar = !near.empty() && isa::findSpecialRegister(near) && name.edit_distance(near) > 1;
  if (isFar && llvm::StringRef(specialNamesLike(name)).contains(',')) // several may be meant
    return "";
  return near.rtrim(digits) == name.rtrim(digits) ? "" : near.str();
}

/// Declared names that differ from this one in the digit at their end alone, quoted: `tex0` for `tex1`.
std::string Resolver::numberedNames(llvm::StringRef name) {
  const llvm::StringRef stem = name.drop_back();
  if (stem.empty() || !llvm::isDigit(name.back()))
    return "";
  std::vector<std::string> names;
  for (char digit = '0'; digit <= '9'; ++digit)
    if (const std::string other = stem.str() + digit; scopes.findText(other))
      names.push_back("`" + other + "`");
  constexpr size_t most = 4; // of more, the name says itself what is meant
  if (names.size() > most)
    return "";
  return names.size() < 2 ? llvm::join(names, "")
                          : llvm::join(llvm::ArrayRef(names).drop_back(), ", ") + " and " + names.back();
}

/// Returns whether a name stands for an operand: `%0` in `asm` of CUDA C++, or `$0` in LLVM's assembly.
static bool isAsmOperand(llvm::StringRef name) {
  return name.size() > 1 && (name.starts_with("%") || name.starts_with("$")) &&
         llvm::all_of(name.drop_front(), llvm::isDigit);
}

void Resolver::reportUnknown(NameId id, Range range, bool isGuard) {
  const llvm::StringRef name = ast.text(id);
  if (isLost(name))
    return;
  // All operands of `asm` are reported as one mistake.
  const bool isOfAsm = isAsmOperand(name);
  auto [known, isNew] = unknown.try_emplace(isOfAsm ? asmOperands : static_cast<uint32_t>(id), Unknown{});
  if (!isNew && current) {
    ++known->second.moreUses;
    return;
  }
  known->second.report = sink.diagnostics().size();
  Diagnostic &d = sink.report(DiagId::UndefinedSymbol, range, name);
  constexpr unsigned most = 100; // the search looks at every name
  if (++unknownNames > most)
    return;
  if (const llvm::StringRef own = nameInPtx(name); !own.empty()) {
    d.notes.push_back({"`" + name.str() + "` is not PTX, which has `" + own.str() + "`", std::nullopt});
    if (range.size() >= name.size())
      d.fix = Fix{"write `" + own.str() + "`",
                  {{{range.begin, range.begin + static_cast<uint32_t>(name.size())}, own.str()}}};
  } else if (isOfAsm)
    d.notes.push_back(
        {name.starts_with("$")
             ? "`$0`, `$1` ... are operands of `asm` in LLVM's assembly; PTX declares its registers with `.reg`"
             : "`%0`, `%1` ... are operands of `asm` in CUDA C++; PTX declares its registers with `.reg`",
         std::nullopt});
  else if (const Symbol *family = scopes.shortFamily(id)) {
    const llvm::StringRef prefix = name.rtrim("0123456789");
    const uint32_t count = family->familyCount;
    const char *declares = count ? "`{0}<{1}>` declares `{0}0` to `{0}{2}`" : "`{0}<{1}>` declares none";
    d.notes.push_back({llvm::formatv(declares, prefix, count, count - 1).str(), family->nameRange});
  } else if (const Symbol *first = scopes.findText(name.str() + "0"); first && first->familyCount) {
    d.notes.push_back(
        {"its registers are numbered: `" + name.str() + "0`, `" + name.str() + "1` ...", first->nameRange});
  } else if (name == "WARP_SZ") {
    d.notes.push_back({"`WARP_SZ` is a constant, 32: it has no components", std::nullopt});
  } else if (const std::string near = similarName(name, isGuard); near.empty()) {
    if (const std::string others = numberedNames(name); !others.empty())
      d.notes.push_back({"declared are " + others, std::nullopt});
    else if (const std::string registers = specialNamesLike(name); !registers.empty())
      d.notes.push_back({"special registers with such a name are " + registers, std::nullopt});
  } else {
    if (range.size() >= name.size())
      d.fix = Fix{"write `" + near + "`, a name that is similar",
                  {{{range.begin, range.begin + static_cast<uint32_t>(name.size())}, near}}};
  }
}

} // namespace ptxray
