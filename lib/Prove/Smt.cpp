#include "Prove/Smt.h"
#include "Ptxas/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray::prove {

static std::string number(Number value, unsigned width) {
  std::string digits;
  for (unsigned i = 0; i < width; ++i)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value >> i & 1)));
  return "#b" + digits;
}

namespace {

/// Writes each term with the minimum width for its bounds. Terms of one bit have the sort Bool.
class Writer {
public:
  Writer(const Terms &terms, llvm::raw_ostream &out) : terms(terms), out(out) {}
  void define(Term term);
  std::string name(Term term) const { return "t" + std::to_string(static_cast<uint32_t>(term)); }
  unsigned bits(Term term) const {
    unsigned needed = 1;
    while (needed < terms.width(term) && terms.high(term) >> needed)
      ++needed;
    return needed;
  }

private:
  bool isTruth(Term term) const { return terms.width(term) == 1; }
  std::string at(Term term, unsigned width) const;
  std::string full(Term term) const { return at(term, terms.width(term)); }
  std::string text(Term term) const;
  std::string leaf(Term term);
  std::string sum(const Node &node, unsigned width) const;
  std::string signExtended(const Node &node, unsigned width) const;
  std::string arithmetic(Term term, unsigned width) const;
  std::string equality(const Node &node) const;

  const Terms &terms;
  llvm::raw_ostream &out;
};

} // namespace

static std::string cut(const std::string &text, unsigned low, unsigned width) {
  return "((_ extract " + std::to_string(low + width - 1) + " " + std::to_string(low) + ") " + text + ")";
}
static std::string zeroExtended(const std::string &text, unsigned more) {
  return more ? "((_ zero_extend " + std::to_string(more) + ") " + text + ")" : text;
}

/// Returns the lowest bits of a term.
std::string Writer::at(Term term, unsigned width) const {
  if (terms.isConstant(term))
    return number(terms[term].number, width);
  if (isTruth(term))
    return "(ite " + name(term) + " " + number(1, width) + " " + number(0, width) + ")";
  const unsigned have = bits(term);
  return width < have ? cut(name(term), 0, width) : zeroExtended(name(term), width - have);
}

std::string Writer::sum(const Node &node, unsigned width) const {
  std::string all = number(node.number, width);
  for (size_t i = 0; i < node.args.size(); ++i) {
    const std::string part = at(node.args[i], width);
    const Number factor = node.factors[i] & maskOf(width);
    if (factor == 1)
      all = "(bvadd " + all + " " + part + ")";
    else if (factor == maskOf(width))
      all = "(bvsub " + all + " " + part + ")";
    else
      all = "(bvadd " + all + " (bvmul " + part + " " + number(factor, width) + "))";
  }
  return all;
}

std::string Writer::signExtended(const Node &node, unsigned width) const {
  const unsigned have = terms.width(node.args[0]);
  const std::string whole = "((_ sign_extend " + std::to_string(node.width - have) + ") " + full(node.args[0]) + ")";
  return width < node.width ? cut(whole, 0, width) : whole;
}

static const char *nameOf(Op op) {
  switch (op) {
  case Op::Product: return "bvmul";
  case Op::DivideUnsigned: return "bvudiv";
  case Op::RemainderUnsigned: return "bvurem";
  case Op::DivideSigned: return "bvsdiv";
  case Op::RemainderSigned: return "bvsrem";
  case Op::And: return "bvand";
  case Op::Or: return "bvor";
  case Op::Xor: return "bvxor";
  case Op::ShiftLeft: return "bvshl";
  case Op::ShiftRight: return "bvlshr";
  default: return "bvashr";
  }
}

/// Returns an operation with `width` bits, which its result must fit.
std::string Writer::arithmetic(Term term, unsigned width) const {
  const Node &node = terms[term];
  const auto inBits = [&](unsigned in) {
    const std::string whole =
        std::string("(") + nameOf(node.op) + " " + at(node.args[0], in) + " " + at(node.args[1], in) + ")";
    return in > width ? cut(whole, 0, width) : zeroExtended(whole, width - in);
  };
  switch (node.op) {
  case Op::Product:
  case Op::And:
  case Op::Or:
  case Op::Xor: return inBits(width);
  case Op::DivideUnsigned:
    return terms.low(node.args[1]) ? inBits(std::max(bits(node.args[0]), bits(node.args[1]))) : inBits(node.width);
  case Op::RemainderUnsigned:
  case Op::ShiftRight: return inBits(std::max(bits(node.args[0]), bits(node.args[1])));
  default: return inBits(node.width);
  }
}

