#include "cli/run/start_queue.h"

#include <algorithm>

namespace heddle::cli {
namespace {

constexpr std::size_t kFewest = 32;
/// A sixteenth of all workers are allowed to start at the same time.
constexpr std::size_t kPart = 16;

}  // namespace

StartQueue::StartQueue(std::size_t workers, std::size_t at_once)
    : settled_(workers), at_once_(at_once) {}

std::vector<std::size_t> StartQueue::take() {
  std::vector<std::size_t> batch;
  while (ready() && batch.size() < kBatch) {
    batch.push_back(next_++);
    ++starting_;
  }
  return batch;
}

void StartQueue::settled(std::size_t worker) {
  if (worker >= next_ || settled_[worker]) return;
  settled_[worker] = true;
  --starting_;
}

std::size_t starts_at_once(std::size_t workers) { return std::max(kFewest, workers / kPart); }

}  // namespace heddle::cli
