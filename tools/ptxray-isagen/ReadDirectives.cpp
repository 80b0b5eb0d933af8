// Reads directives, pragmas, features, and limits: the parts of a module besides instructions.
#include "Reader.h"

namespace ptxray::isagen {

void Reader::directive(IsaParser::DirectiveContext *context) {
  DirectiveDecl decl;
  decl.place = place(context);
  decl.isPragma = context->STRING() != nullptr;
  decl.name = decl.isPragma ? unquoted(context->STRING()) : context->WORD()->getText();
  for (IsaParser::ClauseContext *one : context->clause())
    clause(one, decl);
  if (decl.syntax.empty())
    error(context, "directive", "no line says how `" + decl.name + "` is written");
  model.directives.push_back(std::move(decl));
}

void Reader::clause(IsaParser::ClauseContext *context, DirectiveDecl &decl) {
  if (auto *title = dynamic_cast<IsaParser::DirectiveTitleContext *>(context)) {
    decl.title = unquoted(title->STRING());
  } else if (auto *manual = dynamic_cast<IsaParser::DirectiveManualContext *>(context)) {
    for (IsaParser::ReferenceContext *reference : manual->reference())
      decl.manual += (decl.manual.empty() ? "" : ", ") + reference->getText();
  } else if (auto *gate = dynamic_cast<IsaParser::DirectiveGateContext *>(context)) {
    if (decl.gate)
      error(context, "twice", "a second `requires`; join them by `&`");
    decl.gate = condition(gate->condition());
  } else if (auto *places = dynamic_cast<IsaParser::PlacesContext *>(context)) {
    for (IsaParser::DirectivePlaceContext *one : places->directivePlace())
      decl.places.push_back({place(context), one->getText()});
  } else if (auto *one = dynamic_cast<IsaParser::ArgumentContext *>(context)) {
    argument(one, decl);
  } else if (auto *one = dynamic_cast<IsaParser::OthersContext *>(context)) {
    others(one, decl);
  } else if (auto *one = dynamic_cast<IsaParser::RemarkContext *>(context)) {
    remark(one, decl);
  } else if (auto *one = dynamic_cast<IsaParser::WrittenContext *>(context)) {
    written(one, decl);
  }
}

/// Reads `nx, ny : u32 in 1..1024 | "all";`.
void Reader::argument(IsaParser::ArgumentContext *context, DirectiveDecl &decl) {
  ArgumentDecl argument;
  argument.place = place(context);
  auto names = context->NAME();
  argument.kind = names.back()->getText();
  names.pop_back();
  if (context->values())
    argument.ranges = values(context->values()->value());
  for (antlr4::tree::TerminalNode *text : context->STRING())
    argument.texts.push_back(unquoted(text));
  for (antlr4::tree::TerminalNode *name : names)
    if (!decl.arguments.insert({name->getText(), argument}).second)
      error(context, "twice", "`" + name->getText() + "` is declared already");
}

/// Reads `excludes .reqntid;`.
void Reader::others(IsaParser::OthersContext *context, DirectiveDecl &decl) {
  const std::string what = context->getStart()->getText();
  auto *list = what == "excludes"       ? &decl.excludes
               : what == "needs"        ? &decl.needs
               : what == "idle-without" ? &decl.idleWithout
                                        : nullptr;
  if (!list)
    return error(context, "directive", "`" + what + "` says nothing of a directive");
  for (antlr4::tree::TerminalNode *word : context->WORD()) {
    const std::string name = word->getText();
    if (std::any_of(list->begin(), list->end(), [&](const auto &known) { return known.second == name; }))
      error(context, "twice", "`" + name + "` once more");
    list->push_back({place(context), name});
  }
}

/// Reads `once;`, `undocumented;`, or `idle-since 2.0;`.
void Reader::remark(IsaParser::RemarkContext *context, DirectiveDecl &decl) {
  const std::string what = context->NAME()->getText();
  if (what == "once" && !context->NUMBER())
    decl.once = true;
  else if (what == "undocumented" && !context->NUMBER())
    decl.documented = false;
  else if (what == "idle-since" && context->NUMBER())
    decl.idleSince = version(context->NUMBER()->getText());
  else
    error(context, "directive", "`" + oneLine(context) + "` says nothing of a directive");
}

/// Reads `.maxntid nx{, ny{, nz}};`.
void Reader::written(IsaParser::WrittenContext *context, DirectiveDecl &decl) {
  const std::string name = decl.isPragma && context->STRING() ? unquoted(context->STRING())
                           : context->WORD()                  ? context->WORD()->getText()
                                                              : "";
  if (name != decl.name || !decl.syntax.empty())
    return error(context, "directive", "one line begins with `" + decl.name + "` and says how it is written");
  decl.syntax = oneLine(context);
  decl.syntax.pop_back();
  pieces(context->piece(), 0, decl);
}

void Reader::pieces(const std::vector<IsaParser::PieceContext *> &pieces, uint8_t depth, DirectiveDecl &decl) {
  for (IsaParser::PieceContext *piece : pieces) {
    if (!piece->piece().empty())
      this->pieces(piece->piece(), depth + 1, decl);
    else if (piece->NAME())
      decl.written.push_back({piece->NAME()->getText(), "", depth, false});
    else if (piece->STRING())
      decl.written.push_back({"", unquoted(piece->STRING()), depth, false});
    else if (piece->getText() == "...") {
      if (decl.written.empty())
        error(piece, "directive", "`...` repeats what comes before it");
      else
        decl.written.back().repeats = true;
    }
  }
}

void Reader::feature(IsaParser::FeatureContext *context) {
  model.features.push_back({place(context), context->NAME()->getText(),
                            context->STRING() ? unquoted(context->STRING()) : "", condition(context->condition())});
}

void Reader::runtimeFunction(IsaParser::RuntimeFunctionContext *context) {
  RuntimeFunctionDecl decl;
  decl.place = place(context);
  decl.name = context->NAME(0)->getText();
  decl.neverReturns = context->remark;
  if (context->remark && context->remark->getText() != "noreturn")
    errors.report(decl.place, "runtime", "expected `noreturn` or `:` after `" + decl.name + "`");
  if (context->condition())
    decl.gate = condition(context->condition());
  model.runtimeFunctions.push_back(std::move(decl));
}

void Reader::limit(IsaParser::LimitContext *context) {
  LimitDecl decl{place(context), context->NAME()->getText(), {}};
  for (IsaParser::LimitValueContext *value : context->limitValue()) {
    decl.values.push_back({std::stoull(value->NUMBER()->getText(), nullptr, 0), {}});
    if (value->condition())
      decl.values.back().gate = condition(value->condition());
  }
  model.limits.push_back(std::move(decl));
}

} // namespace ptxray::isagen
