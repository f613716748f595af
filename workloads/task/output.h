#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/cpu_line.h"
#include "workloads/task/disk_use.h"

namespace heddle::task {

/// Takes what a command writes: standard output and error, which its supervisor gets through pipes
/// and puts into the files stdout and stderr, and what else the command leaves in its directory or
/// in removed files. All of it together may take `limit` bytes of the disk, and it must leave a
/// reserve of the disk, because the records of the run are on the same disk.
class Output {
 public:
  /// `directory`: an open descriptor, which stays the caller's. `groups`: of the container.
  Output(int directory, std::int64_t limit, const Groups& groups)
      : directory_(directory), limit_(limit), groups_(groups) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Makes the files and pipes, which belong to the user. Returns false with errno set on failure.
  bool open(uid_t user, gid_t group);
  /// Makes the pipes standard output and error; called in the program's process. Returns false with
  /// errno set on failure.
  bool become_standard() const;
  /// Closes the program's ends; called in the supervisor once the program's process is made.
  void close_program_ends();

  /// Returns the reading end of a stream; -1 when nothing more can come.
  int pipe(int stream) const { return streams_[stream].reader; }
  /// Takes some of what is there, without waiting. Returns whether there may be more to take.
  bool take();
  /// Looks at the disk if the time for that has come. Measures what the command takes if the
  /// measurements so far leave time for that.
  void look(std::int64_t now_ns);
  /// Looks at the disk and measures, whatever the time is.
  void look_last();
  std::int64_t next_look_ns() const { return next_look_ns_; }

  /// Returns the limit that the command exceeded first.
  const ExceededLimit& exceeded() const { return exceeded_; }
  bool is_over() const { return exceeded_.limit != CommandLimit::kNone; }
  void exceed(const ExceededLimit& limit) {
    if (!is_over()) exceeded_ = limit;
  }
  /// Removes what the command has left in its directory, except stdout and stderr; if the disk is
  /// nearly full, empties these too. REQUIRES: all processes of the command are gone.
  void drop();

 private:
  struct Stream {
    int reader = -1;
    int writer = -1;
    int file = -1;
  };

  bool open(Stream& stream, const char* name, uid_t user, gid_t group) const;
  bool take(Stream& stream);
  void look(std::int64_t now_ns, bool last);

  int directory_;
  std::int64_t limit_;
  Groups groups_;
  Stream streams_[2];
  std::int64_t taken_ = 0;          ///< bytes of both streams
  std::int64_t taken_at_look_ = 0;  ///< the same, at the last look
  std::int64_t next_look_ns_ = 0;
  std::int64_t began_ns_ = 0, ended_ns_ = 0;  ///< of the last measurement
  DiskUse use_;                               ///< as last measured
  ExceededLimit exceeded_;
};

}  // namespace heddle::task
