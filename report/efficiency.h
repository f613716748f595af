#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// The amounts that containers used and held from start to end, summed over time. Held cores are
/// counted as core-seconds of work, so they are multiplied by the speed of their node.
struct Usefulness {
  double used_core_s = 0, held_core_s = 0;
  double used_byte_s = 0, held_byte_s = 0;
  Usefulness& operator+=(const Usefulness& other);
};

/// Computes the allocation efficiency of containers, jobs and users: the sum of what they used
/// divided by the sum of what they held (E_c in the Estimation paper). Containers, jobs and users
/// that held nothing are left out.
class AllocationEfficiency {
 public:
  void add(const std::string& job, const std::string& user, const Usefulness& container);

  /// Returns efficiency.json: {overall: {cores, memory}, by_container, by_job, by_user}. Each of
  /// the last three is {cores, memory}, and each of these two is a distribution: [[efficiency,
  /// share]…]. The share is the share of containers, jobs or users that have at most this
  /// efficiency. Points are ascending, there are at most 1000 of them, and the last share is 1.
  wire::Json json() const;
  /// Returns the part of summary.json: {cpu, memory, p90: {container, job, user: {cpu, memory}}}.
  /// p90 is the efficiency that nine of ten containers, jobs or users do not exceed.
  wire::Json summary() const;
  /// Returns a table of quantiles for people.
  std::string table() const;

 private:
  /// The efficiency of each container, job or user.
  struct Groups {
    std::string title;
    std::vector<double> cores, memory;
    void add(const Usefulness& one);
  };
  /// Returns the efficiencies of containers, jobs and users, each ascending.
  std::vector<Groups> groups() const;

  Groups containers_ = {"container", {}, {}};
  std::unordered_map<std::string, Usefulness> jobs_, users_;
  Usefulness overall_;
};

/// Returns the distribution of ascending values (see json()) with at most `most` points.
wire::Json distribution(const std::vector<double>& ascending, std::size_t most);

}  // namespace heddle::report
