// Reads entries: their forms, sets, operands, and tables.
#include "Reader.h"

namespace ptxray::isagen {

PatternNode Reader::operand(IsaParser::OperandContext *context) {
  PatternNode node;
  std::string first = context->start->getText();
  auto lists = context->operands();
  if (context->NAME()) {
    node.kind = isa::PatternKind::Operand;
    node.name = context->NAME()->getText();
    node.mayNot = first == "{" && context->children[1]->getText() == "!";
    node.mayNegate = first == "{" && context->children[1]->getText() == "-";
  } else {
    node.kind = first == "["   ? isa::PatternKind::Address
                : first == "{" ? isa::PatternKind::Vector
                               : isa::PatternKind::List;
    if (lists)
      node.children = operands(lists);
  }
  if (IsaParser::SuffixContext *suffix = context->suffix()) {
    node.suffix = suffix->WORD()->getText();
    node.suffixOptional = suffix->children.size() > 1;
  }
  if (IsaParser::PairContext *pair = context->pair()) {
    PatternNode second;
    second.kind = isa::PatternKind::Operand;
    second.name = pair->NAME()->getText();
    PatternNode whole;
    whole.kind = isa::PatternKind::Pair;
    whole.optional = pair->children.size() > 2; // the second half of the pair is optional
    whole.children = {node, second};
    return whole;
  }
  return node;
}

std::vector<PatternNode> Reader::operands(IsaParser::OperandsContext *context) {
  // An operand beside a comma in the braces of this list is optional: `{a,}` and `{, a}`.
  std::vector<PatternNode> nodes;
  bool inBraces = false;
  for (antlr4::tree::ParseTree *child : context->children) {
    std::string text = child->getText();
    if (auto *one = dynamic_cast<IsaParser::OperandContext *>(child)) {
      nodes.push_back(operand(one));
      if (inBraces && nodes.back().kind == isa::PatternKind::Pair)
        error(one, "pattern", "a pair cannot be optional as a whole");
      if (inBraces)
        nodes.back().optional = true;
    } else if (text == "{" || text == "}") {
      inBraces = text == "{";
    }
  }
  return nodes;
}

/// Joins the lines of a long form. Its opcode may continue on another line, and so may its operands before `{,`.
static std::string unbroken(std::string text) {
  for (const char *rest : {" .", " {.", " {,"})
    for (size_t at = text.find(rest); at != std::string::npos; at = text.find(rest, at))
      text.erase(at, 1);
  return text;
}

void Reader::form(IsaParser::FormContext *context, Scope &scope) {
  Form form;
  form.place = place(context);
  form.text = unbroken(oneLine(context));
  form.text.pop_back(); // the semicolon
  form.base = context->NAME()->getText();
  for (IsaParser::ElementContext *element : context->element()) {
    std::string word = element->WORD()->getText();
    if (word.find('{') != std::string::npos)
      error(context, "pattern", "`" + word + "`: choices belong into a set");
    form.elements.push_back({word, element->children.size() > 1});
  }
  if (context->operands())
    form.operands = operands(context->operands());
  scope.forms.push_back(std::move(form));
}

void Reader::set(IsaParser::SetContext *context, Scope &scope) {
  Set set;
  set.place = place(context);
  for (IsaParser::SetItemContext *item : context->setItem()) {
    std::shared_ptr<Condition> gate;
    if (item->requirement())
      gate = std::make_shared<Condition>(requirement(item->requirement()));
    for (std::string &word : spellings(item->WORD()->getText()))
      set.items.push_back({std::move(word), gate, item->WORD()->getText()});
  }
  auto names = context->WORD();
  bool hasDefault = false;
  for (antlr4::tree::ParseTree *child : context->children)
    hasDefault |= child->getText() == "default";
  if (hasDefault) {
    set.fallback = names.back()->getText();
    names.pop_back();
  }
  for (antlr4::tree::TerminalNode *name : names)
    if (!scope.sets.insert({name->getText(), set}).second)
      error(context, "twice", "a second set `" + name->getText() + "` in one block");
}

void Reader::gate(IsaParser::GateContext *context, Scope &scope) {
  std::string name = context->NAME()->getText();
  if (!scope.gates.insert({name, {place(context), condition(context->condition())}}).second)
    error(context, "twice", "a second gate `" + name + "`");
}

/// Reads the attributes after an access that describe the operand itself, and checks that they fit.
void Reader::access(IsaParser::OperandDeclContext *context, Operand &operand) {
  const bool isResult = operand.rules & (isa::Destination | isa::Updated);
  const bool isOpaque = operand.role == isa::OperandRole::Texture || operand.role == isa::OperandRole::Surface;
  if (operand.role != isa::OperandRole::Address) {
    if (operand.access != isa::Access::None && isResult)
      error(context, "access-of-result", "a result leads to no memory; say what is done at the address");
    if (operand.access == isa::Access::None && isOpaque)
      error(context, "no-access", "a texture or surface `reads`, `writes`, `updates` or `names`");
    return;
  }
  if (isResult)
    error(context, "access", "an address is `writes` or `updates`, no `out`");
  if (operand.access == isa::Access::None)
    error(context, "no-access", "an address `reads`, `writes`, `updates`, is a `barrier`, a `tensormap`, or `names`");
  if (operand.access == isa::Access::Writes || operand.access == isa::Access::Updates)
    operand.rules |= isa::Destination;
  if (operand.access == isa::Access::Barrier)
    operand.accessType = ".b64";
}

namespace {

using isa::OperandRole;

static_assert(static_cast<unsigned>(OperandRole::Symbol) < 32, "a role is a bit of an unsigned");
constexpr unsigned bit(OperandRole role) { return 1u << static_cast<unsigned>(role); }
constexpr unsigned anyRegister = bit(OperandRole::Value) | bit(OperandRole::Register);
constexpr unsigned anyValue = anyRegister | bit(OperandRole::Immediate);
constexpr unsigned anyResult = bit(OperandRole::Register) | bit(OperandRole::Predicate) | bit(OperandRole::List);
constexpr unsigned anyAddress = bit(OperandRole::Address);
enum Needs : unsigned { Nothing = 0, AType = 1, Braces = 2 };
enum Side : unsigned { Manual = 1, Ptxas = 2 };

/// A word of an operand: the sides and kinds of operands that it may belong to, and what it needs besides.
struct Flag {
  isa::OperandRule rule;
  unsigned side;
  unsigned kinds; // bits of `bit`
  unsigned needs; // bits of `Needs`
};

const std::map<std::string, Flag> flags = {
    {"out", {isa::Destination, Manual, anyResult, Nothing}},
    {"inout", {isa::Updated, Manual, bit(OperandRole::Register), AType}},
    {"vec", {isa::Vec, Manual, anyValue, Nothing}},
    {"wide", {isa::Wide, Manual, anyRegister, AType}},
    {"frag", {isa::Fragment, Manual, anyRegister, AType}},
    {"discard", {isa::SinkAllowed, Manual, anyRegister | anyResult | anyAddress, Nothing}},
    {"sreg", {isa::SpecialAllowed, Manual | Ptxas, anyRegister, AType}},
    {"symbol", {isa::SymbolAllowed, Manual | Ptxas, anyRegister | anyAddress | bit(OperandRole::Symbol), Nothing}},
    {"index 1", {isa::FirstIndex, Manual, anyValue, Braces}},
    {"index 2", {isa::SecondIndex, Manual, anyValue, Braces}},
    {"subscript", {isa::Subscript, Manual | Ptxas, anyAddress, Nothing}},
    {"exact", {isa::Exact, Ptxas, anyRegister | anyAddress, AType}},
    {"bits", {isa::AsBits, Ptxas, anyRegister, AType}},
    {"each", {isa::Each, Ptxas, anyRegister, AType | Braces}},
    {"no-discard", {isa::NoSinks, Ptxas, bit(OperandRole::Register), Braces}},
    {"sized", {isa::Sized, Ptxas, anyAddress | bit(OperandRole::Value), Nothing}},
    {"bare", {isa::BareAllowed, Ptxas, anyAddress, Nothing}},
    {"any", {isa::Anything, Ptxas, anyAddress, Nothing}},
};

} // namespace

/// Reads a flag. Returns false if no flag has that name.
bool Reader::flag(antlr4::ParserRuleContext *context, const std::string &name, bool ofPtxas, Operand &operand) {
  auto found = flags.find(name);
  if (found == flags.end())
    return false;
  const Flag &flag = found->second;
  if (!(flag.side & (ofPtxas ? Ptxas : Manual)))
    error(context, "attribute",
          "`" + name + (ofPtxas ? "` is the manual's: before `ptxas`" : "` is a habit of ptxas: after `ptxas`"));
  if (operand.rules & flag.rule)
    error(context, "twice", "`" + name + "` is written twice");
  operand.rules |= flag.rule;
  return true;
}

/// Checks that the flags apply to such an operand.
void Reader::flagsFit(IsaParser::OperandDeclContext *context, const Operand &operand) {
  for (const auto &[name, flag] : flags) {
    if (!(operand.rules & flag.rule))
      continue;
    // The instruction writes to the address.
    const bool isResult = flag.rule == isa::Destination && operand.role == OperandRole::Address;
    if (!(flag.kinds & bit(operand.role)) && !isResult)
      error(context, "flag", "`" + name + "` says nothing of such an operand");
    else if ((flag.needs & AType) && operand.type.empty() &&
             (operand.role != OperandRole::Address || operand.spaces.empty()))
      error(context, "flag", "`" + name + "` says nothing of an operand without a type");
    else if ((flag.needs & Braces) && !(operand.rules & isa::Vec))
      error(context, "flag", "`" + name + "` says nothing of an operand without braces: `vec`");
  }
  const bool mayBeLong = (anyValue & bit(operand.role)) != 0;
  if (!operand.lengths.empty() && !mayBeLong)
    error(context, "flag", "no such operand has a length");
  if (operand.role != OperandRole::Address)
    return;
  for (const std::string &word : operand.spaces)
    if (word == ".b8" || word == ".b16" || word == ".b64" || word == ".b128")
      error(context, "flag",
            "`" + word +
                "` would be the type of the register in the address; what lies there is said after the access");
}

/// An operand whose attributes are being read, from left to right.
struct Reader::OperandSoFar {
  Operand operand;
  bool hasRole = false;
  std::string *awaited = nullptr; // the member that the name after `by` or `format` sets
};

void Reader::name(IsaParser::AttributeContext *attribute, OperandSoFar &read) {
  static const std::map<std::string, isa::OperandRole> roles = {
      {"val", isa::OperandRole::Value},       {"reg", isa::OperandRole::Register}, {"imm", isa::OperandRole::Immediate},
      {"pred", isa::OperandRole::Predicate},  {"addr", isa::OperandRole::Address}, {"tex", isa::OperandRole::Texture},
      {"sampler", isa::OperandRole::Sampler}, {"surf", isa::OperandRole::Surface}, {"label", isa::OperandRole::Label},
      {"func", isa::OperandRole::Function},   {"list", isa::OperandRole::List},    {"sym", isa::OperandRole::Symbol}};
  static const std::map<std::string, isa::Access> accesses = {
      {"names", isa::Access::Names},     {"reads", isa::Access::Reads},     {"writes", isa::Access::Writes},
      {"updates", isa::Access::Updates}, {"barrier", isa::Access::Barrier}, {"tensormap", isa::Access::TensorMap}};
  Operand &operand = read.operand;
  const std::string name = attribute->NAME()->getText();
  const std::string numbered = name + (attribute->number ? " " + attribute->number->getText() : "");
  const bool hasAccess = operand.access != isa::Access::None;
  if (read.awaited) {
    *read.awaited = name;
    read.awaited = nullptr;
  } else if (hasAccess && name == "by") {
    read.awaited = &operand.accessSize;
  } else if (name == "format") {
    read.awaited = &operand.format;
  } else if (flag(attribute, numbered, false, operand)) {
    return;
  } else if (auto role = roles.find(name); role != roles.end() && !read.hasRole) {
    operand.role = role->second;
    read.hasRole = true;
  } else if (auto access = accesses.find(name); access != accesses.end() && !hasAccess) {
    operand.access = access->second;
  } else {
    error(attribute, "attribute", "`" + name + "` is neither a kind nor a flag of an operand");
  }
}

/// Reads the accessed memory, the spaces of an address, or a type, depending on which of them is still missing.
void Reader::word(IsaParser::AttributeContext *attribute, Operand &operand) {
  const std::string word = attribute->WORD()->getText();
  const bool isAddress = operand.role == isa::OperandRole::Address;
  if (operand.access != isa::Access::None) {
    (isAddress ? operand.accessType : operand.accessSpace) = word;
    return;
  }
  if (isAddress) {
    for (std::string &space : spellings(word))
      operand.spaces.push_back(std::move(space));
    return;
  }
  if (!operand.type.empty())
    error(attribute, "attribute", "a second type `" + word + "`");
  operand.type = word;
  if (attribute->times)
    operand.factor = narrow<uint8_t>(std::stoi(attribute->times->getText()));
  if (attribute->divisor)
    operand.divisor = narrow<uint8_t>(std::stoi(attribute->divisor->getText()));
  if (!operand.factor || !operand.divisor)
    error(attribute, "operand-type", "`" + operand.type + "` times or divided by 0");
}

void Reader::lengths(IsaParser::AttributeContext *attribute, Operand &operand) {
  std::vector<Term> &lengths = operand.access != isa::Access::None ? operand.accessLengths : operand.lengths;
  for (IsaParser::TermContext *length : attribute->term())
    lengths.push_back(term(length));
}

Operand Reader::attributes(IsaParser::OperandDeclContext *context) {
  OperandSoFar read;
  read.operand.place = place(context);
  for (IsaParser::AttributeContext *attribute : context->attribute()) {
    if (attribute->NAME())
      name(attribute, read);
    else if (attribute->WORD())
      word(attribute, read.operand);
    else
      lengths(attribute, read.operand);
  }
  if (read.awaited)
    error(context, "attribute", "a name is missing after `by` or `format`");
  if (!read.hasRole && read.operand.rules & isa::Destination)
    read.operand.role = isa::OperandRole::Register;
  return std::move(read.operand);
}

void Reader::operandDecl(IsaParser::OperandDeclContext *context, Scope &scope) {
  Operand operand = attributes(context);
  for (IsaParser::HabitContext *habit : context->habit())
    if (!flag(habit, habit->getText(), true, operand))
      error(habit, "attribute", "`" + habit->getText() + "` is not a habit of ptxas");
  access(context, operand);
  flagsFit(context, operand);
  if (context->values())
    operand.ranges = values(context->values()->value());
  if (context->condition())
    operand.with = condition(context->condition());
  for (antlr4::tree::TerminalNode *name : context->NAME())
    if (!scope.operands.insert({name->getText(), operand}).second)
      error(context, "twice", "a second declaration of `" + name->getText() + "` in one block");
}

Cell Reader::cell(IsaParser::CellContext *context, const Column &column) {
  Cell cell;
  cell.place = place(context);
  cell.text = oneLine(context);
  if (context->conjunction()) {
    cell.condition = conjunction(context->conjunction());
    return cell;
  }
  for (IsaParser::CellItemContext *item : context->cellItem()) {
    if (item->term()) {
      cell.terms.push_back(term(item->term()));
      const Term &last = cell.terms.back();
      if (last.word.empty()) {
        auto number = static_cast<int64_t>(std::stoull(item->getText(), nullptr, 0));
        cell.ranges.push_back({number, number, 1});
      } else if (item->getText() == last.word) {
        for (std::string &word : spellings(last.word))
          cell.names.push_back(std::move(word));
      }
    } else if (item->value()) {
      for (isa::ValueRange &range : values({item->value()}))
        cell.ranges.push_back(range);
    } else if (item->NAME()) {
      cell.names.push_back(item->NAME()->getText());
    } else if (item->getText() == "*") {
      cell.any = true;
    } else {
      cell.absent = true;
    }
  }
  if (column.kind == isa::ColumnKind::Requires && !cell.any && !cell.absent) {
    // A single word or name was read as a plain cell.
    Condition lone;
    lone.place = cell.place;
    if (cell.names.size() != 1)
      error(context, "cell", "a condition is under `requires`");
    else
      lone.text = cell.names[0];
    lone.kind = lone.text[0] == '.' ? Condition::Word : Condition::Name;
    if (lone.kind == Condition::Word)
      lone.words = {lone.text};
    cell.condition = lone;
  }
  return cell;
}

void Reader::row(IsaParser::RowContext *context, Table &table) {
  Table::Row result;
  result.place = place(context);
  auto cells = context->cell();
  bool conditionLast = table.columns.back().kind == isa::ColumnKind::Requires;
  if (context->outcome() && !conditionLast)
    return error(context, "row", "an outcome is under `requires`");
  size_t needed = table.columns.size() - (context->outcome() ? 1 : 0);
  if (cells.size() < needed || (cells.size() > needed && !conditionLast))
    return error(context, "row",
                 std::to_string(cells.size()) + " cells under " + std::to_string(table.columns.size()) + " columns");
  for (size_t i = 0; i < cells.size(); ++i) {
    const Column &column = table.columns[std::min(i, table.columns.size() - 1)];
    Cell next = cell(cells[i], column);
    if (next.condition && column.kind != isa::ColumnKind::Requires)
      error(cells[i], "cell", "`" + oneLine(cells[i]) + "` is not a cell of `" + column.text + "`");
    if (i < table.columns.size()) {
      result.cells.push_back(std::move(next));
      continue;
    }
    Cell &last = result.cells.back(); // `a | b` in a column under `requires`
    if (!last.condition || !next.condition) {
      error(context, "cell", "`*` cannot stand in a condition");
      break;
    }
    if (last.condition->kind != Condition::Or || i == table.columns.size()) {
      Condition either;
      either.kind = Condition::Or;
      either.place = last.place;
      either.parts.push_back(std::move(*last.condition));
      last.condition = std::move(either);
    }
    last.condition->parts.push_back(std::move(*next.condition));
    last.text += " | " + next.text;
  }
  if (IsaParser::OutcomeContext *outcome = context->outcome()) {
    if (result.cells.size() < table.columns.size()) {
      result.cells.emplace_back();
      result.cells.back().place = result.place;
    }
    Cell &last = result.cells.back();
    last.any = false;
    last.condition = withOutcome(std::move(last.condition), outcome);
    last.text += (last.text.empty() ? "" : " ") + oneLine(outcome);
  }
  table.rows.push_back(std::move(result));
}

void Reader::table(IsaParser::TableContext *context, Scope &scope) {
  Table table;
  table.place = place(context);
  auto columns = context->column();
  for (IsaParser::ColumnContext *column : columns) {
    Column result;
    result.text = oneLine(column);
    std::string first = column->start->getText();
    for (antlr4::tree::TerminalNode *name : column->NAME())
      result.names.push_back(name->getText());
    if (column->children.size() > 1) {
      result.kind = first == "in" ? isa::ColumnKind::Values : isa::ColumnKind::Length;
      if (first != "in") {
        result.names.erase(result.names.begin());
        if (first != "len")
          error(column, "column", "a column is a slot, an operand, len(), in() or requires");
      }
    } else if (first == "requires") {
      result.kind = isa::ColumnKind::Requires;
      if (column != columns.back())
        error(column, "column-order", "`requires` is the last column");
    } else {
      result.kind = column->WORD() ? isa::ColumnKind::Slot : isa::ColumnKind::Operand;
      result.names = {first};
    }
    table.columns.push_back(std::move(result));
  }
  for (IsaParser::RowContext *one : context->row())
    row(one, table);
  scope.tables.push_back(std::move(table));
}

void Reader::rule(IsaParser::DemandContext *context, Scope &scope) {
  Rule rule;
  rule.place = place(context);
  rule.text = oneLine(context);
  rule.text.pop_back();
  if (context->condition())
    rule.when = condition(context->condition());
  rule.require = context->requirement() ? requirement(context->requirement()) : withOutcome({}, context->outcome());
  scope.rules.push_back(std::move(rule));
}

/// Marks the statements of a block as accepted by ptxas alone: they become a warning if the last of its requirements
/// holds.
static void ofPtxas(Place place, Scope &block) {
  Condition warning;
  warning.kind = Condition::Warn;
  warning.place = place;
  for (auto rule = block.rules.rbegin(); rule != block.rules.rend(); ++rule)
    if (!rule->when) {
      rule->require = join(Condition::And, std::move(rule->require), std::move(warning));
      return;
    }
  block.rules.push_back({place, "ptxas", {}, std::move(warning)});
}

void Reader::block(IsaParser::BlockContext *context, Scope &scope, Entry &entry) {
  for (IsaParser::StatementContext *statement : context->statement()) {
    if (statement->block()) {
      scope.blocks.push_back(std::make_unique<Scope>());
      scope.blocks.back()->parent = &scope;
      block(statement->block(), *scope.blocks.back(), entry);
      if (statement->start->getText() == "ptxas")
        ofPtxas(place(statement), *scope.blocks.back());
    } else if (statement->form()) {
      form(statement->form(), scope);
    } else if (statement->set()) {
      set(statement->set(), scope);
    } else if (statement->operandDecl()) {
      operandDecl(statement->operandDecl(), scope);
    } else if (statement->table()) {
      table(statement->table(), scope);
    } else if (statement->fact()) {
      fact(statement->fact(), scope);
    } else if (statement->formula()) {
      formula(statement->formula(), scope);
    } else if (statement->hint()) {
      hint(statement->hint(), scope);
    } else if (statement->definition()) {
      definition(statement->definition(), scope);
    } else if (statement->outside()) {
      scope.outside = unquoted(statement->outside()->STRING());
    } else if (statement->demand()) {
      rule(statement->demand(), scope);
    } else if (statement->STRING()) {
      entry.title = unquoted(statement->STRING());
    } else if (!statement->reference().empty()) {
      for (IsaParser::ReferenceContext *reference : statement->reference())
        entry.manual += (entry.manual.empty() ? "" : ", ") + reference->getText();
    } else {
      scope.checks.push_back({place(statement), statement->NAME()->getText(), statement->children.size() > 3});
    }
  }
}

void Reader::entry(IsaParser::EntryContext *context, Scope &scope) {
  Entry entry;
  entry.place = place(context);
  entry.source = sourceText(context);
  entry.scope = std::make_unique<Scope>();
  entry.scope->parent = &scope;
  entry.mnemonics = mnemonics(context->mnemonic());
  block(context->block(), *entry.scope, entry);
  model.entries.push_back(std::move(entry));
}

} // namespace ptxray::isagen
