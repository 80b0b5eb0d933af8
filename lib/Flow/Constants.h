#pragma once
// The registers of a function that hold one known number all along: written once, by a move or by
// arithmetic on other such registers. Asked only for the few operands whose value means something.
#include "Parse/Ast.h"
#include "Resolve/Shape.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace ptxray {

class Constants {
public:
  explicit Constants(const Ast &ast) : ast(ast) {}

  void forget() { read = false; }
  /// Puts the values of such registers into their shapes.
  void fill(const Function &function, Slice operands, llvm::MutableArrayRef<Shape> shapes);

private:
  void readBody(const Function &function);
  void addWritten(llvm::ArrayRef<Operand> nodes, uint32_t instruction);
  std::optional<uint64_t> valueOf(NameId name, unsigned depth);
  std::optional<uint64_t> valueOf(const Operand &operand, unsigned depth);

  const Ast &ast;
  bool read = false;
  /// By name: the instruction that writes it, or `several`. Names of nested blocks count as one.
  llvm::DenseMap<uint32_t, uint32_t> writer;
  llvm::DenseMap<uint32_t, std::optional<uint64_t>> values; // of the names asked for so far
  static constexpr uint32_t several = ~0u;
};

/// What an instruction with these constant sources gives; none when it is no plain arithmetic.
std::optional<uint64_t> constantResult(llvm::StringRef opcode, llvm::ArrayRef<uint64_t> sources);

} // namespace ptxray
