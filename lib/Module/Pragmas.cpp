#include "Module/Gates.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

static const isa::Directive *find(llvm::StringRef text) {
  const llvm::StringRef name = text.split(' ').first;
  const isa::Directive *pragma = isa::findPragma(name);
  return pragma && (pragma->arguments.count || name == text) ? pragma : nullptr;
}

/// Returns whether a text is a number in C notation, of any size.
static bool isMask(llvm::StringRef text) {
  (void)(text.consume_front("-") || text.consume_front("+"));
  const bool isHex = text.consume_front_insensitive("0x");
  return !text.empty() && llvm::all_of(text, [&](char c) { return isHex ? llvm::isHexDigit(c) : llvm::isDigit(c); });
}

static void checkPragmaValue(const isa::Directive &pragma, llvm::StringRef value, Range range, ModuleState &module) {
  const isa::DirectiveArgument &argument = isa::run(isa::tables().arguments, pragma.arguments).front();
  if (argument.kind == isa::ArgumentKind::Text) {
    if (!isMask(value))
      module.sink.report(DiagId::CodegenPragmaValue, range, pragma.name());
    return;
  }
  if (argument.kind != isa::ArgumentKind::Number)
    return;
  const auto ranges = isa::run(isa::tables().ranges, argument.ranges);
  int64_t number = 0;
  uint64_t large = 0; // ptxas also accepts numbers beyond 63 bits
  if (value.getAsInteger(0, number) ? value.getAsInteger(0, large) : !ranges.empty() && number < ranges.front().low)
    module.sink.report(DiagId::PragmaValue, range, pragma.name(),
                       ranges.empty() ? "a number" : "a number above " + std::to_string(ranges.front().low - 1));
}

/// Checks a pragma. In a function, ptxas ignores unknown pragmas, which may be for another compiler.
void checkPragma(const Directive &directive, isa::DirectivePlace place, ModuleState &module) {
  const bool isInBody = place == isa::InEntry || place == isa::InFunction;
  for (const Operand &string : module.ast.operandsOf(directive.operands)) {
    const llvm::StringRef text = module.ast.text(string.name).drop_front().drop_back();
    const isa::Directive *pragma = find(text);
    const bool isInModule = place == isa::InModule;
    // In other positions, ptxas rejects a pragma that is valid in a head only during code generation, like an unknown
    // pragma.
    if (isInModule && (!pragma || ((pragma->places & isa::OnEntry) && !(pragma->places & isa::InModule)))) {
      module.sink.report(DiagId::CodegenPragmaPlace, string.range, text);
      continue;
    }
    if (!pragma) {
      module.sink.report(DiagId::UnknownPragma, string.range, text);
      continue;
    }
    const std::string name(pragma->name());
    if (!isInBody) {
      if (!(pragma->places & place))
        module.sink.report(DiagId::PragmaPlace, string.range, name, "in the body of a function");
      continue;
    }
    requireGate(pragma->gate, "`.pragma \"" + name + "\"`", string.range, module);
    if (!(pragma->places & place))
      module.sink.report(DiagId::PragmaPlace, string.range, name, "in the body of an entry");
    if (pragma->arguments.count)
      checkPragmaValue(*pragma, text.drop_front(name.size()).ltrim(), string.range, module);
  }
}

} // namespace ptxray
