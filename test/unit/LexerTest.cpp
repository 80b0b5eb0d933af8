// Compares the scanner with the lexer that ANTLR makes of grammar/PtxLexer.g4. Both must cut a text into the same
// tokens.
#include "Parse/Scanner.h"
#include "PtxLexer.h"
#include "Source/SourceBuffer.h"
#include "antlr4-runtime.h"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

using Cut = std::vector<std::tuple<size_t, size_t, size_t>>; // kind, begin, end

Cut scanned(llvm::StringRef text) {
  auto source = SourceBuffer::fromText("k.ptx", text);
  Interner names, spellings;
  Scanner scanner(names, spellings);
  scanner.start(source->text());
  Cut cut;
  Token token;
  for (scanner.next(token); token.kind != TokenKind::EndOfFile; scanner.next(token))
    cut.emplace_back(size_t(token.kind), token.begin, token.end);
  return cut;
}

Cut lexed(llvm::StringRef text) {
  antlr4::ANTLRInputStream input(text.data(), text.size());
  PtxLexer lexer(&input);
  lexer.removeErrorListeners();
  Cut cut;
  for (auto token = lexer.nextToken(); token->getType() != antlr4::Token::EOF; token = lexer.nextToken())
    cut.emplace_back(token->getType(), token->getStartIndex(), token->getStopIndex() + 1);
  return cut;
}

TEST(Lexer, ScannerAndGrammarAgree) {
  for (const char *text : {
           ".version 9.0\n.target sm_90, debug\n.address_size 64",
           "@!%p1 ld.global.v2.u32 {%r1, _}, [%rd1+-4]; // c\n",
           "add .s32 a,b,c;/* c \n */ret;",
           "call.uni (a), fn, (b); call x; callx.y",
           "WARP_SZ WARP_SZ.x _ _x $a %b a$b a_b",
           "0 1 017 0x1F 0X1FU 0b11U 42U 1.5 .5 5. 1e3 1.e-3 1e+3 .5e3 0f3F800000 0d3FF0000000000000",
           "a<<b>>c<=d>=e==f!=g&&h||i&j|k^l~m?n:o!p=q<r>s+t-u*v/w % x",
           ".reg.b32 a; .const[2] .u32 x; ld.const[2].u32 a; .sp::2:4 .a::b::c x.sp::2:4",
           ".branchtargets .callprototype .noreturn .explicitcluster .abi_preserve_control",
           ".16x64b .1d .2d.x tex.2d.v4",
           "# 100 \"x.cu\"\nret;\n# line 5 \"y\" 1 2\n",
           "@@DWARF .4byte 5\nret;",
           "\"a string\" \"\"",
           "{ } [ ] ( ) , ; : @",
           "a ` b \\ c # d",
       })
    EXPECT_EQ(scanned(text), lexed(text)) << text;
}

} // namespace
