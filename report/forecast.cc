#include "report/forecast.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "report/simulated.h"
#include "wire/progress.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Share of the work that does not count as a difference.
constexpr double kSameWork = 0.005;
/// Maximum number of points of a curve.
constexpr std::size_t kCurvePoints = 512;
/// Smallest step of the work of a job.
constexpr double kStep = 0.02;
/// Limits for what a forecast is read from.
constexpr std::size_t kMostRows = 10'000'000;
constexpr double kMostSeconds = 1e12, kMostMemory = 1e18;

/// The real CPUs and bytes that something uses.
struct RealUse {
  double cpus = 0, bytes = 0;
};

/// Finds the highest use of a machine. The use of containers is known in two ways, and both are
/// means: over heartbeat periods, which are long compared with short tasks, and over the lives of
/// containers, which are long compared with changes of executors.
class PeakUse {
 public:
  explicit PeakUse(const Scenario& scenario)
      : scale_(scenario.scale()),
        overhead_(static_cast<double>(scenario.emulation.overhead.count())),
        nodes_(scenario.cluster.nodes.size()) {}

  /// Takes in the use of a node's containers according to its heartbeat.
  void node(NodeId id, const Resources& some, std::int64_t containers) {
    RealUse& node = nodes_[id.value];
    now_.cpus -= node.cpus;
    now_.bytes -= node.bytes;
    // The cores of a slow node count as parts of cores.
    node.cpus = scale_.to_real(some.cores, 1).value;
    node.bytes = static_cast<double>(scale_.to_real(some.memory).count()) +
                 overhead_ * static_cast<double>(containers);
    now_.cpus += node.cpus;
    now_.bytes += node.bytes;
    note(now_);
  }
  /// Takes in a container that has ended.
  void container(EmuTime from, EmuTime until, const AttemptUsage& usage) {
    if (until <= from) return;
    const auto span = static_cast<double>((until - from).count());
    const double cpus = static_cast<double>(usage.cpu.count()) / span * scale_.core;
    const double bytes = usage.memory_byte_seconds / (span / 1e6) * scale_.memory + overhead_;
    changes_.push_back({from, {cpus, bytes}});
    changes_.push_back({until, {-cpus, -bytes}});
  }
  RealUse finish() {
    // If one container ends when another one starts, the end comes first.
    std::ranges::sort(changes_, {},
                      [](const Change& change) { return std::pair(change.at, change.by.bytes); });
    RealUse sum;
    for (const Change& change : changes_) {
      sum.cpus += change.by.cpus;
      sum.bytes += change.by.bytes;
      note(sum);
    }
    return most_;
  }

 private:
  struct Change {
    EmuTime at;
    RealUse by;
  };
  void note(const RealUse& use) {
    most_.cpus = std::max(most_.cpus, use.cpus);
    most_.bytes = std::max(most_.bytes, use.bytes);
  }

  Scale scale_;
  double overhead_;  ///< real bytes per container
  std::vector<RealUse> nodes_;
  RealUse now_, most_;
  std::vector<Change> changes_;
};

/// Collects the summary, the highest use, and the ends of containers.
class ForecastObserver : public SummaryObserver {
 public:
  /// `rows` must outlive the observer.
  ForecastObserver(const Scenario& scenario, RunRows& rows)
      : SummaryObserver(scenario, &rows), scenario_(scenario), rows_(rows), use_(scenario) {
    for (const JobSpec& job : scenario.jobs) jobs_.push_back({job.name, job.task_count()});
  }

  void on_step(EmuTime now, std::span<const Event> events, const Step& step) override {
    SummaryObserver::on_step(now, events, step);
    for (const Event& event : events) {
      if (const auto* beat = std::get_if<NodeHeartbeat>(&event.what))
        use_.node(beat->node, beat->use.containers, std::ssize(beat->containers));
      else if (const auto* lost = std::get_if<NodeLost>(&event.what))
        use_.node(lost->node, {}, 0);
    }
    for (const AttemptRow& row : rows_.attempts) take(row);
    rows_.attempts.clear();  // a scenario can have a million of them
  }

