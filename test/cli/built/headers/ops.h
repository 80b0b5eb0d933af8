#define WAIT(n) asm volatile("cp.async.wait_grp %0;" ::"n"(n))
