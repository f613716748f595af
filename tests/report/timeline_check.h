#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace heddle::report {

/// Finds errors in a timeline: everything that Perfetto's importer would report as an error.
class TimelineCheck {
 public:
  using Json = nlohmann::json;

  static std::vector<std::string> trouble(const Json& file) {
    TimelineCheck check;
    if (!file.is_object() || !file.contains("traceEvents") || !file["traceEvents"].is_array() ||
        file["traceEvents"].empty())
      return {"no traceEvents"};
    for (const Json& event : file["traceEvents"]) check.take(event);
    check.finish();
    return check.trouble_;
  }

 private:
  using Thread = std::pair<std::int64_t, std::int64_t>;
  struct Slice {
    std::int64_t from, until;
    std::string category;
  };
  struct End {
    Thread thread;
    std::int64_t ts;
  };

  void bad(const std::string& what, const Json& event) {
    if (trouble_.size() < 20) trouble_.push_back(what + ": " + event.dump());
  }

  void take(const Json& event) {
    const std::string ph = event.value("ph", "");
    if (!event.contains("name") || !event["name"].is_string() ||
        event["name"].get<std::string>().empty())
      bad("no name", event);
    if (!event.contains("pid") || !event["pid"].is_number_integer()) return bad("no pid", event);
    if (ph == "M") return take_name(event);
    if (!event.contains("ts") || !event["ts"].is_number_integer() || event["ts"] < 0)
      return bad("no time", event);
    if (event["ts"] < last_) bad("goes back in time", event);
    last_ = event["ts"];
    if (!processes_.contains(event["pid"].get<std::int64_t>()))
      bad("process without a name", event);
    if (ph == "X")
      take_slice(event);
    else if (ph == "s" || ph == "f")
      take_flow(event, ph == "s");
    else if (ph == "C")
      take_counter(event);
    else if (ph == "i") {
      if (event.value("s", "") != "p") bad("no scope", event);
    } else
      bad("unknown ph", event);
  }

  void take_name(const Json& event) {
    if (event["name"] == "process_name") processes_.insert(event["pid"].get<std::int64_t>());
    if (event["name"] != "thread_name") return;
    if (!threads_.emplace(thread_of(event), event.at("args").value("name", "")).second)
      bad("thread named twice", event);
  }

  static Thread thread_of(const Json& event) { return {event["pid"], event.at("tid")}; }

  void take_slice(const Json& event) {
    if (!event.contains("dur") || !event["dur"].is_number_integer() || event["dur"] < 0)
      return bad("no length", event);
    const auto thread = threads_.find(thread_of(event));
    if (thread == threads_.end()) return bad("thread without a name", event);
    if ((thread->second == "faults") != (event.value("cat", "") == "fault"))
      bad("faults are on lanes of their own", event);
    const std::int64_t ts = event["ts"], until = ts + event["dur"].get<std::int64_t>();
    std::vector<Slice>& open = open_[thread_of(event)];
    while (!open.empty() && open.back().until <= ts) open.pop_back();
    const std::string category = event.value("cat", "");
    const bool part =
        category == "suspended" || category == "reading inputs" || category == "waiting";
    // A part can be as long as its container, and the length of a container can be 0.
    if (!open.empty() && until > open.back().until) bad("overlaps", event);
    if (open.size() > (part ? 1U : 0U)) bad("within another", event);
    open.push_back({ts, until, category});
    slices_[thread_of(event)].push_back({ts, until, category});
  }

  void take_flow(const Json& event, bool start) {
    auto& ends = start ? starts_ : finishes_;
    if (!ends.emplace(event.at("id").get<std::int64_t>(), End{thread_of(event), event["ts"]})
             .second)
      bad("flow twice", event);
    if (!start && event.value("bp", "") != "e") bad("binds to the next slice", event);
  }

  void take_counter(const Json& event) {
    for (const auto& [series, value] : event.at("args").items()) {
      if (!value.is_number() || value < 0) bad("not a count", event);
      const auto key = std::tuple(event["pid"].get<std::int64_t>(),
                                  event["name"].get<std::string>(), std::string(series));
      const auto before = counters_.find(key);
      if (before != counters_.end() && before->second.first >= event["ts"].get<std::int64_t>())
        bad("counter goes back in time", event);
      if (before != counters_.end() && before->second.second == value.get<double>())
        bad("counter tells nothing new", event);
      counters_[key] = {event["ts"], value};
    }
  }

  bool within_slice(const End& end) const {
    const auto it = slices_.find(end.thread);
    if (it == slices_.end()) return false;
    for (const Slice& slice : it->second)
      if (slice.from <= end.ts && end.ts <= slice.until) return true;
    return false;
  }

  void finish() {
    for (const auto& [id, start] : starts_) {
      const auto end = finishes_.find(id);
      if (end == finishes_.end())
        trouble_.push_back("flow without an end: " + std::to_string(id));
      else if (end->second.ts < start.ts)
        trouble_.push_back("flow goes back in time: " + std::to_string(id));
      if (!within_slice(start)) trouble_.push_back("flow from nothing: " + std::to_string(id));
    }
    for (const auto& [id, end] : finishes_) {
      if (!starts_.contains(id)) trouble_.push_back("flow without a start: " + std::to_string(id));
      if (!within_slice(end)) trouble_.push_back("flow to nothing: " + std::to_string(id));
    }
  }

  std::int64_t last_ = 0;
  std::set<std::int64_t> processes_;
  std::map<Thread, std::string> threads_;  ///< threads and their names
  std::map<Thread, std::vector<Slice>> open_, slices_;
  std::map<std::int64_t, End> starts_, finishes_;
  std::map<std::tuple<std::int64_t, std::string, std::string>, std::pair<std::int64_t, double>>
      counters_;
  std::vector<std::string> trouble_;
};

}  // namespace heddle::report
