#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// A variant of a batch's scenario: the changes to it.
struct Variant {
  std::string name;
  std::optional<std::string> policy;  ///< as --policy; nullopt: the scenario's own
  std::vector<std::string> set;       ///< as --set, applied after the batch's own
  std::optional<int> repeat{};        ///< maximum number of runs; nullopt: as many as the batch's
                                      ///< others
  friend bool operator==(const Variant&, const Variant&) = default;
};

/// Returns the variants of a list of policies, "fifo,capacity+preemption=kill", named as they are
/// written. Commas in brackets do not separate. Errors (kUsage): an empty entry or an invalid
/// policy.
Result<std::vector<Variant>> variants_of_policies(std::string_view list);

/// Parses "NAME: policy=P; key.path=value; …", with keys as in --set and `policy` as in --policy.
/// Errors (kUsage): no name, a part that is not key=value, or an invalid policy.
Result<Variant> parse_variant(std::string_view text);

/// "key.path=a,b,c" of --over; commas in brackets do not separate.
struct SweptKey {
  std::string key;
  std::vector<std::string> values;
};
/// Parses an argument of --over. Error (kUsage): no key, no value or an empty one.
Result<SweptKey> parse_over(std::string_view text);

/// Returns the points of a sweep over one key or a grid of several; the last key's values change
/// fastest.
std::vector<std::vector<std::string>> points_of(const std::vector<SweptKey>& keys);
/// Returns the variant of a point: "damping=0.3" for policy.damping.
Variant variant_of_point(const std::vector<SweptKey>& keys, const std::vector<std::string>& point);

/// Appends "#2", "#3" … to repeated names, so that all names and their directories differ.
void make_unique(std::vector<Variant>& variants);
/// Returns the beginning of the names of a variant's run directories: its name, with "_" for
/// characters that are unusual in file names.
std::string directory_of(const std::string& name);

/// The place of a run in a batch: its variant and repeat, both from 0.
struct BatchPlace {
  std::size_t variant = 0;
  int repeat = 0;
  friend bool operator==(const BatchPlace&, const BatchPlace&) = default;
};
/// Returns how many runs of a variant a batch with so many repeats makes.
int repeats_of(const Variant& variant, int batch);
/// Returns the order of runs, given the number of repeats by variant. Runs go repeat by repeat.
/// Each repeat begins with another variant, so no variant is always first.
std::vector<BatchPlace> batch_order(const std::vector<int>& repeats);

/// The state of a run in its directory.
enum class RunState { kAbsent, kDone, kUnfinished };
/// Returns the state. `scenario`: the text that the run's scenario.yaml must have. Errors (kUsage):
/// the run is of another scenario, or the directory is not an unfinished run of Heddle.
Result<RunState> run_state(const std::string& dir, const std::string& scenario);

}  // namespace heddle::cli
