#include "report/prediction.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::rounded;
using wire::rounded_or_null;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string workload_of(std::string_view job) {
  const std::size_t last = job.rfind('-');
  if (last != std::string_view::npos && is_number(job.substr(last + 1))) job = job.substr(0, last);
  std::size_t dash = job.find('-');
  while (dash != std::string_view::npos) {
    const std::size_t end = job.find('-', dash + 1);
    if (end == std::string_view::npos) break;
    if (is_number(job.substr(dash + 1, end - dash - 1))) return std::string(job.substr(end + 1));
    dash = end;
  }
  return std::string(job);
}

void PredictionErrors::told(const wire::Fields& record) {
  const ContainerId container{record.integer("container", 0, wire::kMaxInteger)};
  open_[container].push_back({wire::time_field(record, "t"), record.integer("waits", 0, 1) == 1,
                              record.number("predicted_s", 0, wire::kMaxSeconds),
                              record.number("naive_s", 0, wire::kMaxSeconds)});
}

void PredictionErrors::ended(ContainerId container, bool completed, std::string_view job,
                             EmuTime at) {
  const auto it = open_.find(container);
  if (it == open_.end()) return;
  if (completed) {
    ++reduces_;
    Errors& workload = workloads_[workload_of(job)];
    for (const Prediction& told : it->second) {
      const double actual = to_seconds(at - told.at);
      for (Errors* errors : {&all_, told.waits ? &waiting_ : &working_, &workload}) {
        errors->predicted.add(told.predicted_s, actual);
        errors->naive.add(told.naive_s, actual);
      }
    }
  }
  open_.erase(it);
}

Json PredictionErrors::json(const Errors& errors) {
  return {{"predictions", errors.predicted.count()},
          {"rmse_s", rounded(errors.predicted.rmse())},
          {"nrmse", rounded_or_null(errors.predicted.nrmse())},
          {"rmse_over_mean", rounded_or_null(errors.predicted.over_mean())},
          {"naive_nrmse", rounded_or_null(errors.naive.nrmse())},
          {"naive_rmse_over_mean", rounded_or_null(errors.naive.over_mean())}};
}

Json PredictionErrors::json(const std::string& predictor) const {
  if (all_.predicted.count() == 0) return nullptr;
  Json made = {{"predictor", predictor}, {"reduces", reduces_}};
  made.update(json(all_));
  made["waiting"] = json(waiting_);
  made["working"] = json(working_);
  made["workloads"] = Json::object();
  for (const auto& [name, errors] : workloads_) made["workloads"][name] = json(errors);
  return made;
}

}  // namespace heddle::report
