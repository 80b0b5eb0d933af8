#include "Prove/Prove.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

namespace ptxray::prove {

namespace {

using Clock = std::chrono::steady_clock;

class Prover {
public:
  Prover(const ReadModule &module, const Body &body, const machine::KernelEntry &kernel, const Task &task)
      : module(module), body(body), kernel(kernel), task(task) {}
  Result run();

private:
  double spent() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }
  double left() const { return task.seconds - spent(); }
  bool tryLaunches(llvm::ArrayRef<Trial> trials, unsigned most, double seconds);
  void answer(std::vector<Question> questions);
  void leaveOpen(const Question &question, llvm::StringRef why);
  void addTrial(const Solved &solved);
  std::vector<Term> askedOf() const;
  Solved ask(Solver &solver, const Question &question);
  Answer canBeMet(Solver &solver, bool canAsk);
  void dropAnswered(Solver &solver, std::vector<Question> &questions);
  std::vector<int> buffers() const;
  bool hasLengths() const;
  void listAssumptions();
  std::string adviceFor(const Question &question) const;

  const ReadModule &module;
  const Body &body;
  const machine::KernelEntry &kernel;
  const Task &task;
  const Clock::time_point begin = Clock::now();
  Model model;
  std::vector<Trial> trials;
  Result result;
};

} // namespace

std::vector<int> Prover::buffers() const {
  std::vector<int> all;
  for (const Buffer &buffer : model.buffers)
    if (buffer.parameter >= 0)
      all.push_back(buffer.parameter);
  for (uint32_t i = 0; i < kernel.parameters.size(); ++i)
    if (body.ast->declarations[body.function->parameters.first + i].isPtr)
      all.push_back(static_cast<int>(i));
  return all;
}

bool Prover::tryLaunches(llvm::ArrayRef<Trial> first, unsigned most, double seconds) {
  const bool usesDynamicShared =
      llvm::any_of(model.buffers, [](const Buffer &buffer) { return buffer.isShared && !buffer.bytes; });
  const ReplayTask replayTask{
      module, kernel, task.shape, task.assumed, buffers(), usesDynamicShared, std::min(seconds, std::max(left(), 0.5))};
  result.witness = replay(replayTask, first, most);
  if (result.witness)
    result.decision = Decision::Refuted;
  return result.witness.has_value();
}

static llvm::StringRef wordsOf(Property property) {
  switch (property) {
  case Property::Race: return "whether two threads of a block race";
  case Property::GridRace: return "whether threads of two blocks race";
  case Property::Divergence: return "whether all threads of a block reach a barrier on the same path";
  default: return "whether an access stays in its buffer";
  }
}

/// Returns the names of the unbounded parameters on which the question depends.
std::string Prover::adviceFor(const Question &question) const {
  std::string names;
  std::vector<Term> seen;
  const Terms &terms = model.terms;
  terms.eachBelow(question.asserted, [&](Term term) {
    for (const Parameter &known : model.parameters)
      if (known.variable == term && terms.high(term) == maskOf(terms.width(term)) && known.bytes <= 8 &&
          llvm::none_of(model.buffers, [&](const Buffer &one) { return one.base == term; }))
        names += (names.empty() ? "" : ", ") + ("`" + terms.variableOf(term).name + "`");
  });
  return names.empty() ? "" : "bounds of " + names + " may help (--assume)";
}

/// Returns whether a length is specified. In that case, bounds are checked in addition to races and divergence.
bool Prover::hasLengths() const {
  return llvm::any_of(model.buffers, [](const Buffer &buffer) { return buffer.length != Term::None; });
}

void Prover::leaveOpen(const Question &question, llvm::StringRef why) {
  if (question.property == Property::Bounds && !hasLengths()) {
    const Range at = body.instruction(question.first).range;
    result.assumedInBounds.push_back(at);
    return;
  }
  Open open;
  open.at = body.instruction(question.first).range;
  if (question.second != question.first)
    open.other = body.instruction(question.second).range;
  open.what = wordsOf(question.property).str() + ": " + why.str();
  open.advice = adviceFor(question);
  result.open.push_back(std::move(open));
}

std::vector<Term> Prover::askedOf() const {
  std::vector<Term> asked;
  for (const Parameter &one : model.parameters)
    asked.push_back(one.variable);
  for (const Term term : model.grid)
    asked.push_back(term);
  return asked;
}

/// Adds the launch that a solver's solution describes.
void Prover::addTrial(const Solved &solved) {
  Trial trial;
  uint64_t begin = 0;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto &one = kernel.parameters[i];
    begin = (begin + one.alignment - 1) / one.alignment * one.alignment;
    for (const Parameter &known : model.parameters) {
      const auto found = solved.numbers.find(known.variable);
      const bool isBuffer = llvm::any_of(model.buffers, [&](const Buffer &b) { return b.base == known.variable; });
      if (known.offset == begin && known.bytes == one.bytes && found != solved.numbers.end() && !isBuffer &&
          !llvm::StringRef(one.type).starts_with(".f"))
        trial.scalars[static_cast<int>(i)] = static_cast<int64_t>(signedOf(found->second, one.bytes * 8));
    }
    begin += one.bytes;
  }
  trial.grid = task.shape.grid.value_or(std::array<uint32_t, 3>{2, 1, 1});
  trials.push_back(std::move(trial));
}

