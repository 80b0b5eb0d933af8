#include "Debug/Places.h"
#include "Debug/Views.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

namespace ptxray::machine::debug {

const FunctionCode &functionOf(const Program &program, const CodePlace &place) {
  return program.functions[place.function];
}

const Instruction &instructionAt(const Program &program, const CodePlace &place) {
  return functionOf(program, place).instruction(place.instruction);
}

static uint32_t sizeOf(const FunctionCode &code) { return code.body ? code.body->size() : 0; }

/// Returns the first instruction of each function on the line, or on the closest later line.
static std::vector<CodePlace> placesAtLine(const Program &program, const SourceBuffer &source, uint32_t line) {
  std::optional<CodePlace> best;
  uint32_t bestLine = ~0u;
  for (const FunctionCode &code : program.functions)
    for (uint32_t number = 0; number < sizeOf(code); ++number) {
      const uint32_t at = source.lineColumn(code.instruction(number).range.begin).line;
      if (at < line || at >= bestLine)
        continue;
      best = {code.number, number};
      bestLine = at;
    }
  return best ? std::vector{*best} : std::vector<CodePlace>();
}

/// Returns the first instruction of each sequence that a source line was compiled to.
static std::vector<CodePlace> placesOfOrigin(const Program &program, const OriginTable &origins, llvm::StringRef path,
                                             uint32_t line) {
  std::vector<CodePlace> all;
  for (const FunctionCode &code : program.functions) {
    bool wasThere = false;
    for (uint32_t number = 0; number < sizeOf(code); ++number) {
      const std::optional<Origin> origin = origins.at(code.instruction(number).range.begin);
      const bool isThere = origin && origin->line == line && llvm::StringRef(origin->path).ends_with(path);
      if (isThere && !wasThere)
        all.push_back({code.number, number});
      wasThere = isThere;
    }
  }
  return all;
}

/// Returns the locations that are `count` instructions after the given ones.
static std::vector<CodePlace> movedBy(const Program &program, std::vector<CodePlace> places, uint32_t count) {
  llvm::erase_if(places, [&](CodePlace &place) {
    const uint32_t left = sizeOf(program.functions[place.function]) - place.instruction;
    place.instruction += count;
    return count >= left;
  });
  return places;
}

/// Returns the locations of a line, a label, a function, or a line of the original source.
static std::vector<CodePlace> placesOf(const Program &program, const SourceBuffer &source, const OriginTable &origins,
                                       llvm::StringRef text) {
  uint32_t line = 0;
  if (!text.getAsInteger(10, line))
    return placesAtLine(program, source, line);
  if (const auto [path, number] = text.rsplit(':'); !path.empty() && !number.getAsInteger(10, line))
    return placesOfOrigin(program, origins, path, line);
  for (const FunctionCode &code : program.functions) {
    if (!sizeOf(code))
      continue;
    if (program.module->ast().text(code.name) == text)
      return {{code.number, 0}};
    for (const PlacedLabel &label : code.body->labels)
      if (code.body->text(label.local) == text && label.before < sizeOf(code))
        return {{code.number, label.before}};
  }
  return {};
}

std::vector<CodePlace> placesNamed(const Program &program, const SourceBuffer &source, const OriginTable &origins,
                                   llvm::StringRef text) {
  uint32_t count = 0;
  const auto [base, number] = text.rsplit('+');
  if (number.empty() || number.getAsInteger(10, count))
    return placesOf(program, source, origins, text);
  return movedBy(program, placesOf(program, source, origins, base), count);
}

std::optional<LocalId> registerNamed(const Frame &frame, llvm::StringRef name) {
  for (const auto &[local, place] : frame.code.named)
    if (frame.code.body->isRegister(local) && frame.code.body->text(local) == name)
      return local;
  return std::nullopt;
}

/// Returns the value of an integer register in the focused lane.
static std::optional<uint64_t> numberIn(const Debugger &session, const Frame &frame, llvm::StringRef name) {
  const std::optional<LocalId> local = registerNamed(frame, name);
  if (!local)
    return std::nullopt;
  const auto known = llvm::find_if(frame.code.named, [&](const auto &one) { return one.first == *local; });
  uint64_t number = 0;
  const size_t bytes = known->second.bits / 8;
  std::memcpy(&number, frame.registers + known->second.slot + session.focus.lane * bytes, std::min<size_t>(8, bytes));
  return number;
}

/// Returns the address of a variable of the module or of shared memory, or the value of a parameter of the kernel.
static std::optional<uint64_t> numberNamed(const Debugger &session, llvm::StringRef name) {
  for (const NamedPlace &one : session.program().parameters) {
    uint64_t number = 0;
    if (one.name != name || one.bytes > sizeof number)
      continue;
    std::memcpy(&number, session.grid().parameters.data() + one.offset, one.bytes);
    return number;
  }
  for (const Allocation &one : session.grid().memory.all())
    if (one.bytes && one.name == name)
      return one.begin;
  for (const NamedPlace &one : session.program().shared)
    if (one.name == name)
      return sharedWindow + one.offset;
  return std::nullopt;
}

/// Returns the value of a sum of registers, variables and numbers.
static Expected<uint64_t> addressIn(const Debugger &session, llvm::StringRef text) {
  if (!session.launch().outcome().refusal.empty())
    return Problem{"nothing was launched"};
  const std::optional<Debugger::Position> here = session.position();
  uint64_t sum = 0;
  llvm::SmallVector<llvm::StringRef> terms;
  text.split(terms, '+');
  for (llvm::StringRef term : terms) {
    term = term.trim();
    uint64_t number = 0;
    std::optional<uint64_t> known;
    if (!term.getAsInteger(0, number))
      known = number;
    else if (here && term.starts_with("%"))
      known = numberIn(session, *here->frame, term);
    else
      known = numberNamed(session, term);
    if (!known)
      return Problem{"`" + term.str() + "` is neither a number nor a register, a variable or a parameter"};
    sum += *known;
  }
  return sum;
}

Expected<WatchedBytes> watchedNamed(const Debugger &session, llvm::StringRef text, uint32_t bytes) {
  using Where = WatchedBytes::Where;
  WatchedBytes result;
  result.of = session.focus.warp;
  result.lane = session.focus.lane;
  result.bytes = bytes;
  text = text.trim();
  const bool isPhase = text.consume_back(" phase");
  if (isPhase && !text.starts_with("["))
    return Problem{"the `[ADDRESS]` of a barrier object is needed before `phase`"};
  if (!text.starts_with("[")) {
    const std::optional<Debugger::Position> here = session.position();
    const std::optional<LocalId> local = here ? registerNamed(*here->frame, text) : std::nullopt;
    if (!local)
      return Problem{"there is no register `" + text.str() + "` here"};
    const auto known = llvm::find_if(here->frame->code.named, [&](const auto &one) { return one.first == *local; });
    result.where = Where::Register;
    result.address = known->second.slot;
    result.bytes = known->second.bits / 8;
    result.function = here->at.function;
    return result;
  }
  text = text.drop_front().rtrim("] ");
  bool isShared = text.consume_front("shared:"), isLocal = text.consume_front("local:");
  const Expected<uint64_t> address = addressIn(session, text);
  if (!address)
    return Problem{address.problem()};
  const uint64_t window = *address / windowBytes * windowBytes;
  isShared |= isPhase || (!isLocal && window == sharedWindow);
  isLocal |= !isShared && window == localWindow;
  result.where = isShared ? Where::Shared : isLocal ? Where::Local : Where::Global;
  result.address = isShared ? *address & sharedOffsetMask : isLocal ? *address % windowBytes : *address;
  if (isPhase) {
    result.where = Where::Phase;
    result.bytes = 8;
  }
  return result;
}

/// Returns the format of the register with that name in the focused frame, or nothing.
static std::optional<ByteFormat> formatOfRegister(const Debugger &session, llvm::StringRef name) {
  const std::optional<Debugger::Position> here = session.position();
  const std::optional<LocalId> local = here ? registerNamed(*here->frame, name) : std::nullopt;
  const Symbol *symbol = local ? here->frame->code.body->symbol(*local) : nullptr;
  return symbol ? std::optional(formatOf(*symbol)) : std::nullopt;
}

std::string putNumbers(Debugger &session, llvm::StringRef where, llvm::StringRef numbers, llvm::StringRef format) {
  const std::optional<ByteFormat> asked =
      !format.empty() ? formatNamed(format) : formatOfRegister(session, where).value_or(ByteFormat());
  if (!asked)
    return "`" + format.str() + "`: a format is needed, such as x, u8, d64, f32, bf16 or e4m3";
  if (numbers == "true" || numbers == "false")
    numbers = numbers == "true" ? "1" : "0";
  std::optional<std::vector<uint8_t>> bytes = bytesOfNumbers(numbers, *asked);
  if (!bytes)
    return "`" + numbers.str() + "` cannot be read as numbers of that format";
  const Expected<WatchedBytes> place = watchedNamed(session, where, static_cast<uint32_t>(bytes->size()));
  if (!place)
    return place.problem();
  if (place->where == WatchedBytes::Where::Phase)
    return "the phase of a barrier object cannot be set";
  const size_t wanted = std::max<size_t>(1, place->bytes);
  if (bytes->size() != wanted)
    return "`" + where.str() + "` has " + std::to_string(wanted) + " bytes, the numbers have " +
           std::to_string(bytes->size());
  if (session.put(*place, std::move(*bytes)))
    return "";
  return session.last().reason == Reason::Ended ? "all threads have ended: step back first" : "there are no such bytes";
}

} // namespace ptxray::machine::debug
