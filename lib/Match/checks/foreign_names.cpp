// Lists names of instructions and types in other languages, with their equivalents in PTX.
#include "Match/Unknown.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ptxray {

static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> foreignNames[] = {
    {"goto jmp jump br branch", "`bra` jumps to a label"},
    {"return", "`ret` returns from a function, `exit` ends a thread"},
    {"nop noop", "PTX has no no-operation instruction"},
    {"syncthreads __syncthreads", "`bar.sync 0` waits for all threads of the block"},
    {"syncwarp __syncwarp", "`bar.warp.sync` waits for the threads of a mask"},
    {"printf malloc free", "functions are called with `call`: `call (result), name, (argument)`"},
    {"cmp test icmp fcmp", "`setp` compares and sets a predicate"},
    {"select cmov", "`selp` selects by a predicate"},
    {"load ldr lea", "`ld` reads memory; `mov` returns the address of a variable"},
    {"store str", "`st` writes memory"},
    {"move movl set", "`mov` copies a value"},
    {"zext sext trunc bitcast convert", "`cvt` converts, `mov` copies bits"},
    {"inc increment", "`add` with 1 increments"},
    {"mod modulo", "`rem` is the remainder of a division"},
    {"pow exp log", "`ex2` and `lg2` use base 2; other bases are computed from them"},
    {"LDG STG LDS STS LDC FFMA FADD FMUL IADD3 IMAD ISETP FSETP S2R HMMA MUFU ULDC LDGSTS DEPBAR",
     "this is SASS, the GPU's machine code, not PTX"},
};

llvm::StringRef adviceOnForeignName(llvm::StringRef name) {
  if (name.starts_with("atomic"))
    return "atomic operations are `atom`, or `red` if they have no result";
  if (name == "llvm")
    return "this is LLVM IR, not PTX";
  for (const auto &[names, advice] : foreignNames) {
    llvm::SmallVector<llvm::StringRef, 8> words;
    llvm::StringRef(names).split(words, ' ');
    if (llvm::is_contained(words, name))
      return advice;
  }
  return "";
}

llvm::StringRef qualifierOfOtherLanguage(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> qualifiers[] = {
      {"block", ".cta"},  {"thread_block", ".cta"}, {"device", ".gpu"},
      {"system", ".sys"}, {"seq_cst", ".sc"},       {"nan", ".notanumber"},
  };
  const auto *found = llvm::find_if(qualifiers, [name](const auto &one) { return one.first == name; });
  return found == std::end(qualifiers) ? llvm::StringRef() : llvm::StringRef(found->second);
}

} // namespace ptxray
