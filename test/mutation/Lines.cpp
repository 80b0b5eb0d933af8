#include "Lines.h"
#include "Match/Match.h"
#include "Module/Header.h"
#include "Pages/FactsText.h"
#include "Parse/Parse.h"
#include "Resolve/Resolver.h"
#include "Source/SourceBuffer.h"
#include "llvm/Support/MemoryBuffer.h"

namespace ptxray::test {

namespace {

class Collector {
public:
  Collector(LineSet &set, const TestFile &file, const Module &section, Compared compared, llvm::ArrayRef<char> marks)
      : set(set), file(file), section(section), compared(compared), marks(marks),
        source(SourceBuffer::fromText(file.path, section.text)) {}

  void run() {
    options.pedantic = section.pedantic;
    Parser parser;
    const Ast &ast = parser.ast();
    Header header(*source, options, sink);
    WordsOfSpellings words;
    Scopes scopes(*ast.names);
    Resolver resolver(ast, words, scopes, sink);
    parser.stream(*source, sink, [&](const Ast &, Statement statement) {
      if (statement.kind == StatementKind::Directive) {
        header.read(ast, ast.directives[statement.index]);
      } else if (statement.kind == StatementKind::Declaration) {
        resolver.declare(ast.declarations[statement.index], DeclarationRole::Global);
      } else if (statement.kind == StatementKind::Function) {
        const Function &function = ast.functions[statement.index];
        resolver.declareFunction(statement.index);
        if (!function.hasBody)
          return;
        resolver.beginFunction(function);
        for (uint32_t i = function.body.first; i < function.body.end(); ++i)
          inBody(ast, ast.statements[i], resolver, header);
        resolver.endFunction();
      }
    });
  }

private:
  void inBody(const Ast &ast, Statement statement, Resolver &resolver, const Header &header) {
    if (statement.kind == StatementKind::Declaration)
      resolver.declare(ast.declarations[statement.index], DeclarationRole::Local);
    else if (statement.kind == StatementKind::BlockBegin)
      resolver.beginBlock();
    else if (statement.kind == StatementKind::BlockEnd)
      resolver.endBlock();
    if (statement.kind != StatementKind::Instruction)
      return;
    const Instruction &instruction = ast.instructions[statement.index];
    const size_t errorsBefore = sink.diagnostics().size();
    llvm::SmallVector<Shape, 32> shapes;
    resolver.shapes(instruction.operands, shapes);
    const unsigned number = source->lineColumn(instruction.range.begin).line;
    const unsigned origin = number <= section.origins.size() ? section.origins[number - 1] : 0;
    // An undefined name is an error whatever the tables say.
    if (origin == 0 || (compared == Compared::Verdict && sink.diagnostics().size() != errorsBefore))
      return;
    Line line;
    line.text = file.lines[origin - 1];
    line.place = file.path + ":" + std::to_string(origin);
    line.number = origin;
    for (const Operand &node : ast.operandsOf(instruction.operands))
      line.nodes.push_back(source->text(node.range).str());
    line.opcode = ast.text(instruction.opcode).str();
    line.shapes.assign(shapes.begin(), shapes.end());
    line.context = set.contextId(header.context());
    line.compared = compared;
    line.mark = marks.empty() ? ' ' : marks[origin - 1];
    set.lines.push_back(std::move(line));
  }

  LineSet &set;
  const TestFile &file;
  const Module &section;
  const Compared compared;
  const llvm::ArrayRef<char> marks;
  std::unique_ptr<SourceBuffer> source;
  CheckOptions options;
  DiagnosticSink sink;
};

} // namespace

void LineSet::collect(const TestFile &file, const Module &section, Compared compared, llvm::ArrayRef<char> marks) {
  Collector(*this, file, section, compared, marks).run();
}

uint32_t LineSet::contextId(const ModuleContext &context) {
  for (size_t i = 0; i < contexts.size(); ++i)
    if (contexts[i].ptx == context.ptx && contexts[i].target == context.target &&
        contexts[i].pedantic == context.pedantic && contexts[i].independent == context.independent)
      return i;
  contexts.push_back(context);
  return contexts.size() - 1;
}

llvm::StringRef baseOf(llvm::StringRef opcode) { return opcode.split('.').first; }

std::string outcomeOf(const Availability &availability, const Line &line, Compared compared) {
  if (compared == Compared::Facts)
    return factsText(judge({Opcode(line.opcode), line.shapes, availability}).facts,
                     [&](unsigned node) { return line.nodes[node]; });
  std::string ids;
  const Opcode opcode(line.opcode);
  if (opcode.mnemonic && !opcode.mnemonic->forms.count)
    return "refused"; // the mutation removed its last form
  for (const Finding &f : judge({opcode, line.shapes, availability}).findings) {
    if (compared == Compared::Verdict && f.severity == Severity::Error)
      return "refused";
    if (compared == Compared::Ids && (f.severity != Severity::Pedantic || availability.module().pedantic))
      ids += info(f.id).id.str() + ":" + std::to_string(static_cast<unsigned>(f.kind)) + " ";
  }
  return ids;
}

TestFile readFlowFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  TestFile file = readSections(buffer ? (*buffer)->getBuffer() : llvm::StringRef());
  file.path = path;
  if (!buffer)
    file.problem = "cannot be read";
  return file;
}

} // namespace ptxray::test
