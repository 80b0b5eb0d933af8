#include "Inline/Macros.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace ptxray {

static constexpr unsigned deepestExpansion = 64;
static constexpr size_t largestExpansion = 200'000; // maximum number of tokens per use

bool isAsmKeyword(llvm::StringRef name) { return name == "asm" || name == "__asm__" || name == "__asm"; }

static bool sameBody(const Macro &a, const Macro &b) {
  return a.parameters == b.parameters &&
         std::ranges::equal(a.body, b.body, [](const CppToken &x, const CppToken &y) { return x.text == y.text; });
}

Macro *Macros::find(llvm::StringRef name) {
  const auto found = macros.find(name);
  return found == macros.end() ? nullptr : &found->second;
}

void Macros::read(llvm::ArrayRef<CppToken> directive, bool isForeign) {
  if (directive.size() < 2 || directive[1].kind != CppKind::Name)
    return;
  const CppToken &name = directive[1];
  if (directive[0].is("undef")) {
    macros.erase(name.text);
    return;
  }
  if (!directive[0].is("define"))
    return;
  Macro macro;
  macro.name = name.text;
  macro.place = name.place;
  macro.isForeign = isForeign;
  llvm::ArrayRef<CppToken> rest = directive.drop_front(2);
  if (!rest.empty() && rest[0].is("(") && !rest[0].hasSpace) {
    macro.isFunction = true;
    size_t i = 1;
    for (; i < rest.size() && !rest[i].is(")"); ++i) {
      if (rest[i].kind == CppKind::Name)
        macro.parameters.push_back(rest[i].text);
      if (rest[i].is("...")) {
        macro.isVariadic = true;
        if (rest[i - 1].kind != CppKind::Name) // otherwise, a GNU variadic macro: `args...`
          macro.parameters.push_back("__VA_ARGS__");
      }
    }
    rest = rest.drop_front(std::min(i + 1, rest.size()));
  }
  for (CppToken token : rest) {
    token.isExact = !isForeign;
    macro.holdsAsm |= token.kind == CppKind::Name && isAsmKeyword(token.text);
    if (const Macro *inner = token.kind == CppKind::Name ? find(token.text) : nullptr)
      macro.holdsAsm |= inner->holdsAsm;
    macro.body.push_back(token);
  }
  Macro &known = macros[name.text];
  if (!known.name.empty() && !known.isForeign && isForeign)
    return;
  if (!known.name.empty() && known.isForeign == isForeign)
    macro.isUncertain = known.isUncertain || !sameBody(known, macro);
  macro.isUsed = known.isUsed;
  known = std::move(macro);
}

int Macros::parameterOf(const Macro &macro, llvm::StringRef name) const {
  const auto found = llvm::find(macro.parameters, name);
  return found == macro.parameters.end() ? -1 : static_cast<int>(found - macro.parameters.begin());
}

size_t Macros::useAt(const Macro &macro, llvm::ArrayRef<CppToken> tokens) const {
  if (!macro.isFunction)
    return 1;
  if (tokens.size() < 2 || !tokens[1].is("("))
    return 0;
  constexpr size_t longest = 5'000;
  unsigned depth = 0;
  for (size_t i = 1; i < std::min(tokens.size(), longest); ++i) {
    depth += tokens[i].is("(");
    if (tokens[i].is(")") && --depth == 0)
      return i + 1;
  }
  return 0;
}

bool Macros::spend(size_t tokens) {
  if (tokens > budget || tokens > whole)
    return false;
  budget -= tokens;
  whole -= tokens;
  return true;
}

bool Macros::expandsAny(llvm::ArrayRef<CppToken> tokens) {
  return llvm::any_of(tokens, [&](const CppToken &t) { return t.kind == CppKind::Name && find(t.text); });
}

bool Macros::expand(llvm::ArrayRef<CppToken> tokens, std::vector<CppToken> &out) {
  budget = largestExpansion;
  active.clear();
  return expand(tokens, out, 0);
}

// NOLINTNEXTLINE(misc-no-recursion): at most `deepestExpansion` deep
bool Macros::expand(llvm::ArrayRef<CppToken> tokens, Tokens &out, unsigned depth) {
  if (depth > deepestExpansion || !spend(tokens.size()))
    return false;
  for (size_t i = 0; i < tokens.size();) {
    Macro *macro = tokens[i].kind == CppKind::Name ? find(tokens[i].text) : nullptr;
    const size_t length =
        macro && !llvm::is_contained(active, tokens[i].text) ? useAt(*macro, tokens.drop_front(i)) : 0;
    if (!length) {
      out.push_back(tokens[i++]);
      continue;
    }
    if (!expandUse(*macro, tokens.slice(i, length), out, depth))
      return false;
    i += length;
  }
  return true;
}

