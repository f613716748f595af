#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/model/inputs.h"
#include "wire/messages.h"
#include "worker/effect.h"

namespace heddle::worker {

/// Tracks what one task still has to read, to do and to write, part by part. An executor gets its
/// parts from the master; any other task has one part, all its work. Decides what comes next; the
/// task table says when. Pure.
class TaskData {
 public:
  TaskData() = default;
  TaskData(ContainerId container, const TaskWork& work);

  // Orders of the master. Repeating one has no effect.
  void inputs_ready();
  void fetch(const std::vector<DataRead>& reads);
  /// Returns why the part can't be run; "" if it can.
  std::string run_part(const TaskPart& part);
  void finish() { finishing_ = true; }

  // Results of the effects that advance asked for.
  void part_done(int number);
  void read_done(const DataRead& read);
  /// Returns why the task can't go on; "" if it can. In that case reports the input as lost, unless
  /// another read stands in for it.
  std::string read_failed(const DataRead& read, const std::string& error, real::Time now,
                          Effects& effects);
  void write_done();
  static std::string write_failure(const DataWrite& write, const std::string& error);

  /// Begins all that can begin while the process runs. During a suspension (not `may_work`), reads
  /// under way continue, but no further read begins, since the threads that fetch would be stopped
  /// as well. No work is given, and outputs of finished work are still written.
  void advance(bool may_work, real::Time now, Effects& effects);

 private:
  enum class Stage { kReading, kReady, kWorking, kWriting };
  struct Todo {
    ProcessPart part;
    Inputs inputs;
    bool waits = false;  ///< waits for InputsReady
    bool tells = false;  ///< reports when all is read
    std::vector<DataWrite> writes;
  };

  void give(ProcessPart part, Effects& effects);
  /// Takes one step of the first part. Returns false if the part has to wait for something.
  bool step(bool may_work, real::Time now, Effects& effects);

  ContainerId container_;
  bool executor_ = false;
  bool finishing_ = false;  ///< the task ends when nothing is left to do
  bool ending_ = false;     ///< the last part was given
  std::deque<Todo> todo_;   ///< the first part is under way
  Stage stage_ = Stage::kReading;
  std::size_t writing_ = 0;  ///< writes of the first part under way
  int number_ = 0;           ///< number of the last known part
  double progress_ = 0;      ///< progress when that part is done
};

}  // namespace heddle::worker
