// Writes the results of instructions as JSON: the rows of formulas, with names in place of indices.
#include "Isa/FormulaNames.h"
#include "Isa/Isa.h"
#include "IsaJson.h"

namespace ptxray {

using isa::StepOp;
using isa::Tables;

/// Returns the rows with the names that they refer to. A definition has no form.
static Json stepsJson(isa::Span span, const isa::Form *form) {
  const Tables &t = isa::tables();
  Json rows = Json::array();
  for (const isa::Step &step : isa::run(t.steps, span)) {
    Json row = Json::object();
    const auto slotName = [&](size_t slot) { return isa::run(t.slots, form->slots)[slot].name(); };
    switch (step.op) {
    case StepOp::Operand: row["operand"] = isa::run(t.operands, form->operands)[step.value].name(); break;
    case StepOp::Memory: row["memory"] = isa::run(t.operands, form->operands)[step.value].name(); break;
    case StepOp::Constant: row["number"] = t.stepNumbers[step.value]; break;
    case StepOp::Parameter: row["parameter"] = step.value; break;
    case StepOp::Word:
      if (step.value >= isa::literalWord)
        row["type"] = isa::word(step.value - isa::literalWord).text();
      else if (form)
        row["word"] = slotName(step.value);
      else
        row["slot"] = step.value;
      break;
    case StepOp::WordCall:
    case StepOp::Fold:
      row[step.op == StepOp::Fold ? "fold" : "word"] = slotName(t.wordCalls[step.value].slot);
      row["operators"] = t.wordCalls[step.value].definitions.first;
      break;
    case StepOp::Named: row["named"] = t.namedFunctions[step.value](); break;
    default: row["op"] = isa::functionOf(step.op).name; break;
    }
    for (unsigned i = 0; i < step.count; ++i)
      row["args"].push_back(t.stepArgs[step.args + i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json formulaJson(const isa::Form &form, const isa::Formula &formula) {
  Json json = {{"text", formula.text()}, {"line", formula.line}, {"steps", stepsJson(formula.steps, &form)}};
  const char *const targets[] = {"", "operand", "memory", "carry"};
  if (formula.target == isa::FormulaTarget::Carry)
    json["carry"] = true;
  else if (formula.target != isa::FormulaTarget::Nothing)
    json[targets[static_cast<size_t>(formula.target)]] =
        isa::run(isa::tables().operands, form.operands)[formula.operand].name();
  if (formula.approximate)
    json["within"] = formula.bound();
  return json;
}

/// Returns the definition of each word of a slot, by the number that the rows of formulas use.
Json operatorsJson() {
  const Tables &t = isa::tables();
  Json all = Json::object();
  for (const isa::WordCall &call : t.wordCalls) {
    Json words = Json::object();
    for (const isa::WordDefinition &one : isa::run(t.wordDefinitions, call.definitions))
      words[std::string(isa::word(one.word).text())] = stepsJson(one.steps, nullptr);
    all[std::to_string(call.definitions.first)] = std::move(words);
  }
  return all;
}

Json conversionsJson() {
  const Tables &t = isa::tables();
  Json all = Json::array();
  for (const isa::Conversion &one : t.conversions) {
    Json json = {{"word", isa::word(one.word).text()}, {"when", one.isReading ? "reading" : "storing"}};
    if (one.ofIntegers != one.ofFloats)
      json["of"] = one.ofIntegers ? "integer" : "float";
    for (const isa::WordId type : isa::run(t.wordLists, one.types))
      json["types"].push_back(isa::word(type).text());
    json["steps"] = stepsJson(one.steps, nullptr);
    all.push_back(std::move(json));
  }
  return all;
}

} // namespace ptxray
