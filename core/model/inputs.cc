#include "core/model/inputs.h"

#include <algorithm>

namespace heddle {
namespace {

auto of_source(int source) {
  return [source](const DataRead& read) { return source >= 0 && read.source == source; };
}

}  // namespace

void Inputs::add(const std::vector<DataRead>& reads) {
  for (const DataRead& read : reads) {
    if (there_.contains(read.source)) continue;
    auto same = std::find_if(queue_.begin(), queue_.end(), of_source(read.source));
    if (same == queue_.end())
      queue_.push_back(read);
    else
      *same = read;
  }
}

std::vector<DataRead> Inputs::begin() {
  std::vector<DataRead> begun;
  while (!queue_.empty() && std::ssize(under_way_) < kParallelReads) {
    DataRead read = std::move(queue_.front());
    queue_.pop_front();
    // The source can have been read from a node that was reported as lost.
    if (there_.contains(read.source)) continue;
    under_way_.push_back(read);
    begun.push_back(std::move(read));
  }
  return begun;
}

void Inputs::forget(const DataRead& read) {
  auto it = std::find(under_way_.begin(), under_way_.end(), read);
  if (it != under_way_.end()) under_way_.erase(it);
}

void Inputs::done(const DataRead& read) {
  forget(read);
  if (read.source >= 0) there_.insert(read.source);
}

bool Inputs::failed(const DataRead& read) {
  forget(read);
  if (read.source < 0) return false;
  return there_.contains(read.source) ||
         std::any_of(queue_.begin(), queue_.end(), of_source(read.source)) ||
         std::any_of(under_way_.begin(), under_way_.end(), of_source(read.source));
}

}  // namespace heddle