  RealUse most() { return use_.finish(); }
  /// Returns the jobs, without their work.
  std::vector<Forecast::Job> jobs() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      jobs_[i].state = totals().jobs()[i].final_state;
      std::ranges::sort(jobs_[i].completed_s);
    }
    return std::move(jobs_);
  }

 private:
  void take(const AttemptRow& row) {
    if (!row.end || !row.ended) return;
    Forecast::Job& job = jobs_[row.phase.job.value];
    const JobSpec& spec = scenario_.jobs[row.phase.job.value];
    const PhaseKind kind = spec.phases[static_cast<std::size_t>(row.phase.phase)].kind;
    if (row.end->outcome == Outcome::kCompleted && kind != PhaseKind::kAm)
      job.completed_s.push_back(to_seconds(*row.ended));
    job.container_kills += row.end->oom == OomCause::kContainer;
    job.node_kills += row.end->oom == OomCause::kNode;
    job.other_kills += row.end->oom == OomCause::kOther;
    if (row.started) use_.container(*row.started, *row.ended, row.end->usage);
  }

  const Scenario& scenario_;
  RunRows& rows_;
  PeakUse use_;
  std::vector<Forecast::Job> jobs_;
};

/// Samples the work of a simulation and of its jobs.
class WorkSampler {
 public:
  WorkSampler(const Scenario& scenario, const sim::Simulation& simulation)
      : simulation_(simulation), all_(to_seconds(scenario.cluster.heartbeat) / 2, kCurvePoints) {}

  /// Takes a sample if one is due.
  void look() {
    if (now_s() >= all_.next_s()) all_.add(now_s(), work());
  }
  /// Takes the last sample, and moves the results to the forecast, which has its jobs already.
  void finish(Forecast& forecast) {
    forecast.work = std::move(all_).finish(now_s(), work());
    for (Forecast::Job& job : forecast.jobs) job.work = std::move(jobs_[job.name]);
  }

 private:
  double now_s() const { return to_seconds(simulation_.now()); }
  double work() {
    const wire::Progress progress = wire::progress_of(simulation_.state(), simulation_.now());
    for (const wire::Progress::Job& job : progress.job_list) {
      std::vector<WorkCurve::Point>& steps = jobs_[job.name];
      const double last = steps.empty() ? 0 : steps.back().work;
      if (std::abs(job.work - last) >= kStep) steps.push_back({now_s(), job.work});
    }
    return progress.work;
  }

  const sim::Simulation& simulation_;
  CurveSampler all_;
  std::map<std::string, std::vector<WorkCurve::Point>> jobs_;
};

std::vector<Forecast::Outage> outages_of(const Scenario& scenario,
                                         const std::vector<NodeRow>& rows) {
  std::vector<Forecast::Outage> outages;
  for (const NodeRow& row : rows) {
    const std::string& name = scenario.cluster.nodes[row.node.value].name;
    const auto open = std::ranges::find_if(outages, [&](const Forecast::Outage& outage) {
      return outage.node == name && !outage.until_s;
    });
    if (row.event == "lost" && open == outages.end())
      outages.push_back({name, to_seconds(row.at), std::nullopt});
    else if (row.event == "registered" && open != outages.end())
      open->until_s = to_seconds(row.at);
  }
  return outages;
}

Json points_json(const std::vector<WorkCurve::Point>& points) {
  Json rows = Json::array();
  for (const WorkCurve::Point& point : points)
    rows.push_back({{"at_s", wire::rounded(point.at_s)}, {"share", wire::rounded(point.work)}});
  return rows;
}

std::vector<WorkCurve::Point> points_in(const wire::Fields& fields) {
  std::vector<WorkCurve::Point> points;
  for (const Json& row : fields.array("work", kMostRows)) {
    const wire::Fields point(row, fields.path("work"));
    points.push_back({point.number("at_s", 0, kMostSeconds), point.number("share", 0, 1)});
  }
  return points;
}

