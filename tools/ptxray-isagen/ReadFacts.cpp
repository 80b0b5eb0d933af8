// Reads facts: a verb, its subjects, and clauses that begin with a preposition.
#include "Isa/FactNames.h"
#include "Reader.h"

namespace ptxray::isagen {

/// Joins tokens that belong to one name: those of `cp.async`, but not those of `on .space`.
static void append(std::vector<std::string> &words, const std::string &word, bool afterName) {
  if (afterName && word[0] == '.' && !words.empty())
    words.back() += word;
  else
    words.push_back(word);
}

void Reader::fact(IsaParser::FactContext *context, Scope &scope) {
  static const std::set<std::string> prepositions = {"in", "by", "until", "after",    "at",
                                                     "if", "on", "for",   "completes"};
  Fact fact;
  fact.place = place(context);
  fact.text = oneLine(context);
  fact.text.pop_back();
  const std::string verb = context->verb()->getText();
  fact.kind = static_cast<isa::FactKind>(std::find(isa::factNames.begin(), isa::factNames.end(), verb) -
                                         isa::factNames.begin());
  if (context->condition())
    fact.when = condition(context->condition());
  std::vector<std::string> *words = &fact.subjects;
  bool afterName = false;
  for (IsaParser::FactPartContext *part : context->factPart()) {
    const std::string text = part->getText();
    // The first word after a preposition is its argument, whatever its spelling.
    const bool isComplete = words == &fact.subjects || !words->empty();
    if (text == ",") {
      afterName = false;
    } else if (prepositions.count(text) && isComplete) {
      if (!(words = &fact.clauses[text])->empty())
        error(context, "fact", "`" + text + "` is written twice");
      afterName = false;
    } else {
      append(*words, text, afterName);
      afterName = part->NAME() || part->WORD();
    }
  }
  for (const auto &[preposition, arguments] : fact.clauses)
    if (arguments.empty())
      error(context, "fact", "nothing follows `" + preposition + "`");
  scope.facts.push_back(std::move(fact));
}

} // namespace ptxray::isagen
