#include "Linker.h"
#include "Diagnostics/Diagnostic.h"
#include "Machine/Program.h"
#include "Machine/Provided.h"
#include "Parse/Parse.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <memory>
#include <optional>

namespace ptxray::driver {

using llvm::StringRef;

namespace {

/// The strength of a definition against others with the same name.
enum class Strength : uint8_t { None, Weak, Strong };

/// A name that a module declares or defines.
struct Item {
  size_t module = 0;
  StringRef name, linkage;
  Range range, linkageRange;
  std::string prototype; // the head of a function, without the linkage
  std::string shape;     // bits of its results and parameters
  bool isFunction = false, isDefined = false, isShared = false;

  bool isLocal() const { return linkage.empty(); }
  Strength strength() const {
    if (!isDefined || isLocal() || linkage == ".extern")
      return Strength::None;
    return linkage == ".visible" ? Strength::Strong : Strength::Weak;
  }
};

struct Module {
  std::unique_ptr<SourceBuffer> source;
  std::unique_ptr<Parser> parser = std::make_unique<Parser>();
  std::vector<Item> items;
  std::map<uint32_t, std::pair<uint32_t, std::string>>
      // From an offset to the end of the replaced text, and its replacement.
      changes;
  llvm::StringMap<std::string> renamed;

  StringRef text(Range range) const { return source->text().slice(range.begin, range.end); }
  void replace(Range range, std::string by) { changes.try_emplace(range.begin, range.end, std::move(by)); }
};

class Linker {
public:
  explicit Linker(llvm::ArrayRef<LinkInput> inputs) : inputs(inputs) {}
  Linked link();

private:
  bool read(size_t number);
  void addItems(Module &module, size_t number);
  void choose();
  void fail(LinkFault fault, std::string problem) { result = {"", fault, std::move(problem)}; }
  void rename();
  std::string place();
  void placeExtern(const Item &item);
  void placeInstead(const Item &loser);
  std::string header() const;
  std::string textOf(const Module &module) const;

