#include "Command.h"
#include "Descriptor/Descriptor.h"
#include "Isa/Isa.h"
#include "Layout/Canonical.h"
#include "Layout/Instructions.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

using namespace descriptor;

namespace {

std::string hex(uint64_t value, unsigned bits) { return "0x" + llvm::utohexstr(value, /*LowerCase=*/true, bits / 4); }

/// Returns the command that encodes the same descriptor.
std::string encodeCommand(const Format &format, uint64_t value, llvm::StringRef target) {
  std::string command = "ptxray desc encode " + format.name.str();
  if (!format.kind.empty())
    command += " --kind " + format.kind.str();
  if (!target.empty())
    command += " --target " + target.str();
  for (const Field &field : format.fields)
    if (!field.isReserved() && (field.of(value) || !field.choices.empty()))
      if (field.choices.empty() || (field.choice(value) && field.choice(value) != field.choices.begin()) ||
          llvm::is_contained<llvm::StringRef>({"a", "b", "d", "scale"}, field.key))
        command += " --" + field.key.str() + " " + field.meaning(value);
  return command;
}

/// Writes one character per column, the last column first.
std::string maskBits(const std::vector<bool> &mask) {
  std::string bits = "0b";
  for (bool zero : llvm::reverse(mask))
    bits += zero ? '1' : '0';
  return bits;
}

/// A layout of shared memory that the swizzling mode of a descriptor selects, in CuTe's notation.
struct Canonical {
  const char *major;
  std::string layout;
};
std::vector<Canonical> canonicalLayouts(const Format &format, uint64_t value) {
  const Field *field = format.field("swizzle");
  const layout::SwizzleMode *mode = field ? layout::findSwizzle(field->meaning(value)) : nullptr;
  std::vector<Canonical> found;
  for (const bool kMajor : {true, false}) {
    if (!mode || (kMajor && !mode->hasKMajor()))
      continue;
    layout::CanonicalRequest request = {};
    request.swizzle = mode;
    request.kMajor = kMajor;
    request.bits = 16; // has no effect: the shape is written in units of T
    found.push_back({kMajor ? "K" : "MN", layout::canonicalShape(request, false)});
  }
  return found;
}

struct Asked {
  const Format *format;
  std::string kind, target; // empty if they are not known
  uint64_t value;
  uint32_t m, n; // size of a mask
  std::vector<Problem> problems;
};

void writeText(const Asked &asked, llvm::raw_ostream &out) {
  const Format &format = *asked.format;
  out << format.title << ", " << hex(asked.value, format.bits) << " (" << format.table << ")\n";
  out << fieldLines(format, asked.value);
  if (format.name == "idesc")
    out << "  K is " << depthOf(format, asked.value) << ", given the kind and the properties of A"
        << (format.field("k") ? " and K" : "") << '\n';
  if (format.name == "zero-mask")
    for (auto [piece, mask] : llvm::enumerate(zeroColumns(asked.value, asked.m, asked.n))) {
      out << "  mask" << piece << " (columns " << piece * mask.size() << "-" << (piece + 1) * mask.size() - 1 << "): ";
      out << maskBits(mask) << '\n';
    }
  for (const Canonical &canonical : canonicalLayouts(format, asked.value))
    out << "  canonical, " << canonical.major << "-major: " << canonical.layout
        << " with T = 128 / bits of an element\n";
  for (const Problem &problem : asked.problems)
    out << "excluded: " << problem.text << " (" << problem.table << ")\n";
  out << encodeCommand(format, asked.value, asked.target) << '\n';
}

Json fieldToJson(const Field &field, uint64_t value) {
  Json json = {{"name", (field.isReserved() ? "reserved" : field.key).str()},
               {"first_bit", field.first},
               {"bits", field.bits},
               {"value", field.of(value)}};
  if (!field.isReserved())
    json["meaning"] = field.meaning(value);
  return json;
}

Json toJson(const Asked &asked) {
  const Format &format = *asked.format;
  Json json = {{"descriptor", format.name.str()}};
  if (!asked.kind.empty())
    json["kind"] = asked.kind;
  json["value"] = hex(asked.value, format.bits);
  json["table"] = format.table.str();
  json["fields"] = Json::array();
  for (const Field &field : format.fields)
    json["fields"].push_back(fieldToJson(field, asked.value));
  if (format.name == "idesc")
    json["k"] = depthOf(format, asked.value);
  if (format.name == "zero-mask") {
    json["masks"] = Json::array();
    for (const std::vector<bool> &mask : zeroColumns(asked.value, asked.m, asked.n))
      json["masks"].push_back(maskBits(mask));
  }
  for (const Canonical &one : canonicalLayouts(format, asked.value))
    json["canonical"].push_back({{"major", one.major}, {"layout", one.layout}});
  json["problems"] = Json::array();
  for (const Problem &problem : asked.problems)
    json["problems"].push_back({{"text", problem.text}, {"table", problem.table}});
  json["encode"] = encodeCommand(format, asked.value, asked.target);
  return json;
}

std::optional<uint64_t> number(const Arguments &arguments, llvm::StringRef option) {
  uint64_t value = 0;
  auto text = arguments.value(option);
  if (!text || text->getAsInteger(0, value))
    return std::nullopt;
  return value;
}

/// Prints the indices of a word of sparse metadata.
int describeMetadata(llvm::StringRef text, const Arguments &arguments) {
  uint64_t value = 0;
  if (text.getAsInteger(0, value) || value >> 32)
    return usageError("`" + text.str() + "` is not a value of 32 bits");
  const llvm::StringRef type = arguments.value("--a").value_or("f16");
  const uint32_t bits = layout::bitsOfType(type);
  if (!bits)
    return usageError("`" + type.str() + "` is not an element type");
  struct Index {
    unsigned first, bits;
    std::string columns; // empty if the index is not valid
  };
  llvm::SmallVector<Index, 8> indices;
  for (unsigned first = 0; first < 32; first += 4) {
    const unsigned index = value >> first & 15, low = index & 3, high = index >> 2;
    std::string columns;
    if (!isSparseIndex(index, bits, /*ordered=*/false))
      ;
    else if (bits == 32)
      columns = llvm::formatv("column {0} of two", index == 0b1110 ? 1 : 0);
    else if (bits == 4)
      columns = llvm::formatv("columns {0}-{1} and {2}-{3} of eight", 2 * low, 2 * low + 1, 2 * high, 2 * high + 1);
    else
      columns = llvm::formatv("columns {0} and {1} of four", low, high);
    indices.push_back({first, index, columns});
  }
  auto binary = [](unsigned index) {
    return llvm::formatv("0b{0}{1}{2}{3}", index >> 3 & 1, index >> 2 & 1, index >> 1 & 1, index & 1).str();
  };
  if (arguments.value("--format").value_or("text") == "json") {
    Json json = {{"descriptor", "metadata"}, {"value", hex(value, 32)}, {"indices", Json::array()}};
    for (const Index &index : indices) {
      json["indices"].push_back({{"first_bit", index.first}, {"bits", 4}, {"value", index.bits}});
      if (!index.columns.empty())
        json["indices"].back()["meaning"] = index.columns;
    }
    llvm::outs() << dump(json, 2) << '\n';
  } else {
    for (const Index &index : indices)
      llvm::outs() << llvm::formatv("  bits {0,2}-{1,-2}  {2}  {3}\n", index.first, index.first + 3, binary(index.bits),
                                    index.columns.empty() ? "no index" : index.columns);
  }
  return llvm::any_of(indices, [](const Index &index) { return index.columns.empty(); }) ? FoundErrors : Clean;
}

/// Sets the fields by name, and the fields that the kind determines.
std::optional<std::string> encodeFields(const Format &format, const Arguments &arguments, uint64_t &value) {
  for (const Field &field : format.fields)
    value |= uint64_t(field.fixed) << field.first;
  static constexpr llvm::StringLiteral context[] = {"kind", "format", "cta-group", "ws", "sp", "target", "scale-vec"};
  // A mask has no fields M and N. These options determine its number of columns.
  for (const auto &[option, text] : arguments.options) {
    const llvm::StringRef key = option.drop_front(2);
    if (llvm::is_contained(context, key) || (format.name == "zero-mask" && (key == "m" || key == "n")))
      continue;
    if (auto complaint = setField(format, value, key, text.empty() ? "yes" : text))
      return complaint;
  }
  for (const Field &field : format.fields)
    if (field.choices.size() == 1 && !arguments.has("--" + field.key.str()))
      value |= uint64_t(field.choices.front().value) << field.first;
  return std::nullopt;
}

std::vector<Problem> problemsOf(const Asked &asked, const Use &use) {
  const llvm::StringRef name = asked.format->name;
  return name == "idesc"       ? checkInstruction(asked.value, use)
         : name == "smem"      ? checkShared(asked.value, use)
         : name == "zero-mask" ? checkZeroMask(asked.value, asked.m)
                               : checkFields(*asked.format, asked.value);
}

Use useOf(const Arguments &arguments, llvm::StringRef kind, Family family) {
  Use use;
  use.kind = kind.str();
  use.family = family;
  use.ctaGroup = number(arguments, "--cta-group").value_or(0);
  if (arguments.has("--ws"))
    use.ws = true;
  if (arguments.has("--sp"))
    use.sparse = true;
  use.scaleVectors = scaleVectors(arguments.value("--scale-vec").value_or(""), kind);
  return use;
}

} // namespace

