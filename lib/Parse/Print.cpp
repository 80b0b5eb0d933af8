#include "Parse/Print.h"
#include "Parse/Ast.h"
#include "Parse/Decimal.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <bit>

namespace ptxray {

namespace {

class Printer {
public:
  Printer(const Ast &ast, llvm::raw_ostream &os) : ast(ast), os(os) {}

  void module() {
    for (Statement item : ast.module)
      statement(item);
  }

  void statement(Statement item);

private:
  void body(Slice slice);
  void instruction(const Instruction &inst);
  void declaration(const Declaration &decl);
  void variable(const Declaration &decl);
  void function(const Function &function);
  void parameters(Slice slice);
  void directive(const Directive &directive);
  void sectionBody(uint32_t vector);
  void entry(uint32_t index);
  void operand(uint32_t index);
  void children(uint32_t index, llvm::StringRef separator);
  void list(Slice slice, llvm::StringRef separator);
  void integer(const Operand &operand);
  void real(const Operand &operand);
  void words(std::initializer_list<SpellingId> list) {
    for (SpellingId word : list)
      if (word != SpellingId::None)
        os << ast.text(word) << ' ';
  }
  llvm::raw_ostream &line() { return os.indent(2 * depth); }

  const Ast &ast;
  llvm::raw_ostream &os;
  unsigned depth = 0;
  /// The context, because Pairs and Lists have several meanings.
  enum Place { Plain, Initialiser, Section, Metadata, Sources, Targets } place = Plain;
};

} // namespace

void Printer::integer(const Operand &operand) {
  if (operand.flags & WarpSize)
    os << "WARP_SZ";
  else if (operand.flags & UnsignedSuffix)
    os << uint64_t(operand.value) << 'U';
  else if (operand.value == INT64_MIN) // its absolute value needs an unsigned type
    os << "0x8000000000000000";
  else
    os << operand.value;
}

void Printer::real(const Operand &operand) {
  const uint64_t bits = operand.value;
  const bool isFinite = bits << 1 >> 53 != 0x7FF; // infinite for an expression such as 1e308 * 10
  if (operand.flags & WideFloat || (!(operand.flags & HexFloat) && !isFinite)) {
    os << llvm::format("0d%016llX", static_cast<unsigned long long>(bits));
  } else if (operand.flags & HexFloat) {
    os << llvm::format("0f%08llX", static_cast<unsigned long long>(bits));
  } else {
    const std::string text = decimalText(std::bit_cast<double>(bits));
    os << text;
    if (text.find_first_of(".e") == std::string::npos)
      os << ".0";
  }
}

// NOLINTNEXTLINE(misc-no-recursion): values nest at most `deepestInitialiser` deep
void Printer::children(uint32_t index, llvm::StringRef separator) {
  list({index + 1, ast.operands[index].extent - 1}, separator);
}

// NOLINTNEXTLINE(misc-no-recursion): values nest at most `deepestInitialiser` deep
void Printer::list(Slice slice, llvm::StringRef separator) {
  for (uint32_t i = slice.first; i < slice.end(); i += ast.operands[i].extent) {
    if (i != slice.first)
      os << separator;
    operand(i);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): values nest at most `deepestInitialiser` deep
void Printer::operand(uint32_t index) {
  const Operand &o = ast.operands[index];
  if (o.flags & Negated)
    os << '-';
  if (o.flags & Not)
    os << '!';
  switch (o.kind) {
  case OperandKind::Integer:
  case OperandKind::Invalid: integer(o); return;
  case OperandKind::Float: real(o); return;
  case OperandKind::Sink: os << '_'; return;
  case OperandKind::String: os << ast.text(o.name); return;
  case OperandKind::Name:
    os << ast.text(o.name) << ast.text(o.suffix);
    if (o.extent > 1) {
      const bool subscript = o.flags & Subscript; // otherwise, the arguments of an attribute
      os << (subscript ? '[' : '(');
      children(index, ", ");
      os << (subscript ? ']' : ')');
    } else if (o.flags & Subscript) {
      os << '[' << o.value << ']';
      return;
    }
    if (o.flags & HasOffset && place == Targets) {
      os << '<' << o.value << '>';
      return;
    }
    break;
  case OperandKind::Vector:
    os << '{';
    children(index, ", ");
    os << '}';
    return;
  case OperandKind::Address:
    os << '[';
    children(index, ", ");
    os << ']' << ast.text(o.suffix);
    return;
  case OperandKind::Pair: children(index, place == Initialiser ? " = " : place == Section ? "-" : "|"); return;
  case OperandKind::List: {
    Slice arguments{index + 1, o.extent - 1};
    if (o.suffix != SpellingId::None) {
      entry(index);
      return;
    }
    os << ast.text(o.name);
    if (place == Initialiser && o.name == NameId::None) {
      operand(arguments.first);
      arguments = {arguments.first + 1, arguments.count - 1};
    }
    os << '(';
    list(arguments, ", ");
    os << ')';
    break;
  }
  }
  if (o.flags & HasOffset)
    os << '+' << o.value;
}

// Prints `.b8 1, 2`, `.metadata 0 {"a", .b32 1}`, `.ir_name: "x"` or `.code_block {...}`.
// NOLINTNEXTLINE(misc-no-recursion): values nest at most `deepestInitialiser` deep
void Printer::entry(uint32_t index) {
  const Operand &o = ast.operands[index];
  os << ast.text(o.suffix);
  if (place == Sources && o.extent > 2) {
    os << " {\n";
    children(index, "\n");
    os << "\n}";
    return;
  }
  os << (place == Sources ? ": " : " ");
  children(index, place == Metadata ? " " : ", ");
}

void Printer::instruction(const Instruction &inst) {
  if (inst.guard != NameId::None)
    os << '@' << (inst.guardNot ? "!" : "") << ast.text(inst.guard) << ' ';
  os << ast.text(inst.opcode);
  if (!inst.operands.empty())
    os << ' ';
  list(inst.operands, ", ");
  os << ";\n";
}

// Prints a variable or parameter without its linkage, initialiser and end.
void Printer::variable(const Declaration &decl) {
  words({decl.space});
  for (uint32_t i = decl.attributes.first; i < decl.attributes.end(); ++i) {
    os << ast.text(ast.directives[i].name) << '(';
    list(ast.directives[i].operands, ", ");
    os << ") ";
  }
  if (decl.align >= 0)
    os << ".align " << decl.align << ' ';
  words({decl.vector, decl.type});
  if (decl.isPtr) {
    os << ".ptr ";
    words({decl.ptrSpace});
    if (decl.ptrAlign >= 0)
      os << ".align " << decl.ptrAlign << ' ';
  }
  if (!decl.isNameless)
    os << (decl.name == NameId::None ? "_" : ast.text(decl.name));
  if (decl.isParameterised)
    os << '<' << decl.count << '>';
  for (uint32_t i = decl.dims.first; i < decl.dims.end(); ++i) {
    os << '[';
    if (ast.dims[i] != -1)
      os << uint64_t(ast.dims[i]);
    os << ']';
  }
}

void Printer::declaration(const Declaration &decl) {
  words({decl.linkage});
  variable(decl);
  if (decl.hasInitialiser) {
    os << " = ";
    place = Initialiser;
    list(decl.initialiser, ", ");
    place = Plain;
  }
  os << ";\n";
}

void Printer::parameters(Slice slice) {
  os << '(';
  for (uint32_t i = slice.first; i < slice.end(); ++i) {
    if (i != slice.first)
      os << ", ";
    variable(ast.declarations[i]);
  }
  os << ')';
}

// NOLINTNEXTLINE(misc-no-recursion): a function has no functions
void Printer::function(const Function &f) {
  if (f.kind == FunctionKind::Prototype)
    os << ast.text(f.name) << ": ";
  words({f.linkage});
  os << (f.kind == FunctionKind::Entry ? ".entry " : f.kind == FunctionKind::Prototype ? ".callprototype " : ".func ");
  // Attributes of a function precede its name; all other directives follow the parameters.
  uint32_t tail = f.directives.first;
  for (; tail < f.directives.end() && ast.text(ast.directives[tail].name) == ".attribute"; ++tail) {
    os << ".attribute(";
    list(ast.directives[tail].operands, ", ");
    os << ") ";
  }
  if (f.hasReturn) {
    parameters(f.returns);
    os << ' ';
  }
  os << (f.kind == FunctionKind::Prototype ? "_" : ast.text(f.name)) << ' ';
  parameters(f.parameters);
  for (; tail < f.directives.end(); ++tail) {
    const Directive &d = ast.directives[tail];
    os << ' ' << ast.text(d.name);
    if (!d.operands.empty())
      os << ' ';
    list(d.operands, ", ");
    if (ast.text(d.name) == ".pragma")
      os << ';';
  }
  if (!f.hasBody) {
    os << ";\n";
    return;
  }
  os << "\n{\n";
  depth = 1;
  body(f.body);
  depth = 0;
  os << "}\n";
}

// NOLINTNEXTLINE(misc-no-recursion): a function has no functions
void Printer::body(Slice slice) {
  for (uint32_t i = slice.first; i < slice.end(); ++i)
    statement(ast.statements[i]);
}

void Printer::sectionBody(uint32_t vector) {
  os << " {\n";
  const uint32_t end = vector + ast.operands[vector].extent;
  for (uint32_t i = vector + 1; i < end; i += ast.operands[i].extent) {
    operand(i);
    os << (ast.operands[i].kind == OperandKind::Name ? ":\n" : "\n");
  }
  os << "}\n";
}

void Printer::directive(const Directive &d) {
  const llvm::StringRef name = ast.text(d.name);
  if (d.label != NameId::None)
    os << ast.text(d.label) << ": ";
  os << name;
  place = llvm::StringSwitch<Place>(name)
              .Case(".section", Section)
              .Case(".metadata_section", Metadata)
              .Case(".nv_intermediate_source_section", Sources)
              .Case(".branchtargets", Targets)
              .Case(".calltargets", Targets)
              .Default(Plain);
  const bool isLoc = name == ".loc" || name == ".loc_intermediate";
  const bool endsWithSemicolon = place == Targets || name == ".pragma" || name == ".alias";
  unsigned position = 0;
  for (uint32_t i = d.operands.first; i < d.operands.end(); i += ast.operands[i].extent) {
    if (ast.operands[i].kind == OperandKind::Vector) {
      sectionBody(i);
      place = Plain;
      return;
    }
    const bool comma = isLoc ? position == 3 || position == 5 : name == ".file" ? position > 1 : position > 0;
    if (name != "@@DWARF")
      os << (comma ? ", " : " ");
    operand(i);
    ++position;
  }
  os << (endsWithSemicolon ? ";\n" : "\n");
  place = Plain;
}

// NOLINTNEXTLINE(misc-no-recursion): a function has no functions
void Printer::statement(Statement item) {
  switch (item.kind) {
  case StatementKind::Instruction:
    line();
    instruction(ast.instructions[item.index]);
    return;
  case StatementKind::BrokenInstruction: return;
  case StatementKind::Label: os << ast.text(ast.labels[item.index].name) << ":\n"; return;
  case StatementKind::Declaration:
    line();
    declaration(ast.declarations[item.index]);
    return;
  case StatementKind::Directive:
    line();
    directive(ast.directives[item.index]);
    return;
  case StatementKind::Function:
    line();
    function(ast.functions[item.index]);
    return;
  case StatementKind::BlockBegin:
    line() << "{\n";
    ++depth;
    return;
  case StatementKind::BlockEnd:
    depth -= depth > 0; // the statement may be printed alone
    line() << "}\n";
    return;
  }
}

void printAst(const Ast &ast, llvm::raw_ostream &os) { Printer(ast, os).module(); }

std::string printStatement(const Ast &ast, Statement statement) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer(ast, os).statement(statement);
  return text;
}

} // namespace ptxray
