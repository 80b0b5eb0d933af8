#include "Read/ReadModule.h"
#include "Isa/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

ModuleReading::ModuleReading(const SourceBuffer &source, const CheckOptions &options,
                             std::vector<std::string> constants)
    : parts(std::make_unique<ReadModule::Parts>(source, options)) {
  parts->room.scopes.keepAll();
  parts->parser.setConstants(std::move(constants));
  // Parse everything first, so that pointers in bodies stay valid.
  parts->parser.read(source, parts->syntax);
}

ReadModule ModuleReading::end() {
  for (Body &body : parts->bodies)
    body.symbols = parts->reader.symbols();
  return ReadModule(std::move(parts));
}

ReadModule readModule(const SourceBuffer &source, const CheckOptions &options, std::vector<std::string> constants) {
  ModuleReading reading(source, options, std::move(constants));
  for (const Statement item : reading.ast().module)
    if (const Body *body = reading.reader().item(item)) {
      reading.reader().close();
      reading.keep(*body);
    }
  return reading.end();
}

ReadModule streamModule(const SourceBuffer &source, const CheckOptions &options,
                        llvm::function_ref<void(const Body &, const ModuleState &)> see) {
  auto parts = std::make_unique<ReadModule::Parts>(source, options);
  parts->parser.stream(source, parts->syntax, [&](const Ast &, Statement item) {
    if (const Body *body = parts->reader.item(item)) {
      parts->reader.close();
      see(*body, parts->reader.state());
    }
  });
  return ReadModule(std::move(parts));
}

std::vector<ReadVariable> ReadModule::variables() const {
  std::vector<ReadVariable> variables;
  llvm::DenseMap<uint32_t, uint32_t> numbers; // indices of symbols, keyed by the location of their name
  for (const auto &[index, symbol] : llvm::enumerate(symbols()))
    numbers.try_emplace(symbol.nameRange.begin, static_cast<uint32_t>(index + 1));
  const auto add = [&](const Declaration &declaration) {
    variables.push_back({&declaration, numbers.lookup(declaration.nameRange.begin), initialValues(ast(), declaration)});
  };
  const auto lasts = [&](const Declaration &declaration) {
    const uint32_t number = numbers.lookup(declaration.nameRange.begin);
    const isa::WordId space = number ? symbols()[number - 1].space : 0;
    return space == isa::words::global || space == isa::words::const_;
  };
  for (const Statement item : ast().module) {
    if (item.kind == StatementKind::Declaration)
      add(ast().declarations[item.index]);
    if (item.kind != StatementKind::Function)
      continue;
    const Slice body = ast().functions[item.index].body;
    for (const Statement one : llvm::ArrayRef(ast().statements).slice(body.first, body.count))
      if (one.kind == StatementKind::Declaration && lasts(ast().declarations[one.index]))
        add(ast().declarations[one.index]);
  }
  return variables;
}

} // namespace ptxray
