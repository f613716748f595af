#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/model/inputs.h"
#include "wire/messages.h"
#include "worker/effect.h"

namespace heddle::worker {

/// What one task has yet to read, to do and to write, part by part: an executor's parts are those
/// that it is told, any other task has one, all its work. Decides what comes next; the task table
/// says when. Pure.
class TaskData {
 public:
  TaskData() = default;
  TaskData(ContainerId container, const TaskWork& work);

  // What the master says. Doing it again does nothing.
  void inputs_ready();
  void fetch(const std::vector<DataRead>& reads);
  /// Why it can't be; "" if it can.
  std::string run_part(const TaskPart& part);
  void finish() { finishing_ = true; }

  // What became of what advance asked for.
  void part_done(int number);
  void read_done(const DataRead& read);
  /// Why the task can't go on; "" if it can: then its loss is reported, if nothing stands in for
  /// it.
  std::string read_failed(const DataRead& read, const std::string& error, real::Time now,
                          Effects& effects);
  void write_done();
  static std::string write_failure(const DataWrite& write, const std::string& error);

  /// All that can be begun now that the process runs. While it is suspended (not `may_work`) what
  /// is being read comes, but no further read begins, as its fetching threads would be stopped too;
  /// no work is handed out, and what its work has left goes on being written.
  void advance(bool may_work, real::Time now, Effects& effects);

 private:
  enum class Stage { kReading, kReady, kWorking, kWriting };
  struct Todo {
    ProcessPart part;
    Inputs inputs;
    bool waits = false;  ///< for InputsReady
    bool tells = false;  ///< that it has read all
    std::vector<DataWrite> writes;
  };

  void give(ProcessPart part, Effects& effects);
  /// One step of the first part; false if it has to wait for something.
  bool step(bool may_work, real::Time now, Effects& effects);

  ContainerId container_;
  bool executor_ = false;
  bool finishing_ = false;  ///< when nothing is left to do it ends
  bool ending_ = false;     ///< its last part was given
  std::deque<Todo> todo_;   ///< the first is under way
  Stage stage_ = Stage::kReading;
  std::size_t writing_ = 0;  ///< of the first part's writes, as yet
  int number_ = 0;           ///< of the last part known
  double progress_ = 0;      ///< when that is done
};

}  // namespace heddle::worker
