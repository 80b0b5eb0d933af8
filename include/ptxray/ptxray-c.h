/* The C interface of ptxray checks PTX and returns diagnostics. The library prints nothing and keeps state only in the
 * objects that a caller makes. Several threads may call it at the same time, each with its own checker. Functions and
 * the order of fields never change; new fields are added at the end. A caller never allocates the structs that the
 * library returns. The static library contains C++, so link it with a C++ compiler (`c++ a.o libptxray.a -ldl
 * -pthread`). The shared library needs nothing else.
 *
 * Pointers are valid until the object that returned them is freed, unless a comment says something else. Functions that
 * make an object return NULL if there is not enough memory. */
#ifndef PTXRAY_C_H
#define PTXRAY_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A position in a text. Lines and columns count from 1; columns and offsets are in bytes. */
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

/* Replaces the text from `begin` to `end`, which may be equal. */
typedef struct ptxray_edit {
  ptxray_place begin, end;
  const char *text;
} ptxray_edit;

enum { PTXRAY_ERROR = 0, PTXRAY_WARNING = 1, PTXRAY_PEDANTIC = 2 };

typedef struct ptxray_diagnostic {
  const char *rule; /* such as `vector-length` */
  const char *kind; /* such as `rounding` for `missing-qualifier`; NULL if the rule has no kinds */
  int severity;
  const char *message;
  ptxray_place begin, end;
  const ptxray_note *const *notes;
  size_t note_count;
  const char *fix_title; /* NULL if there is no fix */
  int fix_is_safe;
  const ptxray_edit *const *edits; /* all edits together are the fix */
  size_t edit_count;
  const char *origin_path; /* the CUDA or Python source of this PTX; NULL if unknown */
  uint32_t origin_line;
  const char *manual; /* section of the PTX manual, or NULL */
} ptxray_diagnostic;

/* Returns the version, such as `0.1.0`. */
const char *ptxray_version(void);

/* Options of a check. Their names are those of a `.ptxray` file: target, ptx, arch, link, pedantic (yes or no), werror,
 * on, off, warning, error (rules separated by commas). For a text that is not a PTX module, there are two more. With
 * language (cuda, python, llvm, rust), the assembly in the text is checked. With constraints, the text is the template
 * of one statement with LLVM's constraints, such as `=r,r,~{memory}`. */
typedef struct ptxray_options ptxray_options;
ptxray_options *ptxray_options_new(void);
/* Sets an option. Returns NULL, or an error that is valid until the next call with the same options. */
const char *ptxray_options_set(ptxray_options *options, const char *name, const char *value);
void ptxray_options_free(ptxray_options *options);

/* The findings in a text. */
typedef struct ptxray_result ptxray_result;
/* Checks a text. `options` may be NULL. The text needs no terminator (NULs at its end are ignored), and may be freed
 * after the call. Returns NULL if there is not enough memory, or if the text is longer than 4 GiB. */
ptxray_result *ptxray_check(const char *text, size_t length, const ptxray_options *options);
size_t ptxray_result_count(const ptxray_result *result);
/* Returns a diagnostic. They are in the order of the text. */
const ptxray_diagnostic *ptxray_result_diagnostic(const ptxray_result *result, size_t index);
/* Return the version and the target of the check, such as `9.0` and `sm_90a`, or an empty string if unknown. */
const char *ptxray_result_ptx(const ptxray_result *result);
const char *ptxray_result_target(const ptxray_result *result);
void ptxray_result_free(ptxray_result *result);

/* A checker for many texts. It caches what the texts share, so that a small text is checked about four times as fast.
 * The results are those of ptxray_check. A checker serves one thread at a time, so make one for each thread. Its cache
 * takes at most some tens of megabytes, for any number of texts. */
typedef struct ptxray_checker ptxray_checker;
ptxray_checker *ptxray_checker_new(void);
/* Checks a text like ptxray_check. Each text may have other options. The result stays valid if the checker is freed. */
ptxray_result *ptxray_checker_check(ptxray_checker *checker, const char *text, size_t length,
                                    const ptxray_options *options);
