#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::cli {

/// Copies of this process that compute cells, one after the other. They end with this process.
class CellWorkers {
 public:
  /// Computes a cell in a worker, and returns its text.
  using Compute = std::function<Result<std::string>(std::size_t cell)>;
  struct Answer {
    std::size_t cell;
    Result<std::string> text;
  };

  /// REQUIRES: this process has one thread.
  CellWorkers(std::size_t count, Compute compute);
  CellWorkers(const CellWorkers&) = delete;
  CellWorkers& operator=(const CellWorkers&) = delete;
  /// Kills the workers.
  ~CellWorkers();

  bool has_idle() const;
  bool has_busy() const;
  /// Lets an idle worker compute the cell. Error: there can be no more processes.
  Result<void> give(std::size_t cell);
  /// Waits for answers, or until `signals` (a descriptor) is readable. If a worker dies, the answer
  /// is an error, and the next cell gets a new worker.
  std::vector<Answer> wait(int signals);

 private:
  struct Worker {
    pid_t pid = 0;
    Fd socket;
    std::optional<std::size_t> cell;  ///< what it computes
  };

  Result<void> start(Worker& worker);
  [[noreturn]] void work(int socket) const;
  static std::string end(Worker& worker);
  std::optional<Result<std::string>> answer_of(Worker& worker);

  Compute compute_;
  std::vector<Worker> workers_;
};

}  // namespace heddle::cli
