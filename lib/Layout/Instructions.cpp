#include "Layout/Instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::layout {

std::optional<uint32_t> Request::number(llvm::StringRef name) const {
  uint32_t value = 0;
  auto found = settings.find(name);
  if (found == settings.end() || llvm::StringRef(found->second).getAsInteger(0, value))
    return std::nullopt;
  return value;
}

llvm::StringRef Request::text(llvm::StringRef name) const {
  auto found = settings.find(name);
  return found == settings.end() ? llvm::StringRef() : llvm::StringRef(found->second);
}

Words::Words(llvm::StringRef instruction) { instruction.split(all, '.', -1, false); }

bool Words::has(llvm::StringRef word) const { return llvm::is_contained(all, word); }

llvm::StringRef Words::behind(llvm::StringRef start) const {
  for (llvm::StringRef word : all)
    if (word.consume_front(start))
      return word;
  return "";
}

std::optional<std::array<uint32_t, 3>> Words::shape() const {
  for (llvm::StringRef word : all) {
    std::array<uint32_t, 3> sizes = {};
    llvm::StringRef rest = word;
    if (rest.consume_front("m") && !rest.consumeInteger(10, sizes[0]) && rest.consume_front("n") &&
        !rest.consumeInteger(10, sizes[1]) && rest.consume_front("k") && !rest.consumeInteger(10, sizes[2]) &&
        rest.empty())
      return sizes;
  }
  return std::nullopt;
}

uint32_t bitsOfType(llvm::StringRef type) {
  return llvm::StringSwitch<uint32_t>(type)
      .Case("f64", 64)
      .Case("b64", 64)
      .Case("f32", 32)
      .Case("s32", 32)
      .Case("tf32", 32)
      .Case("b32", 32)
      .Case("f16", 16)
      .Case("bf16", 16)
      .Case("b16", 16)
      .Case("s1z4m11", 16)
      .Case("s8", 8)
      .Case("u8", 8)
      .Case("e4m3", 8)
      .Case("e5m2", 8)
      .Case("b8", 8)
      .Case("e3m2", 6)
      .Case("e2m3", 6)
      .Case("s4", 4)
      .Case("u4", 4)
      .Case("e2m1", 4)
      .Case("b1", 1)
      .Default(0);
}

llvm::SmallVector<llvm::StringRef, 4> Words::types() const {
  llvm::SmallVector<llvm::StringRef, 4> types;
  for (llvm::StringRef word : all)
    if (bitsOfType(word))
      types.push_back(word);
  return types;
}

namespace {

template <Answer (*describe)(const Words &)> Answer fromWords(const Words &words, const Request &) {
  return describe(words);
}

struct Described {
  llvm::StringLiteral mnemonic;
  Answer (*describe)(const Words &, const Request &);

  bool spells(llvm::StringRef instruction) const {
    return instruction.consume_front(mnemonic) && (instruction.empty() || instruction.front() == '.');
  }
};
constexpr Described described[] = {
    {"movmatrix", fromWords<describeMovement>},
    {"ldmatrix", fromWords<describeMovement>},
    {"stmatrix", fromWords<describeMovement>},
    {"mma", describeMma},
    {"wgmma", describeWgmma},
    {"wmma", fromWords<describeWmma>},
    {"tcgen05.ld", describeTensorLoad},
    {"tcgen05.st", describeTensorLoad},
    {"tcgen05.cp", fromWords<describeTensorCopy>},
    {"tcgen05.mma", describeTensorMma},
    {"smem", describeSharedMemory},
};

} // namespace

Answer describe(const Request &request) {
  const Words words(request.instruction);
  if (words.all.empty())
    return Answer::refuse("no instruction is named");
  if (llvm::StringRef(request.arch).starts_with("gfx12"))
    return describeRdna4(words);
  if (!request.arch.empty() && !llvm::StringRef(request.arch).starts_with("sm_"))
    return Answer::refuse("gfx12 is the only supported AMD target");
  const auto *found = llvm::find_if(described, [&](const Described &one) { return one.spells(request.instruction); });
  if (found != std::end(described))
    return found->describe(words, request);
  std::string known;
  for (const Described &one : described)
    known += (known.empty() ? "" : ", ") + one.mnemonic.str();
  return Answer::refuse("no layouts are known for `" + request.instruction + "`, but for " + known +
                        " (shared memory)");
}

} // namespace ptxray::layout
