#pragma once
// Converts the ANTLR tree of one file into the Model. Read.cpp handles the file and its lists, ReadEntry.cpp entries,
// ReadDirectives.cpp directives, features and limits, ReadConditions.cpp the parts that they share.
#include "IsaParser.h"
#include "Model.h"
#include "Source/Narrow.h"

namespace ptxray::isagen {

std::string sourceText(antlr4::ParserRuleContext *context);
/// Returns the text of a context on one line, without comments.
std::string oneLine(antlr4::ParserRuleContext *context);
std::string unquoted(antlr4::tree::TerminalNode *text);
/// Returns a version as a number: 806 for `8.6`.
uint16_t version(const std::string &text);
/// Returns all mnemonics of a pattern: two for `mul.{hi,lo}`.
std::vector<std::string> mnemonics(const std::vector<IsaParser::MnemonicContext *> &written);

class Reader {
public:
  Reader(Model &model, uint16_t file, Errors &errors) : model(model), file(file), errors(errors) {}
  void readFile(IsaParser::FileContext *context);

private:
  using Words = std::vector<antlr4::tree::TerminalNode *>;

  Place place(antlr4::ParserRuleContext *context) { return {file, static_cast<uint32_t>(context->start->getLine())}; }
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

  // ReadConditions.cpp
  int64_t integer(IsaParser::IntegerContext *context);
  std::vector<isa::ValueRange> values(const std::vector<IsaParser::ValueContext *> &contexts);
  Term term(IsaParser::TermContext *context);
  template <class Part>
  Condition joined(Condition::Kind kind, antlr4::ParserRuleContext *context, const std::vector<Part *> &parts,
                   Condition (Reader::*read)(Part *));
  Condition requirement(IsaParser::RequirementContext *context);
  Condition withOutcome(std::optional<Condition> required, IsaParser::OutcomeContext *outcome);
  Condition condition(IsaParser::ConditionContext *context);
  Condition conjunction(IsaParser::ConjunctionContext *context);
  Condition factor(IsaParser::FactorContext *context);
  Condition atom(IsaParser::AtomContext *context);
  // ReadEntry.cpp
  PatternNode operand(IsaParser::OperandContext *context);
  std::vector<PatternNode> operands(IsaParser::OperandsContext *context);
  void form(IsaParser::FormContext *context, Scope &scope);
  void set(IsaParser::SetContext *context, Scope &scope);
  void gate(IsaParser::GateContext *context, Scope &scope);
  struct OperandSoFar;
  void name(IsaParser::AttributeContext *attribute, OperandSoFar &read);
  void word(IsaParser::AttributeContext *attribute, Operand &operand);
  void lengths(IsaParser::AttributeContext *attribute, Operand &operand);
  Operand attributes(IsaParser::OperandDeclContext *context);
  void operandDecl(IsaParser::OperandDeclContext *context, Scope &scope);
  void access(IsaParser::OperandDeclContext *context, Operand &operand);
  bool flag(antlr4::ParserRuleContext *context, const std::string &name, bool ofPtxas, Operand &operand);
  void flagsFit(IsaParser::OperandDeclContext *context, const Operand &operand);
  void table(IsaParser::TableContext *context, Scope &scope);
  Cell cell(IsaParser::CellContext *context, const Column &column);
  void row(IsaParser::RowContext *context, Table &table);
  void rule(IsaParser::DemandContext *context, Scope &scope);
  // ReadFacts.cpp
  void fact(IsaParser::FactContext *context, Scope &scope);
  // ReadFormulas.cpp
  size_t primary(IsaParser::PrimaryContext *context, Expression &all);
  size_t call(IsaParser::CallContext *context, ExpressionNode::Kind kind, Expression &all);
  size_t part(IsaParser::ExpressionContext *context, Expression &all);
  Expression expression(IsaParser::ExpressionContext *context);
  void formula(IsaParser::FormulaContext *context, Scope &scope);
  void definition(IsaParser::DefinitionContext *context, Scope &scope);
  void conversion(IsaParser::ConversionContext *context);
  void hint(IsaParser::HintContext *context, Scope &scope);
  // ReadEntry.cpp
  void block(IsaParser::BlockContext *context, Scope &scope, Entry &entry);
  void entry(IsaParser::EntryContext *context, Scope &scope);
  // ReadDirectives.cpp
  void directive(IsaParser::DirectiveContext *context);
  void clause(IsaParser::ClauseContext *context, DirectiveDecl &decl);
  void argument(IsaParser::ArgumentContext *context, DirectiveDecl &decl);
  void others(IsaParser::OthersContext *context, DirectiveDecl &decl);
  void remark(IsaParser::RemarkContext *context, DirectiveDecl &decl);
  void written(IsaParser::WrittenContext *context, DirectiveDecl &decl);
  void pieces(const std::vector<IsaParser::PieceContext *> &pieces, uint8_t depth, DirectiveDecl &decl);
  void feature(IsaParser::FeatureContext *context);
  void limit(IsaParser::LimitContext *context);
  void runtimeFunction(IsaParser::RuntimeFunctionContext *context);
  // Read.cpp
  void meanings(IsaParser::MeaningsContext *context);
  void addMeaning(const std::string &name, const Meaning &meaning);
  void example(IsaParser::ExampleContext *context);
  void vocabulary(IsaParser::VocabularyContext *context);
  void target(IsaParser::TargetContext *context);
  void registers(IsaParser::RegisterContext *context);
  void skips(IsaParser::SkipsContext *context);
  void wordGates(IsaParser::WordGatesContext *context);
  void versions(IsaParser::VersionsContext *context);
  void family(IsaParser::FamilyContext *context);
  bool listOfWords(IsaParser::ItemContext *item);
  bool declaration(IsaParser::ItemContext *item);
  void scoped(IsaParser::ItemContext *item, Scope &scope);

  Model &model;
  uint16_t file;
  Errors &errors;
};

/// Combines two conditions. Extends the left one if it is of that kind.
Condition join(Condition::Kind kind, Condition left, Condition right);

} // namespace ptxray::isagen
