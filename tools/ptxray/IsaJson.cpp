// Writes the constant tables as JSON, with names in place of indices.
#include "IsaJson.h"
#include "Isa/FactNames.h"
#include "Isa/Isa.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

namespace ptxray {

using isa::Cell;
using isa::CellKind;
using isa::Expr;
using isa::ExprId;
using isa::ExprOp;
using isa::Form;

/// Increased when readers of an older version could fail.
static constexpr int schemaVersion = 1;

static const isa::Tables &tables() { return isa::tables(); }

static const char *nameOf(isa::WordClass wordClass) {
  constexpr const char *names[] = {"free", "type", "layout", "space", "operation"};
  return names[static_cast<unsigned>(wordClass)];
}

static const char *nameOf(isa::TypeKind kind) {
  constexpr const char *names[] = {"", "bits", "unsigned", "signed", "float", "packed", "predicate", "opaque"};
  return names[static_cast<unsigned>(kind)];
}

static const char *nameOf(isa::OperandRole role) {
  constexpr const char *names[] = {"value",   "register", "immediate", "predicate", "address", "texture",
                                   "sampler", "surface",  "label",     "function",  "list",    "symbol"};
  return names[static_cast<unsigned>(role)];
}

static const char *nameOf(isa::PatternKind kind) {
  constexpr const char *names[] = {"operand", "address", "vector", "list", "pair"};
  return names[static_cast<unsigned>(kind)];
}

/// The rules of an operand by their words in docs/isa-notation.md: first those of the manual, then those of ptxas.
struct NamedRule {
  isa::OperandRule rule;
  const char *name;
};
static constexpr NamedRule manualRules[] = {
    {isa::Destination, "out"},     {isa::Updated, "inout"},
    {isa::SinkAllowed, "discard"}, {isa::SpecialAllowed, "sreg"},
    {isa::Wide, "wide"},           {isa::SymbolAllowed, "symbol"},
    {isa::Fragment, "frag"},       {isa::Vec, "vec"},
    {isa::FirstIndex, "index 1"},  {isa::SecondIndex, "index 2"},
    {isa::Subscript, "subscript"},
};
static constexpr NamedRule ptxasRules[] = {
    {isa::Exact, "exact"}, {isa::AsBits, "bits"},      {isa::Each, "each"},    {isa::NoSinks, "no-discard"},
    {isa::Sized, "sized"}, {isa::BareAllowed, "bare"}, {isa::Anything, "any"},
};

static Json wordsOf(llvm::ArrayRef<isa::WordId> ids) {
  Json list = Json::array();
  for (isa::WordId id : ids)
    list.push_back(isa::word(id).text());
  return list;
}

static Json rangesJson(llvm::ArrayRef<isa::ValueRange> ranges) {
  Json list = Json::array();
  for (const isa::ValueRange &range : ranges) {
    Json one = {{"from", range.low}, {"to", range.high}};
    if (range.step > 1)
      one["step"] = range.step;
    list.push_back(std::move(one));
  }
  return list;
}

static llvm::ArrayRef<isa::WordId> wordsOf(const Expr &e) { return tables().wordLists.slice(e.b, e.c); }

namespace {

/// Writes the conditions of one form, which refer to its slots and operands. Without a form, it writes conditions of
/// the module and of words.
class FormJson {
public:
  FormJson() = default;
  explicit FormJson(const Form &form)
      : form(&form), slots(isa::run(tables().slots, form.slots)), operands(isa::run(tables().operands, form.operands)) {
    std::map<std::string, unsigned> seen;
    for (const isa::Slot &slot : slots) {
      std::string name(slot.name());
      if (const unsigned count = ++seen[name]; count > 1)
        name += "#" + std::to_string(count);
      slotNames.push_back(std::move(name));
    }
  }

  Json write() const;
  Json condition(ExprId id) const;

private:
  Json slotJson(unsigned index) const;
  Json operandJson(const isa::OperandDecl &operand) const;
  Json patternJson(llvm::ArrayRef<isa::Pattern> patterns) const;
  Json typeJson(const isa::TypeRef &type) const;
  Json termsJson(llvm::ArrayRef<isa::Term> terms) const;
  Json tableJson(const isa::Table &table) const;
  Json columnJson(const isa::Column &column) const;
  Json cellJson(const Cell &cell) const;
  Json ruleJson(const isa::Rule &rule) const;
  Json factJson(const isa::Fact &fact) const;
  Json operandCondition(const Expr &e) const;
  Json gateJson(const Expr &e) const;
  Json conditions(const Expr &e) const;
  std::string operandName(unsigned index) const { return std::string(operands[index].name()); }

