// From the ANTLR tree to the Model.
#include "IsaLexer.h"
#include "IsaParser.h"
#include "Model.h"
#include <fstream>
#include <sstream>

namespace ptxray::isagen {

std::vector<std::string> spellings(const std::string &pattern) {
  size_t open = pattern.find('{');
  if (open == std::string::npos)
    return {pattern};
  size_t close = pattern.find('}', open);
  std::string head = pattern.substr(0, open), tail = pattern.substr(close + 1);
  std::string inside = pattern.substr(open + 1, close - open - 1);
  std::vector<std::string> choices;
  if (size_t dots = inside.find(".."); dots != std::string::npos) {
    size_t slash = inside.find('/');
    int step = slash == std::string::npos ? 1 : std::stoi(inside.substr(slash + 1));
    int last = std::stoi(inside.substr(dots + 2));
    for (int number = std::stoi(inside); step > 0 && number <= last; number += step)
      choices.push_back(std::to_string(number));
  } else {
    std::stringstream parts(inside + "|");
    for (std::string part; std::getline(parts, part, '|');)
      choices.push_back(part);
  }
  std::vector<std::string> words;
  for (const std::string &choice : choices)
    for (std::string &word : spellings(head + choice + tail))
      words.push_back(std::move(word));
  return words;
}

namespace {

class SyntaxErrors : public antlr4::BaseErrorListener {
public:
  SyntaxErrors(uint16_t file, Errors &errors) : file(file), errors(errors) {}
  void syntaxError(antlr4::Recognizer *, antlr4::Token *, size_t line, size_t column,
                   const std::string &message, std::exception_ptr) override {
    if (!any) // what follows a first one is mostly its echo
      errors.report({file, static_cast<uint32_t>(line)}, "syntax",
                    "column " + std::to_string(column + 1) + ": " + message);
    any = true;
  }
  bool any = false;

private:
  uint16_t file;
  Errors &errors;
};

std::string sourceText(antlr4::ParserRuleContext *context) {
  return context->start->getInputStream()->getText(
      antlr4::misc::Interval(context->start->getStartIndex(), context->stop->getStopIndex()));
}
/// On one line, without comments.
std::string oneLine(antlr4::ParserRuleContext *context) {
  std::string text, source = sourceText(context);
  for (size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0)
      i = std::min(source.find('\n', i), source.size() - 1);
    if (!isspace(static_cast<unsigned char>(source[i])))
      text += source[i];
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return text;
}

class Reader {
public:
  Reader(Model &model, uint16_t file, Errors &errors) : model(model), file(file), errors(errors) {}
  void readFile(IsaParser::FileContext *context);

private:
  using Words = std::vector<antlr4::tree::TerminalNode *>;

  Place place(antlr4::ParserRuleContext *context) {
    return {file, static_cast<uint32_t>(context->start->getLine())};
  }
  void error(antlr4::ParserRuleContext *context, const std::string &lint, const std::string &text) {
    errors.report(place(context), lint, text);
  }
  static std::vector<std::string> allWords(const Words &nodes) {
    std::vector<std::string> words;
    for (antlr4::tree::TerminalNode *node : nodes)
      for (std::string &word : spellings(node->getText()))
        words.push_back(std::move(word));
    return words;
  }

