# Finishes a generated parser: cmake -DFOLDER=... [-DNETWORK=ON] -P finish-parser.cmake
# Its rules become functions over a base class of ours, and stay as they are. Everything else - nodes of trees, names,
# what predicts - belongs to ANTLR's runtime, which the program does not have: of the tables only the network of states
# is kept, as an array of numbers, where NETWORK asks for it (lib/Parse/Network.h).
file(READ ${FOLDER}/Ptx.cpp rules)
file(READ ${FOLDER}/Ptx.h names)

function(fail why)
  file(REMOVE ${FOLDER}/Ptx.cpp)
  message(FATAL_ERROR "${why}: see grammar/finish-parser.cmake")
endfunction()
# The place of a text, which has to be there.
function(place result text of)
  string(FIND "${text}" "${of}" at)
  if(at EQUAL -1)
    fail("ANTLR generates other code than expected: no `${of}`")
  endif()
  set(${result} ${at} PARENT_SCOPE)
endfunction()

if(rules MATCHES "adaptivePredict")
  fail("grammar/Ptx.g4 has a decision that one token does not settle")
endif()

string(REPLACE "#include \"antlr4-runtime.h\"" "#include \"Parse/Antlr.h\"" names "${names}")
string(REGEX REPLACE "\n  [^ \n][^\n]* override[^\n]*" "" names "${names}")
string(REPLACE "\n  ~Ptx();" "" names "${names}")

# Before 4.10 the tables are members of the class, since then of a structure that a function fills.
string(FIND "${rules}" "// Static vars and initialization." end)
set(written "_serializedATN = {")
set(number uint16_t)
if(end EQUAL -1)
  place(end "${rules}" "void Ptx::initialize() {")
  set(written "serializedATNSegment[] = {")
  set(number int32_t)
endif()
place(begin "${rules}" "//----------------- ModuleContext")
math(EXPR length "${end} - ${begin}")
string(SUBSTRING "${rules}" ${begin} ${length} functions)
# Handlers store the exception in a node that nobody makes.
string(REGEX REPLACE "\n *(_localctx->exception = |_errHandler->recover\\()[^\n]*" "" functions "${functions}")

set(network "")
if(NETWORK)
  place(at "${rules}" "${written}")
  string(LENGTH "${written}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${rules}" ${at} -1 numbers)
  place(at "${numbers}" "}")
  string(SUBSTRING "${numbers}" 0 ${at} numbers)
  set(network "static constexpr ${number} writtenNetwork[] = {${numbers}};\n")
endif()
string(REGEX MATCH "namespace ptxray::[a-z]+" namespace "${names}")
file(WRITE ${FOLDER}/Ptx.h "${names}")
file(WRITE ${FOLDER}/Ptx.cpp
  "#include \"Ptx.h\"\n\nusing ${namespace};\nusing namespace antlr4;\n\n${network}"
  "Ptx::Ptx(TokenStream *input) : PtxBase(input) {}\n\n${functions}")