  const Form *form = nullptr;
  llvm::ArrayRef<isa::Slot> slots;
  llvm::ArrayRef<isa::OperandDecl> operands;
  std::vector<std::string> slotNames;
};

} // namespace

/// Returns whether an accepted text gets a warning, because ptxas accepts it and the manual does not.
static bool alwaysWarns(ExprId id) {
  const Expr &e = tables().exprs[id];
  return e.op == ExprOp::Warn || (e.op == ExprOp::And && llvm::any_of(tables().exprArgs.slice(e.a, e.b), alwaysWarns));
}

Json FormJson::conditions(const Expr &e) const { // NOLINT(misc-no-recursion): the tables are constant
  Json list = Json::array();
  for (ExprId part : tables().exprArgs.slice(e.a, e.b))
    list.push_back(condition(part));
  return list;
}

Json FormJson::condition(ExprId id) const { // NOLINT(misc-no-recursion): the tables are constant
  const Expr &e = tables().exprs[id];
  switch (e.op) {
  case ExprOp::True: return true;
  case ExprOp::And: return {{"all", conditions(e)}};
  case ExprOp::Or: return {{"any", conditions(e)}};
  case ExprOp::Not: return {{"not", condition(e.a)}};
  case ExprOp::PtxAtLeast: return {{"ptx", isa::versionText(narrow<uint16_t>(e.a))}};
  case ExprOp::Target: return {{"target", tables().targetSets[e.a].text()}};
  case ExprOp::SlotIs: return {{"slot", slotNames[e.a]}, {"is", wordsOf(wordsOf(e))}};
  case ExprOp::SlotWritten: return {{"slot", slotNames[e.a]}};
  case ExprOp::SlotsEqual: return {{"slot", slotNames[e.a]}, {"equals", slotNames[e.b]}};
  case ExprOp::WordWritten: return {{"words", wordsOf(wordsOf(e))}};
  case ExprOp::Gate: return gateJson(e);
  case ExprOp::Warn: return {{"warn", e.a ? tables().warnings[e.a]() : isa::Text("undocumented")}};
  case ExprOp::Independent: return {{"module", "texmode_independent"}};
  case ExprOp::Ptxas: return {{"ptxas", isa::versionText(narrow<uint16_t>(e.a))}};
  default: return operandCondition(e);
  }
}

/// Returns a gate that refers to the form's slots. Gates that depend only on module and target are in the list of
/// gates.
Json FormJson::gateJson(const Expr &e) const { // NOLINT(misc-no-recursion): the tables are constant
  const isa::Gate &gate = tables().gates[e.a];
  Json json = {{"gate", gate.name()}};
  if (!tables().exprs[gate.expr].gateOnly)
    json["means"] = condition(gate.expr);
  return json;
}

Json FormJson::operandCondition(const Expr &e) const {
  const std::string name = operandName(e.a);
  switch (e.op) {
  case ExprOp::OperandIn: return {{"operand", name}, {"in", rangesJson(tables().ranges.slice(e.b, e.c))}};
  case ExprOp::OperandIsImmediate: return {{"operand", name}, {"is", "immediate"}};
  case ExprOp::OperandIsSymbol: return {{"operand", name}, {"is", "symbol"}};
  case ExprOp::OperandNegated: return {{"operand", name}, {"is", "negated"}};
  case ExprOp::OperandHasOffset: return {{"operand", name}, {"is", "offset"}};
  default: return {{"operand", name}, {"is", "written"}};
  }
}

Json FormJson::slotJson(unsigned index) const {
  const isa::Slot &slot = slots[index];
  Json json = {{"name", slotNames[index]}};
  for (auto [holds, name] : {std::pair(slot.optional, "optional"),
                             {slot.literal, "literal"},
                             {slot.suffix, "suffix"},
                             {index < form->mnemonicSlots, "mnemonic"}})
    if (holds)
      json[name] = true;
  if (slot.fallback)
    json["default"] = isa::word(slot.fallback).text();
  Json values = Json::array();
  for (const isa::SlotValue &value : isa::run(tables().slotValues, slot.values)) {
    Json one = {{"word", isa::word(value.word).text()}};
    if (value.gate)
      one["requires"] = condition(value.gate);
    if (alwaysWarns(value.gate))
      one["undocumented"] = true;
    values.push_back(std::move(one));
  }
  json["values"] = std::move(values);
  return json;
}

Json FormJson::typeJson(const isa::TypeRef &type) const {
  Json json;
  if (type.kind == isa::RefKind::Word)
    json["word"] = isa::word(type.index).text();
  else
    json["slot"] = slotNames[type.index];
  if (type.factor != 1)
    json["times"] = type.factor;
  if (type.divisor != 1)
    json["divided"] = type.divisor;
  return json;
}

Json FormJson::termsJson(llvm::ArrayRef<isa::Term> terms) const {
  Json list = Json::array();
  for (const isa::Term &term : terms) {
    if (term.slot < 0) {
      list.push_back(term.base * term.mul / term.div + term.add);
      continue;
    }
    Json one = {{"slot", slotNames[term.slot]}};
    if (term.letter)
      one["behind"] = std::string(1, term.letter);
    for (auto [value, neutral, name] :
         {std::tuple(term.mul, 1, "times"), {term.div, 1, "divided"}, {term.add, 0, "plus"}})
      if (value != neutral)
        one[name] = value;
    list.push_back(std::move(one));
  }
  return list;
}

static Json namesOf(llvm::ArrayRef<NamedRule> named, uint32_t rules) {
  Json list = Json::array();
  for (const NamedRule &one : named)
    if (rules & one.rule)
      list.push_back(one.name);
  return list;
}

Json FormJson::operandJson(const isa::OperandDecl &operand) const {
  Json json = {{"name", operand.name()}, {"role", nameOf(operand.role)}};
  auto add = [&](const char *name, Json value) {
    if (!value.empty())
      json[name] = std::move(value);
  };
  add("flags", namesOf(manualRules, operand.rules));
  add("ptxasFlags", namesOf(ptxasRules, operand.rules));
  if (operand.type.kind != isa::RefKind::None)
    json["type"] = typeJson(operand.type);
  add("lengths", termsJson(isa::run(tables().terms, operand.lengths)));
  add("ranges", rangesJson(isa::run(tables().ranges, operand.ranges)));
  Json spaces = Json::array();
  for (const isa::SpaceRef &space : isa::run(tables().spaceRefs, operand.spaces))
    spaces.push_back(typeJson({space.kind, space.index}));
  add("spaces", std::move(spaces));
  if (operand.access != isa::Access::None) {
    Json access = {{"does", isa::accessNames[static_cast<size_t>(operand.access)]}};
    if (operand.accessSpace)
      access["space"] = isa::word(operand.accessSpace).text();
    if (operand.accessType.kind != isa::RefKind::None)
      access["type"] = typeJson(operand.accessType);
    if (operand.accessLengths.count)
      access["lengths"] = termsJson(isa::run(tables().terms, operand.accessLengths));
    if (!operand.accessSize().empty())
      access["bytes"] = operand.accessSize();
    json["access"] = std::move(access);
  }
  if (!operand.format().empty())
    json["format"] = operand.format();
  if (operand.hasWith)
    json["with"] = condition(operand.with);
  return json;
}

Json FormJson::patternJson(llvm::ArrayRef<isa::Pattern> patterns) const { // NOLINT(misc-no-recursion): as above
  Json list = Json::array();
  for (size_t at = 0; at < patterns.size(); at += patterns[at].extent) {
    const isa::Pattern &pattern = patterns[at];
    Json one = {{"kind", nameOf(pattern.kind)}};
    if (pattern.kind == isa::PatternKind::Operand)
      one["operand"] = operandName(pattern.operand);
    else
      one["parts"] = patternJson(patterns.slice(at + 1, pattern.extent - 1));
    for (auto [holds, name] :
         {std::pair(pattern.optional, "optional"), {pattern.mayNegate, "minus"}, {pattern.mayNot, "not"}})
      if (holds)
        one[name] = true;
    if (pattern.suffixSlot >= 0)
      one["suffix"] = slotNames[pattern.suffixSlot];
    list.push_back(std::move(one));
  }
  return list;
}

Json FormJson::cellJson(const Cell &cell) const {
  const isa::Tables &t = tables();
  switch (cell.kind) {
  case CellKind::Any: return "*";
  case CellKind::Absent: return "-";
  case CellKind::Present: return "+";
  case CellKind::Words: {
    Json words = wordsOf(t.wordLists.slice(cell.first, cell.count));
    if (cell.orAbsent)
      words.push_back("-");
    return words;
  }
  case CellKind::Lengths: return termsJson(t.terms.slice(cell.first, cell.count));
  case CellKind::Ranges: return rangesJson(t.ranges.slice(cell.first, cell.count));
  case CellKind::Condition: return condition(cell.first);
  }
  return {};
}

Json FormJson::columnJson(const isa::Column &column) const {
  constexpr const char *names[] = {"slot", "operand", "length", "values", "requires"};
  Json json = {{"kind", names[static_cast<unsigned>(column.kind)]}, {"header", column.text()}};
  Json members = Json::array();
  for (uint16_t member : isa::run(tables().columnMembers, column.members))
    members.push_back(column.kind == isa::ColumnKind::Slot ? slotNames[member] : operandName(member));
  if (!members.empty())
    json["of"] = std::move(members);
  return json;
}

Json FormJson::tableJson(const isa::Table &table) const {
  const auto columns = isa::run(tables().columns, table.columns);
  auto isAsked = [](const isa::Column &column) { // the other columns test slots that this form lacks
    return column.kind == isa::ColumnKind::Requires || column.members.count;
  };
  Json header = Json::array(), rows = Json::array();
  for (const isa::Column &column : columns)
    if (isAsked(column))
      header.push_back(columnJson(column));
  for (uint32_t row = 0; row < table.rows; ++row) {
    Json cells = Json::array();
    bool warns = false;
    for (const auto &[column, cell] :
         llvm::zip_equal(columns, tables().cells.slice(table.firstCell + row * columns.size(), columns.size())))
      if (isAsked(column)) {
        cells.push_back(cellJson(cell));
        warns |= cell.kind == CellKind::Condition && alwaysWarns(cell.first);
      }
    Json one = {{"line", tables().rowLines[table.firstRowLine + row]}, {"cells", std::move(cells)}};
    if (warns)
      one["undocumented"] = true;
    rows.push_back(std::move(one));
  }
  return {{"line", table.line}, {"columns", std::move(header)}, {"rows", std::move(rows)}};
}

Json FormJson::ruleJson(const isa::Rule &rule) const {
  Json json = {{"line", rule.line}, {"text", rule.text()}};
  if (rule.when)
    json["when"] = condition(rule.when);
  json["require"] = condition(rule.require);
  return json;
}

/// Writes a fact in the words of docs/isa-notation.md.
Json FormJson::factJson(const isa::Fact &fact) const {
  Json json = {{"fact", isa::factNames[static_cast<size_t>(fact.kind)]}};
  if (fact.when)
    json["when"] = condition(fact.when);
  // A barrier is an object or a number. Only a number has a scope.
  const isa::DetailNames details = isa::detailNames(fact.kind);
  const bool isOfObject =
      fact.operand >= 0 && (fact.kind == isa::FactKind::Arrives || fact.kind == isa::FactKind::Awaits);
  if (details.count && !isOfObject)
    json["detail"] = details.first[fact.detail];
  if (fact.kind == isa::FactKind::Orders && fact.other)
    json["other"] = isa::orderedNames[fact.other];
  for (size_t group = 0; group < tables().groups.size(); ++group)
    if (fact.groups >> group & 1)
      json["groups"].push_back(tables().groups[group]());
  for (auto [name, operand] : {std::pair("operand", fact.operand), std::pair("amount", fact.amount),
                               std::pair("which", fact.which), std::pair("condition", fact.condition)})
    if (operand >= 0)
      json[name] = operands[operand].name();
  if (fact.number)
    json["number"] = fact.number;
  if (fact.isReads)
    json["forReads"] = true;
  if (fact.space.kind != isa::RefKind::None)
    json[fact.kind == isa::FactKind::Multiplies ? "sizes" : "space"] =
        fact.space.kind == isa::RefKind::Word ? isa::word(fact.space.index).text() : slots[fact.space.index].name();
  return json;
}

Json FormJson::write() const {
  const isa::Tables &t = tables();
  Json json = {
      {"syntax", form->syntax()}, {"line", form->line}, {"mnemonics", Json::array()}, {"slots", Json::array()}};
  auto add = [&](const char *name, const Json &part) { json[name].push_back(part); };
  const uint32_t self = static_cast<uint32_t>(form - t.forms.data());
  for (const isa::Mnemonic &mnemonic : t.mnemonics)
    if (llvm::is_contained(isa::run(t.mnemonicForms, mnemonic.forms), self))
      add("mnemonics", mnemonic.text());
  for (unsigned i = 0; i < slots.size(); ++i)
    add("slots", slotJson(i));
  json["pattern"] = patternJson(isa::run(t.patterns, form->patterns));
  json["operands"] = Json::array();
  for (const isa::OperandDecl &operand : operands)
    add("operands", operandJson(operand));
  for (uint32_t table : isa::run(t.formTables, form->tables))
    add("tables", tableJson(t.tables[table]));
  for (uint32_t rule : isa::run(t.formRules, form->rules))
    add("rules", ruleJson(t.rules[rule]));
  for (uint32_t check : isa::run(t.formChecks, form->checks))
    add("checks", t.checkNames[check]());
  for (const isa::Fact &fact : isa::run(t.facts, form->facts))
    add("facts", factJson(fact));
  for (const isa::Formula &formula : isa::run(t.formulas, form->formulas)) {
    Json part = formulaJson(*form, formula);
    if (formula.when)
      part["when"] = condition(formula.when);
    add("formulas", part);
  }
  for (const uint16_t conversion : isa::run(t.formConversions, form->conversions))
    add("conversions", conversion);
  if (!form->outside().empty())
    json["outside"] = form->outside();
  return json;
}

static Json wordsJson() {
  Json words = Json::object();
  for (const isa::Word &word : tables().words.drop_front()) {
    Json json = {{"class", nameOf(word.wordClass)}};
    if (word.kind)
      json["kind"] = tables().wordKinds[word.kind]();
    if (word.typeKind != isa::TypeKind::None) {
      json["type"] = nameOf(word.typeKind);
      json["bits"] = word.bits;
    }
    if (word.number >= 0)
      json["number"] = word.number;
    if (word.addresses != isa::Addresses::Unknown)
      json["addresses"] = word.addresses == isa::Addresses::Own ? "own" : "generic";
    for (auto [holds, name] : {std::pair(word.repeatable, "repeatable"),
                               {word.skipped, "skipped"},
                               {word.narrow, "narrow"},
                               {word.unrelaxed, "unrelaxed"}})
      if (holds)
        json[name] = true;
    if (word.gate)
      json["requires"] = FormJson().condition(word.gate);
    if (const std::optional<isa::Meaning> meaning = isa::findMeaning(word.text())) {
      json["meaning"] = meaning->text;
      if (!meaning->topic.empty())
        json["topic"] = meaning->topic;
    }
    words[std::string(word.text())] = std::move(json);
  }
  return words;
}

static Json targetsJson() {
  Json targets = Json::array();
  for (const isa::Target &target : isa::targets()) {
    Json json = {{"name", target.name()}, {"number", target.number}};
    const isa::Target &first = *llvm::find_if(isa::targets(), [&](const isa::Target &other) {
      return other.number == target.number && other.variant == target.variant;
    });
    if (&first != &target)
      json["aliasOf"] = first.name();
    if (target.variant)
      json["variant"] = std::string(1, target.variant);
    if (target.family)
      json["family"] = target.family;
    json["since"] = isa::versionText(target.since);
    json["documented"] = target.documented;
    if (target.integrated)
      json["integrated"] = true;
    json["sharedBytes"] = target.sharedBytes;
    if (target.threads) {
      json["threads"] = target.threads;
      json["blocks"] = target.blocks;
    }
    targets.push_back(std::move(json));
  }
  return targets;
}

static Json registersJson() {
  Json registers = Json::array();
  for (const isa::SpecialRegister &reg : isa::specialRegisters()) {
    Json json = {{"name", reg.name()}, {"type", isa::word(reg.type).text()}};
    if (reg.vector)
      json["components"] = reg.vector;
    if (reg.narrow)
      json["narrow"] = true;
    if (reg.gate)
      json["requires"] = FormJson().condition(reg.gate);
    if (reg.needs >= 0)
      json["directive"] = tables().directives[reg.needs].name();
    if (const std::optional<isa::Meaning> meaning = isa::findMeaning(reg.name()))
      json["meaning"] = meaning->text;
    if (!reg.manual().empty())
      json["manual"] = reg.manual();
    json["per"] = isa::scopeNames[static_cast<size_t>(reg.scope)];
    if (reg.enumerates != isa::Enumerated::Nothing)
      json["enumerates"] = isa::enumeratedNames[static_cast<size_t>(reg.enumerates)];
    registers.push_back(std::move(json));
  }
  return registers;
}

static Json gatesJson() {
  Json gates = Json::object();
  for (const isa::Gate &gate : tables().gates)
    if (tables().exprs[gate.expr].gateOnly)
      gates[std::string(gate.name())] = FormJson().condition(gate.expr);
  return gates;
}

static bool begins(llvm::StringRef mnemonic, llvm::StringRef name) {
  return mnemonic.consume_front(name) && (mnemonic.empty() || mnemonic.front() == '.');
}

bool anyMnemonicBegins(llvm::StringRef name) {
  return llvm::any_of(isa::mnemonics(), [&](const isa::Mnemonic &mnemonic) { return begins(mnemonic.text(), name); });
}

static bool isWanted(llvm::StringRef mnemonic, llvm::ArrayRef<llvm::StringRef> names) {
  return names.empty() || llvm::any_of(names, [&](llvm::StringRef name) { return begins(mnemonic, name); });
}

static Json mnemonicsJson(llvm::ArrayRef<llvm::StringRef> names) {
  const isa::Tables &t = tables();
  Json mnemonics = Json::object();
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    if (!isWanted(mnemonic.text(), names))
      continue;
    Json &json = mnemonics[std::string(mnemonic.text())] = Json::object();
    if (mnemonic.skipped.count)
      json["skipped"] = wordsOf(isa::run(t.wordLists, mnemonic.skipped));
    if (mnemonic.ungated.count)
      json["ungated"] = wordsOf(isa::run(t.wordLists, mnemonic.ungated));
  }
  return mnemonics;
}

