// The language of PTX, without a single instruction. Every decision is made by one token, so that
// the generated parser is plain switches (the build checks it); there is no parse tree: actions
// append to the Ast through lib/Parse/Builder.h. `last()` is the token just read.
//
// Three tokens come from what is around them, since brackets are counted where tokens are
// read (lib/Parse/Scanner.h): EndOfBody is the brace that ends a function, so blocks need no recursion;
// CloseGroup is a parenthesis of a constant expression, which a loop reads; RawSource is text
// that is not PTX.
parser grammar Ptx;
options { tokenVocab = PtxLexer; superClass = PtxBase; }

module : item* EOF ;

item
  : Version { b.beginDirective(last()); } Float { b.number(last()); b.endDirective(); b.itemEnd(); }
  | target { b.itemEnd(); }
  | AddressSize { b.beginDirective(last()); } (Integer | WarpSize) { b.number(last()); b.endDirective(); b.itemEnd(); }
  | File { b.beginDirective(last()); } Integer { b.number(last()); } String { b.string(last()); }
    (Comma Integer { b.number(last()); } (Comma Integer { b.number(last()); })?)?
    { b.endDirective(); b.itemEnd(); }
  | section { b.itemEnd(); }
  | metadata { b.itemEnd(); }
  | sources { b.itemEnd(); }
  | Dwarf { b.dwarf(last()); b.itemEnd(); }
  | pragma { b.itemEnd(); }
  | alias { b.itemEnd(); }
  | Linkage { b.linkage(last()); } linked
  | linked
  ;
linked : variables | entry | func ;

target : Target { b.beginDirective(last()); } Id { b.word(last()); } (Comma Id { b.word(last()); })*
         { b.endDirective(); } ;
pragma : Pragma { b.beginDirective(last()); } String { b.string(last()); } (Comma String { b.string(last()); })*
         Semicolon { b.endDirective(); } ;
alias  : Alias { b.beginDirective(last()); } Id { b.word(last()); } Comma Id { b.word(last()); }
         Semicolon { b.endDirective(); } ;

// ---- debugging sections and metadata
section
  : Section { b.beginDirective(last()); } Dotted { b.dotted(last()); } LeftBrace { b.openVector(last()); }
    (Id { b.word(last()); } Colon
    | Dotted { b.openWord(last()); skipNumbers(); } sectionValue (Comma sectionValue)* { b.closeValues(); }
    )*
    RightBrace { b.close(last()); b.endDirective(); }
  ;
sectionValue
  : Integer { b.number(last()); }
  | Minus { b.prefix(last()); } Integer { b.literal(last()); b.endExpression(); }
  | Id { b.word(last()); } sectionOffset?
  | Dotted { b.dotted(last()); } sectionOffset?
  ;
sectionOffset
  : Plus { b.beginOffset(); } Integer { b.literal(last()); b.endOffset(); }
  | Minus { b.beginPair(); } Id { b.word(last()); b.endPair(); }
  ;
metadata
  : MetadataSection { b.beginDirective(last()); } LeftBrace { b.openVector(last()); }
    (Dotted { b.openWord(last()); } Integer { b.number(last()); } metadataNode? { b.closeWord(); })*
    RightBrace { b.close(last()); b.endDirective(); }
  ;
metadataNode
  : LeftBrace { b.openVector(last()); } String { b.string(last()); } (Comma metadataValue)*
    RightBrace { b.close(last()); }
  ;
metadataValue
  : String { b.string(last()); }
  | Dotted { b.openWord(last()); } (Integer { b.number(last()); } | String { b.string(last()); }) { b.closeWord(); }
  ;
sources
  : SourceSection { b.beginDirective(last()); } LeftBrace { b.openVector(last()); } sourceBlock*
    RightBrace { b.close(last()); b.endDirective(); }
  ;
sourceBlock
  : Dotted { b.openWord(last()); } LeftBrace
    (Dotted { b.openWord(last()); } Colon (String { b.string(last()); } | Integer { b.number(last()); }) { b.closeWord(); })*
    RawSource { b.string(last()); } RightBrace { b.closeWord(); }
  ;

// ---- declarations
variables
  : storage (declarator (Comma declarator)*)? Semicolon { b.endDeclarations(); b.itemEnd(); }
  ;
storage
  : (Align Integer { b.declAlignValue(last()); } | attribute)*
    Space { b.declSpace(last()); }
    (Align Integer { b.declAlignValue(last()); } | attribute)*
    Dotted { b.declType(last()); } (Dotted { b.declType(last()); })?
  ;
