/* The C interface of ptxray: give it PTX, get diagnostics back. It prints nothing, keeps no state but in the checkers
 * that its callers make, and may be called from several threads at once, each with a checker of its own. Functions and
 * the order of fields stay as they are; fields are only ever added after the last one, and the library makes all
 * structs but strings itself. The static library is C++ inside: link it with a C++ compiler (`c++ a.o libptxray.a -ldl
 * -pthread`); the shared one needs nothing. */
#ifndef PTXRAY_C_H
#define PTXRAY_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lines and columns count from 1, columns and offsets in bytes. */
typedef struct ptxray_place {
  uint32_t line;
  uint32_t column;
  uint32_t offset; /* from 0 */
} ptxray_place;

typedef struct ptxray_note {
  const char *message;
  int has_range;
  ptxray_place begin, end;
} ptxray_note;

/* Replaces the text from `begin` to `end`, which may be the same place. */
typedef struct ptxray_edit {
  ptxray_place begin, end;
  const char *text;
} ptxray_edit;

enum { PTXRAY_ERROR = 0, PTXRAY_WARNING = 1, PTXRAY_PEDANTIC = 2 };

typedef struct ptxray_diagnostic {
  const char *rule; /* `vector-length` */
  const char *kind; /* of a rule that has kinds, `rounding` of `missing-qualifier`; NULL: it has none */
  int severity;
  const char *message;
  ptxray_place begin, end;
  const ptxray_note *const *notes;
  size_t note_count;
  const char *fix_title; /* NULL: there is no fix */
  int fix_is_safe;
  const ptxray_edit *const *edits; /* all of them together are the fix */
  size_t edit_count;
  const char *origin_path; /* the CUDA or Python line this PTX was made from; NULL: not known */
  uint32_t origin_line;
  const char *manual; /* section of the PTX manual; NULL: none */
} ptxray_diagnostic;

/* `0.1.0` */
const char *ptxray_version(void);

/* How a text is checked. The names are those of a `.ptxray` file: target, ptx, arch, link, pedantic (yes or no),
 * werror, on, off, warning, error (rules with commas between them); and of a text that is not a PTX module: language
 * (cuda, python, llvm, rust: the assembly in it is checked), or constraints (LLVM's, `=r,r,~{memory}`: the text is the
 * template of one statement). */
typedef struct ptxray_options ptxray_options;
ptxray_options *ptxray_options_new(void); /* NULL: out of memory */
/* NULL when it was set, else what is wrong, good until the next call with the same options. */
const char *ptxray_options_set(ptxray_options *options, const char *name, const char *value);
void ptxray_options_free(ptxray_options *options);

/* What was found in a text. All that it gives is good until it is freed. */
typedef struct ptxray_result ptxray_result;
/* `options` may be NULL. The text needs no terminator (NULs at its end do not count); it is not needed any more after
 * the call. NULL: out of memory, or the text is longer than 4 GiB. */
ptxray_result *ptxray_check(const char *text, size_t length, const ptxray_options *options);
size_t ptxray_result_count(const ptxray_result *result);
/* In the order of the text. */
const ptxray_diagnostic *ptxray_result_diagnostic(const ptxray_result *result, size_t index);
/* What the text was checked as, `9.0` and `sm_90a`; empty: it says nothing. */
const char *ptxray_result_ptx(const ptxray_result *result);
const char *ptxray_result_target(const ptxray_result *result);
void ptxray_result_free(ptxray_result *result);

/* Who checks many texts makes a checker and hands them to it: it remembers what texts have in common, which makes a
 * small text about four times as fast, and says of each what ptxray_check does. It serves one thread at a time; make
 * one for each thread. What it remembers takes some tens of megabytes at most, however many texts there are. */
typedef struct ptxray_checker ptxray_checker;
ptxray_checker *ptxray_checker_new(void); /* NULL: out of memory */
/* As ptxray_check. The options may be others for each text; the result is good until it is freed, even if the checker
 * is freed before. */
ptxray_result *ptxray_checker_check(ptxray_checker *checker, const char *text, size_t length,
                                    const ptxray_options *options);
void ptxray_checker_free(ptxray_checker *checker);

/* The page about a rule, in Markdown; NULL when there is no such rule. */
const char *ptxray_explain(const char *rule);

#ifdef __cplusplus
}
#endif
#endif
