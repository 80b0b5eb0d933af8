#include "Dump/DumpJson.h"
#include "Parse/Ast.h"
#include "Source/JsonValue.h"
#include "Source/SourceBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <bit>

namespace ptxray {

namespace {

class Dumper {
public:
  Dumper(const Ast &ast, const SourceBuffer &source) : ast(ast), source(source) {}

  Json statement(Statement item) const;

private:
  Json range(Range r) const {
    LineColumn begin = source.lineColumn(r.begin), end = source.lineColumn(r.end);
    return {{"start", {{"line", begin.line}, {"column", begin.column}, {"offset", r.begin}}},
            {"end", {{"line", end.line}, {"column", end.column}, {"offset", r.end}}}};
  }
  template <class Id> void put(Json &json, const char *key, Id id) const {
    if (id != Id::None)
      json[key] = ast.text(id).str();
  }
  Json operand(uint32_t index) const;
  // NOLINTNEXTLINE(misc-no-recursion): values nest at most `deepestInitialiser` deep
  Json operands(Slice slice) const {
    Json list = Json::array();
    for (uint32_t i = slice.first; i < slice.end(); i += ast.operands[i].extent)
      list.push_back(operand(i));
    return list;
  }
  Json instruction(const Instruction &inst) const;
  Json declaration(const Declaration &decl) const;
  Json declarations(Slice slice) const {
    Json list = Json::array();
    for (uint32_t i = slice.first; i < slice.end(); ++i)
      list.push_back(declaration(ast.declarations[i]));
    return list;
  }
  Json directive(const Directive &directive) const;
  Json directives(Slice slice) const {
    Json list = Json::array();
    for (uint32_t i = slice.first; i < slice.end(); ++i)
      list.push_back(directive(ast.directives[i]));
    return list;
  }
  Json function(const Function &function) const;

