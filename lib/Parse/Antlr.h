#pragma once
// Includes ANTLR's runtime, for the two files that include a generated parser.
#include "antlr4-runtime.h"
