#include "Generate/Registers.h"
#include "Match/TypeRules.h"
#include "Samples/Sample.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

/// Returns the width of registers with that type; 0 if programs do not use them.
static unsigned usableBits(const SampleRegisters &registers) {
  if (StringRef(registers.type) == ".pred")
    return 1;
  const TypeView type = viewType(isa::findWord(registers.type));
  return llvm::is_contained({16, 32, 64}, type.bits) ? type.bits : 0;
}

const std::vector<GeneratedRegister> &generatedRegisters() {
  static const std::vector<GeneratedRegister> all = [] {
    std::vector<GeneratedRegister> made;
    for (const SampleRegisters &registers : sampleRegisters())
      if (const unsigned bits = usableBits(registers))
        for (unsigned i = 0; i < registers.count; ++i)
          made.push_back({registers.prefix + std::to_string(i), registers.prefix, unsigned(made.size()), bits});
    return made;
  }();
  return all;
}

const GeneratedRegister *findRegister(StringRef name) {
  static const llvm::StringMap<const GeneratedRegister *> byName = [] {
    llvm::StringMap<const GeneratedRegister *> made;
    for (const GeneratedRegister &one : generatedRegisters())
      made[one.name] = &one;
    return made;
  }();
  return byName.lookup(name);
}

std::string registerDeclarations() {
  std::string text;
  for (const SampleRegisters &registers : sampleRegisters())
    if (usableBits(registers))
      text += std::string("  .reg ") + registers.type + ' ' + registers.prefix + '<' + std::to_string(registers.count) +
              ">;\n";
  return text;
}

std::string withNames(StringRef text, llvm::function_ref<std::string(StringRef)> change) {
  std::string out;
  const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '%' || c == '$'; };
  while (!text.empty()) {
    const StringRef word = text.take_while(isPart), between = text.drop_front(word.size()).take_until(isPart);
    out += word.empty() || llvm::isDigit(word.front()) ? word.str() : change(word);
    out += between;
    text = text.drop_front(word.size() + between.size());
  }
  return out;
}

} // namespace ptxray
