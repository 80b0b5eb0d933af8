#include "Emulate/CountersJson.h"
#include "Source/Escape.h"
#include "Source/JsonValue.h"
#include "Source/Origin.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace ptxray::machine {

static constexpr Counter counters[] = {
    {"warps", "inst_executed", &InstructionCounts::executed},
    {"threads", "thread_inst_executed", &InstructionCounts::threads},
    {"on", "thread_inst_executed_true", &InstructionCounts::threadsOn},
    {"parted", "branches_divergent", &InstructionCounts::partings},
    {"shared", "memory_l1_wavefronts_shared", &InstructionCounts::sharedWavefronts},
    {"ideal", "memory_l1_wavefronts_shared_ideal", &InstructionCounts::sharedIdeal},
    {"sectors", "memory_l2_theoretical_sectors_global", &InstructionCounts::globalSectors},
    {"ideal", "memory_l2_theoretical_sectors_global_ideal", &InstructionCounts::globalIdeal},
    {"tags", "memory_l1_tag_requests_global", &InstructionCounts::globalTags},
    {"shared B", "bytes_shared", &InstructionCounts::sharedBytes},
    {"global B", "bytes_global", &InstructionCounts::globalBytes},
    {"local B", "bytes_local", &InstructionCounts::localBytes},
    {"const B", "bytes_const", &InstructionCounts::constBytes},
    {"async shared B", "bytes_shared_async", &InstructionCounts::asyncSharedBytes},
    {"async global B", "bytes_global_async", &InstructionCounts::asyncGlobalBytes},
    {"texture B", "bytes_texture", &InstructionCounts::textureBytes},
    {"tensor B", "bytes_tensor", &InstructionCounts::tensorBytes},
    {"bulk B", "bytes_bulk", &InstructionCounts::bulkBytes},
    {"same", "atomic_collisions", &InstructionCounts::collisions},
    {"waits", "barrier_waits", &InstructionCounts::waits},
    {"products", "matrix_products", &InstructionCounts::products},
};

llvm::ArrayRef<Counter> allCounters() { return counters; }

std::string countedText(const FileReport &report, const CountedInstruction &one) {
  return inOneLine(report.source->text().slice(one.range.begin, one.range.end));
}

std::vector<std::pair<llvm::StringRef, InstructionCounts>> sumsByKind(llvm::ArrayRef<CountedInstruction> counts) {
  std::map<llvm::StringRef, InstructionCounts> kinds;
  for (const CountedInstruction &one : counts)
    if (one.counts.executed)
      kinds[one.kind] += one.counts;
  std::vector<std::pair<llvm::StringRef, InstructionCounts>> sorted(kinds.begin(), kinds.end());
  llvm::stable_sort(sorted, [](const auto &a, const auto &b) { return a.second.executed > b.second.executed; });
  return sorted;
}

static Json numbersOf(const InstructionCounts &counts) {
  Json json = Json::object();
  for (const Counter &one : counters)
    if (const uint64_t number = counts.*one.number)
      json[one.name] = number;
  return json;
}

std::string countersJson(llvm::ArrayRef<CountedInstruction> counts, const FileReport &report, llvm::StringRef kernel) {
  const OriginTable origins(*report.source);
  Json all = {{"version", 1}, {"file", report.path}, {"kernel", kernel.str()}};
  InstructionCounts sum;
  Json instructions = Json::array();
  for (const CountedInstruction &one : counts) {
    const LineColumn at = report.source->lineColumn(one.range.begin);
    Json json = {{"function", one.function.str()},
                 {"line", at.line},
                 {"column", at.column},
                 {"text", countedText(report, one)},
                 {"counts", numbersOf(one.counts)}};
    if (const std::optional<Origin> origin = origins.at(one.range.begin))
      json["source"] = {{"path", origin->path}, {"line", origin->line}};
    sum += one.counts;
    instructions.push_back(std::move(json));
  }
  all["counts"] = numbersOf(sum);
  Json kinds = Json::object();
  for (const auto &[kind, numbers] : sumsByKind(counts))
    kinds[kind.str()] = numbersOf(numbers);
  all["kinds"] = std::move(kinds);
  all["instructions"] = std::move(instructions);
  return dump(all, 1);
}

std::pair<uint64_t, uint64_t> exactOf(llvm::ArrayRef<CountedInstruction> counts) {
  std::pair<uint64_t, uint64_t> sum;
  for (const CountedInstruction &one : counts) {
    sum.first += one.fidelity == Fidelity::Exact ? one.counts.executed : 0;
    sum.second += one.counts.executed;
  }
  return sum;
}

bool isInexact(const CountedInstruction &one) { return one.fidelity != Fidelity::Exact && one.counts.executed; }

std::string fidelityJson(llvm::ArrayRef<CountedInstruction> counts, const FileReport &report, llvm::StringRef kernel) {
  const auto [exact, executed] = exactOf(counts);
  Json all = {
      {"version", 1}, {"file", report.path}, {"kernel", kernel.str()}, {"executed", executed}, {"exact", exact}};
  Json instructions = Json::array();
  for (const CountedInstruction &one : counts)
    if (isInexact(one)) {
      const LineColumn at = report.source->lineColumn(one.range.begin);
      instructions.push_back({{"function", one.function.str()},
                              {"line", at.line},
                              {"column", at.column},
                              {"text", countedText(report, one)},
                              {"executed", one.counts.executed},
                              {"fidelity", nameOf(one.fidelity)},
                              {"reason", reasonOf(one.fidelity)}});
    }
  all["instructions"] = std::move(instructions);
  return dump(all, 1);
}

} // namespace ptxray::machine
