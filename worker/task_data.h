#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/model/inputs.h"
#include "wire/messages.h"
#include "worker/effect.h"

namespace heddle::worker {

/// Tracks what one task still has to read, to compute and to write, part by part. An executor gets
/// its parts from the master. Any other task has one part with all its work. This class decides
/// what the task does next, and the task table decides when. Pure.
class TaskData {
 public:
  TaskData() = default;
  TaskData(ContainerId container, const TaskWork& work);

  // Commands of the master. Repeating a command has no effect.
  void inputs_ready();
  void fetch(const std::vector<DataRead>& reads);
  /// Adds a part. Returns why the part can't be run, or "" if it can.
  std::string run_part(const TaskPart& part);
  void finish() { finishing_ = true; }

  // Results of the effects that advance() has requested.
  void part_done(int number);
  void read_done(const DataRead& read);
  /// Returns why the task can't continue, or "" if it can continue. If it can, reports the input as
  /// lost, unless another read replaces the failed read.
  std::string read_failed(const DataRead& read, const std::string& error, real::Time now,
                          Effects& effects);
  void write_done();
  static std::string write_failure(const DataWrite& write, const std::string& error);

  /// Begins everything that can begin now. `may_work` is false during a suspension. In that case:
  /// - Reads that have begun continue.
  /// - No other read begins, because the threads that fetch would be stopped, too.
  /// - The process gets no work.
  /// - The outputs of finished work are still written.
  void advance(bool may_work, real::Time now, Effects& effects);

 private:
  enum class Stage { kReading, kReady, kWorking, kWriting };
  struct Todo {
    ProcessPart part;
    Inputs inputs;
    bool waits = false;  ///< the part waits for InputsReady
    bool tells = false;  ///< reports when all inputs are read
    std::vector<DataWrite> writes;
  };

  void give(ProcessPart part, Effects& effects);
  /// Takes one step of the first part. Returns false if the part must wait for something.
  bool step(bool may_work, real::Time now, Effects& effects);

  ContainerId container_;
  bool executor_ = false;
  bool finishing_ = false;  ///< the task ends when nothing is left to do
  bool ending_ = false;     ///< the process has got its last part
  std::deque<Todo> todo_;   ///< the first part has begun
  Stage stage_ = Stage::kReading;
  std::size_t writing_ = 0;  ///< unfinished writes of the first part
  int number_ = 0;           ///< number of the last known part
  double progress_ = 0;      ///< progress after that part
};

}  // namespace heddle::worker
