#include "Module/ModuleRules.h"
#include "llvm/ADT/StringSet.h"

namespace ptxray {
namespace {

/// Where a pragma is allowed.
enum class Scope : uint8_t { Anywhere, Bodies, EntryBodies };
/// What stands behind its name.
enum class Value : uint8_t { Any, Number, PositiveNumber, Nothing };

struct Pragma {
  llvm::StringLiteral name;
  Scope scope;
  Value value;
};

/// From which version and target on they exist, grammar/isa/directives.isa says. Those that the manual
/// lacks are known to ptxas.
constexpr Pragma known[] = {
    {"nounroll", Scope::Anywhere, Value::Nothing},
    {"used_bytes_mask", Scope::Bodies, Value::Any},
    {"enable_smem_spilling", Scope::EntryBodies, Value::Any},
    {"frequency", Scope::Bodies, Value::PositiveNumber},
    {"mma_throughput", Scope::Bodies, Value::Nothing},
    {"local_maxnreg", Scope::Anywhere, Value::Number},
    {"dynamic_smem_size", Scope::EntryBodies, Value::Number},
};

const Pragma *find(llvm::StringRef text) {
  auto [name, value] = text.split(' ');
  for (const Pragma &pragma : known)
    if (pragma.name == name && (pragma.value != Value::Nothing || name == text))
      return &pragma;
  return nullptr;
}

} // namespace

/// ptxas takes whatever it does not know for a pragma of another compiler.
void ModuleRules::pragma(const Directive &directive, PragmaPlace place) {
  requireWord(directive.name, directive.nameRange);
  for (const Operand &string : ast.operandsOf(directive.operands)) {
    const llvm::StringRef text = ast.text(string.name).drop_front().drop_back();
    const Pragma *pragma = find(text);
    if (!pragma) {
      sink.report(DiagId::UnknownPragma, string.range, {text.str()});
      continue;
    }
    const std::string name = pragma->name.str();
    if (pragma->scope != Scope::Anywhere && place == PragmaPlace::Outside) {
      sink.report(DiagId::PragmaPlace, string.range, {name, "in the body of a function"});
      continue;
    }
    if (place == PragmaPlace::Outside)
      continue;
    requireFeature(".pragma::" + name, "`.pragma \"" + name + "\"`", string.range);
    if (pragma->scope == Scope::EntryBodies && !inEntry)
      sink.report(DiagId::PragmaPlace, string.range, {name, "in the body of an entry"});
    llvm::StringRef value = text.drop_front(name.size()).ltrim();
    int64_t number = 0;
    const bool positive = pragma->value == Value::PositiveNumber;
    if (pragma->value != Value::Number && !positive)
      continue;
    uint64_t large = 0; // beyond 63 bits ptxas takes it, too
    if (value.getAsInteger(0, number) ? value.getAsInteger(0, large) : positive && number <= 0)
      sink.report(DiagId::PragmaValue, string.range, {name, positive ? "a number above 0" : "a number"});
  }
}

} // namespace ptxray