declarator
  : Id { b.declName(last()); }
    (Less Integer { b.declCount(last()); } Greater)?
    (LeftBracket { b.openDim(); } ((Integer | WarpSize) { b.declDim(last()); })? RightBracket)*
    (Equal { b.beginInitialiser(); } initialiser { b.endInitialiser(); })?
    { b.endDeclarator(); }
  ;
initialiser
  : LeftBrace { b.openVector(last()); skipInitialNumbers(); } (initialiser (Comma initialiser)*)? RightBrace { b.close(last()); }
  | literal (mask | expressionTail { b.endExpression(); })
  | prefix+ literal expressionTail { b.endExpression(); }
  | symbol
  ;
symbol
  : Id { b.word(last()); }
    ( LeftParen { b.openCall(last()); } Id { b.word(last()); } RightParen { b.close(last()); } offset?
    | offset
    | Equal { b.beginKey(); } (Id { b.word(last()); } | prefix* literal expressionTail { b.endExpression(); }) { b.endKey(); }
    )?
  ;
mask
  : LeftParen { b.openMask(last()); }
    ( Id { b.word(last()); } (LeftParen { b.openCall(last()); } Id { b.word(last()); } RightParen { b.close(last()); })? offset?
    | prefix* literal expressionTail { b.endExpression(); }
    ) RightParen { b.close(last()); }
  ;
offset : Plus { b.beginOffset(); } prefix* literal expressionTail { b.endOffset(); } ;

attribute
  : Attribute { b.beginAttribute(last()); } LeftParen attributeValue (Comma attributeValue)* RightParen { b.endAttribute(last()); }
  ;
attributeValue
  : Dotted { b.dotted(last()); }
    (LeftParen { b.openArguments(); } Integer { b.number(last()); } (Comma Integer { b.number(last()); })*
     RightParen { b.close(last()); })?
  ;

// ---- functions
entry
  : Entry { b.beginFunction(last()); } Id { b.functionName(last()); }
    parameters?
    (tuning | pragma)*
    { b.endHead(); } (body | Semicolon) { b.endFunction(); b.itemEnd(); }
  ;
// The semicolon of a declaration may be left out.
func
  : Func { b.beginFunction(last()); } attribute* results? Id { b.functionName(last()); }
    parameters? functionTail
    { b.endHead(); } (body | Semicolon)? { b.endFunction(); b.itemEnd(); }
  ;
body     : LeftBrace { b.beginBody(); enterBody(); } statement* EndOfBody { b.endBody(); } ;
functionTail
  : (NoReturn { b.beginDirective(last()); b.endDirective(); })?
    ((Abi | LocalMaxnreg) { b.beginDirective(last()); } (Integer | WarpSize) { b.number(last()); b.endDirective(); } | language)*
  ;
results    : LeftParen { b.beginReturns(); } (parameter (Comma parameter)*)? RightParen { b.endReturns(); } ;
parameters : LeftParen { b.beginParameters(); } (parameter (Comma parameter)*)? RightParen { b.endParameters(); } ;
parameter
  : (Align Integer { b.declAlignValue(last()); })*
    Space { b.declSpace(last()); } (Align Integer { b.declAlignValue(last()); })*
    Dotted { b.declType(last()); } (Dotted { b.declType(last()); })?
    (Align Integer { b.declAlignValue(last()); }
    | Ptr { b.declPtr(); } ((Space | Dotted) { b.declPtrSpace(last()); })? (Align Integer { b.declPtrAlign(last()); })?
    )?
    Id { b.declName(last()); } (LeftBracket { b.openDim(); } ((Integer | WarpSize) { b.declDim(last()); })? RightBracket)?
    { b.endDeclarator(); }
  ;
tuning
  : Dimensions { b.beginDirective(last()); } (Integer | WarpSize) { b.number(last()); }
    (Comma (Integer | WarpSize) { b.number(last()); } (Comma (Integer | WarpSize) { b.number(last()); })?)?
    { b.endDirective(); }
  | (Tuning | LocalMaxnreg) { b.beginDirective(last()); } (Integer | WarpSize) { b.number(last()); b.endDirective(); }
  | ClusterFlag { b.beginDirective(last()); b.endDirective(); }
  | language
  ;
language : Language { b.beginDirective(last()); } languageCode (Comma languageCode)* { b.endDirective(); } ;
languageCode : Integer { b.number(last()); } | String { b.string(last()); } ;

// ---- bodies
statement
  : LeftBrace { b.blockBegin(last()); }
  | RightBrace { b.blockEnd(last()); }
  | instruction
  | At { b.guardBegin(last()); } (Not { b.guardNot(); })? Id { b.guard(last()); } guarded
  | bodyVariables
  | Linkage { b.linkage(last()); } function
  | function
  | loc
  | pragma { b.statementEnd(); }
  | alias { b.statementEnd(); }
  | target { b.statementEnd(); }
  ;