/// Returns the forms of an entry that spell one of the mnemonics.
static Json formsJson(uint32_t entry, llvm::ArrayRef<llvm::StringRef> names) {
  const isa::Tables &t = tables();
  std::set<uint32_t> forms; // in the order of the data
  for (const isa::Mnemonic &mnemonic : isa::mnemonics())
    if (isWanted(mnemonic.text(), names))
      for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
        if (t.forms[form].entry == entry)
          forms.insert(form);
  Json list = Json::array();
  for (uint32_t form : forms)
    list.push_back(FormJson(t.forms[form]).write());
  return list;
}

static Json entriesJson(llvm::ArrayRef<llvm::StringRef> names) {
  const isa::Tables &t = tables();
  Json entries = Json::array();
  for (uint32_t i = 0; i < t.entries.size(); ++i) {
    Json forms = formsJson(i, names);
    if (forms.empty())
      continue;
    const isa::Entry &entry = t.entries[i];
    Json json = {{"title", entry.title()}, {"manual", entry.manual()}, {"file", entry.file()}, {"line", entry.line}};
    for (uint32_t mnemonic : isa::run(t.entryMnemonics, entry.mnemonics))
      json["mnemonics"].push_back(t.mnemonics[mnemonic].text());
    json["forms"] = std::move(forms);
    entries.push_back(std::move(json));
  }
  return entries;
}

Json isaJson(llvm::ArrayRef<llvm::StringRef> names) {
  return {{"version", schemaVersion},
          {"tool", {{"name", "ptxray"}, {"version", PTXRAY_VERSION}}},
          {"ptxVersions", versionsJson()},
          {"targets", targetsJson()},
          {"targetSets", targetSetsJson()},
          {"gates", gatesJson()},
          {"words", wordsJson()},
          {"specialRegisters", registersJson()},
          {"mnemonics", mnemonicsJson(names)},
          {"entries", entriesJson(names)},
          {"operators", operatorsJson()},
          {"conversions", conversionsJson()},
          {"meanings", meaningsJson()},
          {"examples", examplesJson()}};
}

} // namespace ptxray