  llvm::ArrayRef<LinkInput> inputs;
  std::vector<Module> modules;
  std::map<StringRef, const Item *> chosen; // the definition of each name that other texts see
  llvm::StringSet<> emitted;                // names that were declared or defined so far
  Linked result;
};

} // namespace

/// Returns the bits and elements of the results and parameters of a function. Real linkers compare these.
static std::string shapeOf(const Ast &ast, const Function &function) {
  std::string shape;
  for (const Slice list : {function.returns, function.parameters}) {
    for (const Declaration &one : llvm::ArrayRef(ast.declarations).slice(list.first, list.count)) {
      shape += ast.text(one.type).drop_while([](char c) { return !llvm::isDigit(c); });
      for (const int64_t count : llvm::ArrayRef(ast.dims).slice(one.dims.first, one.dims.count))
        shape += "x" + std::to_string(count);
      shape += ",";
    }
    shape += ";";
  }
  return shape;
}

/// Returns the range of the linkage directive of an item, such as `.visible`, or an empty range.
static Range linkageIn(const Module &module, Range range, StringRef linkage) {
  const size_t at = linkage.empty() ? StringRef::npos : module.source->text().find(linkage, range.begin);
  return at == StringRef::npos ? Range() : Range{uint32_t(at), uint32_t(at + linkage.size())};
}

void Linker::addItems(Module &module, size_t number) {
  const Ast &ast = module.parser->ast();
  for (const Statement &statement : ast.module) {
    Item item;
    item.module = number;
    if (statement.kind == StatementKind::Function) {
      const Function &function = ast.functions[statement.index];
      const bool isEntry = function.kind == FunctionKind::Entry;
      item.name = ast.text(function.name);
      item.linkage =
          function.linkage == SpellingId::None ? StringRef(isEntry ? ".visible" : "") : ast.text(function.linkage);
      item.range = function.range;
      item.isFunction = true;
      item.isDefined = function.hasBody;
      item.shape = shapeOf(ast, function);
      if (function.linkage != SpellingId::None)
        item.linkageRange = linkageIn(module, function.range, item.linkage);
      const uint32_t from = item.linkageRange == Range() ? function.head.begin : item.linkageRange.end;
      item.prototype = module.source->text().slice(from, function.head.end).rtrim("{; \t\r\n").str();
    } else if (statement.kind == StatementKind::Declaration) {
      const Declaration &declaration = ast.declarations[statement.index];
      item.name = ast.text(declaration.name);
      item.linkage = declaration.linkage == SpellingId::None ? StringRef() : ast.text(declaration.linkage);
      item.range = declaration.range;
      item.linkageRange = linkageIn(module, declaration.range, item.linkage);
      item.isShared = declaration.space != SpellingId::None && ast.text(declaration.space).starts_with(".shared");
      item.isDefined = item.linkage != ".extern";
    } else {
      continue;
    }
    const StringRef rest = module.source->text().substr(item.range.end);
    if (const StringRef next = rest.ltrim(); next.starts_with(";") && !module.text(item.range).ends_with(";"))
      item.range.end += static_cast<uint32_t>(rest.size() - next.size()) + 1;
    module.items.push_back(std::move(item));
  }
}

bool Linker::read(size_t number) {
  Module &module = modules.emplace_back();
  module.source = SourceBuffer::fromText(inputs[number].name, inputs[number].text);
  DiagnosticSink sink;
  module.parser->read(*module.source, sink);
  if (sink.hasErrors()) {
    result.problem = "the text `" + inputs[number].name + "` has syntax errors";
    result.fault = LinkFault::Syntax;
    return false;
  }
  addItems(module, number);
  const Ast &ast = module.parser->ast();
  for (const Directive &directive : ast.directives) {
    const StringRef name = ast.text(directive.name);
    const bool isHeader = name == ".version" || name == ".target" || name == ".address_size";
    const bool isOfDebugger = name == ".file" || name == ".loc" || name == ".section";
    if (isHeader || (isOfDebugger && number))
      module.replace(directive.range, "");
  }
  return true;
}

/// Chooses the definition of each name. Fails if a name has none, or more than one.
void Linker::choose() {
  for (const Module &module : modules)
    for (const Item &item : module.items) {
      const Item *&best = chosen[item.name];
      if (item.strength() == Strength::None) {
        if (!best)
          chosen.erase(item.name);
        continue;
      }
      if (best && best->strength() == Strength::Strong && item.strength() == Strength::Strong)
        return fail(LinkFault::Duplicate, "Multiple definition of '" + item.name.str() + "' in '" +
                                              inputs[item.module].name + "', first defined in '" +
                                              inputs[best->module].name + "'");
      if (!best || best->strength() < item.strength())
        best = &item;
    }
  for (const Module &module : modules)
    for (const Item &item : module.items)
      if (const auto found = chosen.find(item.name);
          found != chosen.end() && item.linkage == ".extern" && item.isFunction && item.shape != found->second->shape)
        return fail(LinkFault::Mismatch, "Prototype doesn't match for '" + item.name.str() + "' in '" +
                                             inputs[std::max(item.module, found->second->module)].name +
                                             "', first defined in '" +
                                             inputs[std::min(item.module, found->second->module)].name + "'");
  for (const Module &module : modules)
    for (const Item &item : module.items)
      if (item.linkage == ".extern" && !item.isShared && !chosen.contains(item.name) &&
          !(item.isFunction && machine::isProvided(item.name)))
        return fail(LinkFault::Undefined,
                    "Undefined reference to '" + item.name.str() + "' in '" + inputs[item.module].name + "'");
}

/// Gives new names to items that no other text sees, if another text has the same name.
void Linker::rename() {
  llvm::StringSet<> taken;
  for (size_t i = 0; i < modules.size(); ++i) {
    for (const Item &item : modules[i].items)
      if (item.isLocal() && (taken.contains(item.name) || chosen.contains(item.name)))
        modules[i].renamed[item.name] = (item.name + "$" + std::to_string(i)).str();
    for (const Item &item : modules[i].items)
      taken.insert(item.name);
  }
}

/// Replaces a reference to an item of another text by its declaration, if the definition comes later.
void Linker::placeExtern(const Item &item) {
  Module &module = modules[item.module];
  const bool isFirst = emitted.insert(item.name).second;
  const auto found = chosen.find(item.name);
  if (!isFirst)
    module.replace(item.range, "");
  else if (found == chosen.end())
    return; // the item is in shared memory, or a function of the driver itself
  else if (item.isFunction)
    module.replace(item.linkageRange, found->second->linkage.str());
  else
    placeInstead(item);
}

/// Replaces another item by the definition of a variable, or by the head of the definition of a function.
void Linker::placeInstead(const Item &loser) {
  const Item &best = *chosen.at(loser.name);
  Module &own = modules[best.module];
  if (loser.isFunction) {
    modules[loser.module].replace(loser.range, best.linkage.str() + best.prototype + ";");
    return;
  }
  modules[loser.module].replace(loser.range, own.text(best.range).str());
  own.replace(best.range, "");
}

std::string Linker::place() {
  for (Module &module : modules)
    for (const Item &item : module.items) {
      if (item.isLocal())
        continue;
      if (item.linkage == ".extern") {
        placeExtern(item);
        continue;
      }
      const auto found = chosen.find(item.name);
      if (found == chosen.end() || found->second == &item || !item.isDefined) {
        emitted.insert(item.name);
        continue;
      }
      if (emitted.insert(item.name).second) // a weak definition, and a stronger one comes later
        placeInstead(item);
      else
        module.replace(item.range, "");
    }
  std::string text = header();
  for (const Module &module : modules)
    text += textOf(module);
  return text;
}

std::string Linker::header() const {
  int version = 0;
  std::string versionText, target, size;
  for (const Module &module : modules) {
    const Ast &ast = module.parser->ast();
    for (const Directive &directive : ast.directives) {
      const StringRef name = ast.text(directive.name), written = module.text(directive.range).trim();
      if (name == ".version") {
        unsigned major = 0, minor = 0;
        StringRef rest = written.drop_front(name.size()).trim();
        rest.consumeInteger(10, major);
        rest.consume_front(".");
        rest.consumeInteger(10, minor);
        if (const int number = static_cast<int>(major * 100 + minor); number > version) {
          version = number;
          versionText = written.str();
        }
      } else if (name == ".target" && (target.empty() || written.size() > target.size() || written > target)) {
        target = written.str();
      } else if (name == ".address_size") {
        size = written.str();
      }
    }
  }
  return versionText + "\n" + target + "\n" + size + "\n";
}

/// Returns the end of the comment or string that begins at a place, or the same place if none does.
static size_t skipped(StringRef text, size_t at) {
  const StringRef rest = text.substr(at);
  const auto after = [&](StringRef end, size_t from) { return std::min(rest.find(end, from), rest.size()); };
  if (rest.starts_with("//"))
    return at + after("\n", 0);
  if (rest.starts_with("/*"))
    return std::min(at + after("*/", 2) + 2, text.size());
  return rest.starts_with("\"") ? std::min(at + after("\"", 1) + 1, text.size()) : at;
}

/// Returns a text with new names for some of its words.
static std::string renamedIn(StringRef text, const llvm::StringMap<std::string> &names) {
  const auto isOfWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; };
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (const size_t end = skipped(text, at); end != at) {
      out += text.slice(at, end);
      at = end;
      continue;
    }
    const StringRef word = text.substr(at).take_while(isOfWord);
    const auto found = at && text[at - 1] == '.' ? names.end() : names.find(word);
    if (word.empty())
      out += text[at];
    else
      out += found == names.end() ? word : StringRef(found->second);
    at += std::max<size_t>(word.size(), 1);
  }
  return out;
}

