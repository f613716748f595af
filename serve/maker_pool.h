#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/child.h"
#include "serve/page_bounds.h"
#include "serve/page_maker.h"

namespace heddle::serve {

/// Longest data of a page.
inline constexpr std::size_t kMostPageBytes = std::size_t{1} << 30;

/// Makes data of pages in other processes. Data that need too much memory or time therefore harm
/// neither the server nor other pages: their process ends, and the answer says which limit was met.
/// Data that take longer than PageBounds::turn while other data wait for a process are made from
/// the beginning again in a process for slow data, one after the other. All functions can be called
/// by any thread.
class MakerPool {
 public:
  /// Returns the command line of a process that calls make_pages() with this descriptor.
  using Command = std::function<std::vector<std::string>(int socket)>;

  /// `count`: the number of processes besides the one for slow data. A process is started when it
  /// is needed first, and stays for later requests, because it keeps large runs in memory.
  MakerPool(std::size_t count, PageBounds bounds, Command command);

  /// Makes the data in a process that is idle, preferably in the one that made data of the same
  /// result last. Waits until there is one. REQUIRES: the thread lives as long as the pool, because
  /// a process ends with the thread that started it.
  ResponseText make(const PageRequest& request);
  /// Returns the share of a large run's journal that a process has read, as LargeRuns does.
  std::optional<double> share_read(const std::string& id) const;

 private:
  struct Maker {
    std::optional<host::Child> child = {};
    Fd socket = {};
    bool slow = false;  ///< it is the one for slow data
    bool busy = false;
    bool leaving = false;    ///< it is busy, but is being left to data that wait
    std::string last = {};   ///< the result of which it made data last
    std::uint64_t turn = 0;  ///< when that was
  };
  enum class Met { kNothing, kMemory, kTime, kBytes, kTurn };
  struct Answer {
    std::optional<ResponseText> made;
    Met met = Met::kNothing;
    std::string end = {};  ///< how the process ended, if it made nothing
  };

  /// A process that a thread has taken.
  class Lease;
  using Time = std::chrono::steady_clock::time_point;

  /// Makes the data in the process for slow data or in one of the others.
  Answer make_in(bool slow, const PageRequest& request, Time deadline);
  /// Returns nullptr if no process is idle before the deadline.
  Maker* take(bool slow, const std::string& result, Time deadline);
  Maker* find_idle(bool slow, const std::string& result);
  void release(Maker& maker);
  Result<void> start(Maker& maker);
  Answer ask(Maker& maker, const std::string& request, Time deadline);
  /// Reads the answer. Takes in the messages about progress that come before it.
  std::optional<Answer> read_answer(Maker& maker, Time deadline);
  /// Tells whether a process that began at this time is to be left to data that wait.
  bool gives_way(Maker& maker, Time begun);
  /// Kills the process, if it has not ended, and returns how it ended.
  host::ChildEnd end(Maker& maker);
  ResponseText failure(const Answer& answer) const;

  const PageBounds bounds_;
  const Command command_;
  mutable std::mutex mutex_;
  // The rest is guarded by mutex_. A busy maker belongs to the thread that has taken it.
  std::vector<Maker> makers_;
  std::condition_variable idle_;
  std::size_t waiting_ = 0;  ///< threads that wait for a process, but not for the slow one
  std::size_t leaving_ = 0;  ///< processes that are being left to them
  std::uint64_t turns_ = 0;
  std::map<std::string, double> shares_;  ///< by result
};

/// Makes the data that are asked for over the socket, until the other end is closed, and returns
/// the exit status. Limits the memory of this process to `memory` bytes. If that is not enough, the
/// process ends with the status kOutOfMemory.
int make_pages(int socket, std::int64_t memory, std::vector<std::string> dirs);
inline constexpr int kOutOfMemory = 12;

}  // namespace heddle::serve
