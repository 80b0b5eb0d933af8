// The notation of grammar/isa/*.isa. docs/isa-notation.md says what each piece means.
grammar Isa;

file : item* EOF ;
item : 'instruction' mnemonic (',' mnemonic)* block                               # entry
     | gate                                                                       # fileGate
     | set                                                                        # fileSet
     | NAME NAME? '{' WORD* '}'                                                   # vocabulary
     | ('skipped' | 'ungated') wordList ('in' mnemonic (',' mnemonic)*)? ';'       # skips
     | ('words' | 'scalars') '{' (WORD+ ':' requirement ';')* '}'                   # wordGates
     | 'meanings' STRING? ('in' mnemonic (',' mnemonic)*)? '{' ((NAME | WORD | SPECIAL)+ STRING ';')* '}' # meanings
     | 'example' (mnemonic | WORD | STRING) sample (',' (sample | TARGET))? ';'        # example
     | 'operands' '{' operandDecl* '}'                                            # sharedOperands
     | definition                                                                 # fileDefinition
     | ('storing' | 'reading') WORD NAME? wordList? '=' expression ';'            # conversion
     | 'versions' versionRange (',' versionRange)* ';'                            # versions
     | 'target' TARGET 'since' NUMBER trait* ';'                                    # target
     | 'family' NUMBER+ ';'                                                       # family
     | 'alias' TARGET '=' TARGET 'since' NUMBER ';'                               # alias
     | ('directive' WORD | 'pragma' STRING) '{' clause* '}'                       # directive
     | 'feature' NAME STRING? '=' condition ';'                                   # feature
     | 'limit' NAME '=' limitValue (',' limitValue)* ';'                          # limit
     | 'runtime' NAME remark=NAME? (':' condition)? ';'                            # runtimeFunction
     | 'register' SPECIAL WORD WORD? narrow=NAME? 'per' scope=NAME ('enumerates' enumerates=NAME)? ('needs' needs=WORD)?
       (':' condition)? ('manual' reference)? ';'                                 # register
     ;
sample       : STRING+ ;
trait        : NAME NUMBER? ;
wordList     : '{' WORD* '}' ;
versionRange : first=NUMBER ('..' last=NUMBER | 'as' meaning=NUMBER)? ;
mnemonic     : NAME (WORD | '.' '{' NAME WORD* (',' NAME WORD*)* '}')* ;

// directives: the line as it is written, what it takes, and where it may be
clause     : 'title' STRING ';'                                                   # directiveTitle
           | 'manual' reference (',' reference)* ';'                              # directiveManual
           | 'requires' condition ';'                                             # directiveGate
           | 'in' directivePlace (',' directivePlace)* ';'                        # places
           | NAME (',' NAME)* ':' (NAME | WORD) ('in' values)? ('|' STRING (',' STRING)*)? ';' # argument
           | (NAME | 'needs') WORD (',' WORD)* ';'                                  # others
           | NAME NUMBER? ';'                                                     # remark
           | (WORD | STRING) piece* ';'                                           # written
           ;
directivePlace : NAME | WORD ;
piece      : ',' | NAME | STRING | '...' | '{' piece+ '}' ;
limitValue : NUMBER (':' condition)? ;

block     : '{' statement* '}' ;
statement : 'ptxas'? block | form | set | operandDecl | table | demand | fact | formula | hint | outside | definition
          | 'check' NAME ('of' 'registers')? ';'
          | 'title' STRING ';'
          | 'manual' reference (',' reference)* ';'
          ;
demand    : 'requires' requirement ';'
          | 'when' condition 'require' requirement ';'
          | ('when' condition)? outcome ';'
          ;

// facts: what the instruction does
fact      : ('when' condition)? verb factPart* ';' ;
verb      : 'ends' | 'branches' | 'calls' | 'copies' | 'converged' | 'among' | 'async' | 'holds' | 'commits' | 'waits'
          | 'arrives' | 'expects' | 'completes' | 'awaits' | 'syncs' | 'inits' | 'invalidates' | 'orders' | 'releases'
          | 'acquires' | 'allocates' | 'frees' | 'relinquishes' | 'ctas' | 'grows' | 'shrinks' | 'strong' | 'per'
          | 'elects' | 'traces' | 'occupies' | 'bounded' | 'multiplies' | 'requests' | 'answers' | 'presumes' ;
factPart  : NAME | WORD | NUMBER | ',' | 'in' | 'async' | 'completes' | 'registers' ;

