// The tokens of PTX: the readable definition of what lib/Parse/Scanner.h reads by hand, and the oracle
// it is tested against. Names and order are those of lib/Parse/Tokens.def.
lexer grammar PtxLexer;

// The first three are told apart from what is around them: see Ptx.g4.
tokens { EndOfBody, CloseGroup, RawSource, Bad }

Version         : '.version' ;
Target          : '.target' ;
AddressSize     : '.address_size' ;
File            : '.file' ;
Loc             : '.loc' ;
LocIntermediate : '.loc_intermediate' ;
Section         : '.section' ;
MetadataSection : '.metadata_section' ;
SourceSection   : '.nv_intermediate_source_section' ;
Pragma          : '.pragma' ;
Alias           : '.alias' ;
Linkage         : '.extern' | '.visible' | '.weak' | '.common' ;
Space           : '.reg' | '.local' | '.shared' | '.const' | '.global' | '.param' | '.tex' | '.const[' [0-9]+ ']' ;
Align           : '.align' ;
Ptr             : '.ptr' ;
Entry           : '.entry' ;
Func            : '.func' ;
Attribute       : '.attribute' ;
Dimensions      : '.maxntid' | '.reqntid' | '.reqnctapercluster' ;
Tuning          : '.maxclusterrank' | '.minnctapersm' | '.maxnctapersm' | '.maxnreg' | '.minperctamemory' ;
Language        : '.language' ;
Abi             : '.abi_preserve' | '.abi_preserve_control' ;
LocalMaxnreg    : '.local_maxnreg' ;
NoReturn        : '.noreturn' ;
ClusterFlag     : '.explicitcluster' | '.blocksareclusters' ;
Targets         : '.branchtargets' | '.calltargets' ;
Prototype       : '.callprototype' ;
Call            : 'call' Word* ;
WarpSize        : 'WARP_SZ' ;
Integer         : ('0' [xX] Hex+ | '0' [bB] [01]+ | '0' [0-7]* | [1-9] [0-9]*) 'U'? ;
Float           : '0' [fF] Hex8 | '0' [dD] Hex8 Hex8
                | [0-9]+ '.' [0-9]* Exponent? | '.' [0-9]+ Exponent? | [0-9]+ Exponent ;
Id              : IdStart IdPart* | [_$%] IdPart+ | '_' ;
Opcode          : (IdStart IdPart* | [_$%] IdPart+) Word+ ;
Dotted          : Word ;
String          : '"' ~["]* '"' ;

Semicolon       : ';' ;
Comma           : ',' ;
Colon           : ':' ;
LeftBrace       : '{' ;
RightBrace      : '}' ;
LeftBracket     : '[' ;
RightBracket    : ']' ;
LeftParen       : '(' ;
RightParen      : ')' ;
At              : '@' ;
Not             : '!' ;
Bar             : '|' ;
Equal           : '=' ;
Less            : '<' ;
Greater         : '>' ;
Plus            : '+' ;
Minus           : '-' ;
Infix           : '*' | '/' | '%' | '<<' | '>>' | '<=' | '>=' | '==' | '!=' | '&' | '^' | '&&' | '||' ;
Tilde           : '~' ;
Question        : '?' ;
Dwarf           : '@@DWARF' ~[\n]* ;

Space_          : [ \t\r\n\f\u000B]+ -> skip ;
LineComment     : '//' ~[\n]* -> skip ;
BlockComment    : '/*' .*? '*/' -> skip ;
LineMarker      : '#' [ \t]* ('line' [ \t]+)? [0-9]+ [ \t]+ '"' ~["\n]* '"' [ \t0-9]* -> skip ;
Bad             : . ;

fragment IdStart  : [a-zA-Z] ;
fragment IdPart   : [a-zA-Z0-9_$] ;
fragment Word     : '.' IdPart+ ('::' IdPart+ (':' IdPart+)?)* | '.const[' [0-9]+ ']' ;
fragment Hex      : [0-9a-fA-F] ;
fragment Hex8     : Hex Hex Hex Hex Hex Hex Hex Hex ;
fragment Exponent : [eE] [+-]? [0-9]+ ;
