// Writes the tables as C++.
#include "Resolve.h"

namespace ptxray::isagen {

namespace {

const char *enumName(isa::WordClass) { return "WordClass"; }
const char *enumName(isa::Declarable) { return "Declarable"; }
const char *enumName(isa::Addresses) { return "Addresses"; }
const char *enumName(isa::ArgumentKind) { return "ArgumentKind"; }
const char *enumName(isa::TypeKind) { return "TypeKind"; }
const char *enumName(isa::ExprOp) { return "ExprOp"; }
const char *enumName(isa::OperandRole) { return "OperandRole"; }
const char *enumName(isa::RefKind) { return "RefKind"; }
const char *enumName(isa::PatternKind) { return "PatternKind"; }
const char *enumName(isa::ColumnKind) { return "ColumnKind"; }
const char *enumName(isa::CellKind) { return "CellKind"; }
const char *enumName(isa::FactKind) { return "FactKind"; }
const char *enumName(isa::Scope) { return "Scope"; }
const char *enumName(isa::Enumerated) { return "Enumerated"; }
const char *enumName(isa::Access) { return "Access"; }
const char *enumName(isa::StepOp) { return "StepOp"; }
const char *enumName(isa::FormulaTarget) { return "FormulaTarget"; }

template <typename T> void put(std::ostream &out, const T &value) {
  if constexpr (std::is_same_v<T, bool>)
    out << (value ? "true" : "false");
  else if constexpr (std::is_enum_v<T>)
    out << enumName(value) << '(' << unsigned(value) << ')';
  else if constexpr (std::is_same_v<T, uint64_t>)
    out << value << 'u';
  else if constexpr (std::is_integral_v<T>)
    out << +value;
  else
    write(out, value);
}

/// Writes {a, b, c}.
template <typename... Fields> void braces(std::ostream &out, const Fields &...fields) {
  const char *before = "{";
  ((out << before, put(out, fields), before = ", "), ...);
  out << '}';
}

template <typename T>
void array(std::ostream &out, const char *type, const char *name, const std::vector<T> &elements) {
  out << "constexpr std::array<" << type << ", " << elements.size() << "> " << name << "{";
  const char *before = "{\n";
  for (const T &element : elements) {
    out << before;
    put(out, element);
    before = ",\n";
  }
  out << (elements.empty() ? "};\n\n" : "}};\n\n");
}

} // namespace

/// Writes a literal.
static void literal(std::ostream &out, const std::string &value) {
  out << '"';
  for (char c : value) {
    if (c == '\n')
      out << "\\n\"\n\"";
    else if (c == '"' || c == '\\')
      out << '\\' << c;
    else
      out << c;
  }
  out << '"';
}
void write(std::ostream &out, isa::StoredText v) { braces(out, v.number); }
void write(std::ostream &out, uint16_t value) { out << value; }
void write(std::ostream &out, uint32_t value) { out << value; }
// Writes a number. The least one has no literal in C++.
void write(std::ostream &out, int64_t value) { out << "int64_t(" << static_cast<uint64_t>(value) << "u)"; }
void write(std::ostream &out, isa::Span v) { braces(out, v.first, v.count); }
void write(std::ostream &out, isa::TextRange v) { braces(out, v.first, v.count); }
void write(std::ostream &out, const isa::Word &v) {
  braces(out, v.text, v.wordClass, v.typeKind, v.bits, v.number, v.repeatable, v.skipped, v.narrow, v.unrelaxed, v.gate,
         v.scalarGate, v.kind, v.declarable, v.addresses);
}
void write(std::ostream &out, const isa::Expr &v) { braces(out, v.op, v.gateOnly, v.a, v.b, v.c); }
void write(std::ostream &out, const isa::Gate &v) { braces(out, v.name, v.expr); }
void write(std::ostream &out, const isa::TargetBits &v) { braces(out, v.low, v.high, v.text); }
void write(std::ostream &out, const isa::ValueRange &v) { braces(out, v.low, v.high, v.step); }
void write(std::ostream &out, const isa::Term &v) { braces(out, v.base, v.slot, v.letter, v.mul, v.div, v.add); }
void write(std::ostream &out, const isa::SpaceRef &v) { braces(out, v.kind, v.index); }
void write(std::ostream &out, const isa::TypeRef &v) { braces(out, v.kind, v.index, v.factor, v.divisor); }
void write(std::ostream &out, const isa::OperandDecl &v) {
  braces(out, v.name, v.rules, v.role, v.type, v.lengths, v.ranges, v.spaces, v.access, v.accessSpace, v.accessType,
         v.accessLengths, v.accessSize, v.format, v.with, v.hasWith);
}
void write(std::ostream &out, const isa::Pattern &v) {
  braces(out, v.kind, v.optional, v.mayNegate, v.mayNot, v.extent, v.operand, v.suffixSlot);
}
void write(std::ostream &out, const isa::SlotValue &v) { braces(out, v.word, v.gate); }
void write(std::ostream &out, const isa::Slot &v) {
  braces(out, v.name, v.values, v.optional, v.literal, v.suffix, v.fallback);
}
void write(std::ostream &out, const isa::Column &v) { braces(out, v.kind, v.text, v.members); }
void write(std::ostream &out, const isa::Cell &v) { braces(out, v.kind, v.orAbsent, v.first, v.count); }
void write(std::ostream &out, const isa::Table &v) {
  braces(out, v.columns, v.firstCell, v.rows, v.line, v.firstRowLine);
}
void write(std::ostream &out, const isa::Rule &v) { braces(out, v.when, v.require, v.line, v.text); }
void write(std::ostream &out, const isa::Form &v) {
  braces(out, v.entry, v.line, v.syntax, v.slots, v.mnemonicSlots, v.patterns, v.operands, v.tables, v.rules, v.checks,
         v.facts, v.formulas, v.conversions, v.outside, v.readsValues, v.readsRegisters);
}
void write(std::ostream &out, const isa::Fact &v) {
  braces(out, v.when, v.kind, v.detail, v.other, v.groups, v.operand, v.amount, v.which, v.condition, v.number,
         v.isReads, v.space);
}
void write(std::ostream &out, const isa::Step &v) { braces(out, v.op, v.count, v.value, v.args); }
void write(std::ostream &out, const isa::WordDefinition &v) { braces(out, v.word, v.steps); }
void write(std::ostream &out, const isa::WordCall &v) { braces(out, v.slot, v.definitions); }
void write(std::ostream &out, const isa::Formula &v) {
  braces(out, v.when, v.target, v.operand, v.approximate, v.line, v.steps, v.bound, v.text);
}
void write(std::ostream &out, const isa::Conversion &v) {
  braces(out, v.word, v.isReading, v.ofIntegers, v.ofFloats, v.types, v.steps);
}
void write(std::ostream &out, const isa::Entry &v) {
  braces(out, v.title, v.manual, v.file, v.line, v.source, v.mnemonics);
}
void write(std::ostream &out, const isa::Mnemonic &v) { braces(out, v.text, v.forms, v.skipped, v.ungated); }
void write(std::ostream &out, const isa::Target &v) {
  braces(out, v.name, v.number, v.variant, v.family, v.since, v.documented, v.integrated, v.sharedBytes, v.threads,
         v.blocks);
}
void write(std::ostream &out, const isa::SpecialRegister &v) {
  braces(out, v.name, v.type, v.vector, v.gate, v.scope, v.enumerates, v.narrow, v.needs, v.manual);
}

void write(std::ostream &out, const isa::DirectiveArgument &v) {
  braces(out, v.name, v.kind, v.depth, v.repeats, v.ranges, v.texts);
}
void write(std::ostream &out, const isa::Directive &v) {
  braces(out, v.name, v.title, v.manual, v.syntax, v.file, v.line, v.places, v.owner, v.gate, v.once, v.idleSince,
         v.arguments, v.excludes, v.needs, v.idleWithout);
}
void write(std::ostream &out, const isa::Feature &v) { braces(out, v.name, v.title, v.gate); }
void write(std::ostream &out, const isa::LimitValue &v) { braces(out, v.value, v.gate); }
void write(std::ostream &out, const isa::Limit &v) { braces(out, v.name, v.values); }
void write(std::ostream &out, const isa::RuntimeFunction &v) { braces(out, v.name, v.gate, v.neverReturns); }

void write(std::ostream &out, const isa::MeaningRow &v) { braces(out, v.name, v.mnemonic, v.topic, v.text); }
void write(std::ostream &out, const isa::Example &v) { braces(out, v.name, v.right, v.wrong, v.refusedBy); }

static void texts(const Output &output, std::ostream &out) {
  array(out, "uint32_t", "textStarts", output.textStarts);
  out << "constexpr char characters[] =";
  for (size_t i = 1; i + 1 < output.textStarts.size(); ++i) {
    out << '\n';
    literal(out, output.text({static_cast<uint16_t>(i)}));
  }
  out << ";\n";
}

void emitTables(const Output &output, std::ostream &out) {
  out << "// Made from grammar/isa by ptxray-isagen.\n";
  array(out, "Word", "words", output.words);
  array(out, "StoredText", "wordKinds", output.wordKinds);
  array(out, "WordId", "wordLists", output.wordLists);
  array(out, "Expr", "exprs", output.exprs);
  array(out, "ExprId", "exprArgs", output.exprArgs);
  array(out, "Gate", "gates", output.gates);
  array(out, "StoredText", "warnings", output.warnings);
  array(out, "TargetBits", "targetSets", output.targetSets);
  array(out, "ValueRange", "ranges", output.ranges);
  array(out, "Term", "terms", output.terms);
  array(out, "SpaceRef", "spaceRefs", output.spaceRefs);
  array(out, "OperandDecl", "operands", output.operands);
  array(out, "Pattern", "patterns", output.patterns);
  array(out, "SlotValue", "slotValues", output.slotValues);
  array(out, "Slot", "slots", output.slots);
  array(out, "uint16_t", "columnMembers", output.columnMembers);
  array(out, "Column", "columns", output.columns);
  array(out, "Cell", "cells", output.cells);
  array(out, "uint32_t", "rowLines", output.rowLines);
  array(out, "Table", "tableList", output.tables);
  array(out, "Rule", "rules", output.rules);
  array(out, "uint32_t", "formTables", output.formTables);
  array(out, "uint32_t", "formRules", output.formRules);
  array(out, "uint32_t", "formChecks", output.formChecks);
  array(out, "StoredText", "checkNames", output.checkNames);
  array(out, "StoredText", "groups", output.groups);
  array(out, "Fact", "facts", output.facts);
  array(out, "Step", "steps", output.steps);
  array(out, "uint16_t", "stepArgs", output.stepArgs);
  array(out, "int64_t", "stepNumbers", output.stepNumbers);
  array(out, "WordDefinition", "wordDefinitions", output.wordDefinitions);
  array(out, "WordCall", "wordCalls", output.wordCalls);
  array(out, "StoredText", "namedFunctions", output.namedFunctions);
  array(out, "Formula", "formulas", output.formulas);
  array(out, "Conversion", "conversions", output.conversions);
  array(out, "uint16_t", "formConversions", output.formConversions);
  array(out, "Form", "forms", output.forms);
  array(out, "Entry", "entryList", output.entries);
  array(out, "uint32_t", "entryMnemonics", output.entryMnemonics);
  array(out, "uint32_t", "mnemonicForms", output.mnemonicForms);
  array(out, "Mnemonic", "mnemonicList", output.mnemonics);
  array(out, "Target", "targetList", output.targets);
  array(out, "uint16_t", "versionList", output.versions);
  array(out, "uint16_t", "versionMeanings", output.versionMeanings);
  array(out, "SpecialRegister", "registers", output.registers);
  array(out, "StoredText", "directiveTexts", output.directiveTexts);
  array(out, "DirectiveArgument", "arguments", output.arguments);
  array(out, "uint16_t", "directiveLists", output.directiveLists);
  array(out, "Directive", "directiveList", output.directives);
  array(out, "Directive", "pragmaList", output.pragmas);
  array(out, "Feature", "featureList", output.features);
  array(out, "LimitValue", "limitValues", output.limitValues);
  array(out, "Limit", "limitList", output.limits);
  array(out, "RuntimeFunction", "runtimeFunctions", output.runtimeFunctions);
  array(out, "MeaningRow", "meaningList", output.meanings);
  array(out, "Example", "exampleList", output.examples);
  texts(output, out);
}

void emitSources(const Output &output, std::ostream &out) { out << output.sources; }

void emitChecks(const Output &output, std::ostream &out) {
  out << "// The checks that the `check` statements of grammar/isa name; made by ptxray-isagen.\n"
         "namespace ptxray {\nnamespace checks {\n";
  for (const isa::StoredText name : output.checkNames)
    out << "void " << output.text(name) << "(const FormView &, Judgement &);\n";
  out << "} // namespace checks\n\n"
         "struct NamedCheck {\n  std::string_view name;\n  void (*run)(const FormView &, Judgement &);\n};\n"
         "/// Parallel to isa::Tables::checkNames.\n"
         "inline constexpr std::array<NamedCheck, "
      << output.checkNames.size() << "> namedChecks{";
  const char *before = "{";
  for (const isa::StoredText name : output.checkNames) {
    out << before << "{\"" << output.text(name) << "\", checks::" << output.text(name) << "}";
    before = ",\n  ";
  }
  out << (output.checkNames.empty() ? "};\n" : "}};\n") << "} // namespace ptxray\n";
}

/// Returns the name of the constant for a word: `shared_cta` for `.shared::cta`. Names that C++ does not allow get a
/// `_`.
static std::string constantName(isa::Text word) {
  static const std::set<std::string> keywords = {"and", "const", "extern", "or", "volatile", "xor"};
  std::string name;
  for (char c : word.substr(1))
    if (isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (name.empty() || name.back() != '_')
      name += '_';
  if (isdigit(static_cast<unsigned char>(name.front())))
    name.insert(0, "_");
  return keywords.count(name) ? name + "_" : name;
}

void emitWords(const Output &output, std::ostream &out) {
  out << "// The ids of all words of grammar/isa; made by ptxray-isagen.\n";
  for (size_t id = 1; id < output.words.size(); ++id)
    out << "inline constexpr WordId " << constantName(output.text(output.words[id].text)) << " = " << id << "; // "
        << output.text(output.words[id].text) << "\n";
}

/// Returns the name of an enumerator: AbiPreserve for `.abi_preserve`.
static std::string enumerator(isa::Text name) {
  std::string result;
  bool isFirst = true;
  for (char c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) {
      isFirst = true;
      continue;
    }
    result += isFirst ? static_cast<char>(toupper(static_cast<unsigned char>(c))) : c;
    isFirst = false;
  }
  return result;
}

template <typename T>
static void enumeration(std::ostream &out, const char *name, const std::vector<T> &all, const Output &output) {
  out << "enum class " << name << " : uint16_t {\n";
  for (const T &one : all)
    out << "  " << enumerator(output.text(one.name)) << ",\n";
  out << "};\n";
}

void emitNames(const Output &output, std::ostream &out) {
  out << "// What C++ asks of grammar/isa by name, made by ptxray-isagen: each is an index into its array of "
         "isa::Tables.\n"
         "#pragma once\n#include <cstdint>\n\nnamespace ptxray::isa {\n\n";
  enumeration(out, "DirectiveId", output.directives, output);
  enumeration(out, "PragmaId", output.pragmas, output);
  enumeration(out, "FeatureId", output.features, output);
  enumeration(out, "LimitId", output.limits, output);
  out << "\n} // namespace ptxray::isa\n";
}

} // namespace ptxray::isagen