  uint16_t version(const std::string &text) {
    size_t dot = text.find('.');
    int minor = dot == std::string::npos ? 0 : std::stoi(text.substr(dot + 1));
    return static_cast<uint16_t>(std::stoi(text) * 100 + minor);
  }
  int64_t integer(IsaParser::IntegerContext *context) {
    int64_t value = static_cast<int64_t>(std::stoull(context->NUMBER()->getText(), nullptr, 0));
    return context->children.size() == 2 ? -value : value;
  }
  std::vector<isa::ValueRange> values(const std::vector<IsaParser::ValueContext *> &contexts) {
    std::vector<isa::ValueRange> ranges;
    for (IsaParser::ValueContext *context : contexts) {
      auto numbers = context->integer();
      int64_t low = integer(numbers[0]);
      ranges.push_back({low, numbers.size() > 1 ? integer(numbers[1]) : low,
                        numbers.size() > 2 ? integer(numbers[2]) : 1});
      if (ranges.back().high < low || ranges.back().step < 1)
        error(context, "empty-range", "`" + oneLine(context) + "` holds no value");
    }
    return ranges;
  }
  Term term(IsaParser::TermContext *context);
  Condition condition(IsaParser::ConditionContext *context);
  Condition conjunction(IsaParser::ConjunctionContext *context);
  Condition factor(IsaParser::FactorContext *context);
  Condition atom(IsaParser::AtomContext *context);
  PatternNode operand(IsaParser::OperandContext *context);
  std::vector<PatternNode> operands(IsaParser::OperandsContext *context);
  void form(IsaParser::FormContext *context, Scope &scope);
  void set(IsaParser::SetContext *context, Scope &scope);
  void gate(IsaParser::GateContext *context, Scope &scope);
  void operandDecl(IsaParser::OperandDeclContext *context, Scope &scope);
  void table(IsaParser::TableContext *context, Scope &scope);
  Cell cell(IsaParser::CellContext *context, const Column &column);
  void block(IsaParser::BlockContext *context, Scope &scope, Entry &entry);
  void entry(IsaParser::EntryContext *context, Scope &scope);
  void vocabulary(IsaParser::VocabularyContext *context);
  void registers(IsaParser::RegisterContext *context);

  Model &model;
  uint16_t file;
  Errors &errors;
};

Term Reader::term(IsaParser::TermContext *context) {
  Term result;
  result.place = place(context);
  result.value = {0, -1, 0, 1, 1, 0};
  if (!context->WORD()) {
    result.value.base = static_cast<int32_t>(std::stoull(context->NUMBER(0)->getText(), nullptr, 0));
    return result;
  }
  result.word = context->WORD()->getText();
  if (context->NAME()) {
    std::string letter = context->NAME()->getText();
    if (letter.size() != 1)
      error(context, "length", "`" + letter + "` is no single letter");
    result.value.letter = letter[0];
  }
  // NUMBER '*' slot '/' NUMBER ('+' | '-') NUMBER: the token beside a number says what it does.
  for (size_t i = 0; i < context->children.size(); ++i) {
    std::string text = context->children[i]->getText();
    if (!isdigit(static_cast<unsigned char>(text[0])))
      continue;
    auto number = static_cast<int16_t>(std::stoi(text, nullptr, 0));
    std::string before = i ? context->children[i - 1]->getText() : "*";
    if (before == "*")
      result.value.mul = number;
    else if (before == "/")
      result.value.div = number;
    else
      result.value.add = before == "-" ? static_cast<int16_t>(-number) : number;
  }
  return result;
}

Condition Reader::condition(IsaParser::ConditionContext *context) {
  auto parts = context->conjunction();
  if (parts.size() == 1)
    return conjunction(parts[0]);
  Condition result;
  result.kind = Condition::Or;
  result.place = place(context);
  for (IsaParser::ConjunctionContext *part : parts)
    result.parts.push_back(conjunction(part));
  return result;
}

Condition Reader::conjunction(IsaParser::ConjunctionContext *context) {
  auto parts = context->factor();
  if (parts.size() == 1)
    return factor(parts[0]);
  Condition result;
  result.kind = Condition::And;
  result.place = place(context);
  for (IsaParser::FactorContext *part : parts)
    result.parts.push_back(factor(part));
  return result;
}

Condition Reader::factor(IsaParser::FactorContext *context) {
  if (context->atom())
    return atom(context->atom());
  if (context->condition())
    return condition(context->condition());
  Condition result;
  result.kind = Condition::Not;
  result.place = place(context);
  result.parts.push_back(factor(context->factor()));
  return result;
}

Condition Reader::atom(IsaParser::AtomContext *context) {
  Condition result;
  result.place = place(context);
  result.text = context->start->getText();
  auto names = context->NAME();
  auto words = context->WORD();
  if (context->NUMBER()) {
    result.kind = result.text == "ptx" ? Condition::Ptx : Condition::Ptxas;
    if (result.text != "ptx" && result.text != "ptxas")
      error(context, "condition", "`" + result.text + "` takes no number");
    if ((result.kind == Condition::Ptxas) != (context->children.size() == 3))
      error(context, "condition", "written `ptx 8.6` and `ptxas 13.1+`");
    result.version = version(context->NUMBER()->getText());
  } else if (context->TARGET()) {
    result.kind = Condition::Target;
  } else if (context->wordSet()) {
    result.kind = Condition::Compare;
    result.unequal = context->children[1]->getText() == "!=";
    result.words = allWords(context->wordSet()->WORD());
  } else if (result.text == "{") {
    result.kind = Condition::AnyWord;
    result.words = allWords(words);
  } else if (!words.empty()) {
    result.kind = Condition::Word;
    result.words = allWords(words);
  } else if (context->values()) {
    result.kind = Condition::In;
    result.ranges = values(context->values()->value());
  } else if (names.size() == 2) {
    result.kind = Condition::Call;
    result.argument = names[1]->getText();
  } else {
    result.kind = Condition::Name;
  }
  return result;
}

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
    whole.optional = pair->children.size() > 2; // of its second half
    whole.children = {node, second};
    return whole;
  }
  return node;
}

