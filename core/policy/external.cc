#include <algorithm>
#include <stdexcept>

#include "core/policy/placement/first_fit.h"
#include "core/policy/registry.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {

constinit const NumberOption kPolicyTimeout(
    {.name = "policy_timeout",
     .least = 0.1,
     .most = 86400,
     .unit = "s",
     .by_default = "10",
     .help = "real time that the program can take for a reply; the run then ends"});
constinit const AutoSecondsOption kPolicyCost(
    {.name = "policy_cost",
     .least = 0,
     .most = 86400,
     .unit = "s",
     .words = {"measured"},
     .by_default = "0",
     .help = "emulated time that a decision takes in a simulation; measured: as long as it takes"});
constinit const WordOption<PolicySees> kPolicySees(
    {.name = "policy_sees",
     .words = {"facts", "durations"},
     .by_default = "facts",
     .help = "what the program learns about jobs; durations: also how long their tasks take"});
constinit const WordOption<BatsimResource> kBatsimResource(
    {.name = "batsim_resource",
     .words = {"node", "core"},
     .by_default = "node",
     .help = "what a resource of Batsim's protocol is"});

namespace {

/// Refuses other parts, because the program does their work.
Result<void> check_external(const PolicySpec& policy) {
  for (const PartKind& kind : part_kinds())
    if (kind.name != "scheduler" && kind.name != "capacity_model" && given_text(policy, kind.name))
      return usage_error(std::string(kind.name) +
                         " has no effect on an external policy; expected only a capacity_model "
                         "beside it");
  return {};
}

std::unique_ptr<Scheduler> make_none(const Scenario&) {
  throw std::logic_error("an external policy has no scheduler; external/make_policy.h makes it");
}

}  // namespace

constinit const SchedulerPart kExternalScheduler{
    {.name = "external",
     .summary = "a program outside of Heddle decides (exec:, external= or batsim:)",
     .good_at = "policies in any language, and schedulers of other projects.",
     .bad_at = "latency: each decision takes a message to the program and its reply.",
     .source = "docs/reference/external-policies.md; Batsim's protocol, version 4",
     .options = {&kPolicyTimeout, &kPolicyCost, &kPolicySees, &kBatsimResource},
     .defaults = {{&kReserve, "true"}},
     .check = &check_external,
     .external = true},
    &make_none};

bool applies_to_external(const Option& option) {
  const auto is_of = [&](const PartText& part) {
    return std::find(part.options.begin(), part.options.end(), &option) != part.options.end();
  };
  for (const PartKind& kind : part_kinds())
    if (kind.name == "capacity_model" &&
        std::ranges::any_of(kind.choices, [&](const PartText* part) { return is_of(*part); }))
      return true;
  return std::ranges::any_of(shared_parts(), [&](const PartText* part) { return is_of(*part); }) ||
         &option == &kReserve || is_of(kExternalScheduler.text);
}

}  // namespace heddle