static int runDesc(const Arguments &arguments) {
  llvm::ArrayRef<llvm::StringRef> operands = arguments.operands;
  const bool encode = operands.front() == "encode";
  if (encode)
    operands = operands.drop_front();
  if (operands.empty())
    return usageError("`desc encode` requires a kind of descriptor: idesc, smem, wgmma-smem or zero-mask");
  const llvm::StringRef name = operands.front();
  if (operands.size() != (encode ? 1u : 2u))
    return usageError(encode ? "`desc encode` accepts no value" : "`desc " + name.str() + "` needs a value");
  if (name == "metadata" && !encode)
    return describeMetadata(operands[1], arguments);
  Asked asked;
  llvm::StringRef kind = name == "idesc" ? arguments.value("--kind").value_or("") : "";
  kind.consume_front(".");
  kind.consume_front("kind::");
  asked.kind = kind.str();
  Family family = Family::Unknown;
  if (auto written = arguments.value("--target")) {
    const int target = isa::findTarget(*written);
    if (target < 0)
      return unknownTarget(*written);
    family = familyOf(isa::targets()[target].number);
    asked.target = written->str();
  }
  asked.format = findFormat(name, asked.kind, family);
  if (!asked.format) {
    auto text = [](llvm::ArrayRef<llvm::StringLiteral> names) { return llvm::join(names, ", "); };
    return usageError(name == "idesc" ? "an instruction descriptor needs `--kind`: " + text(kinds())
                                      : "no descriptor is called `" + name.str() + "`: " + text(formatNames()) +
                                            (encode ? "" : ", metadata"));
  }
  const Format &format = *asked.format;
  asked.value = 0;
  if (encode) {
    if (auto complaint = encodeFields(format, arguments, asked.value))
      return usageError(*complaint);
  } else if (operands[1].getAsInteger(0, asked.value)) {
    return usageError("`" + operands[1].str() + "` is not a number");
  }
  asked.m = number(arguments, "--m").value_or(128);
  asked.n = number(arguments, "--n").value_or(128);
  if (format.name == "zero-mask" && ((asked.m != 32 && asked.m != 64 && asked.m != 128) || !asked.n || asked.n > 256))
    return usageError("a mask requires M = 32, 64 or 128, and N up to 256");
  asked.problems = problemsOf(asked, useOf(arguments, kind, family));
  if (arguments.value("--format").value_or("text") == "json")
    llvm::outs() << dump(toJson(asked), 2) << '\n';
  else if (encode && asked.problems.empty())
    llvm::outs() << hex(asked.value, format.bits) << '\n';
  else
    writeText(asked, llvm::outs());
  return asked.problems.empty() ? Clean : FoundErrors;
}

