#include "Pages/EffectText.h"
#include "Isa/FactNames.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Match/Match.h"
#include "Match/Wording.h"
#include "Pages/FormNeeds.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using isa::FactKind;

namespace {

class Sentences {
public:
  Sentences(const Facts &facts, llvm::function_ref<std::string(unsigned)> textOf) : facts(facts), textOf(textOf) {}

  std::vector<std::string> all() {
    for (const Access &access : facts.accesses)
      add(accessText(access));
    for (const Action &action : facts.actions)
      add(text(action));
    if (facts.ctas)
      add(facts.ctas == 2 ? "it uses the tensor memory of both CTAs of a pair"
                          : "it uses the tensor memory of its CTA");
    return std::move(sentences);
  }

private:
  void add(std::string sentence) {
    if (!sentence.empty() && std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  }
  std::string node(int number) const { return number < 0 ? "" : quote(textOf(static_cast<unsigned>(number))); }
  std::string amount(const Action &action, const char *otherwise = "") const {
    return action.amount >= 0 ? node(action.amount) : action.number ? std::to_string(action.number) : otherwise;
  }
  static std::string groups(uint16_t set) {
    llvm::SmallVector<std::string, 4> names;
    for (size_t i = 0; i < isa::tables().groups.size(); ++i)
      if (set >> i & 1)
        names.push_back(quote(isa::tables().groups[i]()));
    return listText(names, "and");
  }
  static std::string scope(const Action &action) {
    static constexpr const char *names[] = {"lane", "warp", "warpgroup", "block", "cluster", "grid"};
    return names[action.detail];
  }
  std::string barrier(const Action &action) const {
    return action.node >= 0 ? "the barrier object " + node(action.node)
                            : "the barrier of the " + scope(action) +
                                  (action.which >= 0 ? " with the number " + node(action.which) : "");
  }
  static std::string proxy(uint8_t detail) { return "the " + std::string(isa::proxyNames[detail]) + " proxy"; }
  static std::string ordered(uint8_t detail) {
    static constexpr const char *names[] = {"",
                                            "through the generic proxy",
                                            "through the async proxy",
                                            "through the tensormap proxy",
                                            "to registers",
                                            "to barrier objects that were initialised"};
    return names[detail];
  }

  std::string accessText(const Access &access) const;
  std::string text(const Action &action) const;
  std::string asynchronous(const Action &action) const;
  std::string ofBarriers(const Action &action) const;
  std::string waiting(const Action &action) const;

  const Facts &facts;
  llvm::function_ref<std::string(unsigned)> textOf;
  std::vector<std::string> sentences;
};

} // namespace

std::string Sentences::accessText(const Access &access) const {
  static constexpr const char *verbs[] = {"", "", "reads", "writes", "reads and writes", "", ""};
  const std::string verb = verbs[static_cast<size_t>(access.kind)];
  if (verb.empty())
    return "";
  std::string text = "it " + verb + " ";
  if (access.bytes)
    text +=
        (access.isLeast ? "at least " : "") + std::to_string(access.bytes) + (access.bytes == 1 ? " byte" : " bytes");
  else
    text += "memory";
  if (access.space)
    text += " in " + quote(isa::word(access.space).text());
  text += (access.isDescribed ? " that is described by " : " at ") + node(access.node);
  if (access.isGeneric)
    text += ", a generic address";
  if (access.align > 1)
    text += ", which is a multiple of " + std::to_string(access.align);
  return text;
}

/// Lists the instructions with a fact of that kind about one of the groups, as the subject of a sentence: "`a` or `b`".
static std::string instructionsWith(FactKind kind, uint16_t groups) {
  static const Availability everything = newestAvailability();
  llvm::SmallVector<std::string, 4> names;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics())
    for (const FormMatch &match : formsFor(Opcode(mnemonic.text()), /*complete=*/false))
      for (const isa::Fact &fact : isa::run(isa::tables().facts, match.form().facts))
        if (std::string name = quote(mnemonic.text()); fact.kind == kind && fact.groups & groups &&
                                                       isAllowed(match, fact.when, everything) &&
                                                       !llvm::is_contained(names, name))
          names.push_back(std::move(name));
  return listText(names, "or");
}

std::string Sentences::asynchronous(const Action &action) const {
  const bool isInTensorMemory =
      llvm::any_of(facts.accesses, [](const Access &access) { return access.space == isa::words::tmem; });
  std::string text = "it only starts the operation, which completes later";
  if (!isInTensorMemory || static_cast<isa::Proxy>(action.detail) != isa::Proxy::Generic)
    text += " through " + proxy(action.detail); // no proxy applies to tensor memory
  if (action.node >= 0)
    return text + "; the barrier object " + node(action.node) + " counts its bytes once it is complete";
  if (!action.groups)
    return text;
  text += "; it joins the group " + groups(action.groups) + " of the thread";
  const char *before = ": ";
  for (const auto &[kind, does] :
       {std::pair(FactKind::Commits, " makes a batch of it"), std::pair(FactKind::Waits, " waits for it"),
        std::pair(FactKind::Arrives, " makes a barrier object track it")})
    if (const std::string names = instructionsWith(kind, action.groups); !names.empty())
      text += std::exchange(before, ", ") + names + does;
  return text;
}

