/* The C interface inside a module that a program loads: how many errors a text has. */
#include <ptxray/ptxray-c.h>

__attribute__((visibility("default"))) int count_errors(const char *text, size_t length) {
  ptxray_result *result = ptxray_check(text, length, NULL);
  int errors = 0;
  if (!result)
    return -1;
  for (size_t i = 0; i < ptxray_result_count(result); ++i)
    errors += ptxray_result_diagnostic(result, i)->severity == PTXRAY_ERROR;
  ptxray_result_free(result);
  return errors;
}