/// Returns an equation of a sum and a number: the positive parts on one side, the others on the other. Uses the minimum
/// width, and omits common trailing zeros. Returns an empty string if a side may wrap around.
std::string Writer::equality(const Node &node) const {
  const bool isFirst = terms[node.args[0]].op == Op::Sum;
  const Node &sum = terms[node.args[isFirst ? 0 : 1]];
  const Term other = node.args[isFirst ? 1 : 0];
  if (sum.op != Op::Sum || !terms.isConstant(other) || sum.width > 64)
    return "";
  __int128 sides[2] = {0, 0}, numbers[2] = {0, 0};
  const __int128 limit = static_cast<__int128>(1) << 62;
  const __int128 difference = signedOf(sum.number, sum.width) - signedOf(terms[other].number, sum.width);
  numbers[difference < 0] = difference < 0 ? -difference : difference;
  unsigned zeros = 62;
  const auto note = [&](__int128 value) {
    for (unsigned i = 0; i < zeros; ++i)
      if (value >> i & 1)
        zeros = i;
  };
  note(difference);
  std::vector<__int128> factors;
  for (size_t i = 0; i < sum.args.size(); ++i) {
    const __int128 factor = signedOf(sum.factors[i], sum.width), size = factor < 0 ? -factor : factor;
    const auto high = static_cast<__int128>(terms.high(sum.args[i]));
    if (high > limit / size)
      return "";
    sides[factor < 0] += size * high;
    factors.push_back(factor);
    note(size);
  }
  // If both sides are below half of the width's range, they are equal as integers.
  const __int128 most = static_cast<__int128>(1) << (sum.width - 1);
  for (const int side : {0, 1})
    if ((sides[side] += numbers[side]) >= std::min(limit, most))
      return "";
  unsigned width = 1;
  while (std::max(sides[0], sides[1]) >> zeros >> width)
    ++width;
  std::string texts[2];
  for (const int side : {0, 1})
    texts[side] = number(static_cast<Number>(numbers[side] >> zeros), width);
  for (size_t i = 0; i < factors.size(); ++i) {
    const bool isNegative = factors[i] < 0;
    const auto factor = static_cast<Number>((isNegative ? -factors[i] : factors[i]) >> zeros);
    const std::string part = at(sum.args[i], width);
    texts[isNegative] = "(bvadd " + texts[isNegative] + " " +
                        (factor == 1 ? part : "(bvmul " + part + " " + number(factor, width) + ")") + ")";
  }
  return "(= " + texts[0] + " " + texts[1] + ")";
}

/// Writes a term with its minimum width.
std::string Writer::text(Term term) const {
  const Node &node = terms[term];
  const unsigned width = bits(term);
  const auto both = [&](const char *op, unsigned in) {
    return std::string("(") + op + " " + at(node.args[0], in) + " " + at(node.args[1], in) + ")";
  };
  const auto truth = [&](Term arg) {
    return terms.isConstant(arg) ? std::string(terms.isConstant(arg, 1) ? "true" : "false") : name(arg);
  };
  switch (node.op) {
  case Op::Equal:
    if (const std::string text = equality(node); !text.empty())
      return text;
    return both("=", std::max(bits(node.args[0]), bits(node.args[1])));
  case Op::Less: return both("bvult", std::max(bits(node.args[0]), bits(node.args[1])));
  case Op::LessSigned: return both("bvslt", terms.width(node.args[0]));
  case Op::Choice:
    return isTruth(term)
               ? "(ite " + truth(node.args[0]) + " " + truth(node.args[1]) + " " + truth(node.args[2]) + ")"
               : "(ite " + truth(node.args[0]) + " " + at(node.args[1], width) + " " + at(node.args[2], width) + ")";
  case Op::Extract: {
    const auto low = static_cast<unsigned>(node.number);
    const std::string part = cut(at(node.args[0], low + width), low, width);
    return isTruth(term) ? "(= " + part + " #b1)" : part;
  }
  case Op::ZeroExtend: return at(node.args[0], width);
  case Op::SignExtend: return signExtended(node, width);
  case Op::Sum: return sum(node, width);
  case Op::And:
  case Op::Or:
  case Op::Xor:
    if (isTruth(term))
      return std::string("(") +
             (node.op == Op::And  ? "and"
              : node.op == Op::Or ? "or"
                                  : "xor") +
             " " + truth(node.args[0]) + " " + truth(node.args[1]) + ")";
    return arithmetic(term, width);
  default: return arithmetic(term, width);
  }
}

void Writer::define(Term term) {
  const Node &node = terms[term];
  if (node.op == Op::Constant)
    return;
  const unsigned width = bits(term);
  const std::string sort = isTruth(term) ? "Bool" : "(_ BitVec " + std::to_string(width) + ")";
  if (node.op != Op::Variable && node.op != Op::Opaque) {
    out << "(define-fun " << name(term) << " () " << sort << " " << text(term) << ")\n";
    return;
  }
  out << "(declare-const " << name(term) << " " << sort << ")";
  out << (node.op == Op::Variable ? " ; " + terms.variableOf(term).name : std::string()) << "\n";
  if (isTruth(term))
    return;
  if (terms.high(term) != maskOf(width))
    out << "(assert (bvule " << name(term) << " " << number(terms.high(term), width) << "))\n";
  if (terms.low(term))
    out << "(assert (bvule " << number(terms.low(term), width) << " " << name(term) << "))\n";
}

