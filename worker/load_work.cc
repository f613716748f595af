#include "worker/load_work.h"

#include <algorithm>

#include "common/cpu_line.h"

namespace heddle::worker {
namespace {

// Longer than any run, and nanoseconds of either still fit into 64 bits.
constexpr CoreTime kEndlessWork = core_seconds(1e9);
constexpr EmuTime kEndlessSleep = emu_seconds(50LL * 365 * 86400);

}  // namespace

TaskWork load_work(const Resources& load) {
  TaskWork work;
  work.threads =
      static_cast<int>(std::clamp<std::int64_t>((load.cores.count() + 999) / 1000, 1, kMaxThreads));
  if (load.memory > EmuBytes(0)) work.memory = {{0, load.memory}};
  if (load.cores == Millicores(0)) {
    work.sleep = kEndlessSleep;
    return work;
  }
  work.cpu = kEndlessWork;
  return work;
}

}  // namespace heddle::worker
