#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// A way to run a batch's scenario: what it changes of it.
struct Variant {
  std::string name;
  std::optional<std::string> policy;  ///< as --policy; else the scenario's own
  std::vector<std::string> set;       ///< as --set, after the batch's own
  std::optional<int> repeat{};        ///< at most so many runs; else as many as the batch's others
  friend bool operator==(const Variant&, const Variant&) = default;
};

/// Variants of a list of policies, "fifo,capacity+preemption=kill", called as they are written.
/// Commas in brackets part nothing. Error (kUsage): an empty entry, a policy that can't be.
Result<std::vector<Variant>> variants_of_policies(std::string_view list);

/// "NAME: policy=P; key.path=value; …": keys as --set has them, and `policy` as --policy. Error
/// (kUsage): no name, a part that is no key=value, a policy that can't be.
Result<Variant> parse_variant(std::string_view text);

/// "key.path=a,b,c" of --over; commas in brackets part nothing.
struct SweptKey {
  std::string key;
  std::vector<std::string> values;
};
/// Error (kUsage): no key, no value or an empty one.
Result<SweptKey> parse_over(std::string_view text);

/// The points of a sweep over one key or a grid of several, the last key's values changing fastest.
std::vector<std::vector<std::string>> points_of(const std::vector<SweptKey>& keys);
/// The variant of a point: "damping=0.3" for policy.damping.
Variant variant_of_point(const std::vector<SweptKey>& keys, const std::vector<std::string>& point);

/// Names that come again get "#2", "#3" …; then no two are the same, nor are their directories.
void make_unique(std::vector<Variant>& variants);
/// What the directories of a variant's runs begin with: its name, whatever is unusual in file names
/// made "_".
std::string directory_of(const std::string& name);

/// A run of a batch by its variant and repeat, both from 0.
struct BatchPlace {
  std::size_t variant = 0;
  int repeat = 0;
  friend bool operator==(const BatchPlace&, const BatchPlace&) = default;
};
/// How many runs of a variant a batch of so many repeats makes.
int repeats_of(const Variant& variant, int batch);
/// The order of runs, `repeats` by variant: repeat by repeat, and within each the variants in turn,
/// beginning with the next one, so that none is always first.
std::vector<BatchPlace> batch_order(const std::vector<int>& repeats);

/// What there is of a run in its directory.
enum class RunState { kAbsent, kDone, kUnfinished };
/// `scenario`: the text that its scenario.yaml must have. Errors (kUsage): it is of another
/// scenario, or what is there is no unfinished run of ours.
Result<RunState> run_state(const std::string& dir, const std::string& scenario);

}  // namespace heddle::cli
