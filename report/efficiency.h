#pragma once

#include <map>
#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Of a container: what it used and what it held from its start to its end, summed over time. Cores
/// held are core-seconds of work, by their node's speed.
struct Usefulness {
  double used_core_s = 0, held_core_s = 0;
  double used_byte_s = 0, held_byte_s = 0;
  Usefulness& operator+=(const Usefulness& other);
};

/// Allocation efficiency, sum of use over sum of request, of containers, jobs and users
/// (policies.md of the Estimation paper: E_c). Of whom nothing was held, nothing is told.
class AllocationEfficiency {
 public:
  void add(const std::string& job, const std::string& user, const Usefulness& container);

  /// efficiency.json: {overall: {cores, memory}, by_container, by_job, by_user}; each of the last
  /// three {cores, memory} as a distribution: [[efficiency, share of them at most that]…],
  /// ascending, the last share 1, at most 1000 points.
  wire::Json json() const;
  /// As summary.json has it: {cpu, memory, p90: {container, job, user: {cpu, memory}}}; p90 is the
  /// efficiency that nine of ten containers, jobs or users do not exceed.
  wire::Json summary() const;
  /// For people: quantiles.
  std::string table() const;

 private:
  struct Groups {
    std::string title;
    std::vector<double> cores, memory;  ///< ascending
  };
  std::vector<Groups> groups() const;

  std::vector<Usefulness> containers_;
  std::map<std::string, Usefulness> jobs_, users_;
  Usefulness overall_;
};

/// The distribution of ascending values; see json().
wire::Json distribution(const std::vector<double>& ascending, std::size_t most);

}  // namespace heddle::report
