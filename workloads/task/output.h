#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/cpu_line.h"

namespace heddle::task {

/// What a command writes: standard output and error, which its supervisor takes through pipes and
/// puts into the files stdout and stderr, and what else it leaves in its directory. All of it
/// together may be `limit` bytes, and it may not leave the disk less than a reserve: the records
/// of the run are on the same disk.
class Output {
 public:
  /// `directory`: open, stays the caller's.
  Output(int directory, std::int64_t limit) : directory_(directory), limit_(limit) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Makes files and pipes, the user's. False with errno set.
  bool open(uid_t user, gid_t group);
  /// In the program's process: the pipes become its standard output and error. False with errno.
  bool become_standard() const;
  /// In the supervisor's, once the program's process is made.
  void close_program_ends();

  /// The reading ends, -1 when nothing more can come.
  int pipe(int stream) const { return streams_[stream].reader; }
  /// Takes some of what is there, without waiting; true if there may be more to take.
  bool take();
  /// Measures the directory if the time for that has come, or `anyway`.
  void look(std::int64_t now_ns, bool anyway = false);
  std::int64_t next_look_ns() const { return next_look_ns_; }

  /// The bound that the command went beyond first.
  CommandLimit exceeded() const { return exceeded_; }
  void exceed(CommandLimit limit) {
    if (exceeded_ == CommandLimit::kNone) exceeded_ = limit;
  }
  /// Removes what the command has left in its directory but for stdout and stderr; where the disk
  /// is nearly full, empties these too. REQUIRES: all its processes are gone.
  void drop();

 private:
  struct Stream {
    int reader = -1;
    int writer = -1;
    int file = -1;
  };

  bool open(Stream& stream, const char* name, uid_t user, gid_t group) const;
  bool take(Stream& stream);

  int directory_;
  std::int64_t limit_;
  Stream streams_[2];
  std::int64_t taken_ = 0;          ///< bytes of both streams
  std::int64_t taken_at_look_ = 0;  ///< of them when the directory was measured last
  std::int64_t next_look_ns_ = 0;
  CommandLimit exceeded_ = CommandLimit::kNone;
};

}  // namespace heddle::task
