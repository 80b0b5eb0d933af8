#include "State.h"
#include <unistd.h>

namespace ptxray::driver {

State &state() {
  static auto *const one = new State; // never destroyed, since threads of the client may call until the end
  return *one;
}

std::vector<Context *> &contextStack() {
  thread_local std::vector<Context *> stack;
  return stack;
}

Result errorOfHandle(void *handle) {
  const auto found = state().destroyed.find(handle);
  return found == state().destroyed.end() ? InvalidHandle : found->second;
}

Result errorOfContext(void *context) {
  return state().destroyed.contains(context) ? ContextIsDestroyed : InvalidContext;
}

Result ready() {
  State &s = state();
  if (!s.isInitialised || s.process != getpid())
    return NotInitialized;
  s.lastCall = std::chrono::steady_clock::now();
  const auto &stack = contextStack();
  if (stack.empty() || !stack.back() || !s.contexts.contains(stack.back()))
    return Anywhere::isSet ? Success : stack.empty() ? InvalidContext : errorOfContext(stack.back());
  return stack.back()->failed;
}

uint8_t *bytesAt(Address address, size_t size) {
  const machine::Allocation *found = state().memory.find(address);
  return found && found->contains(address, size) ? found->at(address) : nullptr;
}

std::pair<const Address, Block> *blockAt(Address address) {
  auto &blocks = state().blocks;
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return nullptr;
  auto &found = *std::prev(after);
  return address - found.first < std::max<size_t>(found.second.size, 1) ? &found : nullptr;
}

} // namespace ptxray::driver