void ptxray_checker_free(ptxray_checker *checker);

/* A library that was built without the machine (-DPTXRAY_MACHINE=OFF) lacks the functions from here to the results of
 * a launch.
 *
 * A module on an emulated GPU. Its memory keeps its contents between launches. The option `arch` names the GPU. A
 * machine serves one thread at a time. */
typedef struct ptxray_machine ptxray_machine;
/* Makes a machine. Returns NULL if there is not enough memory, or if the text is longer than 4 GiB. */
ptxray_machine *ptxray_machine_new(const char *text, size_t length, const ptxray_options *options);
/* Returns the findings in the text. If they include an error, nothing can be launched. The result is freed together
 * with the machine. */
const ptxray_result *ptxray_machine_checked(const ptxray_machine *machine);
/* Returns the type of a parameter, such as `.f32`, and its size, or NULL if there is no such parameter. `kernel` may be
 * NULL if there is only one. */
const char *ptxray_machine_parameter(const ptxray_machine *machine, const char *kernel, size_t index, size_t *size);
/* Makes memory of the caller accessible to kernels, in place, until it is removed. Returns its address on the GPU, or 0
 * if there is not enough memory. */
uint64_t ptxray_machine_add(ptxray_machine *machine, void *bytes, size_t size, const char *name);
/* Makes memory of the caller a buffer that holds nothing yet. The bytes are overwritten, and a kernel that uses one of
 * them before it is written has a fault. */
uint64_t ptxray_machine_add_fresh(ptxray_machine *machine, void *bytes, size_t size, const char *name);
void ptxray_machine_remove(ptxray_machine *machine, uint64_t address);
/* Returns the memory of a variable of the module, or NULL if there is no such variable. */
void *ptxray_machine_variable(const ptxray_machine *machine, const char *name, size_t *size);
void ptxray_machine_free(ptxray_machine *machine);

/* Options of a launch. Their names are those of `ptxray run`: kernel, grid, block, cluster (`X,Y,Z`), shared,
 * cooperative (yes or no), time-limit (in seconds), checks (yes or no: detect races), schedule (the time of
 * asynchronous operations), trap-nan (yes or no: report infinities and NaNs that result from finite numbers), counters
 * (yes or no: count executions and accesses), certify (yes or no: find the contents for which the verdict holds), cores
 * (the number of host cores that emulate blocks at the same time; by default 0, which means all), memory-limit (bytes
 * of host memory that the launch may use) and unwritten (the fill byte of uninitialised registers, shared and local
 * memory; by default 0). */
typedef struct ptxray_launch ptxray_launch;
ptxray_launch *ptxray_launch_new(void);
/* Sets an option. Returns NULL, or an error that is valid until the next call with the same launch. */
const char *ptxray_launch_set(ptxray_launch *launch, const char *name, const char *value);
/* Adds the bytes of the next argument. Their number must be the size of the parameter. */
void ptxray_launch_argument(ptxray_launch *launch, const void *bytes, size_t size);
void ptxray_launch_free(ptxray_launch *launch);

/* A tensor map. The innermost dimension is first. The codes of type, interleaving, swizzle and fill are those of the
 * driver's cuTensorMapEncodeTiled. Strides are in bytes, for all dimensions except the first. */
typedef struct {
  int type;
  uint32_t rank;
  uint64_t address; /* on the GPU */
  uint64_t extents[5], strides[4];
  uint32_t box[5], steps[5];
  int interleave, swizzle, fill;
} ptxray_tensor_map;
/* Writes the 128 bytes of a tensor map in the format of the emulated GPU, for an argument or for memory. Returns NULL,
 * or the reason why the driver rejects the map, which is valid until the next call in the same thread. */
const char *ptxray_tensor_map_encode(unsigned char *bytes, const ptxray_tensor_map *map);

/* A texture, a surface or a sampler. docs/emulator.md describes the fields, and the layout of texels in memory. A field
 * that is zero has the default of the option in `tex=`. */