std::string Sentences::waiting(const Action &action) const {
  const std::string pending = amount(action);
  const bool isAll = pending.empty() || pending == "`0`";
  const std::string what = instructionsWith(FactKind::Commits, action.groups).empty()
                               ? "everything that joined " + groups(action.groups) + " is "
                           : isAll ? "all batches of " + groups(action.groups) + " are "
                                   : "at most " + pending + " batches of " + groups(action.groups) + " are not ";
  return "it waits until " + what + (action.isReads ? "through with reading their sources" : "complete");
}

std::string Sentences::ofBarriers(const Action &action) const {
  const bool isOfGrids = action.node < 0 && static_cast<isa::Scope>(action.detail) == isa::Scope::Grid;
  switch (action.kind) {
  case FactKind::Arrives:
    if (isOfGrids)
      return "the grids that depend on this one may start once all its blocks have executed it or ended";
    return "it arrives at " + barrier(action) +
           (action.groups ? ", once the operations that joined " + groups(action.groups) + " are complete" : "");
  case FactKind::Expects: return barrier(action) + " waits for " + amount(action, "some") + " more bytes";
  case FactKind::Completes: return barrier(action) + " counts " + amount(action, "some") + " bytes as complete";
  case FactKind::Awaits:
    if (isOfGrids)
      return "it waits until the grids that this one depends on are complete, and sees what they wrote";
    return action.condition >= 0
               ? "where " + node(action.condition) + " is true, the phase of " + barrier(action) + " is complete"
               : "it waits for " + barrier(action);
  case FactKind::Syncs: return "it waits at " + barrier(action) + " until the others have arrived";
  case FactKind::Inits:
    return "it makes " + barrier(action) + ", which waits for " + amount(action, "some") + " arrivals in each phase";
  case FactKind::Invalidates: return "it ends " + barrier(action) + ": its memory may be used for other purposes";
  default: return "";
  }
}

std::string Sentences::text(const Action &action) const {
  switch (action.kind) {
  case FactKind::Ends:
    return action.detail == static_cast<uint8_t>(isa::End::Function) ? "it returns from the function"
           : action.detail == static_cast<uint8_t>(isa::End::Thread) ? "it ends the thread"
                                                                     : "it ends all threads of the grid";
  case FactKind::Branches: return "control goes to " + node(action.node);
  case FactKind::Calls: return "control goes to the function " + node(action.node) + ", and comes back";
  case FactKind::Converged:
    return "all threads of the " + scope(action) +
           " must execute it together, so it must not be in code that only some of them reach";
  case FactKind::Among: return "the lanes in the mask " + node(action.node) + " take part";
  case FactKind::Async: return asynchronous(action);
  case FactKind::Holds:
    return node(action.node) + (textOf(static_cast<unsigned>(action.node)).front() == '{' ? " belong" : " belongs") +
           " to the operation until it is complete";
  case FactKind::Commits:
    return "it makes one batch of the operations that joined " + groups(action.groups) + " since the last one";
  case FactKind::Waits: return waiting(action);
  case FactKind::Orders:
    if (static_cast<isa::Ordered>(action.detail) == isa::Ordered::Tcgen05)
      return "it orders earlier tcgen05 operations before the next synchronisation of threads";
    if (static_cast<isa::Ordered>(action.other) == isa::Ordered::Tcgen05)
      return "it orders later tcgen05 operations after the previous synchronisation of threads";
    return "it orders accesses " + ordered(action.detail) +
           (action.other ? " before those " + ordered(action.other) : "") +
           (action.space ? " in " + quote(isa::word(action.space).text()) : "");
  case FactKind::Releases: return "earlier accesses of the thread are visible to threads that acquire";
  case FactKind::Acquires: return "later accesses of the thread see the released accesses";
  case FactKind::Allocates:
    return "it allocates " + amount(action, "some") + " columns of tensor memory, and writes their address to " +
           node(action.node);
  case FactKind::Frees:
    return "it frees " + amount(action, "the") + " columns of tensor memory at " + node(action.node);
  case FactKind::Relinquishes: return "its CTA allocates no tensor memory from here on";
  case FactKind::Grows:
    return "each thread of the warp has " + node(action.node) + " registers afterwards, more than before";
  case FactKind::Shrinks:
    return "each thread of the warp has " + node(action.node) + " registers afterwards, fewer than before";
  case FactKind::Strong:
    return "it is a strong operation: strong operations of several threads on one location are not a race";
  case FactKind::Requests: return "the answer to the request is written to " + node(action.node);
  case FactKind::Answers: return node(action.node) + " is true if the request was granted";
  case FactKind::Presumes: return "the request whose answer is " + node(action.node) + " must have been granted";
  case FactKind::Elects: return node(action.node) + " is true in exactly one of the lanes that execute it";
  default: return ofBarriers(action);
  }
}

std::vector<std::string> effectsOf(const Facts &facts, llvm::function_ref<std::string(unsigned node)> textOf) {
  return Sentences(facts, textOf).all();
}

} // namespace ptxray
