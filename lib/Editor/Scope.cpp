#include "Editor/Scope.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

class NameCollector {
public:
  NameCollector(const Ast &ast, uint32_t offset) : ast(ast), offset(offset) {}

  void declaration(const Declaration &declaration, VisibleName::Kind kind);
  void declarations(Slice slice, VisibleName::Kind kind) {
    for (const Declaration &one : llvm::ArrayRef(ast.declarations).slice(slice.first, slice.count))
      declaration(one, kind);
  }
  void function(const Function &function);
  void statements(Slice body);
  void label(NameId name) { all.push_back({nullptr, nullptr, name, VisibleName::Label, 0, 0, 0}); }
  std::vector<VisibleName> take();

private:
  isa::WordId word(SpellingId spelling) const {
    return spelling == SpellingId::None ? isa::WordId(0) : isa::findWord(ast.text(spelling));
  }
  const Ast &ast;
  uint32_t offset;
  std::vector<VisibleName> all; // outermost scope first
};

void NameCollector::declaration(const Declaration &one, VisibleName::Kind kind) {
  if (one.name == NameId::None)
    return;
  if (kind == VisibleName::Variable && one.space != SpellingId::None && ast.text(one.space) == ".reg")
    kind = VisibleName::Register;
  all.push_back({&one, nullptr, one.name, kind, one.isParameterised ? one.count : 0, word(one.type), word(one.space)});
}

void NameCollector::function(const Function &function) {
  if (function.kind != FunctionKind::Prototype && function.name != NameId::None)
    all.push_back({nullptr, &function, function.name, VisibleName::Function_, 0, 0, 0});
}

/// Removes the names of blocks that end before the offset. Labels are visible in the whole function.
void NameCollector::statements(Slice body) {
  std::vector<size_t> blocks;
  std::vector<NameId> labels;
  for (const Statement one : llvm::ArrayRef(ast.statements).slice(body.first, body.count)) {
    if (one.kind == StatementKind::Label)
      labels.push_back(ast.labels[one.index].name);
    if (one.kind == StatementKind::BlockBegin && one.index < offset)
      blocks.push_back(all.size());
    if (one.kind == StatementKind::BlockEnd && one.index < offset && !blocks.empty()) {
      all.resize(blocks.back());
      blocks.pop_back();
    }
    if (one.kind == StatementKind::Declaration && ast.declarations[one.index].range.begin < offset)
      declaration(ast.declarations[one.index], VisibleName::Variable);
  }
  for (const NameId name : labels)
    label(name);
}

std::vector<VisibleName> NameCollector::take() {
  std::vector<VisibleName> inner;
  llvm::DenseSet<uint32_t> known;
  for (const VisibleName &one : llvm::reverse(all))
    if (known.insert(static_cast<uint32_t>(one.name)).second)
      inner.push_back(one);
  return inner;
}

} // namespace

std::vector<VisibleName> visibleNames(const Excerpt &excerpt, uint32_t offset) {
  const Ast &ast = excerpt.ast();
  NameCollector collector(ast, offset);
  for (const Statement item : ast.module)
    if (item.kind == StatementKind::Declaration)
      collector.declaration(ast.declarations[item.index], VisibleName::Variable);
    else if (item.kind == StatementKind::Function)
      collector.function(ast.functions[item.index]);
  if (const Body *body = excerpt.body()) {
    collector.declarations(body->function->parameters, VisibleName::Parameter);
    collector.declarations(body->function->returns, VisibleName::Parameter);
    collector.statements(body->function->body);
  }
  return collector.take();
}

} // namespace ptxray