Json forecast_job(const Forecast::Job& job) {
  Json times = Json::array();
  for (const double at_s : job.completed_s) times.push_back(wire::rounded(at_s));
  return {{"name", job.name},
          {"tasks", job.tasks},
          {"state", job.state},
          {"completed_s", std::move(times)},
          {"container_kills", job.container_kills},
          {"node_kills", job.node_kills},
          {"other_kills", job.other_kills},
          {"work", points_json(job.work)}};
}

int forecast_count(const wire::Fields& fields, const char* key) {
  return static_cast<int>(fields.integer(key, 0, 2'000'000'000));
}

Forecast::Job job_in(const Json& row) {
  const wire::Fields fields(row, "forecast.jobs");
  Forecast::Job job{fields.text("name"), forecast_count(fields, "tasks"), fields.text("state")};
  for (const Json& at_s : fields.array("completed_s", kMostRows)) {
    if (!at_s.is_number()) fields.bad("completed_s", "numbers");
    job.completed_s.push_back(at_s.get<double>());
  }
  job.container_kills = forecast_count(fields, "container_kills");
  job.node_kills = forecast_count(fields, "node_kills");
  job.other_kills = forecast_count(fields, "other_kills");
  job.work = points_in(fields);
  return job;
}

std::optional<double> seconds_in(const wire::Fields& fields, const Json& row, const char* key) {
  if (!fields.has(key) || row[key].is_null()) return std::nullopt;
  return fields.number(key, 0, kMostSeconds);
}

std::optional<Forecast::Range> range_in(const wire::Fields& fields, const Json& row) {
  if (!fields.has("range") || row["range"].is_null()) return std::nullopt;
  const wire::Fields range(row["range"], fields.path("range"));
  return Forecast::Range{range.number("least_s", 0, kMostSeconds),
                         range.number("most_s", 0, kMostSeconds)};
}

Json range_json(const std::optional<Forecast::Range>& range) {
  if (!range) return nullptr;
  return {{"least_s", wire::rounded(range->least_s)}, {"most_s", wire::rounded(range->most_s)}};
}

Forecast::Outage outage_in(const Json& row) {
  const wire::Fields fields(row, "forecast.outages");
  return {fields.text("node"), fields.number("from_s", 0, kMostSeconds),
          seconds_in(fields, row, "until_s")};
}

}  // namespace

double WorkCurve::time_of(double work, double now_s) const {
  double nearest = std::min(now_s, end_s());
  std::optional<double> distance;
  for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
    const Point& a = points_[i];
    const Point& b = points_[i + 1];
    const double low = work - kSameWork, high = work + kSameWork;
    if (std::max(a.work, b.work) < low || std::min(a.work, b.work) > high) continue;
    // The part of the line between a and b that is between low and high.
    double from_s = a.at_s, until_s = b.at_s;
    if (a.work != b.work) {
      const auto time_at = [&](double level) {
        const double part = (level - a.work) / (b.work - a.work);
        return a.at_s + std::clamp(part, 0.0, 1.0) * (b.at_s - a.at_s);
      };
      from_s = std::min(time_at(low), time_at(high));
      until_s = std::max(time_at(low), time_at(high));
    }
    const double at_s = std::clamp(now_s, from_s, until_s);
    if (distance && std::abs(at_s - now_s) >= *distance) continue;
    distance = std::abs(at_s - now_s);
    nearest = at_s;
  }
  return nearest;
}

