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

/* A module on an emulated GPU, with memory that keeps what launches leave in it. `arch` of the options names the GPU.
 * It serves one thread at a time. */
typedef struct ptxray_machine ptxray_machine;
/* NULL: out of memory, or the text is longer than 4 GiB. */
ptxray_machine *ptxray_machine_new(const char *text, size_t length, const ptxray_options *options);
/* What a check of the text finds. With an error in it nothing can be launched. The result is freed with the machine. */
const ptxray_result *ptxray_machine_checked(const ptxray_machine *machine);
/* The type of a parameter, `.f32`, and its size; NULL: there is none. `kernel` may be NULL for the only one. */
const char *ptxray_machine_parameter(const ptxray_machine *machine, const char *kernel, size_t index, size_t *size);
/* Makes memory of the caller a buffer, in place, until it is removed. Returns its address on the GPU; 0: no memory. */
uint64_t ptxray_machine_add(ptxray_machine *machine, void *bytes, size_t size, const char *name);
void ptxray_machine_remove(ptxray_machine *machine, uint64_t address);
/* The memory of a variable of the module; NULL: there is none of that name. */
void *ptxray_machine_variable(const ptxray_machine *machine, const char *name, size_t *size);
void ptxray_machine_free(ptxray_machine *machine);

/* How a kernel is launched. The names are those of `ptxray run`: kernel, grid, block, cluster (`X,Y,Z`), shared,
 * cooperative (yes or no), time-limit (seconds), checks (yes or no: look for races), schedule (when asynchronous
 * operations happen), trap-nan (yes or no: report infinities and NaNs that come of finite numbers), counters (yes or
 * no: count what instructions do), certify (yes or no: find for which contents the verdict holds) and cores (of the
 * computer that emulate blocks at the same time; 0, which is the default: all). */
typedef struct ptxray_launch ptxray_launch;
ptxray_launch *ptxray_launch_new(void); /* NULL: out of memory */
/* NULL when it was set, else what is wrong, good until the next call with the same launch. */
const char *ptxray_launch_set(ptxray_launch *launch, const char *name, const char *value);
/* The bytes of the next argument, as many as its parameter has. */
void ptxray_launch_argument(ptxray_launch *launch, const void *bytes, size_t size);
void ptxray_launch_free(ptxray_launch *launch);

/* A tensor map, the innermost dimension first. The numbers of type, interleaving, swizzle and fill are those that the
 * driver's cuTensorMapEncodeTiled takes; strides are in bytes, of all dimensions but the first. */
typedef struct {
  int type;
  uint32_t rank;
  uint64_t address; /* on the GPU */
  uint64_t extents[5], strides[4];
  uint32_t box[5], steps[5];
  int interleave, swizzle, fill;
} ptxray_tensor_map;
/* Writes the 128 bytes of a tensor map as the emulated GPU has them, for an argument or for memory. Returns NULL, or
 * why the driver refuses the map, good until the next call in the same thread. */
const char *ptxray_tensor_map_encode(unsigned char *bytes, const ptxray_tensor_map *map);

/* A texture, a surface or a sampler; docs/emulator.md says what the fields mean, and how texels lie in memory. All that
 * is zero is what no option of `tex=` says. */
typedef struct {
  int kind;           /* 0: a texture, 1: a surface, 2: a sampler, which needs what is below `levels` alone */
  const char *texels; /* "f32", "u8x4" */
  uint64_t address;   /* on the GPU */
  uint32_t rank, extents[3], layers, levels; /* the innermost extent first; 0 levels are one */
  int is_cube, is_buffer;
  int is_linear, is_linear_in_levels, is_normalized, reads_fractions;
  int modes[3]; /* as the driver numbers them: 0: wrap, 1: clamp, 2: mirror, 3: border */
  float bias, least_level, most_level, border[4];
} ptxray_image;
/* Makes an image known until `ptxray_machine_remove` of its handle, which it returns, the value of an argument. With a
 * name it is bound to that variable of the module, of type .texref, .surfref or .samplerref. 0: it cannot be;
 * `problem` says why, good until the next call in the same thread. */
uint64_t ptxray_machine_add_image(ptxray_machine *machine, const ptxray_image *image, const char *name,
                                  const char **problem);

/* Runs a kernel to its end or its first faults, which are the diagnostics of the result. NULL: out of memory. */
ptxray_result *ptxray_machine_run(ptxray_machine *machine, const ptxray_launch *launch);
/* What a kernel printed, and why it did not come to its end without a fault; NULL: it did. */
const char *ptxray_result_printed(const ptxray_result *result);
const char *ptxray_result_refusal(const ptxray_result *result);
/* What was counted of a launch with `counters`, as `ptxray run --emulate` writes it into FILE.json of `--counters` and
 * of
 * `--fidelity`; NULL: nothing was counted. */
const char *ptxray_result_counters(const ptxray_result *result);
const char *ptxray_result_fidelity(const ptxray_result *result);
/* The certificate of a launch with `certify`, as `ptxray run --emulate` writes it into FILE.json of `--certify`; NULL:
 * none was asked for. */
const char *ptxray_result_certificate(const ptxray_result *result);

/* Makes a text smaller step by step, as long as its caller finds it interesting, as the text itself must be
 * (docs/reduce.md). `rule`: ptxray reports it of each text that is offered; NULL: any text is. NULL: out of memory. */
typedef struct ptxray_reduction ptxray_reduction;
ptxray_reduction *ptxray_reduction_new(const char *text, size_t length, const ptxray_options *options,
                                       const char *rule);
/* Why the text cannot be reduced; NULL: it can. */
const char *ptxray_reduction_problem(const ptxray_reduction *reduction);
/* The next text to be judged, good until the next call; NULL: there is none any more. */
const char *ptxray_reduction_next(ptxray_reduction *reduction, size_t *length);
/* Whether that text is interesting. */
void ptxray_reduction_tell(ptxray_reduction *reduction, int is_interesting);
/* The smallest text that is known to be interesting, good until the next call. */
const char *ptxray_reduction_best(const ptxray_reduction *reduction, size_t *length);
void ptxray_reduction_free(ptxray_reduction *reduction);

/* The page about a rule, in Markdown; NULL when there is no such rule. */
const char *ptxray_explain(const char *rule);

#ifdef __cplusplus
}
#endif
#endif
