#include "trace/import/gpus.h"

#include <algorithm>
#include <cmath>

#include "common/text.h"

namespace heddle::trace {
namespace {

constexpr double kMostGpus = 1024;  ///< of a machine or a task
constexpr const char* kModel = "model";

}  // namespace

std::optional<Thousandths> Gpus::amount(double number, double part) {
  if (number == 0) return Thousandths(0);
  if (!(number >= 1 && number <= kMostGpus && number == std::floor(number))) return std::nullopt;
  if (number > 1 || part == 1) return Thousandths(std::llround(number) * kWholeDevice);
  const Thousandths amount(std::llround(part * kWholeDevice));
  if (!(part > 0 && part < 1) || amount == Thousandths(0)) return std::nullopt;
  return amount;
}

std::optional<Where> Gpus::one_of(std::string_view models) {
  LabelRule rule{kModel, {}};
  while (!models.empty()) {
    const std::string_view model = take_until(models, '|');
    if (!valid_name(model)) return std::nullopt;
    rule.values.emplace_back(model);
  }
  return rule.values.empty() ? Where() : Where{rule};
}

void Gpus::add_machine(double number, std::string_view model) {
  const bool possible = number >= 1 && number <= kMostGpus;
  machines_.push_back(
      {possible ? static_cast<int>(number) : 0, std::string(valid_name(model) ? model : "")});
}

void Gpus::add_machines(const std::vector<double>& numbers) {
  if (std::ranges::none_of(numbers, [](double number) { return number > 0; })) return;
  for (const double number : numbers) add_machine(number, "");
}

void Gpus::give(ClusterSpec& cluster, int number, const std::string& jobs,
                ImportReport& report) const {
  cluster.resources = {{.name = "gpu", .devices = true}};
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Machine machine =
        machines_.empty() ? Machine{number, ""} : machines_[i % machines_.size()];
    NodeSpec& node = cluster.nodes[i];
    node.capacity.counts.set(0, Thousandths(machine.gpus * kWholeDevice));
    node.capacity = on_node(node.capacity, cluster.resources);
    node.allowance.counts = node.capacity.counts;
    if (!machine.model.empty()) node.labels[kModel] = machine.model;
  }
  report.state("GPUs are devices of the resource gpu, requested by " + jobs +
               (machines_.empty() ? "; each node has " + std::to_string(number) + " of them" : ""));
}

}  // namespace heddle::trace