/// Returns a text with its changes and new names.
std::string Linker::textOf(const Module &module) const {
  const StringRef text = module.source->text();
  std::string out;
  uint32_t at = 0;
  const auto copy = [&](uint32_t to) {
    const StringRef part = text.slice(at, to);
    if (module.renamed.empty()) {
      out += part;
      return;
    }
    out += renamedIn(part, module.renamed);
  };
  for (const auto &[begin, change] : module.changes) {
    if (begin < at)
      continue;
    copy(begin);
    out += change.second;
    at = change.first;
  }
  copy(static_cast<uint32_t>(text.size()));
  return out + "\n";
}

Linked Linker::link() {
  modules.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!read(i))
      return std::move(result);
  choose();
  if (result.fault != LinkFault::None)
    return std::move(result);
  rename();
  result.text = place();
  return std::move(result);
}

// All blocks count in the second word of the workspace of a grid. Block 0 adds so much that the highest bit changes
// when all blocks have arrived.
const char deviceRuntime[] = R"(
.version 7.0
.target sm_70
.address_size 64
.weak .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %low, %high;
  .reg .b64 %all;
  mov.b32 %high, %envreg1;
  mov.b32 %low, %envreg2;
  mov.b64 %all, {%low, %high};
  st.param.b64 [handle], %all;
  ret;
}
.weak .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %others, %isFirst, %waits;
  .reg .b32 %here, %one, %blocks, %old, %now;
  .reg .b64 %at;
  ld.param.b64 %at, [handle];
  add.s64 %at, %at, 4;
  mov.u32 %here, %tid.x;
  mov.u32 %one, %tid.y;
  or.b32 %here, %here, %one;
  mov.u32 %one, %tid.z;
  or.b32 %here, %here, %one;
  setp.ne.u32 %others, %here, 0;
  barrier.sync 0;
  @%others bra DONE;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %one, %nctaid.y;
  mul.lo.u32 %blocks, %blocks, %one;
  mov.u32 %one, %nctaid.z;
  mul.lo.u32 %blocks, %blocks, %one;
  mov.u32 %here, %ctaid.x;
  mov.u32 %one, %ctaid.y;
  or.b32 %here, %here, %one;
  mov.u32 %one, %ctaid.z;
  or.b32 %here, %here, %one;
  setp.eq.u32 %isFirst, %here, 0;
  sub.u32 %blocks, 0x80000001, %blocks;
  selp.b32 %one, %blocks, 1, %isFirst;
  fence.acq_rel.gpu;
  atom.relaxed.gpu.add.u32 %old, [%at], %one;
WAITING:
  ld.acquire.gpu.u32 %now, [%at];
  xor.b32 %now, %now, %old;
  setp.ge.s32 %waits, %now, 0;
  @%waits bra WAITING;
  fence.acq_rel.gpu;
DONE:
  barrier.sync 0;
  st.param.b32 [error], 0;
  ret;
}
)";

Linked linked(llvm::ArrayRef<LinkInput> inputs) { return Linker(inputs).link(); }

} // namespace ptxray::driver
