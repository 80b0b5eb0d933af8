#include "Module/ModuleRules.h"

namespace ptxray {

bool ModuleRules::overflows(const Operand &number) {
  sink.report(DiagId::ConstantOverflow, number.range, std::to_string(static_cast<uint64_t>(number.value)), 32);
  return true;
}

void ModuleRules::moduleDirective(const Directive &directive) {
  const llvm::StringRef name = ast.text(directive.name);
  requireDirective(directive.name, directive.nameRange, isa::InModule);
  if (name == ".pragma")
    return pragma(directive, isa::InModule);
  if (name == ".alias")
    return alias(directive);
  if (name == ".file")
    file(directive);
  else if (name == ".section")
    section(directive);
  else if (name == ".metadata_section")
    metadata(directive);
  else if (name == ".nv_intermediate_source_section")
    sources(directive);
  if (name != "@@DWARF")
    return;
  hasSection = true;
  if (!has(isa::FeatureId::DwarfLines))
    sink.report(DiagId::DwarfDirective, directive.nameRange);
}

void ModuleRules::finish() {
  if (header.debugOption().size() && !hasSection)
    sink.report(DiagId::MissingDebugInfo, header.debugOption());
}

void ModuleRules::file(const Directive &directive) {
  llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
  if (operands.size() > 2)
    requireFeature(isa::FeatureId::FileTimestamp, operands[2].range);
  if (operands.empty() || !values(directive, isa::directive(isa::DirectiveId::File)))
    return;
  auto [before, isNew] = files.emplace(operands[0].value, operands[0].range);
  if (!isNew)
    sink.report(DiagId::DuplicateFileIndex, operands[0].range, operands[0].value)
        .notes.push_back({"the first stands here", before->second});
}

/// `.loc file line column`, of inlined code with `, function_name label, inlined_at file line column`.
void ModuleRules::location(const Directive &directive) {
  llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
  if (operands.size() < 3 || ast.text(directive.name) != ".loc")
    return;
  auto place = [](llvm::ArrayRef<Operand> numbers) {
    return std::pair(static_cast<uint64_t>(numbers[0].value << 32 | numbers[1].value),
                     static_cast<uint64_t>(numbers[2].value)); // 32 bits: no key of the set's own
  };
  if (operands.size() == 9) {
    for (auto [index, word] : {std::pair(3, "function_name"), std::pair(5, "inlined_at")})
      if (ast.text(operands[index].name) != word)
        sink.report(DiagId::SyntaxError, operands[index].range, ast.text(operands[index].name),
                    "`" + std::string(word) + "`");
    llvm::ArrayRef<Operand> outer = operands.drop_front(6);
    if (!locations.contains(place(outer)))
      sink.report(DiagId::InlinedAt, {outer[0].range.begin, outer[2].range.end}, outer[0].value, outer[1].value,
                  outer[2].value);
  }
  locations.insert(place(operands));
}

// ------------------------------------------------------------------------------ `.section`

void ModuleRules::section(const Directive &directive) {
  hasSection = true;
  const uint32_t braces = directive.operands.first + 1;
  if (directive.operands.count < 2)
    return;
  for (uint32_t node = braces + 1; node < braces + ast.operands[braces].extent; node += ast.operands[node].extent) {
    const Operand &item = ast.operands[node];
    if (item.kind == OperandKind::List) {
      sectionData(node);
      continue;
    }
    requireFeature(isa::FeatureId::SectionLabel, item.range);
    auto [before, isNew] = sectionLabels.try_emplace(static_cast<uint32_t>(item.name), item.range);
    if (!isNew)
      sink.report(DiagId::DuplicateDefinition, item.range, ast.text(item.name))
          .notes.push_back({"declared here before", before->second});
  }
}

/// `.b8 1, -2`, `.b64 label+8`, `.b32 end-begin`: numbers, or one address of at least 32 bits.
void ModuleRules::sectionData(uint32_t node) {
  const Operand &data = ast.operands[node];
  const llvm::StringRef type = ast.text(data.suffix);
  const uint32_t bits = type == ".b8" ? 8 : type == ".b16" ? 16 : type == ".b32" ? 32 : 64;
  auto wrong = [&](Range range, const std::string &why) { sink.report(DiagId::SectionData, range, type, why); };
  if (type != ".b8" && type != ".b16" && type != ".b32" && type != ".b64")
    return wrong({data.range.begin, data.range.begin + static_cast<uint32_t>(type.size())},
                 "holds no data of a section; `.b8`, `.b16`, `.b32` and `.b64` do");
  for (uint32_t child = node + 1; child < node + data.extent; child += ast.operands[child].extent) {
    const Operand &value = ast.operands[child];
    if (value.kind == OperandKind::Integer) {
      const bool isNegative = value.value < 0 && !(value.flags & UnsignedSuffix);
      if (isNegative)
        requireFeature(isa::FeatureId::SectionNegative, value.range);
      // Only the low half of a positive number is looked at.
      const int64_t low = static_cast<int64_t>(static_cast<uint32_t>(value.value));
      if (bits < 64 && (isNegative ? value.value < -(int64_t(1) << (bits - 1)) : low >> bits != 0))
        wrong(value.range, "cannot hold `" + std::to_string(value.value) + "`");
      continue;
    }
    if (bits < 32)
      wrong(value.range, "cannot hold an address");
    else if (child + value.extent < node + data.extent || child > node + 1)
      wrong(value.range, "takes an address alone, not in a list");
    if (value.kind == OperandKind::Pair)
      requireFeature(isa::FeatureId::SectionDifference, value.range);
    else if (value.flags & HasOffset)
      requireFeature(isa::FeatureId::SectionOffset, value.range);
  }
}

// ------------------------------------------------------------- `.metadata_section` and sources

/// The metadata must have the domain of the trace; without any, ptxas makes them here.
void ModuleRules::trace(Range range, llvm::StringRef instruction) {
  if (hasMetadata && !hasTraceDomain)
    sink.report(DiagId::DirectiveMissing, range, instruction, "`.metadata_domain 1` in the `.metadata_section` before");
  else
    hasMetadata = hasTraceDomain = true;
}

void ModuleRules::metadata(const Directive &directive) {
  if (hasMetadata)
    sink.report(DiagId::DuplicateMetadata, directive.nameRange, "a `.metadata_section`");
  hasMetadata = true;
  const uint32_t braces = directive.operands.first, end = braces + ast.operands[braces].extent;
  llvm::DenseSet<int64_t> nodes;
  for (uint32_t node = braces + 1; node < end; node += ast.operands[node].extent) {
    const Operand &entry = ast.operands[node], &number = ast.operands[node + 1];
    const llvm::StringRef name = ast.text(entry.suffix);
    const Range word{entry.range.begin, entry.range.begin + static_cast<uint32_t>(name.size())};
    const bool hasValues = entry.extent > 2;
    if (name == ".metadata_domain" && node == braces + 1 && !hasValues) {
      requireDirective(entry.suffix, word, isa::InDirective);
      hasTraceDomain |= number.value == 1;
      const isa::Directive &known = isa::directive(isa::DirectiveId::MetadataDomain);
      value(number, known, isa::run(isa::tables().arguments, known.arguments).front());
      continue;
    }
    if (name != ".metadata" || !hasValues) {
      sink.report(DiagId::SyntaxError, word, name, "`.metadata` with values or `}`");
      continue;
    }
    const isa::Directive &known = isa::directive(isa::DirectiveId::Metadata);
    requireDirective(known, word, isa::InDirective);
    if (value(number, known, isa::run(isa::tables().arguments, known.arguments).front()) &&
        !nodes.insert(number.value).second)
      sink.report(DiagId::DuplicateMetadata, number.range, "`.metadata " + std::to_string(number.value) + "`");
    metadataValues(node + 2);
  }
}

void ModuleRules::metadataValues(uint32_t braces) {
  const uint32_t end = braces + ast.operands[braces].extent;
  if (ast.operands[braces].extent == 2) {
    const uint32_t brace = ast.operands[braces].range.end - 1;
    sink.report(DiagId::SyntaxError, {brace, brace + 1}, "}", "`,` and a value");
  }
  for (uint32_t node = braces + 1; node < end; node += ast.operands[node].extent) {
    const Operand &value = ast.operands[node];
    if (value.kind != OperandKind::List)
      continue;
    const Operand &content = ast.operands[node + 1];
    const llvm::StringRef type = ast.text(value.suffix);
    const isa::WordId word = resolver.word(value.suffix);
    const bool isType = word && isa::word(word).wordClass == isa::WordClass::Type;
    if (content.kind == OperandKind::String ? type != ".metadata_label" : !isType)
      sink.report(DiagId::SyntaxError, value.range, type, "a type and a number, or `.metadata_label` and a string");
    else
      fits(content);
  }
}

/// `.code_block { .ir_name: "x" .sourceFileName: 1 .source_begin ... .source_end }`
void ModuleRules::sources(const Directive &directive) {
  const uint32_t braces = directive.operands.first, end = braces + ast.operands[braces].extent;
  for (uint32_t node = braces + 1; node < end; node += ast.operands[node].extent) {
    const Operand &block = ast.operands[node];
    static constexpr llvm::StringLiteral order[] = {".ir_name", ".sourceFileName", ".source_begin"};
    size_t field = 0;
    auto wrong = [&](const Operand &at, llvm::StringRef found, llvm::StringRef expected) {
      sink.report(DiagId::SyntaxError, at.range, found, "`" + expected.str() + "`");
    };
    if (ast.text(block.suffix) != ".code_block")
      wrong(block, ast.text(block.suffix), ".code_block");
    for (uint32_t child = node + 1; child < node + block.extent; child += ast.operands[child].extent) {
      const Operand &item = ast.operands[child], &value = ast.operands[child + 1];
      if (item.kind != OperandKind::List) { // the source, behind all fields
        if (field < 2)
          wrong(item, ".source_begin", order[field]);
        continue;
      }
      const llvm::StringRef name = ast.text(item.suffix);
      if (name != order[field]) {
        wrong(item, name, order[field]);
        break;
      }
      if (value.kind != (field ? OperandKind::Integer : OperandKind::String))
        sink.report(DiagId::SyntaxError, value.range, field ? "a string" : "a number", field ? "a number" : "a string");
      else if (field && !files.contains(value.value))
        sink.report(DiagId::UndefinedFileIndex, value.range, value.value);
      ++field;
    }
  }
}

} // namespace ptxray