function
  : Func { b.beginFunction(last()); } attribute* results? Id { b.functionName(last()); } parameters? functionTail Semicolon
    { b.endHead(); b.endFunction(); b.statementEnd(); }
  ;
bodyVariables
  : storage (declarator (Comma declarator)*)? Semicolon { b.endDeclarations(); b.statementEnd(); } ;

loc
  : Loc { b.beginDirective(last()); } Integer { b.number(last()); } Integer { b.number(last()); } Integer { b.number(last()); }
    (Comma Id { b.word(last()); } (Id { b.word(last()); } | Dotted { b.dotted(last()); }) offset?
     Comma Id { b.word(last()); } Integer { b.number(last()); } Integer { b.number(last()); } Integer { b.number(last()); })?
    { b.endDirective(); b.statementEnd(); }
  | LocIntermediate { b.beginDirective(last()); }
    Integer { b.number(last()); } Integer { b.number(last()); } Integer { b.number(last()); }
    { b.endDirective(); b.statementEnd(); }
  ;

instruction
  : Opcode { b.opcode(last()); } operands
  | Id { b.save(last()); } (Colon { b.label(); } labelled? | { b.opcodeSaved(); } operands)
  | Call { b.save(last()); } (Colon { b.label(); } labelled? | { b.opcodeSaved(); } callOperands)
  ;
guarded
  : Opcode { b.opcode(last()); } operands
  | Id { b.opcode(last()); } operands
  | Call { b.opcode(last()); } callOperands
  ;
// `ts: .branchtargets a, b;`
labelled
  : Targets { b.beginLabelled(last()); } targetLabel (Comma targetLabel)* Semicolon
    { b.endDirective(); b.statementEnd(); }
  | Prototype { b.beginPrototype(last()); } results? Id { b.prototypeName(last()); } parameters? functionTail
    Semicolon { b.endHead(); b.endFunction(); b.statementEnd(); }
  ;
targetLabel : Id { b.word(last()); } (Less { b.beginOffset(); } Integer { b.literal(last()); b.endOffset(); } Greater)? ;

operands
  : qualifier* { passPlain(); } (operand (Comma operand)*)? Semicolon { b.endInstruction(last()); } ;
qualifier
  : Dotted { b.qualifier(last()); }
  | Space { b.qualifier(last()); }
  | Linkage { b.qualifier(last()); }
  ;
operand
  : prefix* (name (offset | subscript | pair)? | literal expressionTail { b.endExpression(); })
  | vector pair?
  | LeftBracket { b.openAddress(last()); } address RightBracket { b.close(last()); }
    (Dotted { b.addressSuffix(last()); })?
  ;
name
  : Id { b.name(last()); } (Dotted { b.suffix(last()); })?
  | Call { b.name(last()); }
  | Opcode { b.dottedName(last()); }
  ;
subscript
  : LeftBracket { b.openSubscript(last()); } (Id { b.name(last()); } offset? | constant)
    RightBracket { b.closeSubscript(last()); }
  ;
pair      : Bar { b.beginPair(); } Id { b.name(last()); b.endPair(); } ;
vector    : LeftBrace { b.openVector(last()); passPlain(); } element (Comma element)* RightBrace { b.close(last()); } ;
element   : name | constant ;
constant  : prefix* literal expressionTail { b.endExpression(); } ;
address
  : (Id { b.name(last()); } offset? | constant { b.integerOnly(); })
    (Comma { b.addressPart(last()); } (Id { b.name(last()); } | vector))*
  ;

callOperands
  : qualifier* callOperand (Comma callOperand)* Semicolon { b.endInstruction(last()); } ;
callOperand
  : LeftParen { b.openList(last()); } (argument (Comma argument)*)? RightParen { b.close(last()); }
  | Id { b.name(last()); }
  ;
argument : Id { b.name(last()); } | constant ;

// ---- constant expressions: signs and open parentheses, a number, closing parentheses, and again
// after each operator. Precedence is the builder's.
prefix
  : (Minus | Not | Plus | Tilde) { b.prefix(last()); }
  | LeftParen { b.openGroup(last()); openGroup(); } (Dotted { b.cast(last()); } CloseGroup)?
  ;
literal : (Integer | Float | WarpSize) { b.literal(last()); } ;
expressionTail
  : (CloseGroup { b.closeGroup(last()); })*
    ((Plus | Minus | Infix | Bar | Less | Greater | Question | Colon) { b.infix(last()); }
     prefix* literal (CloseGroup { b.closeGroup(last()); })*)*
  ;
