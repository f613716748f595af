#include "report/tables/sqlite.h"

#include <fmt/format.h>

#include <unordered_map>

#include "common/directory.h"
#include "core/scenario/words.h"
#include "report/tables/sqlite_db.h"
#include "report/tables/sqlite_schema.h"
#include "report/whole_file.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Fills a table.
class TableRows {
 public:
  TableRows(const Database& db, std::string table) : db_(db), table_(std::move(table)) {}

  /// Adds a row. `values` has a value for each column, in the order of the columns. A list has
  /// several.
  template <class... Values>
  void add(const Values&... values) {
    if (!insert_) insert_.emplace(db_, sql((count(values) + ...)));
    insert_->run(values...);
  }

 private:
  static std::size_t count(const auto&) { return 1; }
  static std::size_t count(const std::vector<Thousandths>& values) { return values.size(); }
  std::string sql(std::size_t columns) const {
    std::string marks;
    for (std::size_t i = 0; i < columns; ++i) marks += i == 0 ? "?" : ",?";
    return "INSERT INTO " + table_ + " VALUES (" + marks + ")";
  }

  const Database& db_;
  std::string table_;
  std::optional<Statement> insert_;
};

/// Returns nullopt, which becomes NULL, for an empty text.
std::optional<std::string_view> unless_empty(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Json member(const Json& line, const char* key) { return line.value(key, Json()); }

std::string_view state_of(const AttemptRow& row) {
  if (row.end) return wire::name_of(row.end->outcome);
  if (!row.started) return "allocated";
  return !row.suspended.empty() && !row.suspended.back().until ? "suspended" : "running";
}

std::optional<std::string_view> name_of(Locality locality) {
  if (locality == Locality::kAny) return std::nullopt;
  return wire::kLocalities[static_cast<std::size_t>(locality)];
}

/// Returns the usage measured at the attempt's end, or nullptr if nothing was measured.
const AttemptUsage* usage_of(const AttemptRow& row) {
  const bool measured =
      row.end && row.end->outcome != Outcome::kLost && row.end->outcome != Outcome::kNotStarted;
  return measured ? &row.end->usage : nullptr;
}

/// Adds the values of a JSON object by their paths.
void add_flat(const std::string& path, const Json& json, TableRows& rows) {
  for (const auto& [key, value] : json.items()) {
    const std::string here = path.empty() ? key : path + "." + key;
    if (value.is_object())
      add_flat(here, value, rows);
    else
      rows.add(here, value);
  }
}

/// Fills the tables from a history. Rows are added after the rows that they refer to.
class Tables {
 public:
  Tables(const Database& db, const RunHistory& history) : db_(db), history_(history) {}

  Result<void> fill(const std::string& dir) {
    add_run();
    add_nodes();
    add_faults();
    add_jobs();
    for (const AttemptRow& row : history_.attempts) add(row);
    add_reservations();
    for (const DecisionRow& row : history_.decisions) add(row);
    for (const StateRow& row : history_.states) add(row);
    return add_samples(dir);
  }

 private:
  const std::string& node(NodeId id) const { return history_.node(id).name; }

  /// Returns the amounts in the columns that add_columns() has added.
  std::vector<Thousandths> counted(const Resources& resources) const {
    std::vector<Thousandths> amounts;
    for (std::size_t i = 0; i < history_.scenario.cluster.resources.size(); ++i)
      amounts.push_back(resources.counts[i]);
    return amounts;
  }

  void add_run() {
    TableRows meta(db_, "meta"), summary(db_, "summary");
    meta.add("schema", kSqliteSchema);
    meta.add("heddle_version", member(history_.summary, "heddle_version"));
    for (const char* key : {"run", "journal"})
      meta.add(key, history_.run.is_object() ? member(history_.run, key) : Json());
    meta.add("journal_cut", history_.cut);
    meta.add("end_s", history_.end);
    Json run = history_.summary;
    run.erase("jobs");
    add_flat("", run, summary);
  }

  void add_nodes() {
    TableRows nodes(db_, "nodes"), events(db_, "node_events");
    const ClusterSpec& cluster = history_.scenario.cluster;
    const std::vector<NodeSpec>& specs = cluster.nodes;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const NodeSpec& spec = specs[i];
      nodes.add(static_cast<std::int64_t>(i), spec.name, spec.rack, spec.capacity.cores,
                spec.capacity.memory, spec.allowance.cores, spec.allowance.memory,
                spec.system.cores, spec.system.memory, spec.speed, spec.disk_bytes_per_s,
                spec.network_bits_per_s, counted(addable(spec.capacity, cluster.resources)),
                counted(addable(spec.allowance, cluster.resources)), counted(spec.system));
    }
    for (const NodeRow& row : history_.nodes) {
      std::optional<Resources> load;
      if (row.event == "load") load = row.load;
      events.add(nullptr, row.at, node(row.node), row.event,
                 load ? std::optional(load->cores) : std::nullopt,
                 load ? std::optional(load->memory) : std::nullopt, unless_empty(row.reason));
    }
  }

  void add_faults() {
    TableRows faults(db_, "faults"), resumptions(db_, "resumptions");
    for (const FaultRow& row : history_.faults) {
      std::optional<std::string_view> on;
      if (row.node) on = node(*row.node);
      faults.add(nullptr, row.number, word_of(row.kind), on, row.span.from, row.span.until);
    }
    for (const ResumptionRow& row : history_.resumptions)
      resumptions.add(nullptr, row.at, wire::rounded(row.downtime_s * 1e3));
  }

  void add_jobs() {
    TableRows jobs(db_, "jobs"), phases(db_, "phases");
    for (std::size_t i = 0; i < history_.scenario.jobs.size(); ++i) {
      const JobSpec& spec = history_.scenario.jobs[i];
      const Json& job = history_.summary.at("jobs").at(i);
      const auto id = static_cast<std::int64_t>(i);
      jobs.add(id, job.at("name"), job.at("queue"), spec.user, job.at("class"), job.at("submit_s"),
               job.at("start_s"), job.at("finish_s"), job.at("waiting_s"), job.at("completion_s"),
               job.at("state"), job.at("reason"), job.at("tasks"), job.at("attempts"),
               job.at("am_attempts"), job.at("oom_kills"), spec.priority, spec.weight,
               word_of(spec.framework), spec.walltime, job.value("promised_s", Json()),
               job.value("eligible_s", Json()), unless_empty(spec.workflow),
               unless_empty(spec.account), unless_empty(spec.partition), unless_empty(spec.qos));
      int position = 0;
      for (const PhaseSpec& phase : spec.phases)
        phases.add(id, phase.name, position++, word_of(phase.kind), phase.tasks,
                   phase.request.cores, phase.request.memory, phase.gang, counted(phase.request));
    }
  }

  void add(const AttemptRow& row) {
    EmuTime suspended;
    for (const Span& span : row.suspended)
      suspended += span.until.value_or(history_.end) - span.from;
    const PhaseSpec& phase = history_.phase(row.phase);
    const AttemptUsage* usage = usage_of(row);
    const auto used = [&](auto field) {
      return usage ? std::optional(usage->*field) : std::nullopt;
    };
    std::optional<EmuTime> ideal = used(&AttemptUsage::ideal);
    if (ideal == EmuTime(0) || phase.kind == PhaseKind::kAm) ideal.reset();
    std::optional<double> cpu_s;
    if (usage) cpu_s = to_core_seconds(usage->cpu);
    std::optional<std::string_view> oom, end_reason, peak_method;
    std::optional<int> exit_code;
    if (row.end && row.end->oom != OomCause::kNone) oom = wire::name_of(row.end->oom);
    if (row.end) end_reason = unless_empty(row.end->reason);
    if (usage) exit_code = row.end->exit_code;
    if (usage) peak_method = wire::name_of(usage->peak_method);
    attempts_.add(row.container.value, row.phase.job.value, phase.name, row.task, row.attempt,
                  node(row.node), word_of(phase.kind), state_of(row), row.allocated, row.started,
                  row.begun, row.ended, row.held_until(), row.held.cores, row.held.memory, cpu_s,
                  used(&AttemptUsage::peak_memory), peak_method,
                  used(&AttemptUsage::memory_byte_seconds), ideal, used(&AttemptUsage::contended),
                  used(&AttemptUsage::host_lost), used(&AttemptUsage::read_local),
                  used(&AttemptUsage::read_remote), used(&AttemptUsage::written),
                  std::ssize(row.suspended), suspended, name_of(row.locality), row.launch_ms,
                  unless_empty(row.reason), oom, exit_code, end_reason, counted(row.held));
    add_devices(row);
    add_suspensions(row);
    job_of_[row.container.value] = row.phase.job.value;
  }

  void add_devices(const AttemptRow& row) {
    const CountNames& resources = history_.scenario.cluster.resources;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const std::span<const std::int32_t> held = row.held.counts.devices(i);
      for (const int device : numbers_of(held))
        devices_.add(row.container.value, resources[i].name, device,
                     Thousandths(held[static_cast<std::size_t>(device)]));
    }
  }

  void add_suspensions(const AttemptRow& row) {
    const bool measured = row.stop_ms.size() == row.suspended.size();
    for (std::size_t i = 0; i < row.suspended.size(); ++i)
      suspensions_.add(nullptr, row.container.value, row.suspended[i].from, row.suspended[i].until,
                       measured ? std::optional(row.stop_ms[i]) : std::nullopt);
  }

  void add_reservations() {
    TableRows reservations(db_, "reservations");
    for (const ReservationRow& row : history_.reservations)
      reservations.add(nullptr, row.phase.job.value, history_.phase(row.phase).name, node(row.node),
                       row.span.from, row.span.until, row.moved);
  }

  // The type of a line determines which fields it has (wire/record.h).
  void add(const DecisionRow& row) {
    const std::string type = row.line.at("type").get<std::string>();
    Json job = member(row.line, "job"), container = member(row.line, "container"), phase, at;
    if (container.is_number_integer()) {
      const auto known = job_of_.find(container.get<std::int64_t>());
      if (known == job_of_.end())
        container = nullptr;
      else
        job = known->second;
    }
    if (const Json number = member(row.line, "phase"); number.is_number_integer())
      phase = history_.phase({JobId{job.get<std::int64_t>()}, number.get<int>()}).name;
    if (const Json number = member(row.line, "node"); number.is_number_integer())
      at = node(NodeId{number.get<std::int64_t>()});
    const char* detail = type == "action_refused" ? "action" : "state";
    const Json reason = member(row.line, "reason");
    decisions_.add(nullptr, row.at, row.step, type, job, phase, container, at,
                   member(row.line, detail), reason == "" ? Json() : reason);
  }

  void add(const StateRow& row) {
    Json fields = row.line;
    for (const char* known : {"type", "about", "t", "step", "wall"}) fields.erase(known);
    states_.add(nullptr, row.at, row.about, fields);
  }

  Result<void> add_samples(const std::string& dir) {
    TableRows samples(db_, "samples"), uses(db_, "container_samples");
    return each_sample(dir, history_.scenario, [&](const UsageSample& sample) {
      samples.add(nullptr, sample.at, node(sample.node), sample.cores, sample.memory);
      for (const ContainerUse& use : sample.containers)
        if (job_of_.contains(use.container.value))
          uses.add(nullptr, sample.at, use.container.value, to_core_seconds(use.cpu), use.memory,
                   use.progress, use.disk, use.network);
    });
  }

  const Database& db_;
  const RunHistory& history_;
  TableRows attempts_{db_, "attempts"}, devices_{db_, "attempt_devices"},
      suspensions_{db_, "suspensions"}, decisions_{db_, "decisions"}, states_{db_, "states"};
  std::unordered_map<std::int64_t, std::int64_t> job_of_;  ///< by container
};