// formulas: what the instruction computes. The tighter an operator binds, the earlier it is here.
formula    : ('when' condition)? (receiver ('=' | '~') expression bound? | 'named' call) ';' ;
receiver   : NAME | '[' NAME ']' ;
bound      : 'within' NUMBER ('^' '-'? NUMBER)? NAME ;
hint       : 'hint' ((NAME | WORD) (',' (NAME | WORD))*)? ';' ;
outside    : 'outside' STRING ';' ;
definition : 'let' (NAME | WORD) '(' (NAME (',' NAME)*)? ')' '=' expression ';' ;
call       : NAME '(' (expression (',' expression)*)? ')' ;
expression : primary                                                              # single
           | expression '@' expression                                            # binary
           | ('-' | '~' | '!') expression                                         # unary
           | expression ('*' | '/' | '%') expression                              # binary
           | expression ('+' | '-') expression                                    # binary
           | expression ('<<' | '>>') expression                                  # binary
           | expression '&' expression                                            # binary
           | expression '^' expression                                            # binary
           | expression '|' expression                                            # binary
           | expression ('<' | '<=' | '>' | '>=' | '==' | '!=') expression        # binary
           | expression WORD expression                                           # binary
           | <assoc=right> expression '?' expression ':' expression               # choice
           ;
primary    : '(' expression ')' | '[' NAME ']' | 'named'? call | NAME | NUMBER
           | WORD ('(' expression (',' expression)* ')')?
           ;

reference : NUMBER ('-' NUMBER)? ;
gate      : 'gate' NAME '=' condition ';' ;

// forms: the manual's own syntax lines
form     : NAME element* operands? ';' ;
element  : WORD | '{' WORD '}' ;
operands : ('{' (operand ',')+ '}')* operand
           (',' ('{' (operand ',')+ '}')* operand | '{' (',' operand)+ '}')* ;
operand  : ('{' '!' '}' | '{' '-' '}')? NAME pair? suffix?
         | '[' operands ']' suffix?
         | '{' operands '}'
         | '(' operands? ')'
         ;
pair     : '{' '|' NAME '}' | '[' '|' NAME ']' | '|' NAME ;
suffix   : WORD | '{' WORD '}' ;

// sets: the values of a slot, a gate beside the value that needs it
set     : (WORD '=')+ '{' (setItem (',' setItem)* ','?)? '}' ('default' WORD)? ';' ;
setItem : WORD (':' requirement)? ;

// the manual's words, then what ptxas alone accepts or requires
operandDecl : NAME (',' NAME)* ':' attribute* ('in' values)? ('with' condition)? ('ptxas' habit (',' habit)*)? ';' ;
habit       : NAME ;
attribute   : NAME number=NUMBER? | (times=NUMBER '*')? WORD ('/' divisor=NUMBER)? ','? | '[' term (',' term)* ']' ;
values      : value (',' value)* ;
value       : integer ('..' (integer ('step' integer)?)?)? ;
integer     : '-'? NUMBER ;
// a number, or the number in a slot's word: 4, .vec, 2*.num, .dim-2, n(.shape)/2
term        : NUMBER | (NUMBER '*')? (WORD | NAME '(' WORD ')') ('/' NUMBER)? (('+' | '-') NUMBER)? ;

// tables: allowed combinations; in the column `requires` the rest of the row is one condition
table    : 'table' '{' column ('|' column)* ';' row* '}' ;
column   : WORD | NAME | (NAME | 'in') '(' NAME (',' NAME)* ')' | 'requires' ;
row      : cell ('|' cell)* ('|'? outcome)? ';' ;
cell     : cellItem (',' cellItem)* | conjunction ;
cellItem : '*' | '-' | term | value | NAME ;

// what must hold, and what is said where it does, or with `else` where it does not: of what ptxas alone accepts the
// warning is `ptxas`
requirement : condition outcome? | outcome ;
outcome     : 'else'? ('ptxas' | 'warn' '(' NAME ')') release? | release ;
release     : 'since-ptxas' NUMBER ;

condition   : conjunction ('|' conjunction)* ;
conjunction : factor ('&' factor)* ;
factor      : '!' factor | '(' condition ')' | atom ;
atom : NAME NUMBER                                   // ptx 8.6
     | TARGET
     | WORD (('=' | '!=') wordSet)?
     | '{' WORD (',' WORD)* '}'
     | NAME '(' NAME ')'                             // imm(x), sym(x), neg(x), offset(x)
     | NAME 'in' values
     | NAME                                          // a gate, an operand
     ;
wordSet : WORD | '{' WORD (',' WORD)* '}' ;

TARGET  : 'sm_' [0-9]+ [a-z]? '+'? ;
NAME    : [A-Za-z_] [A-Za-z0-9_]* (('-' | '::') [A-Za-z0-9_]+)* ;
WORD    : '.' ([A-Za-z0-9_] | '::' | ':' [0-9] | CHOICE)+ ;    // .shared{|::cta}, .m64n{8..256/8}k16, .sp::2:4
SPECIAL : '%' ([A-Za-z0-9_] | CHOICE)+ ;
NUMBER  : [0-9]+ ('.' [0-9]+)* | '0x' [0-9a-fA-F]+ ;
STRING  : '"' ~["\n]* '"' ;
COMMENT : '//' ~[\n]* -> skip ;
SPACE   : [ \t\r\n]+ -> skip ;
fragment CHOICE : '{' ([A-Za-z0-9_:]* ('|' [A-Za-z0-9_:]*)+ | [0-9]+ '..' [0-9]+ ('/' [0-9]+)?) '}' ;
