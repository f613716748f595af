#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// A variant of a batch's scenario. It consists of changes to the scenario.
struct Variant {
  std::string name;
  std::optional<std::string> policy;  ///< as for --policy; nullopt: the policy of the scenario
  /// As for --set; these changes are made after those of the batch.
  std::vector<std::string> set;
  /// Maximum number of runs; nullopt: the number of repeats of the batch.
  std::optional<int> repeat{};
  /// Nothing in the runs depends on chance: they are simulations, and no seed changes them.
  bool exact = false;
  /// The defaults that the policy's program declares for its options, by name without "arg.". Empty
  /// if they are not known, or if no variant of this program sets such an option.
  std::map<std::string, std::string> defaults{};
  friend bool operator==(const Variant&, const Variant&) = default;
};

/// Policies by words that stand for them.
using NamedPolicies = std::map<std::string, std::string, std::less<>>;

/// Returns a variant for each policy in a list such as "fifo,capacity+preemption=kill". The name of
/// the variant is the policy as written in the list. A comma in brackets does not separate
/// policies. `named`: policies by the words that stand for them, also before options as in
/// "conf+order=fcfs". Errors (kUsage): an empty entry or an invalid policy.
Result<std::vector<Variant>> variants_of_policies(std::string_view list,
                                                  const NamedPolicies& named = {});

/// Parses "NAME: policy=P; key.path=value; …". The keys are written as for --set, and the policy as
/// for --policy. Errors (kUsage): no name, a part that is not key=value, or an invalid policy.
Result<Variant> parse_variant(std::string_view text, const NamedPolicies& named = {});

/// An argument of --over, "key.path=a,b,c". A comma in brackets does not separate values.
struct SweptKey {
  std::string key;
  std::vector<std::string> values;
};
/// Parses an argument of --over. Error (kUsage): there is no key or no value, or a value is empty.
Result<SweptKey> parse_over(std::string_view text);

/// Returns the points of a sweep: all combinations of the values of the keys. From point to point,
/// the value of the last key changes fastest.
std::vector<std::vector<std::string>> points_of(const std::vector<SweptKey>& keys);
/// Returns the variant of a point. Its name is, for example, "damping=0.3" for policy.damping.
Variant variant_of_point(const std::vector<SweptKey>& keys, const std::vector<std::string>& point);

/// Appends "#2", "#3" … to repeated names, so that all names and their directories differ.
void make_unique(std::vector<Variant>& variants);

/// The place of a run in a batch: the numbers of its variant and of its repeat, counted from 0.
struct BatchPlace {
  std::size_t variant = 0;
  int repeat = 0;
  friend bool operator==(const BatchPlace&, const BatchPlace&) = default;
};
/// Returns how many runs of a variant a batch makes. `batch` is the batch's number of repeats.
int repeats_of(const Variant& variant, int batch);
/// Returns the order of runs. `repeats` is the number of repeats of each variant. All runs of one
/// repeat come before the runs of the next repeat. Each repeat begins with a different variant, so
/// no variant is always first.
std::vector<BatchPlace> batch_order(const std::vector<int>& repeats);

/// The state of a run in its directory.
enum class RunState { kAbsent, kDone, kUnfinished };
/// Returns the state of the run in `dir`. `scenario`: the text that the run's scenario.yaml must
/// have. Errors (kUsage): the run has another scenario, or the directory has contents that are not
/// a run of Heddle.
Result<RunState> run_state(const std::string& dir, const std::string& scenario);

}  // namespace heddle::cli