void CurveSampler::add(double at_s, double work) {
  if (points_.size() == most_) {
    for (std::size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
    points_.resize(most_ / 2);
    step_s_ *= 2;
  }
  points_.push_back({at_s, work});
  next_s_ = at_s + step_s_;
}

WorkCurve CurveSampler::finish(double end_s, double work) && {
  points_.push_back({end_s, work});
  return WorkCurve(std::move(points_));
}

int Forecast::Job::completed(double at_s) const {
  // A task whose output was lost completes more than once.
  const auto count = std::ranges::upper_bound(completed_s, at_s) - completed_s.begin();
  return static_cast<int>(std::min<std::ptrdiff_t>(count, tasks));
}

double Forecast::Job::done(double at_s) const {
  const auto next = std::ranges::upper_bound(work, at_s, {}, &WorkCurve::Point::at_s);
  return next == work.begin() ? 0 : std::prev(next)->work;
}

bool Forecast::out(std::string_view node, double at_s) const {
  return std::ranges::any_of(outages, [&](const Outage& outage) {
    return outage.node == node && outage.from_s <= at_s &&
           (!outage.until_s || at_s < *outage.until_s);
  });
}

Json to_json(const Forecast& forecast) {
  Json jobs = Json::array(), outages = Json::array();
  for (const Forecast::Job& job : forecast.jobs) jobs.push_back(forecast_job(job));
  for (const Forecast::Outage& outage : forecast.outages)
    outages.push_back({{"node", outage.node},
                       {"from_s", wire::rounded(outage.from_s)},
                       {"until_s", wire::rounded_or_null(outage.until_s)}});
  return {{"status", forecast.status},
          {"reason", forecast.reason},
          {"makespan_s", wire::rounded_or_null(forecast.makespan_s)},
          {"range", range_json(forecast.range)},
          {"cpus", forecast.cpus.value},
          {"memory", forecast.memory.count()},
          {"work", points_json(forecast.work.points())},
          {"jobs", std::move(jobs)},
          {"outages", std::move(outages)}};
}

Result<Forecast> forecast_from_json(std::string_view text) {
  const Json json = wire::parse_json(text);
  if (json.is_discarded()) return aborted_error("forecast: not JSON");
  try {
    const wire::Fields fields(json, "forecast");
    Forecast forecast;
    forecast.status = fields.text("status");
    forecast.reason = fields.text("reason");
    forecast.makespan_s = seconds_in(fields, json, "makespan_s");
    forecast.range = range_in(fields, json);
    forecast.cpus = {fields.number("cpus", 0, 1e9)};
    forecast.memory =
        real::Bytes(fields.integer("memory", 0, static_cast<std::int64_t>(kMostMemory)));
    forecast.work = WorkCurve(points_in(fields));
    for (const Json& row : fields.array("jobs", kMostRows)) forecast.jobs.push_back(job_in(row));
    for (const Json& row : fields.array("outages", kMostRows))
      forecast.outages.push_back(outage_in(row));
    return forecast;
  } catch (const wire::BadField& bad) {
    return aborted_error(bad.text);
  }
}

Result<Forecast> make_forecast(const Scenario& scenario) {
  RunRows rows;
  rows.keep_decisions = rows.thin_states = false;
  ForecastObserver observer(scenario, rows);
  // Every heartbeat counts, because it has the progress of tasks and the use of its node.
  sim::Simulation simulation(
      scenario, {.journal_heartbeats = false, .observer = &observer, .shortcuts = false}, nullptr,
      nullptr);
  WorkSampler work(scenario, simulation);
  while (simulation.advance(1)) work.look();
  Result<Json> summary = observer.summary();
  if (!summary) return std::move(summary).error().in("simulate");
  Forecast forecast;
  forecast.status = name_of(simulation.status());
  forecast.reason = simulation.reason();
  if (const Json& span = summary->at("makespan_s"); span.is_number())
    forecast.makespan_s = span.get<double>();
  const RealUse most = observer.most();
  forecast.cpus = {most.cpus};
  forecast.memory = real::Bytes(std::llround(most.bytes));
  forecast.jobs = observer.jobs();
  work.finish(forecast);
  forecast.outages = outages_of(scenario, rows.nodes);
  return forecast;
}

void add_range(const Scenario& scenario, const std::function<bool()>& may_go_on,
               Forecast& forecast) {
  if (!forecast.makespan_s) return;
  Forecast::Range range{*forecast.makespan_s, *forecast.makespan_s};
  for (std::uint64_t key = 1; key <= kVariations; ++key) {
    if (!may_go_on()) return;
    const Result<Json> summary = simulated_summary(scenario, {.variation = sim::Variation(key)});
    if (!summary || !summary->at("makespan_s").is_number()) return;
    const auto makespan_s = summary->at("makespan_s").get<double>();
    range = {std::min(range.least_s, makespan_s), std::max(range.most_s, makespan_s)};
  }
  forecast.range = range;
}

}  // namespace heddle::report