/// Adds columns for the resources that the cluster counts beside cores and memory.
void add_columns(const CountNames& counted, Database& db) {
  for (const auto& [table, prefix] : {std::pair{"nodes", ""},
                                      {"nodes", "allowance_"},
                                      {"nodes", "system_"},
                                      {"phases", ""},
                                      {"attempts", ""}})
    for (const CountedResource& resource : counted)
      db.run(fmt::format("ALTER TABLE {} ADD COLUMN \"{}{}\" REAL", table, prefix, resource.name));
}

Result<void> write_tables(const RunHistory& history, const std::string& dir,
                          const std::string& path, const Fd& file) {
  try {
    Database db = Database::in_memory(path);
    db.run("BEGIN");
    db.run(kSqliteTables);
    add_columns(history.scenario.cluster.resources, db);
    HEDDLE_TRY(Tables(db, history).fill(dir));
    db.run(kSqliteIndexes);
    db.run("COMMIT");
    return db.write(file.get());
  } catch (const DatabaseFailure& failure) {
    return failure.error;
  }
}

}  // namespace

Result<void> write_sqlite(const RunHistory& history, const std::string& dir,
                          const std::string& path) {
  return write_whole(path, [&](const Fd& file) -> Result<void> {
    HEDDLE_TRY(write_tables(history, dir, path, file));
    // If there were an old journal next to the file, SQLite would apply it to the file when it
    // opens the file.
    for (const char* journal : {"-journal", "-wal"}) HEDDLE_TRY(remove_path(path + journal));
    return {};
  });
}

}  // namespace heddle::report
