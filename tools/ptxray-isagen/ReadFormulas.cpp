// Reads formulas, which define what an instruction computes, and the words that represent functions in them.
#include "Isa/FormulaNames.h"
#include "Reader.h"

namespace ptxray::isagen {

/// Returns the operator with this spelling and this number of arguments.
static isa::StepOp signOf(const std::string &text, size_t arguments) {
  size_t op = static_cast<size_t>(isa::StepOp::At);
  while (isa::formulaFunctions[op].name != text || isa::formulaFunctions[op].arguments.size() != arguments)
    ++op;
  return static_cast<isa::StepOp>(op);
}

static size_t add(ExpressionNode node, Expression &all) {
  all.nodes.push_back(std::move(node));
  return all.nodes.size() - 1;
}

size_t Reader::call(IsaParser::CallContext *context, ExpressionNode::Kind kind, Expression &all) {
  ExpressionNode node{kind, {}, context->NAME()->getText()};
  for (IsaParser::ExpressionContext *argument : context->expression())
    node.args.push_back(part(argument, all));
  return add(std::move(node), all);
}

size_t Reader::primary(IsaParser::PrimaryContext *context, Expression &all) {
  const std::string first = context->start->getText();
  if (context->call())
    return call(context->call(), first == "named" ? ExpressionNode::Named : ExpressionNode::Call, all);
  if (first == "(")
    return part(context->expression(0), all);
  if (context->WORD()) {
    ExpressionNode node{context->expression().empty() ? ExpressionNode::Word : ExpressionNode::WordCall, {}, first};
    for (IsaParser::ExpressionContext *argument : context->expression())
      node.args.push_back(part(argument, all));
    return add(std::move(node), all);
  }
  if (context->NUMBER()) {
    if (context->NUMBER()->getText().find('.') != std::string::npos)
      error(context, "formula", "`" + first + "` is not an integer");
    const auto number = static_cast<int64_t>(std::stoull(first, nullptr, 0));
    return add({ExpressionNode::Number, {}, first, number}, all);
  }
  return add({first == "[" ? ExpressionNode::Memory : ExpressionNode::Name, {}, context->NAME()->getText()}, all);
}

size_t Reader::part(IsaParser::ExpressionContext *context, Expression &all) {
  if (auto *one = dynamic_cast<IsaParser::SingleContext *>(context))
    return primary(one->primary(), all);
  ExpressionNode node{ExpressionNode::Sign};
  std::vector<IsaParser::ExpressionContext *> parts;
  std::string sign = "?";
  if (auto *one = dynamic_cast<IsaParser::UnaryContext *>(context)) {
    parts = {one->expression()};
    sign = one->start->getText();
  } else if (auto *two = dynamic_cast<IsaParser::BinaryContext *>(context)) {
    parts = two->expression();
    sign = two->children[1]->getText();
  } else if (auto *three = dynamic_cast<IsaParser::ChoiceContext *>(context)) {
    parts = three->expression();
  }
  for (IsaParser::ExpressionContext *one : parts)
    node.args.push_back(part(one, all));
  node.text = sign;
  if (sign[0] == '.')
    node.kind = ExpressionNode::WordCall;
  else
    node.sign = signOf(sign, sign == "?" ? 3 : parts.size());
  return add(std::move(node), all);
}

Expression Reader::expression(IsaParser::ExpressionContext *context) {
  Expression all{place(context), {}};
  part(context, all);
  return all;
}

void Reader::formula(IsaParser::FormulaContext *context, Scope &scope) {
  Formula formula;
  formula.place = place(context);
  formula.text = oneLine(context);
  formula.text.pop_back();
  if (context->condition())
    formula.when = condition(context->condition());
  if (context->call()) {
    formula.value.place = formula.place;
    call(context->call(), ExpressionNode::Named, formula.value);
    scope.formulas.push_back(std::move(formula));
    return;
  }
  formula.operand = context->receiver()->NAME()->getText();
  formula.target = context->receiver()->children.size() > 1 ? isa::FormulaTarget::Memory
                   : formula.operand == "cc"                ? isa::FormulaTarget::Carry
                                                            : isa::FormulaTarget::Operand;
  const std::string equals = context->children[context->condition() ? 3 : 1]->getText();
  formula.approximate = equals == "~";
  if (formula.approximate != (context->bound() != nullptr))
    error(context, "formula", "`within` says how near `~` is");
  if (context->bound())
    formula.bound = oneLine(context->bound()).substr(std::string("within ").size());
  formula.value = expression(context->expression());
  scope.formulas.push_back(std::move(formula));
}

void Reader::definition(IsaParser::DefinitionContext *context, Scope &scope) {
  Definition definition{place(context), {}, expression(context->expression())};
  const bool isWord = context->WORD() != nullptr;
  const auto names = context->NAME();
  for (size_t i = isWord ? 0 : 1; i < names.size(); ++i)
    definition.parameters.push_back(names[i]->getText());
  for (const std::string &name :
       isWord ? spellings(context->WORD()->getText()) : std::vector<std::string>{names[0]->getText()})
    if (!scope.definitions.insert({name, definition}).second)
      error(context, "twice", "`" + name + "` is defined already");
}

void Reader::conversion(IsaParser::ConversionContext *context) {
  ConversionDecl decl;
  decl.place = place(context);
  decl.word = context->WORD()->getText();
  decl.isReading = context->start->getText() == "reading";
  const std::string kind = context->NAME() ? context->NAME()->getText() : "";
  if (!kind.empty() && kind != "integer" && kind != "float")
    error(context, "formula", "`" + kind + "` is neither `integer` nor `float`");
  decl.ofIntegers = kind != "float";
  decl.ofFloats = kind != "integer";
  if (context->wordList())
    decl.types = allWords(context->wordList()->WORD());
  decl.value = expression(context->expression());
  model.vocabulary.conversions.push_back(std::move(decl));
}

void Reader::hint(IsaParser::HintContext *context, Scope &scope) {
  if (context->NAME().empty() && context->WORD().empty())
    scope.hints.insert({"", place(context)});
  for (antlr4::tree::TerminalNode *name : context->NAME())
    scope.hints.insert({name->getText(), place(context)});
  for (const std::string &word : allWords(context->WORD()))
    scope.hints.insert({word, place(context)});
}

} // namespace ptxray::isagen