/// Returns the arguments between the parentheses of a use.
static std::vector<std::vector<CppToken>> argumentsOf(const Macro &macro, llvm::ArrayRef<CppToken> use) {
  std::vector<std::vector<CppToken>> arguments(1);
  unsigned depth = 0;
  for (const CppToken &token : use.drop_front(2).drop_back()) {
    depth += token.is("(");
    depth -= token.is(")");
    const bool isLast = macro.isVariadic && arguments.size() >= macro.parameters.size();
    if (token.is(",") && depth == 0 && !isLast)
      arguments.emplace_back();
    else
      arguments.back().push_back(token);
  }
  arguments.resize(std::max(arguments.size(), macro.parameters.size()));
  return arguments;
}

// NOLINTNEXTLINE(misc-no-recursion): at most `deepestExpansion` deep
bool Macros::expandUse(Macro &macro, llvm::ArrayRef<CppToken> use, Tokens &out, unsigned depth) {
  macro.isUsed = true;
  const Range place{use.front().place.begin, std::max(use.front().place.end, use.back().place.end)};
  std::vector<Tokens> arguments;
  if (macro.isFunction)
    arguments = argumentsOf(macro, use);
  Tokens replaced;
  if (!substitute(macro, arguments, place, replaced, depth))
    return false;
  if (macro.isUncertain)
    for (CppToken &token : replaced)
      token.isUncertain = true;
  active.push_back(macro.name);
  const bool done = expand(replaced, out, depth + 1);
  active.pop_back();
  return done;
}

/// Returns the string for `#argument`: its text with single spaces.
CppToken Macros::stringOf(const Tokens &argument, Range use) {
  CppToken token;
  token.kind = CppKind::Plain;
  token.isExact = argument.size() == 1 && argument[0].isExact && argument[0].kind != CppKind::String;
  token.place = argument.empty() ? use : Range{argument.front().place.begin, argument.back().place.end};
  std::string text;
  for (const CppToken &part : argument) {
    if (part.hasSpace && !text.empty())
      text += ' ';
    text += part.text;
  }
  token.text = made.emplace_back(text);
  return token;
}

// NOLINTNEXTLINE(misc-no-recursion): at most `deepestExpansion` deep
bool Macros::substitute(const Macro &macro, llvm::ArrayRef<Tokens> arguments, Range use, Tokens &out, unsigned depth) {
  const llvm::ArrayRef<CppToken> body = macro.body;
  auto argumentAt = [&](size_t i) -> const Tokens * {
    const int parameter = i < body.size() && body[i].kind == CppKind::Name ? parameterOf(macro, body[i].text) : -1;
    return parameter < 0 || !macro.isFunction ? nullptr : &arguments[parameter];
  };
  auto place = [&](CppToken token) {
    if (macro.isForeign)
      token.place = use;
    return token;
  };
  for (size_t i = 0; i < body.size(); ++i) {
    const bool isPasted = i + 1 < body.size() && body[i + 1].is("##");
    if (macro.isFunction && body[i].is("#") && argumentAt(i + 1)) {
      out.push_back(stringOf(*argumentAt(++i), use));
    } else if (body[i].is("##") && !out.empty() && i + 1 < body.size()) {
      const Tokens *argument = argumentAt(++i);
      Tokens right = argument ? *argument : Tokens{place(body[i])};
      if (right.empty() || (out.back().is(",") && argument))
        llvm::append_range(out, right); // GNU's `, ##__VA_ARGS__`
      else {
        CppToken &left = out.back();
        left.text = made.emplace_back(left.text.str() + right.front().text.str());
        left.isExact = false;
        // The text of this use is after the macro's own text.
        left.place = std::max(left.place, right.front().place, [](Range a, Range b) { return a.begin < b.begin; });
        out.insert(out.end(), right.begin() + 1, right.end());
      }
    } else if (const Tokens *argument = argumentAt(i)) {
      if (isPasted) {
        llvm::append_range(out, *argument);
        if (argument->empty())
          ++i;
      } else if (!expand(*argument, out, depth + 1)) {
        return false;
      }
    } else {
      out.push_back(place(body[i]));
    }
    if (!spend(1))
      return false;
  }
  return true;
}

} // namespace ptxray
