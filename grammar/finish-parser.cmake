# Finishes a generated parser: cmake -DFILE=Ptx.cpp [-DSTART=NEVER] -P finish-parser.cmake
file(READ ${FILE} generated)
if(generated MATCHES "adaptivePredict")
  file(REMOVE ${FILE})
  message(FATAL_ERROR "grammar/Ptx.g4 has a decision that one token does not settle: see ${FILE}")
endif()

# ANTLR fills its tables when the program starts, which takes longer than checking a small file. Without
# a decision to predict only the recovering pass reads them: they are made with its first parser, as ANTLR itself does
# since 4.10. The fast pass needs neither them nor what predicts by them.
function(replace old new)
  string(FIND "${generated}" "${old}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "ANTLR generates other code than expected: no `${old}` in ${FILE}")
  endif()
  string(REPLACE "${old}" "${new}" text "${generated}")
  set(generated "${text}" PARENT_SCOPE)
endfunction()

string(FIND "${generated}" "Ptx::initialize();" since_4_10)
if(START STREQUAL NEVER)
  string(REGEX REPLACE "  _interpreter = new [^\n]*\n" "" generated "${generated}")
  if(since_4_10 EQUAL -1)
    replace("Ptx::Initializer Ptx::_init;" "")
  else()
    replace("  Ptx::initialize();\n" "")
  endif()
elseif(since_4_10 EQUAL -1)
  replace("Ptx::Initializer Ptx::_init;" "")
  set(constructor "Ptx::Ptx(TokenStream *input) : PtxBase(input) {\n")
  replace("${constructor}" "${constructor}  static const Initializer tables;\n")
endif()
file(WRITE ${FILE} "${generated}")
