#include "FormulaMutants.h"
#include "Isa/FormulaNames.h"
#include <map>
#include <memory>

namespace ptxray::test {

using namespace isagen;
using isa::StepOp;

namespace {

class Finder {
public:
  explicit Finder(Model &model) : model(model) {}
  std::vector<FormulaMutant> run();

private:
  template <class T> void replace(Place place, const std::string &text, T &target, T changed) {
    auto other = std::make_shared<T>(std::move(changed));
    mutants.push_back({place, text, entry, [&target, other] { std::swap(target, *other); }});
  }
  void scope(Scope &scope);
  void expression(const std::string &name, Expression &all);
  void node(const std::string &name, Expression &all, size_t at);
  void sign(const std::string &name, Expression &all, size_t at);
  void function(const std::string &name, Expression &all, size_t at);
  void put(const std::string &text, Expression &all, size_t at, ExpressionNode changed) {
    Expression other = all;
    other.nodes[at] = std::move(changed);
    replace(all.place, text, all, std::move(other));
  }
  /// Replaces an expression by one of its arguments.
  void putArgument(const std::string &name, Expression &all, size_t at, size_t argument) {
    const ExpressionNode &node = all.nodes[at];
    put(name + ": argument " + std::to_string(argument + 1) + " alone of " + textOf(node), all, at,
        all.nodes[node.args[argument]]);
  }
  static std::string textOf(const ExpressionNode &node) {
    return node.kind == ExpressionNode::Sign ? std::string(isa::formulaFunctions[static_cast<size_t>(node.sign)].name)
                                             : node.text;
  }

  Model &model;
  const Scope *entry = nullptr;
  std::vector<FormulaMutant> mutants;
};

/// A mutation replaces an operator by one of these.
const std::multimap<StepOp, StepOp> otherSigns = {{StepOp::Multiply, StepOp::Add},
                                                  {StepOp::Divide, StepOp::Multiply},
                                                  {StepOp::Remainder, StepOp::Divide},
                                                  {StepOp::Add, StepOp::Subtract},
                                                  {StepOp::Subtract, StepOp::Add},
                                                  {StepOp::ShiftLeft, StepOp::ShiftRight},
                                                  {StepOp::ShiftRight, StepOp::ShiftLeft},
                                                  {StepOp::And, StepOp::Or},
                                                  {StepOp::And, StepOp::Xor},
                                                  {StepOp::Xor, StepOp::Or},
                                                  {StepOp::Or, StepOp::Xor},
                                                  {StepOp::Or, StepOp::And},
                                                  {StepOp::Less, StepOp::LessEqual},
                                                  {StepOp::Less, StepOp::Greater},
                                                  {StepOp::LessEqual, StepOp::Less},
                                                  {StepOp::LessEqual, StepOp::GreaterEqual},
                                                  {StepOp::Greater, StepOp::GreaterEqual},
                                                  {StepOp::Greater, StepOp::Less},
                                                  {StepOp::GreaterEqual, StepOp::Greater},
                                                  {StepOp::GreaterEqual, StepOp::LessEqual},
                                                  {StepOp::Equal, StepOp::Unequal},
                                                  {StepOp::Unequal, StepOp::Equal}};

/// A mutation replaces one function of a pair by the other, both ways.
constexpr std::pair<const char *, const char *> otherFunctions[] = {
    {"min", "max"},
    {"floor", "ceiling"},
    {"nearest-integer", "truncated"},
    {"round-nearest", "round-toward-zero"},
    {"round-nearest", "round-away"},
    {"round-down", "round-up"},
    {"least", "greatest"},
    {"sine", "cosine"},
    {"log2", "exp2"},
    {"reciprocal", "reciprocal-root"},
    {"square-root", "reciprocal"},
    {"ones", "leading-zeros"},
    {"reversed", "ones"},
    {"top-bit", "leading-zeros"},
    {"is-nan", "is-infinite"},
    {"is-subnormal", "is-nan"},
    {"is-negative", "is-nan"},
    {"active", "everyone"},
    {"lanes", "alike"},
};

} // namespace

void Finder::sign(const std::string &name, Expression &all, size_t at) {
  const ExpressionNode &node = all.nodes[at];
  if (node.args.size() == 2)
    for (auto [from, end] = otherSigns.equal_range(node.sign); from != end; ++from) {
      ExpressionNode changed = node;
      changed.sign = from->second;
      put(name + ": " + textOf(node) + " becomes " + textOf(changed), all, at, changed);
    }
  const bool isChoice = node.sign == StepOp::Choice;
  for (size_t i = isChoice; i < node.args.size(); ++i)
    putArgument(name, all, at, i);
  const bool hasOrder = node.sign == StepOp::Subtract || node.sign == StepOp::Divide ||
                        node.sign == StepOp::Remainder || node.sign == StepOp::ShiftLeft ||
                        node.sign == StepOp::ShiftRight || isChoice;
  if (hasOrder) {
    ExpressionNode changed = node;
    std::swap(changed.args[isChoice], changed.args[isChoice + 1]);
    put(name + ": " + textOf(node) + " of exchanged operands", all, at, changed);
  }
}

void Finder::function(const std::string &name, Expression &all, size_t at) {
  const ExpressionNode &node = all.nodes[at];
  for (const auto &[one, other] : otherFunctions)
    for (const auto &[from, to] : {std::pair(one, other), std::pair(other, one)})
      if (node.text == from) {
        ExpressionNode changed = node;
        changed.text = to;
        put(name + ": " + from + " becomes " + to, all, at, changed);
      }
  for (size_t i = 0; i < node.args.size(); ++i)
    putArgument(name, all, at, i);
}

void Finder::node(const std::string &name, Expression &all, size_t at) {
  const ExpressionNode &node = all.nodes[at];
  switch (node.kind) {
  case ExpressionNode::Sign: return sign(name, all, at);
  case ExpressionNode::Name:
  case ExpressionNode::Call: return function(name, all, at);
  case ExpressionNode::WordCall:
    if (!node.args.empty())
      putArgument(name, all, at, 0);
    return;
  case ExpressionNode::Number:
    for (const int step : {-1, 1}) {
      ExpressionNode changed = node;
      changed.number += step;
      if (changed.number >= 0)
        put(name + ": " + node.text + " becomes " + std::to_string(changed.number), all, at, changed);
    }
    return;
  default: return;
  }
}

void Finder::expression(const std::string &name, Expression &all) {
  for (size_t i = 0; i < all.nodes.size(); ++i)
    node(name, all, i);
}

void Finder::scope(Scope &one) {
  for (size_t i = 0; i < one.formulas.size(); ++i) {
    Formula &formula = one.formulas[i];
    expression(formula.text, formula.value);
    if (!formula.when)
      continue;
    std::vector<Formula> fewer = one.formulas;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    replace(formula.place, formula.text + ": is missing", one.formulas, std::move(fewer));
  }
  for (auto &[name, definition] : one.definitions)
    expression("let " + name, definition.value);
  for (auto &block : one.blocks)
    scope(*block);
}

std::vector<FormulaMutant> Finder::run() {
  scope(model.shared);
  for (ConversionDecl &one : model.vocabulary.conversions)
    expression((one.isReading ? "reading " : "storing ") + one.word, one.value);
  for (auto &file : model.fileScopes)
    scope(*file);
  for (Entry &one : model.entries) {
    entry = one.scope.get();
    scope(*one.scope);
  }
  return std::move(mutants);
}

std::vector<FormulaMutant> findFormulaMutants(Model &model) { return Finder(model).run(); }

} // namespace ptxray::test
