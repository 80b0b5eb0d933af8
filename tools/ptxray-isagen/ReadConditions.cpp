// Reads conditions, lengths, and values.
#include "Reader.h"

namespace ptxray::isagen {

int64_t Reader::integer(IsaParser::IntegerContext *context) {
  int64_t value = static_cast<int64_t>(std::stoull(context->NUMBER()->getText(), nullptr, 0));
  return context->children.size() == 2 ? -value : value;
}

std::vector<isa::ValueRange> Reader::values(const std::vector<IsaParser::ValueContext *> &contexts) {
  std::vector<isa::ValueRange> ranges;
  for (IsaParser::ValueContext *context : contexts) {
    auto numbers = context->integer();
    int64_t low = integer(numbers[0]);
    const bool isOpen = numbers.size() == 1 && context->children.size() > 1; // `1..`
    const int64_t high = isOpen ? INT64_MAX : numbers.size() > 1 ? integer(numbers[1]) : low;
    ranges.push_back({low, high, numbers.size() > 2 ? integer(numbers[2]) : 1});
    if (ranges.back().high < low || ranges.back().step < 1)
      error(context, "empty-range", "`" + oneLine(context) + "` holds no value");
  }
  return ranges;
}

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
      error(context, "length", "`" + letter + "` is not a single letter");
    result.value.letter = letter[0];
  }
  // In NUMBER '*' slot '/' NUMBER ('+' | '-') NUMBER, the token beside a number determines its role.
  for (size_t i = 0; i < context->children.size(); ++i) {
    std::string text = context->children[i]->getText();
    if (!isdigit(static_cast<unsigned char>(text[0])))
      continue;
    auto number = narrow<int16_t>(std::stoi(text, nullptr, 0));
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

template <class Part>
Condition Reader::joined(Condition::Kind kind, antlr4::ParserRuleContext *context, const std::vector<Part *> &parts,
                         Condition (Reader::*read)(Part *)) {
  if (parts.size() == 1)
    return (this->*read)(parts[0]);
  Condition result;
  result.kind = kind;
  result.place = place(context);
  for (Part *part : parts)
    result.parts.push_back((this->*read)(part));
  return result;
}

Condition join(Condition::Kind kind, Condition left, Condition right) {
  if (left.kind != kind) {
    Condition whole;
    whole.kind = kind;
    whole.place = left.place;
    whole.parts.push_back(std::move(left));
    left = std::move(whole);
  }
  left.parts.push_back(std::move(right));
  return left;
}

/// Adds an outcome to the condition: after `else` as the last choice, otherwise as a further requirement.
Condition Reader::withOutcome(std::optional<Condition> required, IsaParser::OutcomeContext *outcome) {
  auto add = [&](Condition::Kind kind, Condition part) {
    required = required ? join(kind, std::move(*required), std::move(part)) : std::move(part);
  };
  Condition part;
  part.place = place(outcome);
  const bool isElse = outcome->start->getText() == "else";
  if (isElse && !required)
    error(outcome, "outcome", "`else` of nothing that must hold");
  if (IsaParser::ReleaseContext *release = outcome->release(); !release || outcome->children.size() > 1) {
    part.kind = Condition::Warn;
    if (outcome->NAME())
      part.argument = outcome->NAME()->getText();
    add(isElse ? Condition::Or : Condition::And, part);
  }
  if (IsaParser::ReleaseContext *release = outcome->release()) {
    part.kind = Condition::Release;
    part.version = version(release->NUMBER()->getText());
    add(Condition::And, part);
  }
  return std::move(*required);
}

Condition Reader::requirement(IsaParser::RequirementContext *context) {
  std::optional<Condition> required;
  if (context->condition())
    required = condition(context->condition());
  return context->outcome() ? withOutcome(std::move(required), context->outcome()) : std::move(*required);
}

Condition Reader::condition(IsaParser::ConditionContext *context) {
  return joined(Condition::Or, context, context->conjunction(), &Reader::conjunction);
}

Condition Reader::conjunction(IsaParser::ConjunctionContext *context) {
  return joined(Condition::And, context, context->factor(), &Reader::factor);
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
    result.kind = Condition::Ptx;
    if (result.text != "ptx")
      error(context, "condition", "`" + result.text + "` accepts no number");
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

} // namespace ptxray::isagen