std::vector<PatternNode> Reader::operands(IsaParser::OperandsContext *context) {
  // `{a,}` and `{, a}` are optional: an operand beside a comma inside braces of this list.
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

void Reader::form(IsaParser::FormContext *context, Scope &scope) {
  Form form;
  form.place = place(context);
  form.text = oneLine(context);
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
    if (item->condition())
      gate = std::make_shared<Condition>(condition(item->condition()));
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

void Reader::operandDecl(IsaParser::OperandDeclContext *context, Scope &scope) {
  static const std::map<std::string, isa::OperandRule> flags = {
      {"dst", isa::Destination},      {"vec", isa::Vec},   {"wide", isa::Wide},
      {"frag", isa::Fragment},        {"exact", isa::Exact}, {"sink", isa::SinkAllowed},
      {"special", isa::SpecialAllowed}, {"symbol", isa::SymbolAllowed},
      {"sized", isa::Sized},           {"inout", isa::Updated},
      {"known", isa::Known},
      {"opaque", isa::OpaqueAllowed}, {"bare", isa::BareAllowed}, {"indexed", isa::IndexAllowed},
      {"copied", isa::Copied},        {"ordinary", isa::NoSpecial}, {"unchecked", isa::AnyRegister},
      {"whole", isa::NoSinks},         {"raw", isa::AsBits}, {"wraps", isa::Wraps},
      {"expanded", isa::Expanded},    {"typed", isa::Typed}, {"converted", isa::Converted}};
  static const std::map<std::string, isa::OperandRole> roles = {
      {"val", isa::OperandRole::Value},       {"reg", isa::OperandRole::Register},
      {"imm", isa::OperandRole::Immediate},   {"pred", isa::OperandRole::Predicate},
      {"addr", isa::OperandRole::Address},    {"tex", isa::OperandRole::Texture},
      {"sampler", isa::OperandRole::Sampler}, {"surf", isa::OperandRole::Surface},
      {"label", isa::OperandRole::Label},     {"func", isa::OperandRole::Function},
      {"list", isa::OperandRole::List},       {"sym", isa::OperandRole::Symbol}};
  Operand operand;
  operand.place = place(context);
  bool hasRole = false, ofAccess = false, bySize = false;
  for (IsaParser::AttributeContext *attribute : context->attribute()) {
    if (antlr4::tree::TerminalNode *name = attribute->NAME()) {
      if (bySize) {
        operand.accessSize = name->getText();
        bySize = false;
      } else if (ofAccess && name->getText() == "by") {
        bySize = true;
      } else if (auto flag = flags.find(name->getText()); flag != flags.end()) {
        operand.rules |= flag->second;
      } else if (auto role = roles.find(name->getText()); role != roles.end() && !hasRole) {
        operand.role = role->second;
        hasRole = true;
      } else if (name->getText() == "of" && operand.role == isa::OperandRole::Address) {
        ofAccess = true;
      } else {
        error(attribute, "attribute", "`" + name->getText() + "` is no kind or flag of an operand");
      }
    } else if (antlr4::tree::TerminalNode *word = attribute->WORD()) {
      if (ofAccess) {
        operand.access = word->getText();
        continue;
      }
      if (operand.role == isa::OperandRole::Address) {
        for (std::string &space : spellings(word->getText()))
          operand.spaces.push_back(std::move(space));
        continue;
      }
      if (!operand.type.empty())
        error(attribute, "attribute", "a second type `" + word->getText() + "`");
      operand.type = word->getText();
      if (attribute->NUMBER())
        operand.factor = static_cast<uint8_t>(std::stoi(attribute->NUMBER()->getText()));
    } else {
      for (IsaParser::TermContext *length : attribute->term())
        (ofAccess ? operand.accessLengths : operand.lengths).push_back(term(length));
    }
  }
  if (!hasRole && operand.rules & isa::Destination)
    operand.role = isa::OperandRole::Register;
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
    // A lone word or name was read as a plain cell.
    Condition lone;
    lone.place = cell.place;
    if (cell.names.size() != 1)
      error(context, "cell", "a condition stands under `requires`");
    else
      lone.text = cell.names[0];
    lone.kind = lone.text[0] == '.' ? Condition::Word : Condition::Name;
    if (lone.kind == Condition::Word)
      lone.words = {lone.text};
    cell.condition = lone;
  }
  return cell;
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
  for (IsaParser::RowContext *row : context->row()) {
    Table::Row result;
    result.place = place(row);
    auto cells = row->cell();
    bool conditionLast = table.columns.back().kind == isa::ColumnKind::Requires;
    if (cells.size() < table.columns.size() ||
        (cells.size() > table.columns.size() && !conditionLast)) {
      error(row, "row",
            std::to_string(cells.size()) + " cells under " +
                std::to_string(table.columns.size()) + " columns");
      continue;
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      const Column &column = table.columns[std::min(i, table.columns.size() - 1)];
      Cell next = cell(cells[i], column);
      if (next.condition && column.kind != isa::ColumnKind::Requires)
        error(cells[i], "cell", "`" + oneLine(cells[i]) + "` is no cell of `" + column.text + "`");
      if (i < table.columns.size()) {
        result.cells.push_back(std::move(next));
        continue;
      }
      Cell &last = result.cells.back(); // `a | b` under requires
      if (!last.condition || !next.condition) {
        error(row, "cell", "`*` cannot stand in a condition");
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
    table.rows.push_back(std::move(result));
  }
  scope.tables.push_back(std::move(table));
}

void Reader::block(IsaParser::BlockContext *context, Scope &scope, Entry &entry) {
  for (IsaParser::StatementContext *statement : context->statement()) {
    if (statement->block()) {
      scope.blocks.push_back(std::make_unique<Scope>());
      scope.blocks.back()->parent = &scope;
      block(statement->block(), *scope.blocks.back(), entry);
    } else if (statement->form()) {
      form(statement->form(), scope);
    } else if (statement->set()) {
      set(statement->set(), scope);
    } else if (statement->operandDecl()) {
      operandDecl(statement->operandDecl(), scope);
    } else if (statement->table()) {
      table(statement->table(), scope);
    } else if (IsaParser::EffectContext *effect = statement->effect()) {
      EffectRule rule;
      rule.place = place(effect);
      rule.text = oneLine(effect);
      rule.text.pop_back();
      rule.name = effect->NAME()->getText();
      if (effect->condition())
        rule.when = condition(effect->condition());
      scope.effects.push_back(std::move(rule));
    } else if (!statement->condition().empty()) {
      Rule rule;
      rule.place = place(statement);
      rule.text = oneLine(statement);
      rule.text.pop_back();
      auto conditions = statement->condition();
      rule.require = condition(conditions.back());
      if (conditions.size() == 2)
        rule.when = condition(conditions[0]);
      scope.rules.push_back(std::move(rule));
    } else if (statement->STRING()) {
      entry.title = statement->STRING()->getText();
      entry.title = entry.title.substr(1, entry.title.size() - 2);
    } else if (!statement->reference().empty()) {
      for (IsaParser::ReferenceContext *reference : statement->reference())
        entry.manual += (entry.manual.empty() ? "" : ", ") + reference->getText();
    } else {
      scope.checks.push_back({place(statement), statement->NAME()->getText()});
    }
  }
}

/// `mul.{hi,lo}` spells two.
static std::vector<std::string> mnemonics(const std::vector<IsaParser::MnemonicContext *> &written) {
  std::vector<std::string> all;
  for (IsaParser::MnemonicContext *mnemonic : written) {
    std::string text = mnemonic->getText();
    size_t open = text.find('{');
    if (open == std::string::npos) {
      all.push_back(text);
      continue;
    }
    std::stringstream choices(text.substr(open + 1, text.find('}') - open - 1));
    for (std::string choice; std::getline(choices, choice, ',');)
      all.push_back(text.substr(0, open) + choice + text.substr(text.find('}') + 1));
  }
  return all;
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

void Reader::vocabulary(IsaParser::VocabularyContext *context) {
  Vocabulary &vocabulary = model.vocabulary;
  auto names = context->NAME();
  std::string name = names[0]->getText();
  std::vector<std::string> words = allWords(context->WORD());
  std::map<std::string, std::vector<std::string> *> classes = {
      {"types", &vocabulary.types}, {"layouts", &vocabulary.layouts}, {"spaces", &vocabulary.spaces}};
  std::map<std::string, std::set<std::string> *> lists = {{"repeatable", &vocabulary.repeatable},
                                                          {"ignored", &vocabulary.ignored},
                                                          {"exact", &vocabulary.exact},
                                                          {"known", &vocabulary.known}};
  if (name == "kind" && names.size() == 2) {
    for (const std::string &word : words)
      if (!vocabulary.kinds.insert({word, names[1]->getText()}).second)
        error(context, "twice", "`" + word + "` has a kind already");
  } else if (names.size() == 1 && classes.count(name)) {
    classes[name]->insert(classes[name]->end(), words.begin(), words.end());
  } else if (names.size() == 1 && lists.count(name)) {
    lists[name]->insert(words.begin(), words.end());
  } else {
    error(context, "vocabulary", "`" + name + "` is no list of words");
  }
}

void Reader::registers(IsaParser::RegisterContext *context) {
  RegisterDecl decl;
  decl.place = place(context);
  decl.type = context->WORD(0)->getText();
  if (context->needs)
    decl.needs = context->needs->getText();
  if (context->WORD().size() > (context->needs ? 2 : 1))
    decl.vector = context->WORD(1)->getText();
  if (context->NAME()) {
    decl.narrow = context->NAME()->getText() == "narrow";
    if (!decl.narrow)
      error(context, "attribute", "`" + context->NAME()->getText() + "` is nothing of a register");
  }
  if (context->condition())
    decl.gate = std::make_shared<Condition>(condition(context->condition()));
  for (std::string &name : spellings(context->SPECIAL()->getText())) {
    decl.name = std::move(name);
    model.registers.push_back(decl);
  }
}

void Reader::readFile(IsaParser::FileContext *context) {
  Scope *scope = &model.shared;
  if (model.names[file] != "words.isa" && model.names[file] != "gates.isa") {
    model.fileScopes.push_back(std::make_unique<Scope>());
    scope = model.fileScopes.back().get();
    scope->parent = &model.shared;
  }
  for (IsaParser::ItemContext *item : context->item()) {
    if (auto *one = dynamic_cast<IsaParser::EntryContext *>(item)) {
      entry(one, *scope);
    } else if (auto *one = dynamic_cast<IsaParser::FileGateContext *>(item)) {
      gate(one->gate(), *scope);
    } else if (auto *one = dynamic_cast<IsaParser::FileSetContext *>(item)) {
      set(one->set(), *scope);
    } else if (auto *one = dynamic_cast<IsaParser::VocabularyContext *>(item)) {
      vocabulary(one);
    } else if (auto *one = dynamic_cast<IsaParser::UnreadContext *>(item)) {
      const std::string what = one->getStart()->getText();
      auto &listed = what == "ungated" ? model.vocabulary.ungated : model.vocabulary.unread;
      for (const std::string &mnemonic : mnemonics(one->mnemonic()))
        for (std::string &word : allWords(one->WORD())) {
          if (what != "ungated" && (what == "read") != (model.vocabulary.ignored.count(word) != 0))
            error(one, "vocabulary", "`" + word + "` is " + what + " everywhere else too");
          listed[mnemonic].insert(std::move(word));
        }
    } else if (auto *one = dynamic_cast<IsaParser::WordGatesContext *>(item)) {
      // WORD+ ':' condition ';' again and again: the words before a condition are its own.
      std::vector<std::string> words;
      for (antlr4::tree::ParseTree *child : one->children) {
        if (auto *gate = dynamic_cast<IsaParser::ConditionContext *>(child)) {
          auto shared = std::make_shared<Condition>(condition(gate));
          for (const std::string &word : words)
            if (!model.vocabulary.gates.insert({word, shared}).second)
              error(gate, "twice", "`" + word + "` has a gate already");
          words.clear();
        } else if (child->getText()[0] == '.') {
          for (std::string &word : spellings(child->getText()))
            words.push_back(std::move(word));
        }
      }
    } else if (auto *one = dynamic_cast<IsaParser::SharedOperandsContext *>(item)) {
      for (IsaParser::OperandDeclContext *decl : one->operandDecl())
        operandDecl(decl, *scope);
    } else if (auto *one = dynamic_cast<IsaParser::VersionsContext *>(item)) {
      for (IsaParser::VersionRangeContext *range : one->versionRange()) {
        const uint16_t first = version(range->first->getText()),
                       last = range->last ? version(range->last->getText()) : first;
        for (uint16_t next = first; next <= last; ++next) {
          model.versions.push_back(next);
          model.versionMeanings.push_back(range->meaning ? version(range->meaning->getText()) : next);
        }
      }
    } else if (auto *one = dynamic_cast<IsaParser::TargetContext *>(item)) {
      model.targets.push_back({place(item), one->TARGET()->getText(), "",
                               version(one->NUMBER(0)->getText()), one->NAME() == nullptr});
      if (one->NUMBER().size() > 1)
        model.targets.back().sharedBytes =
            static_cast<uint32_t>(std::stoul(one->NUMBER(1)->getText()));
      if (one->NAME() && one->NAME()->getText() != "undocumented")
        error(item, "target", "`" + one->NAME()->getText() + "` says nothing about a target");
    } else if (auto *one = dynamic_cast<IsaParser::FamilyContext *>(item)) {
      model.families.emplace_back();
      for (antlr4::tree::TerminalNode *number : one->NUMBER())
        model.families.back().push_back(static_cast<uint16_t>(std::stoi(number->getText())));
    } else if (auto *one = dynamic_cast<IsaParser::AliasContext *>(item)) {
      model.targets.push_back({place(item), one->TARGET(0)->getText(), one->TARGET(1)->getText(),
                               version(one->NUMBER()->getText()), true});
    } else if (auto *one = dynamic_cast<IsaParser::RegisterContext *>(item)) {
      registers(one);
    }
  }
}

} // namespace

void read(Model &model, const std::string &path, const std::string &name, Errors &errors) {
  auto file = static_cast<uint16_t>(model.files.size());
  model.files.push_back(path);
  model.names.push_back(name);
  std::ifstream stream(path);
  if (!stream) {
    errors.report({file, 1}, "file", "cannot be read");
    return;
  }
  SyntaxErrors listener(file, errors);
  antlr4::ANTLRInputStream input(stream);
  IsaLexer lexer(&input);
  lexer.removeErrorListeners();
  lexer.addErrorListener(&listener);
  antlr4::CommonTokenStream tokens(&lexer);
  IsaParser parser(&tokens);
  parser.removeErrorListeners();
  parser.addErrorListener(&listener);
  IsaParser::FileContext *tree = parser.file();
  if (!listener.any) // a half-read file would only raise errors that are none
    Reader(model, file, errors).readFile(tree);
}

} // namespace ptxray::isagen