std::string smtOf(const Terms &terms, llvm::ArrayRef<Term> asserted, llvm::ArrayRef<Term> asked) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!asked.empty())
    out << "(set-option :produce-models true)\n";
  out << "(set-logic QF_BV)\n";
  Writer writer(terms, out);
  llvm::SmallVector<Term, 16> roots(asserted.begin(), asserted.end());
  roots.append(asked.begin(), asked.end());
  terms.eachBelow(roots, [&](Term term) { writer.define(term); });
  for (const Term term : asserted)
    if (!terms.isConstant(term, 1))
      out << "(assert " << (terms.isConstant(term) ? "false" : writer.name(term)) << ")\n";
  out << "(check-sat)\n";
  if (!asked.empty()) {
    out << "(get-value (";
    for (const Term term : asked)
      if (!terms.isConstant(term))
        out << " " << writer.name(term);
    out << "))\n";
  }
  return text;
}

Solver::Solver(llvm::StringRef given) : path(given) {
  for (const char *name : {"z3", "bitwuzla", "cvc5"})
    if (path.empty())
      if (const auto found = llvm::sys::findProgramByName(name))
        path = *found;
}

/// Reads values such as `((t5 #x0a) (t7 true))`.
static void readNumbers(llvm::StringRef text, llvm::DenseMap<Term, Number> &numbers) {
  while (true) {
    const size_t at = text.find("(t");
    if (at == llvm::StringRef::npos)
      return;
    text = text.drop_front(at + 2);
    uint32_t term = 0;
    if (text.consumeInteger(10, term))
      continue;
    text = text.ltrim();
    Number value = 0;
    if (text.consume_front("#b")) {
      for (; !text.empty() && (text[0] == '0' || text[0] == '1'); text = text.drop_front())
        value = value << 1 | Number(text[0] - '0');
    } else if (text.consume_front("#x")) {
      for (; !text.empty() && llvm::isHexDigit(text[0]); text = text.drop_front())
        value = value << 4 | Number(llvm::hexDigitValue(text[0]));
    } else {
      value = text.starts_with("true");
    }
    numbers[Term(term)] = value;
  }
}

std::string Solver::run(const std::string &text, unsigned seconds, bool &isMissing) const {
  int file = 0;
  llvm::SmallString<128> name;
  isMissing = path.empty() || llvm::sys::fs::createTemporaryFile("ptxray-prove", "smt2", file, name);
  if (isMissing)
    return "";
  {
    llvm::raw_fd_ostream out(file, /*shouldClose=*/true);
    out << text;
  }
  ProgramResult result = runProgram(path, {name.str().str()}, seconds);
  llvm::sys::fs::remove(name);
  isMissing = result.end == ProgramEnd::NotStarted;
  return std::move(result.printed);
}

Solved Solver::ask(const Terms &terms, llvm::ArrayRef<Term> asserted, llvm::ArrayRef<Term> asked, unsigned seconds) {
  Solved solved;
  ++questions;
  const std::string output = run(smtOf(terms, asserted, asked), seconds, solved.isMissing);
  const llvm::StringRef printed = llvm::StringRef(output).ltrim();
  if (printed.starts_with("unsat")) {
    solved.answer = Answer::Impossible;
  } else if (printed.starts_with("sat")) {
    solved.answer = Answer::Possible;
    readNumbers(printed, solved.numbers);
  }
  return solved;
}

/// Returns the option with which a solver limits the time of each question.
static llvm::StringRef limitOption(llvm::StringRef path) {
  const llvm::StringRef name = llvm::sys::path::filename(path);
  return name.contains("cvc5") ? ":tlimit-per" : name.contains("bitwuzla") ? ":time-limit-per" : ":timeout";
}

std::vector<Answer> Solver::askEach(const Terms &terms, llvm::ArrayRef<std::vector<Term>> all, unsigned milliseconds,
                                    unsigned seconds) {
  std::vector<Answer> answers(all.size(), Answer::Unknown);
  std::string text;
  for (size_t i = 0; i < all.size(); ++i) {
    text += "(reset)\n(set-option " + limitOption(path).str() + " " + std::to_string(milliseconds) + ")\n";
    text += "(echo \"question " + std::to_string(i) + "\")\n" + smtOf(terms, all[i], {});
    ++questions;
  }
  bool isMissing = false;
  const std::string printed = run(text, seconds, isMissing);
  llvm::SmallVector<llvm::StringRef, 64> lines;
  llvm::StringRef(printed).split(lines, '\n');
  size_t current = all.size();
  for (const llvm::StringRef line : lines) {
    llvm::StringRef rest = line.trim(" \t\r\"");
    if (rest.consume_front("question ")) {
      if (rest.getAsInteger(10, current))
        current = all.size();
    } else if (current < all.size() && rest == "unsat") {
      answers[current] = Answer::Impossible;
    } else if (current < all.size() && rest == "sat") {
      answers[current] = Answer::Possible;
    } else if (current < all.size()) { // after an error, the question is unanswered
      answers[current] = Answer::Unknown;
      current = all.size();
    }
  }
  return answers;
}

} // namespace ptxray::prove
