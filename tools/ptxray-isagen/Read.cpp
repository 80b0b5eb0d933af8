// Reads files, and their lists of words, targets, and registers.
#include "Isa/FactNames.h"
#include "IsaLexer.h"
#include "Reader.h"
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

std::string sourceText(antlr4::ParserRuleContext *context) {
  return context->start->getInputStream()->getText(
      antlr4::misc::Interval(context->start->getStartIndex(), context->stop->getStopIndex()));
}
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

std::string unquoted(antlr4::tree::TerminalNode *text) {
  const std::string quoted = text->getText();
  return quoted.substr(1, quoted.size() - 2);
}

uint16_t version(const std::string &text) {
  size_t dot = text.find('.');
  int minor = dot == std::string::npos ? 0 : std::stoi(text.substr(dot + 1));
  return narrow<uint16_t>(std::stoi(text) * 100 + minor);
}

std::vector<std::string> mnemonics(const std::vector<IsaParser::MnemonicContext *> &written) {
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

void Reader::vocabulary(IsaParser::VocabularyContext *context) {
  Vocabulary &vocabulary = model.vocabulary;
  auto names = context->NAME();
  std::string name = names[0]->getText();
  std::vector<std::string> words = allWords(context->WORD());
  std::map<std::string, std::vector<std::string> *> classes = {{"types", &vocabulary.types},
                                                               {"layouts", &vocabulary.layouts},
                                                               {"spaces", &vocabulary.spaces},
                                                               {"operations", &vocabulary.operations}};
  std::map<std::string, std::set<std::string> *> lists = {
      {"repeatable", &vocabulary.repeatable}, {"known", &vocabulary.known}, {"hints", &vocabulary.hints}};
  static const std::map<std::string, isa::Declarable> declarable = {{"declarable", isa::Declarable::Yes},
                                                                    {"declarable-laxly", isa::Declarable::Laxly},
                                                                    {"undeclarable", isa::Declarable::Never}};
  static const std::map<std::string, isa::Addresses> addresses = {{"own-addresses", isa::Addresses::Own},
                                                                  {"generic-addresses", isa::Addresses::Generic}};
  if (name == "kind" && names.size() == 2) {
    for (const std::string &word : words)
      if (!vocabulary.kinds.insert({word, names[1]->getText()}).second)
        error(context, "twice", "`" + word + "` has a kind already");
  } else if (names.size() == 1 && classes.count(name)) {
    classes[name]->insert(classes[name]->end(), words.begin(), words.end());
  } else if (names.size() == 1 && lists.count(name)) {
    lists[name]->insert(words.begin(), words.end());
  } else if (auto list = addresses.find(name); names.size() == 1 && list != addresses.end()) {
    for (const std::string &word : words)
      if (!vocabulary.addresses.insert({word, {list->second, place(context)}}).second)
        error(context, "twice", "`" + word + "` is in another list of addresses");
  } else if (auto list = declarable.find(name); names.size() == 1 && list != declarable.end()) {
    for (const std::string &word : words)
      if (!vocabulary.declarable.insert({word, {list->second, place(context)}}).second)
        error(context, "twice", "`" + word + "` is in another list of what may be declared");
  } else {
    error(context, "vocabulary", "`" + name + "` is not a list of words");
  }
}

void Reader::target(IsaParser::TargetContext *context) {
  TargetDecl decl{place(context), context->TARGET()->getText(), "", version(context->NUMBER()->getText())};
  const std::map<std::string, uint32_t *> numbers = {
      {"shared", &decl.sharedBytes}, {"threads", &decl.threads}, {"blocks", &decl.blocks}};
  for (IsaParser::TraitContext *trait : context->trait()) {
    const std::string name = trait->NAME()->getText();
    if (const auto number = numbers.find(name); number != numbers.end() && trait->NUMBER())
      *number->second = static_cast<uint32_t>(std::stoul(trait->NUMBER()->getText()));
    else if (name == "undocumented" && !trait->NUMBER())
      decl.documented = false;
    else if (name == "integrated" && !trait->NUMBER())
      decl.integrated = true;
    else
      error(context, "target", "`" + trait->getText() + "` says nothing about a target");
  }
  model.targets.push_back(std::move(decl));
}

static std::string unquoted(const std::string &text) { return text.substr(1, text.size() - 2); }

/// Reads (NAME | WORD | SPECIAL)+ STRING ';' repeatedly. A sentence belongs to the names before it.
void Reader::meanings(IsaParser::MeaningsContext *context) {
  Meaning meaning{place(context), "", "", mnemonics(context->mnemonic())};
  bool isInside = false;
  std::vector<std::string> names;
  for (antlr4::tree::ParseTree *child : context->children) {
    const std::string text = child->getText();
    if (!isInside && text[0] == '"')
      meaning.topic = unquoted(text);
    if (isInside && text[0] != ';' && text[0] != '}' && text[0] != '"')
      for (std::string &name : spellings(text))
        names.push_back(std::move(name));
    isInside |= text == "{";
    if (!isInside || text[0] != '"')
      continue;
    meaning.text = unquoted(text);
    meaning.place.line =
        static_cast<uint32_t>(dynamic_cast<antlr4::tree::TerminalNode *>(child)->getSymbol()->getLine());
    for (const std::string &name : names)
      addMeaning(name, meaning);
    names.clear();
  }
}

void Reader::addMeaning(const std::string &name, const Meaning &meaning) {
  const auto [first, last] = model.vocabulary.meanings.equal_range(name);
  for (auto known = first; known != last; ++known)
    for (const std::string &mnemonic : meaning.mnemonics.empty() ? std::vector<std::string>{""} : meaning.mnemonics)
      if (mnemonic.empty() ? known->second.mnemonics.empty()
                           : std::count(known->second.mnemonics.begin(), known->second.mnemonics.end(), mnemonic) > 0)
        errors.report(meaning.place, "twice", "`" + name + "` has a meaning already");
  model.vocabulary.meanings.insert({name, meaning});
}

/// Joins the strings, and replaces `'` by quotes.
static std::string sampleText(IsaParser::SampleContext *sample) {
  std::string text;
  for (antlr4::tree::TerminalNode *part : sample->STRING())
    text += unquoted(part->getText());
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

void Reader::example(IsaParser::ExampleContext *context) {
  std::string name;
  if (context->mnemonic())
    name = mnemonics({context->mnemonic()}).front();
  else
    name = context->WORD() ? context->WORD()->getText() : unquoted(context->STRING()->getText());
  Example example{place(context), sampleText(context->sample(0)), "", ""};
  if (context->TARGET())
    example.refusedBy = context->TARGET()->getText();
  else if (context->sample().size() > 1)
    example.wrong = sampleText(context->sample(1));
  if (!model.vocabulary.examples.insert({name, example}).second)
    error(context, "twice", "`" + name + "` has an example already");
}

void Reader::registers(IsaParser::RegisterContext *context) {
  RegisterDecl decl;
  decl.place = place(context);
  decl.type = context->WORD(0)->getText();
  if (context->needs)
    decl.needs = context->needs->getText();
  if (context->WORD().size() > (context->needs ? 2 : 1))
    decl.vector = context->WORD(1)->getText();
  if (context->narrow) {
    decl.narrow = context->narrow->getText() == "narrow";
    if (!decl.narrow)
      error(context, "attribute", "`" + context->narrow->getText() + "` is nothing of a register");
  }
  const auto scope = std::find(isa::scopeNames.begin(), isa::scopeNames.end(), context->scope->getText());
  if (scope == isa::scopeNames.end())
    error(context, "attribute", "`" + context->scope->getText() + "` is not a scope");
  decl.scope = static_cast<isa::Scope>(scope - isa::scopeNames.begin());
  if (context->enumerates) {
    const auto found =
        std::find(isa::enumeratedNames.begin(), isa::enumeratedNames.end(), context->enumerates->getText());
    if (found == isa::enumeratedNames.end())
      error(context, "attribute", "`" + context->enumerates->getText() + "` is nothing that a register enumerates");
    else
      decl.enumerates = static_cast<isa::Enumerated>(found - isa::enumeratedNames.begin());
  }
  if (context->condition())
    decl.gate = std::make_shared<Condition>(condition(context->condition()));
  if (context->reference())
    decl.manual = context->reference()->getText();
  for (std::string &name : spellings(context->SPECIAL()->getText())) {
    decl.name = std::move(name);
    model.registers.push_back(decl);
  }
}

/// Reads `skipped` and `ungated`, for all instructions or for the named ones.
void Reader::skips(IsaParser::SkipsContext *context) {
  const std::vector<std::string> words = allWords(context->wordList()->WORD());
  const bool isSkipped = context->getStart()->getText() == "skipped";
  if (isSkipped && context->mnemonic().empty())
    model.vocabulary.skipped.insert(words.begin(), words.end());
  else if (context->mnemonic().empty())
    error(context, "vocabulary", "`ungated` names the instructions");
  auto &lists = isSkipped ? model.vocabulary.skippedIn : model.vocabulary.ungatedIn;
  for (const std::string &mnemonic : mnemonics(context->mnemonic()))
    lists[mnemonic].insert(words.begin(), words.end());
}

/// Reads WORD+ ':' requirement ';' repeatedly. A condition belongs to the words before it.
void Reader::wordGates(IsaParser::WordGatesContext *context) {
  const bool ofScalars = context->getStart()->getText() == "scalars";
  auto &gates = ofScalars ? model.vocabulary.scalarGates : model.vocabulary.gates;
  std::vector<std::string> words;
  for (antlr4::tree::ParseTree *child : context->children) {
    if (auto *gate = dynamic_cast<IsaParser::RequirementContext *>(child)) {
      auto shared = std::make_shared<Condition>(requirement(gate));
      for (const std::string &word : words)
        if (!gates.insert({word, shared}).second)
          error(gate, "twice", "`" + word + "` has a gate already");
      words.clear();
    } else if (child->getText()[0] == '.') {
      for (std::string &word : spellings(child->getText()))
        words.push_back(std::move(word));
    }
  }
}

void Reader::versions(IsaParser::VersionsContext *context) {
  for (IsaParser::VersionRangeContext *range : context->versionRange()) {
    const uint16_t first = version(range->first->getText()),
                   last = range->last ? version(range->last->getText()) : first;
    for (uint16_t next = first; next <= last; ++next) {
      model.versions.push_back(next);
      model.versionMeanings.push_back(range->meaning ? version(range->meaning->getText()) : next);
    }
  }
}

void Reader::family(IsaParser::FamilyContext *context) {
  std::vector<uint16_t> &members = model.families.emplace_back();
  for (antlr4::tree::TerminalNode *number : context->NUMBER())
    members.push_back(narrow<uint16_t>(std::stoi(number->getText())));
}

/// This function and the next one return false if the item is something else.
bool Reader::listOfWords(IsaParser::ItemContext *item) {
  if (auto *one = dynamic_cast<IsaParser::VocabularyContext *>(item))
    vocabulary(one);
  else if (auto *one = dynamic_cast<IsaParser::SkipsContext *>(item))
    skips(one);
  else if (auto *one = dynamic_cast<IsaParser::WordGatesContext *>(item))
    wordGates(one);
  else if (auto *one = dynamic_cast<IsaParser::MeaningsContext *>(item))
    meanings(one);
  else if (auto *one = dynamic_cast<IsaParser::ExampleContext *>(item))
    example(one);
  else if (auto *one = dynamic_cast<IsaParser::ConversionContext *>(item))
    conversion(one);
  else
    return false;
  return true;
}

bool Reader::declaration(IsaParser::ItemContext *item) {
  if (auto *one = dynamic_cast<IsaParser::VersionsContext *>(item))
    versions(one);
  else if (auto *one = dynamic_cast<IsaParser::TargetContext *>(item))
    target(one);
  else if (auto *one = dynamic_cast<IsaParser::FamilyContext *>(item))
    family(one);
  else if (auto *one = dynamic_cast<IsaParser::AliasContext *>(item))
    model.targets.push_back(
        {place(item), one->TARGET(0)->getText(), one->TARGET(1)->getText(), version(one->NUMBER()->getText())});
  else if (auto *one = dynamic_cast<IsaParser::RegisterContext *>(item))
    registers(one);
  else if (auto *one = dynamic_cast<IsaParser::DirectiveContext *>(item))
    directive(one);
  else if (auto *one = dynamic_cast<IsaParser::FeatureContext *>(item))
    feature(one);
  else if (auto *one = dynamic_cast<IsaParser::LimitContext *>(item))
    limit(one);
  else if (auto *one = dynamic_cast<IsaParser::RuntimeFunctionContext *>(item))
    runtimeFunction(one);
  else
    return false;
  return true;
}

/// Reads an entry, or the statements that the entries of the scope have in common.
void Reader::scoped(IsaParser::ItemContext *item, Scope &scope) {
  if (auto *one = dynamic_cast<IsaParser::EntryContext *>(item))
    entry(one, scope);
  else if (auto *one = dynamic_cast<IsaParser::FileGateContext *>(item))
    gate(one->gate(), scope);
  else if (auto *one = dynamic_cast<IsaParser::FileSetContext *>(item))
    set(one->set(), scope);
  else if (auto *one = dynamic_cast<IsaParser::FileDefinitionContext *>(item))
    definition(one->definition(), scope);
  else if (auto *one = dynamic_cast<IsaParser::SharedOperandsContext *>(item))
    for (IsaParser::OperandDeclContext *decl : one->operandDecl())
      operandDecl(decl, scope);
}

void Reader::readFile(IsaParser::FileContext *context) {
  Scope *scope = &model.shared;
  if (model.names[file] != "words.isa" && model.names[file] != "gates.isa") {
    model.fileScopes.push_back(std::make_unique<Scope>());
    scope = model.fileScopes.back().get();
    scope->parent = &model.shared;
  }
  for (IsaParser::ItemContext *item : context->item())
    if (!listOfWords(item) && !declaration(item))
      scoped(item, *scope);
}

namespace {

class SyntaxErrors : public antlr4::BaseErrorListener {
public:
  SyntaxErrors(uint16_t file, Errors &errors) : file(file), errors(errors) {}
  void syntaxError(antlr4::Recognizer *recognizer, antlr4::Token *found, size_t line, size_t column,
                   const std::string &message, std::exception_ptr) override {
    if (any) // later errors are mostly consequences of the first one
      return;
    any = true;
    const std::string at = "column " + std::to_string(column + 1) + ": ";
    auto *parser = dynamic_cast<antlr4::Parser *>(recognizer);
    if (!parser || !found) { // there is a character that begins no token
      errors.report({file, static_cast<uint32_t>(line)}, "syntax", at + message);
      return;
    }
    const std::string text =
        found->getType() == antlr4::Token::EOF ? "the end of the file" : "`" + found->getText() + "`";
    antlr4::Token *before =
        found->getTokenIndex() ? parser->getTokenStream()->get(found->getTokenIndex() - 1) : nullptr;
    if (before && before->getLine() < line && !isEnd(before->getText()))
      errors.report({file, static_cast<uint32_t>(before->getLine())}, "syntax",
                    "`;` expected after `" + before->getText() + "`, before " + text + " in line " +
                        std::to_string(line));
    else
      errors.report({file, static_cast<uint32_t>(line)}, "syntax",
                    at + "unexpected " + text + (before ? " after `" + before->getText() + "`" : ""));
  }
  bool any = false;

private:
  static bool isEnd(const std::string &token) { return token == ";" || token == "{" || token == "}" || token == ","; }

  uint16_t file;
  Errors &errors;
};

} // namespace

void read(Model &model, const std::string &path, const std::string &name, Errors &errors) {
  auto file = narrow<uint16_t>(model.files.size());
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
  if (!listener.any) // a partially read file would only cause wrong errors
    Reader(model, file, errors).readFile(tree);
}

} // namespace ptxray::isagen