  const Ast &ast;
  const SourceBuffer &source;
};

} // namespace

static const char *kindName(OperandKind kind) {
  switch (kind) {
  case OperandKind::Name: return "name";
  case OperandKind::Integer: return "integer";
  case OperandKind::Float: return "float";
  case OperandKind::String: return "string";
  case OperandKind::Sink: return "sink";
  case OperandKind::Vector: return "vector";
  case OperandKind::Address: return "address";
  case OperandKind::List: return "list";
  case OperandKind::Pair: return "pair";
  case OperandKind::Invalid: return "invalid";
  }
  return "";
}

// NOLINTNEXTLINE(misc-no-recursion): values nest at most `deepestInitialiser` deep
Json Dumper::operand(uint32_t index) const {
  const Operand &o = ast.operands[index];
  Json json = {{"kind", kindName(o.kind)}};
  if (o.kind == OperandKind::String)
    json["text"] = ast.text(o.name).str();
  else
    put(json, "name", o.name);
  put(json, "suffix", o.suffix);
  if (o.kind == OperandKind::Integer || o.kind == OperandKind::Invalid)
    json["value"] = o.value;
  if (o.kind == OperandKind::Float && !(o.flags & HexFloat))
    json["value"] = std::bit_cast<double>(o.value);
  if (o.kind == OperandKind::Float)
    json["bits"] = uint64_t(o.value);
  if (o.flags & HasOffset)
    json["offset"] = o.value;
  static constexpr std::pair<OperandFlag, const char *> flags[] = {{Negated, "negated"},
                                                                   {Not, "not"},
                                                                   {HexFloat, "hex"},
                                                                   {WideFloat, "wide"},
                                                                   {UnsignedSuffix, "unsigned"},
                                                                   {Subscript, "subscript"},
                                                                   {WarpSize, "warpSize"}};
  for (auto [flag, name] : flags)
    if (o.flags & flag)
      json[name] = true;
  if (o.extent > 1)
    json["operands"] = operands({index + 1, o.extent - 1});
  json["range"] = range(o.range);
  return json;
}

Json Dumper::instruction(const Instruction &inst) const {
  Json json = {{"kind", "instruction"}, {"opcode", ast.text(inst.opcode).str()}};
  if (inst.guard != NameId::None)
    json["guard"] = {{"kind", "guard"},
                     {"name", ast.text(inst.guard).str()},
                     {"not", inst.guardNot},
                     {"range", range(inst.guardRange)}};
  json["operands"] = operands(inst.operands);
  json["range"] = range(inst.range);
  return json;
}

Json Dumper::declaration(const Declaration &decl) const {
  Json json = {{"kind", "declaration"}};
  put(json, "name", decl.name);
  put(json, "linkage", decl.linkage);
  put(json, "space", decl.space);
  put(json, "vector", decl.vector);
  put(json, "type", decl.type);
  if (decl.align >= 0)
    json["align"] = decl.align;
  if (decl.isPtr) {
    json["ptr"] = {{"kind", "ptr"}};
    put(json["ptr"], "space", decl.ptrSpace);
    if (decl.ptrAlign >= 0)
      json["ptr"]["align"] = decl.ptrAlign;
  }
  if (decl.isParameterised)
    json["count"] = decl.count;
  if (!decl.dims.empty()) {
    json["dims"] = Json::array();
    for (uint32_t i = decl.dims.first; i < decl.dims.end(); ++i)
      json["dims"].push_back(ast.dims[i] == -1 ? Json(nullptr) : Json(ast.dims[i]));
  }
  if (!decl.attributes.empty())
    json["attributes"] = directives(decl.attributes);
  if (decl.hasInitialiser)
    json["initialiser"] = operands(decl.initialiser);
  json["range"] = range(decl.range);
  return json;
}

Json Dumper::directive(const Directive &d) const {
  Json json = {{"kind", "directive"}, {"name", ast.text(d.name).str()}};
  put(json, "label", d.label);
  json["operands"] = operands(d.operands);
  json["range"] = range(d.range);
  return json;
}

// NOLINTNEXTLINE(misc-no-recursion): a function has no functions
Json Dumper::function(const Function &f) const {
  static constexpr const char *kinds[] = {"entry", "func", "prototype"};
  Json json = {{"kind", kinds[size_t(f.kind)]}};
  put(json, "name", f.name);
  put(json, "linkage", f.linkage);
  if (f.hasReturn)
    json["returns"] = declarations(f.returns);
  json["parameters"] = declarations(f.parameters);
  json["directives"] = directives(f.directives);
  json["range"] = range(f.range);
  if (f.hasBody) {
    json["body"] = Json::array();
    for (uint32_t i = f.body.first; i < f.body.end(); ++i)
      json["body"].push_back(statement(ast.statements[i]));
  }
  return json;
}

// NOLINTNEXTLINE(misc-no-recursion): a function has no functions
Json Dumper::statement(Statement item) const {
  switch (item.kind) {
  case StatementKind::Instruction: return instruction(ast.instructions[item.index]);
  case StatementKind::BrokenInstruction: {
    const Instruction &broken = ast.brokenInstructions[item.index];
    return {{"kind", "brokenInstruction"}, {"opcode", ast.text(broken.opcode).str()}, {"range", range(broken.range)}};
  }
  case StatementKind::Label:
    return {{"kind", "label"},
            {"name", ast.text(ast.labels[item.index].name).str()},
            {"range", range(ast.labels[item.index].range)}};
  case StatementKind::Declaration: return declaration(ast.declarations[item.index]);
  case StatementKind::Directive: return directive(ast.directives[item.index]);
  case StatementKind::Function: return function(ast.functions[item.index]);
  // The JSON does not nest blocks, so that a deeply nested text does not become a deep tree.
  case StatementKind::BlockBegin: return {{"kind", "blockBegin"}, {"range", range({item.index, item.index + 1})}};
  case StatementKind::BlockEnd: return {{"kind", "blockEnd"}, {"range", range({item.index, item.index + 1})}};
  }
  return {};
}

void dumpJson(const Ast &ast, const SourceBuffer &source, llvm::raw_ostream &os) {
  Dumper dumper(ast, source);
  os << "{\"version\":1,\"items\":[";
  for (size_t i = 0; i < ast.module.size(); ++i)
    os << (i ? ",\n" : "\n") << dumper.statement(ast.module[i]).dump(-1, ' ', true, Json::error_handler_t::replace);
  os << "\n]}\n";
}

} // namespace ptxray
