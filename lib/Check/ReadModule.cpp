#include "Check/ReadModule.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

ReadModule::Parts::Parts(const SourceBuffer &source, const CheckOptions &options, Rules rules)
    : source(source), options(options), room(parser.ast()),
      check(parser.ast(), knowledge, room, source, this->options, findings, rules) {}

ReadModule readModule(const SourceBuffer &source, const CheckOptions &options, Rules rules,
                      std::vector<std::string> constants) {
  auto parts = std::make_unique<ReadModule::Parts>(source, options, rules);
  parts->room.scopes.keepAll();
  parts->parser.setConstants(std::move(constants));
  // The whole text is read first, so that what a body points to stays where it is.
  for (const Statement item : parts->parser.read(source, parts->syntax).module)
    if (const Body *body = parts->check.item(item))
      parts->bodies.push_back(*body);
  for (Body &body : parts->bodies)
    body.symbols = parts->check.symbols();
  return ReadModule(std::move(parts));
}

ReadModule streamModule(const SourceBuffer &source, const CheckOptions &options, Rules rules,
                        llvm::function_ref<void(const Body &, const ModuleState &)> see) {
  auto parts = std::make_unique<ReadModule::Parts>(source, options, rules);
  parts->parser.stream(source, parts->syntax, [&](const Ast &, Statement item) {
    if (const Body *body = parts->check.item(item))
      see(*body, parts->check.moduleState());
  });
  return ReadModule(std::move(parts));
}

std::vector<ReadVariable> ReadModule::variables() const {
  std::vector<ReadVariable> variables;
  llvm::DenseMap<uint32_t, uint32_t> numbers; // of symbols, by where their names are
  for (const auto &[index, symbol] : llvm::enumerate(symbols()))
    if (symbol.depth == 0)
      numbers.try_emplace(symbol.nameRange.begin, static_cast<uint32_t>(index + 1));
  for (const Statement item : ast().module)
    if (item.kind == StatementKind::Declaration) {
      const Declaration &declaration = ast().declarations[item.index];
      variables.push_back(
          {&declaration, numbers.lookup(declaration.nameRange.begin), initialValues(ast(), declaration)});
    }
  return variables;
}

} // namespace ptxray
