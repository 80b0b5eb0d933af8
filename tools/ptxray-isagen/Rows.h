#pragma once
// The rows of one formula during resolution.
#include "Resolver.h"

namespace ptxray::isagen {

/// The possible kinds of a value, as a bit mask.
enum Kinds : uint8_t { IsInteger = 1, IsFloat = 2, IsTruth = 4, IsNumber = 3, IsAnything = 7 };

struct Rows {
  struct Row {
    isa::Step step;
    std::vector<uint16_t> args;
    uint8_t kinds;
  };
  std::vector<Row> rows;
  const Scope *scope;                            // scope for names
  const std::vector<isa::OperandDecl> *operands; // operands of the form
  std::map<std::string, size_t> parameters = {}; // row of each parameter
  int depth = 0;                                 // nesting depth of definitions
  bool ofDefinition = false;                     // for the definition of a word: only its parameters are operands
  std::set<size_t> named = {};                   // mentioned operands
  bool isNamed = false;

  size_t add(isa::StepOp op, size_t value, const std::vector<size_t> &args, uint8_t kinds) {
    Row row{{op, static_cast<uint8_t>(args.size()), static_cast<uint16_t>(value), 0}, {}, kinds};
    for (size_t arg : args)
      row.args.push_back(static_cast<uint16_t>(arg));
    rows.push_back(std::move(row));
    return rows.size() - 1;
  }
};

} // namespace ptxray::isagen
