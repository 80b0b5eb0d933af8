// Does the work of streams and graphs.
#include "Work.h"
#include "State.h"
#include <chrono>

namespace ptxray::driver {

namespace {

struct Performer {
  Context &context;

  Result operator()(const EmptyWork &) const { return Success; }
  Result operator()(const KernelWork &kernel) const { return performKernel(kernel, context); }
  Result operator()(const CopyWork &copy) const { return performCopy(copy); }
  Result operator()(const FillWork &fill) const { return performFill(fill); }
  Result operator()(const HostWork &host) const {
    const Unlocked unlocked;
    host.function(host.data);
    return Success;
  }
  Result operator()(const CallbackWork &callback) const {
    const Unlocked unlocked;
    callback.function(callback.stream, Success, callback.data);
    return Success;
  }
  Result operator()(const RecordWork &record) const {
    using Clock = std::chrono::steady_clock;
    record.moment->isDone = true;
    record.moment->milliseconds = std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
    return Success;
  }
  Result operator()(const WaitWork &) const { return Success; } // the queue did the awaited work before
  Result operator()(const AllocWork &alloc) const { return performAlloc(alloc); }
  Result operator()(const FreeWork &freed) const { return release(freed.address, false); }
  Result operator()(const ConditionWork &) const { return Success; } // done together with its graphs
  Result operator()(const BranchWork &branch) const { return performBranch(branch, context); }
};

} // namespace

Result perform(const Work &work, Context &context) { return std::visit(Performer{context}, work); }

} // namespace ptxray::driver