Command descCommand() {
  return {
      .name = "desc",
      .summary = "explain the bits of a matrix descriptor, or encode one",
      .syntax = {.operands = "[encode] idesc|smem|wgmma-smem|zero-mask|metadata [VALUE]",
                 .fewest = 2,
                 .most = 3,
                 .options = {textOrJsonOption(),
                             {"--kind", "K", "idesc: f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 or ti16"},
                             {"--cta-group", "1|2", "check the shape for this .cta_group"},
                             {"--ws", "", "check the shape for .ws"},
                             {"--sp", "", "check the shape for .sp"},
                             {"--scale-vec", "1X|2X|4X|block16|block32",
                              "check the shape for this number of scale factors"},
                             {"--target", "sm_X", "target of the descriptor; sm_107 has more fields"},
                             {"--m", "N", "rows of D; zero-mask: its M"},
                             {"--n", "N", "columns of D; zero-mask: its N"},
                             {"--k", "32|64|96", "K of mxf4 and mxf4nvf4, and on sm_107 of f8f6f4 and mxf8f6f4"},
                             {"--k128", "no|yes", "sm_107: whether K of four-bit types is 128"},
                             {"--d", "TYPE", "type of D"},
                             {"--a", "TYPE", "type of A"},
                             {"--b", "TYPE", "type of B"},
                             {"--sparse", "dense|sparse", "whether A is sparse"},
                             {"--selector", "N", "sparsity selector"},
                             {"--saturate", "no|yes", "whether integers saturate"},
                             {"--negate-a", "no|yes", "whether A is negated"},
                             {"--negate-b", "no|yes", "whether B is negated"},
                             {"--transpose-a", "no|yes", "whether A is M-major"},
                             {"--transpose-b", "no|yes", "whether B is N-major"},
                             {"--max-shift", "none|8|16|32", "maximum shift when .ws reuses B"},
                             {"--scale", "ue8m0|ue4m3|ue5m3", "type of the scale factors"},
                             {"--scale-a-lanes", "32|128", "sm_107: lanes that hold the scale factors of A"},
                             {"--sparsity", "v0|v1", "sm_107: version of the sparsity of four-bit types"},
                             {"--sfa-id", "N", "scale factor id of A"},
                             {"--sfb-id", "N", "scale factor id of B"},
                             {"--start", "N", "smem: start address"},
                             {"--lbo", "N", "smem: leading dimension offset in bytes"},
                             {"--sbo", "N", "smem: stride dimension offset in bytes"},
                             {"--base-offset", "N", "smem: base offset"},
                             {"--lbo-mode", "relative|absolute", "smem: meaning of the leading dimension field"},
                             {"--swizzle", "none|32B|64B|128B|128B-base32B", "smem: swizzling mode"},
                             {"--lut-start", "0|24", "smem, sm_107: start of a segment of K in a block of 48 bytes"},
                             {"--non-zero", "no|yes", "zero-mask: whether there is a mask"},
                             {"--skip-span", "N", "zero-mask: columns of zeros per run, minus one"},
                             {"--use-span", "N", "zero-mask: columns of B per run, minus one"},
                             {"--shift", "N", "zero-mask: first column of B"},
                             {"--sc0", "N", "zero-mask: columns skipped at the start (--sc0 to --sc3)"},
                             {"--sc1", "N", ""},
                             {"--sc2", "N", ""},
                             {"--sc3", "N", ""},
                             {"--fs0", "0|1", "zero-mask: 1 if the piece starts with zeros (--fs0 to --fs3)"},
                             {"--fs1", "0|1", ""},
                             {"--fs2", "0|1", ""},
                             {"--fs3", "0|1", ""}}},
      .run = runDesc};
}

} // namespace ptxray
