#include "Editor/InlayHints.h"
#include "Editor/Descriptors.h"
#include "Editor/Excerpt.h"
#include "Editor/Statements.h"
#include "Hazards/Places.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <map>

namespace ptxray {

using llvm::StringRef;

namespace {

using FileNames = std::map<uint64_t, std::string>;

/// Finds the hints of one body.
class BodyHints {
public:
  /// Constructs the hints of a body. `excerpt` maps locations to the document; null if they refer to the document
  /// already.
  BodyHints(const Body &body, const ModuleState &module, const FileNames &files, Range part, const Excerpt *excerpt)
      : body(body), module(module.context()), files(files), part(part), excerpt(excerpt), analyses(body, module),
        numbers(body) {}
  std::vector<InlayHint> run();

private:
  Range placeOf(Range range) const { return excerpt ? excerpt->placeOf(range) : range; }
  bool isWanted(Range range) const {
    const Range place = placeOf(range);
    return place.begin < part.end && part.begin < place.end;
  }
  void add(Range range, std::string label, std::string more = "") {
    hints.push_back({placeOf(range).end, std::move(label), std::move(more)});
  }
  void addresses(uint32_t number);
  void descriptors(uint32_t number);
  void location(const Directive &directive);

  const Body &body;
  const ModuleContext module;
  const FileNames &files;
  const Range part;
  const Excerpt *const excerpt;
  Analyses analyses;
  Values numbers; // does not analyse loops, because the body may have errors
  std::vector<InlayHint> hints;
};

/// Adds hints for `[%r5+16]`, where %r5 is a shared variable plus a number.
void BodyHints::addresses(uint32_t number) {
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  const LocalId *local = body.namesOf(number).data();
  for (size_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].kind != OperandKind::Name)
      continue;
    const LocalId name = *local++;
    const Symbol *symbol = body.symbol(name);
    if (!node || nodes[node - 1].kind != OperandKind::Address || !symbol || symbol->kind != SymbolKind::Register)
      continue;
    const Anchor base = analyses.addresses().anchorAt(name, number);
    if (!base.isVariable || !isShared(body.symbol(base.local)->space))
      continue;
    const int64_t offset = base.offset + (nodes[node].flags & HasOffset ? nodes[node].value : 0);
    std::string label = body.text(base.local).str();
    if (offset)
      label += (offset > 0 ? "+" : "") + std::to_string(offset);
    add(nodes[node - 1].range, std::move(label));
  }
}

void BodyHints::descriptors(uint32_t number) {
  const Opcode *opcode = body.verdicts[number]->opcode;
  if (!opcode || !opcode->mnemonic || !mayHaveDescriptors(*opcode->mnemonic))
    return;
  for (const ShownDescriptor &one : descriptorsOf(body, number, module, numbers))
    add(one.range, descriptor::summaryOf(*one.format, one.value), descriptor::fieldLines(*one.format, one.value));
}

/// Adds a hint for `.loc 1 42 5`, in which the file is only a number.
void BodyHints::location(const Directive &directive) {
  const llvm::ArrayRef<Operand> operands = body.ast->operandsOf(directive.operands);
  if (body.ast->text(directive.name) != ".loc" || operands.size() < 2 || operands[0].kind != OperandKind::Integer ||
      operands[1].kind != OperandKind::Integer)
    return;
  const auto file = files.find(static_cast<uint64_t>(operands[0].value));
  if (file != files.end())
    add(directive.range, llvm::sys::path::filename(file->second).str() + ":" + std::to_string(operands[1].value),
        file->second);
}

std::vector<InlayHint> BodyHints::run() {
  const bool followsAddresses = !analyses.isTangled();
  for (uint32_t number = 0; number < body.size(); ++number) {
    if (!isWanted(body.instruction(number).range))
      continue;
    if (followsAddresses)
      addresses(number);
    descriptors(number);
  }
  for (const PlacedDirective &placed : body.directives)
    if (const Directive &directive = body.ast->directives[placed.index]; isWanted(directive.range))
      location(directive);
  llvm::stable_sort(hints, [](const InlayHint &a, const InlayHint &b) { return a.place < b.place; });
  return std::move(hints);
}

/// Collects `.file 1 "kernel.cu"`, which may follow the functions.
FileNames filesOf(const Ast &ast) {
  FileNames files;
  for (const Statement item : ast.module) {
    if (item.kind != StatementKind::Directive)
      continue;
    const Directive &directive = ast.directives[item.index];
    const llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
    if (ast.text(directive.name) == ".file" && operands.size() > 1 && operands[0].kind == OperandKind::Integer &&
        operands[1].kind == OperandKind::String)
      files.try_emplace(static_cast<uint64_t>(operands[0].value), ast.text(operands[1].name).trim('"').str());
  }
  return files;
}

/// Returns the hints of the whole document, or of a part with many functions.
std::vector<InlayHint> hintsOfAll(Document &document, const FileNames &files, Range part) {
  std::vector<InlayHint> hints;
  auto see = [&](const Body &body, const ModuleState &module) {
    if (body.function->range.begin < part.end && part.begin < body.function->range.end)
      llvm::append_range(hints, BodyHints(body, module, files, part, nullptr).run());
  };
  streamModule(document.source(), document.options(), see);
  return hints;
}

} // namespace

std::vector<InlayHint> inlayHints(Document &document, Range part) {
  if (!document.isPtx())
    return {};
  const FileNames files = filesOf(document.outside()->ast());
  std::vector<Range> touched;
  llvm::copy_if(document.bodies(), std::back_inserter(touched),
                [&](Range body) { return part.begin < body.end && body.begin < part.end; });
  constexpr size_t mostInPart = 8; // more than are usually visible
  if (touched.size() > mostInPart)
    return hintsOfAll(document, files, part);
  std::vector<InlayHint> hints;
  for (const Range place : touched)
    if (const Excerpt &excerpt = *document.excerptAt(place.begin + 1); excerpt.body())
      llvm::append_range(hints, BodyHints(*excerpt.body(), excerpt.read().state(), files, part, &excerpt).run());
  return hints;
}

} // namespace ptxray
