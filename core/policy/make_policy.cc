#include <cassert>

#include "core/policy/placement/first_fit.h"
#include "core/policy/policy.h"
#include "core/policy/scheduler/fifo.h"
#include "core/policy/table.h"

namespace heddle {

std::unique_ptr<Policy> make_policy(const PolicySpec& spec) {
  assert(policy_value(spec, "scheduler") == "fifo");  // the only one the table says is built
  FirstFitOptions options;
  options.reserve = policy_value(spec, "reserve") == "true";
  options.strict_order = policy_value(spec, "strict_order") == "true";
  options.most_free = policy_value(spec, "node_order") == "most-free";
  return std::make_unique<FirstFit>(std::make_unique<Fifo>(), options);
}

}  // namespace heddle