typedef struct {
  int kind;           /* 0: a texture, 1: a surface, 2: a sampler, which needs only the fields after `levels` */
  const char *texels; /* such as "f32" or "u8x4" */
  uint64_t address;   /* on the GPU */
  uint32_t rank, extents[3], layers, levels; /* innermost extent first; 0 levels mean one */
  int is_cube, is_buffer;
  int is_linear, is_linear_in_levels, is_normalized, reads_fractions;
  int modes[3]; /* as in the driver: 0: wrap, 1: clamp, 2: mirror, 3: border */
  float bias, least_level, most_level, border[4];
} ptxray_image;
/* Adds an image and returns its handle, which is the value of an argument. It exists until `ptxray_machine_remove` of
 * the handle. With a name, the image is bound to that variable of the module, of type .texref, .surfref or .samplerref.
 * On failure, returns 0 and sets `problem` to a text that is valid until the next call in the same thread. */
uint64_t ptxray_machine_add_image(ptxray_machine *machine, const ptxray_image *image, const char *name,
                                  const char **problem);

/* Runs a kernel to its end or to its first faults, which are the diagnostics of the result. */
ptxray_result *ptxray_machine_run(ptxray_machine *machine, const ptxray_launch *launch);
/* Return the output of the kernel, and the reason if it failed, otherwise NULL. */
const char *ptxray_result_printed(const ptxray_result *result);
const char *ptxray_result_refusal(const ptxray_result *result);
/* Return the counts of a launch with `counters`, in the format of `--counters=FILE.json` and `--fidelity=FILE.json` of
 * `ptxray run --emulate`. Return NULL if nothing was counted. */
const char *ptxray_result_counters(const ptxray_result *result);
const char *ptxray_result_fidelity(const ptxray_result *result);
/* Returns the certificate of a launch with `certify`, in the format of `--certify=FILE.json` of `ptxray run --emulate`.
 * Returns NULL if none was requested. */
const char *ptxray_result_certificate(const ptxray_result *result);

/* Compares what two kernels leave in the memory that the caller added to their machines, for all contents of this
 * memory (docs/equal.md). Both machines must have memory of the same sizes, added in the same order; it is as before
 * afterwards. `types` has the types of its elements, such as `f32,f32,s32`; NULL and empty names leave them open. */
ptxray_result *ptxray_machine_equal(ptxray_machine *a, const ptxray_launch *launch_a, ptxray_machine *b,
                                    const ptxray_launch *launch_b, const char *types);
/* Returns the answer, in the format of `ptxray equal --format=json`. Returns NULL if nothing was compared; then
 * `ptxray_result_refusal` returns the reason. */
const char *ptxray_result_equality(const ptxray_result *result);

/* Reduces a text step by step, as long as the caller finds the result interesting, as the text itself must be
 * (docs/reduce.md). If `rule` is not NULL, only texts for which ptxray reports that rule are offered. */
typedef struct ptxray_reduction ptxray_reduction;
ptxray_reduction *ptxray_reduction_new(const char *text, size_t length, const ptxray_options *options,
                                       const char *rule);
/* Returns the reason why the text cannot be reduced, or NULL. */
const char *ptxray_reduction_problem(const ptxray_reduction *reduction);
/* Returns the next candidate, which is valid until the next call, or NULL if there is none. */
const char *ptxray_reduction_next(ptxray_reduction *reduction, size_t *length);
/* Reports whether that candidate is interesting. */
void ptxray_reduction_tell(ptxray_reduction *reduction, int is_interesting);
/* Returns the smallest interesting text so far, which is valid until the next call. */
const char *ptxray_reduction_best(const ptxray_reduction *reduction, size_t *length);
void ptxray_reduction_free(ptxray_reduction *reduction);

/* Returns the page about a rule, in Markdown, or NULL if there is no such rule. */
const char *ptxray_explain(const char *rule);

#ifdef __cplusplus
}
#endif
#endif
