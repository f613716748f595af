#include "common/own_usage.h"

#include <sys/resource.h>
#include <time.h>

namespace heddle {
namespace {

rusage usage_of(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return usage;
}

double cpu_s(int who) {
  const rusage usage = usage_of(who);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

double own_cpu_s() { return cpu_s(RUSAGE_SELF); }

double children_cpu_s() { return cpu_s(RUSAGE_CHILDREN); }

double thread_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::int64_t peak_bytes() { return usage_of(RUSAGE_SELF).ru_maxrss * 1024; }

}  // namespace heddle