/// Asks a question first without the values of two writes, which are large terms, and adds them only if they matter.
Solved Prover::ask(Solver &solver, const Question &question) {
  const auto seconds = [&] {
    return std::min<unsigned>(task.secondsOfQuestion, static_cast<unsigned>(std::max(1.0, left())));
  };
  const std::vector<Term> asked = askedOf();
  Solved solved = solver.ask(model.terms, question.asserted, asked, seconds());
  if (solved.answer != Answer::Possible || question.isOther == Term::None)
    return solved;
  std::vector<Term> all = question.asserted;
  all.push_back(question.isOther);
  return solver.ask(model.terms, all, asked, seconds());
}

/// Returns whether some launch satisfies the assumptions. Otherwise, a proof would be meaningless.
Answer Prover::canBeMet(Solver &solver, bool canAsk) {
  Term all = model.terms.truth(true);
  for (const Term fact : model.facts)
    all = model.terms.both(all, fact);
  if (model.terms.isConstant(all))
    return model.terms.isConstant(all, 1) ? Answer::Possible : Answer::Impossible;
  return canAsk ? solver.ask(model.terms, model.facts, {}, task.secondsOfQuestion).answer : Answer::Unknown;
}

/// Asks many questions at once, with a short time limit each, and keeps those that need more time.
void Prover::dropAnswered(Solver &solver, std::vector<Question> &questions) {
  constexpr size_t together = 48;
  std::vector<Question> open;
  for (size_t begin = 0; begin < questions.size(); begin += together) {
    const size_t count = std::min(together, questions.size() - begin);
    std::vector<std::vector<Term>> texts;
    for (size_t i = begin; i < begin + count; ++i)
      texts.push_back(questions[i].obstacle.empty() ? questions[i].asserted : std::vector{model.terms.truth(true)});
    std::vector<Answer> answers(count, Answer::Unknown);
    if (left() > task.seconds / 2)
      answers = solver.askEach(model.terms, texts, 1000, static_cast<unsigned>(std::max(1.0, left() / 2)));
    for (size_t i = 0; i < count; ++i)
      if (answers[i] == Answer::Impossible && questions[begin + i].obstacle.empty())
        ++result.bySolver;
      else
        open.push_back(std::move(questions[begin + i]));
  }
  questions = std::move(open);
}

void Prover::answer(std::vector<Question> questions) {
  Solver solver(task.solver);
  const bool canAsk = task.usesSolver && solver.isThere();
  result.solver = canAsk ? solver.name() : "";
  if (canBeMet(solver, canAsk) == Answer::Impossible) {
    result.open.push_back({body.function->nameRange, {}, "no launch meets all assumptions", ""});
    return;
  }
  if (canAsk)
    dropAnswered(solver, questions);
  for (const Question &question : questions) {
    if (!question.obstacle.empty()) {
      leaveOpen(question, question.obstacle);
      continue;
    }
    if (!canAsk) {
      leaveOpen(question, "no solver is installed to answer it");
      continue;
    }
    if (result.open.size() >= 3 || left() < 1) { // enough undecided questions
      leaveOpen(question, "not examined, because other questions are open");
      break;
    }
    const Solved solved = ask(solver, question);
    if (solved.answer == Answer::Impossible) {
      ++result.bySolver;
      continue;
    }
    if (solved.answer == Answer::Possible) {
      addTrial(solved);
      leaveOpen(question, "it cannot be ruled out");
    } else {
      leaveOpen(question, "the solver gave no answer in time");
    }
  }
}

void Prover::listAssumptions() {
  const auto &block = task.shape.block;
  const auto text = [](const std::array<uint32_t, 3> &numbers) {
    return std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + "," + std::to_string(numbers[2]);
  };
  result.assumptions.push_back("blocks of " + text(block) + " threads");
  result.assumptions.push_back(task.shape.grid ? "a grid of " + text(*task.shape.grid) + " blocks" : "any grid");
  for (const Comparison &one : task.assumed)
    result.assumptions.push_back(one.text);
  if (!task.mayAlias)
    result.assumptions.push_back("buffers of different parameters do not overlap");
  if (!hasLengths())
    result.assumptions.push_back("buffers are as long as the kernel needs (their lengths were not given)");
  if (!model.loops.empty())
    result.assumptions.push_back("no loop runs 2^31 rounds");
}

Result Prover::run() {
  model = modelOf(body, module.state(), kernel, task.shape, rangesOf(task.assumed), pureFunctions(module));
  assume(model, kernel, task.assumed);
  listAssumptions();
  if (tryLaunches({}, 6, 2))
    return std::move(result);
  for (const Obstacle &one : model.obstacles)
    if (result.open.size() < 5)
      result.open.push_back({body.instruction(one.instruction).range, {}, one.what, ""});
  if (model.obstacles.empty()) {
    Questions questions(model, task.mayAlias);
    std::vector<Question> all = questions.all();
    result.questions = questions.asked;
    answer(std::move(all));
  }
  if (result.open.empty())
    result.decision = Decision::Proved;
  else
    tryLaunches(trials, 40, 8);
  result.seconds = spent();
  return std::move(result);
}

Result prove(const ReadModule &module, const Body &body, const machine::KernelEntry &kernel, const Task &task) {
  return Prover(module, body, kernel, task).run();
}

} // namespace ptxray::prove
