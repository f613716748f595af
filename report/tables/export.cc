#include "report/tables/export.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "report/prediction.h"
#include "report/table.h"
#include "report/tables/sqlite_db.h"
#include "report/whole_file.h"

namespace heddle::report {
namespace {

using Write = std::function<void(const Database&, std::ostream&)>;

/// Writes a file from the contents of a database.
Result<void> write_from(const Database& db, const std::string& path, const Write& write) {
  return write_whole(path, [&](std::ostream& out) {
    write(db, out);
    return Result<void>();
  });
}

Result<void> write_from(const std::string& sqlite, const std::string& path, const Write& write) {
  try {
    return write_from(Database::open(sqlite), path, write);
  } catch (const DatabaseFailure& failure) {
    return failure.error;
  }
}

std::string cell(const Statement& row, int column) {
  if (row.is_null(column)) return "";
  if (row.is_integer(column)) return std::to_string(row.integer(column));
  // The shortest form that loses nothing.
  if (row.is_real(column)) return fmt::format("{}", row.real(column));
  return csv_text(row.text(column));
}

/// Writes all rows of a statement after the names of its columns.
void write_csv(Statement& rows, std::ostream& out) {
  for (int i = 0; i < rows.columns(); ++i) out << (i > 0 ? "," : "") << csv_text(rows.name(i));
  out << '\n';
  while (rows.next()) {
    for (int i = 0; i < rows.columns(); ++i) out << (i > 0 ? "," : "") << cell(rows, i);
    out << '\n';
  }
}

std::vector<std::string> tables_of(const Database& db) {
  Statement rows(db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid");
  std::vector<std::string> names;
  while (rows.next()) names.emplace_back(rows.text(0));
  return names;
}

/// Returns ascending numbers as an interval set: "0-2 5".
std::string interval_set(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ' ';
    text += std::to_string(numbers[i]);
    if (last > i) text += '-' + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

/// Returns the nodes on which each job had containers, by job id. This includes the node of the
/// application master.
std::map<std::int64_t, std::vector<std::int64_t>> nodes_by_job(const Database& db) {
  Statement rows(db,
                 "SELECT DISTINCT a.job_id, n.id FROM attempts a JOIN nodes n ON n.name = a.node "
                 "WHERE a.start_s IS NOT NULL ORDER BY a.job_id, n.id");
  std::map<std::int64_t, std::vector<std::int64_t>> nodes;
  while (rows.next()) nodes[rows.integer(0)].push_back(rows.integer(1));
  return nodes;
}

std::string text_of(const Database& db, const std::string& sql) {
  Statement row(db, sql);
  return row.next() ? std::string(row.text(0)) : "";
}

std::string scenario_of(const Database& db) {
  return text_of(db, "SELECT value FROM summary WHERE key = 'scenario'");
}

constexpr const char* kBatsimColumns =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata\n";

constexpr const char* kBatsimJobs = R"sql(
SELECT id, name, coalesce(eligible_s, submit_s), coalesce(walltime_s, -1), state = 'completed',
       CASE WHEN start_s IS NULL THEN 'REJECTED'
            WHEN state = 'completed' THEN 'COMPLETED_SUCCESSFULLY'
            WHEN state = 'killed' THEN 'COMPLETED_WALLTIME_REACHED'
            ELSE 'COMPLETED_FAILED' END,
       start_s, round(finish_s - start_s, 6), finish_s, waiting_s,
       CASE WHEN state <> 'cancelled'
            THEN round(finish_s - coalesce(eligible_s, submit_s), 6) END,
       CASE WHEN finish_s > start_s
            THEN round((finish_s - coalesce(eligible_s, submit_s)) / (finish_s - start_s), 6) END
FROM jobs WHERE state IN ('completed', 'failed', 'killed', 'cancelled') ORDER BY id
)sql";

void write_batsim(const Database& db, std::ostream& out) {
  const std::string workload = csv_text(scenario_of(db));
  const auto nodes = nodes_by_job(db);
  Statement job(db, kBatsimJobs);
  out << kBatsimColumns;
  while (job.next()) {
    const auto found = nodes.find(job.integer(0));
    const std::vector<std::int64_t> used =
        found == nodes.end() ? std::vector<std::int64_t>() : found->second;
    out << cell(job, 1) << ',' << workload << ',' << csv_text(workload_of(job.text(1))) << ','
        << cell(job, 2) << ',' << used.size();
    for (int i = 3; i < job.columns(); ++i) out << ',' << cell(job, i);
    out << ',' << interval_set(used) << ",-1,\n";
  }
}

// A job holds a different number of processors at different times. The column has the average from
// start to finish. Therefore, processors x run time is what the job really held.
constexpr const char* kSwfJobs = R"sql(
WITH held AS (
  SELECT job_id, sum(cpu_s) AS cpu_s, sum(memory_byte_s) AS used_byte_s,
         sum(cores * (coalesce(released_s, end_s) - start_s - suspended_s)) AS core_s,
         sum(memory * (coalesce(released_s, end_s) - start_s)) AS held_byte_s
  FROM attempts, (SELECT value AS end_s FROM meta WHERE key = 'end_s')
  WHERE start_s IS NOT NULL AND kind <> 'am' GROUP BY job_id),
ran AS (
  SELECT job_id, finish_s - start_s AS run_s, cpu_s, used_byte_s, held_byte_s,
         max(1, CAST(round(core_s / (finish_s - start_s)) AS INTEGER)) AS processors
  FROM jobs JOIN held ON job_id = id WHERE finish_s > start_s),
rigid AS (
  SELECT job_id, CAST(round(sum(tasks * cores)) AS INTEGER) AS requested,
         CAST(round(sum(tasks * memory) / sum(tasks * cores) / 1024) AS INTEGER) AS memory_kb
  FROM phases GROUP BY job_id HAVING count(*) = 1 AND min(gang) = 1),
ids AS (
  SELECT id AS job_id,
         CASE WHEN (SELECT min(name GLOB 'job-[0-9]*' AND substr(name, 5) NOT GLOB '*[^0-9]*')
                    FROM jobs) THEN CAST(substr(name, 5) AS INTEGER) ELSE id + 1 END AS number
  FROM jobs),
queues AS (SELECT queue, row_number() OVER (ORDER BY min(id)) AS number FROM jobs GROUP BY queue),
users AS (
  SELECT user,
         CASE WHEN (SELECT min(user GLOB 'user-[0-9]*' AND substr(user, 6) NOT GLOB '*[^0-9]*')
                    FROM jobs) THEN CAST(substr(user, 6) AS INTEGER)
              ELSE row_number() OVER (ORDER BY min(id)) END AS number
  FROM jobs GROUP BY user)
SELECT ids.number, coalesce(eligible_s, submit_s) AS submitted_s, coalesce(waiting_s, -1), coalesce(round(finish_s - start_s, 6), -1),
       coalesce(processors, -1), coalesce(round(ran.cpu_s / processors, 6), -1),
       coalesce(CAST(round(used_byte_s / run_s / processors / 1024) AS INTEGER), -1),
       coalesce(rigid.requested, -1), coalesce(walltime_s, -1),
       coalesce(rigid.memory_kb,
                CAST(round(held_byte_s / run_s / processors / 1024) AS INTEGER), -1),
       CASE state WHEN 'completed' THEN 1 WHEN 'failed' THEN 0 WHEN 'killed' THEN 5
                  WHEN 'cancelled' THEN 5 ELSE -1 END,
       users.number, -1, -1, queues.number, -1, -1, -1
FROM jobs JOIN queues USING (queue) JOIN users USING (user)
     JOIN ids ON ids.job_id = jobs.id LEFT JOIN ran ON ran.job_id = jobs.id
     LEFT JOIN rigid ON rigid.job_id = jobs.id
ORDER BY submitted_s, jobs.id
)sql";

/// Writes the header comments. `from` returns the value of a statement that has one row and one
/// column.
void write_swf_header(const Database& db, std::ostream& out) {
  const auto line = [&](const std::string& name, const std::string& value) {
    out << "; " << name << ": " << value << '\n';
  };
  const auto from = [&](const std::string& name, const std::string& sql) {
    line(name, text_of(db, sql));
  };
  line("Version", "2.2");
  line("Computer", "a cluster emulated or simulated by Heddle");
  line("Installation", scenario_of(db));
  line("Conversion", "heddle export, Heddle " +
                         text_of(db, "SELECT value FROM meta WHERE key = 'heddle_version'"));
  from("MaxJobs", "SELECT count(*) FROM jobs");
  from("MaxRecords", "SELECT count(*) FROM jobs");
  from("MaxNodes", "SELECT count(*) FROM nodes");
  from("MaxProcs", "SELECT CAST(sum(cores) AS INTEGER) FROM nodes");
  from("MaxQueues", "SELECT count(DISTINCT queue) FROM jobs");
  line("Note", "times are emulated seconds since the cluster was complete");
  line("Note",
       "job number: N if all jobs are called job-N, else id + 1 of table jobs; users likewise");
  line("Note", "processors: cores held on average over the run time, memory likewise");
  line("Note", "requested processors and memory: only of rigid jobs");
  from("Note",
       "SELECT 'policy ' || value || ', ' || (SELECT value FROM summary WHERE key = 'mode') "
       "FROM summary WHERE key IN ('policy.external.label', 'policy.preset') ORDER BY key LIMIT 1");
  Statement queues(db, "SELECT queue FROM jobs GROUP BY queue ORDER BY min(id)");
  for (int number = 1; queues.next(); ++number)
    line("Queue", std::to_string(number) + " " + std::string(queues.text(0)));
  // `heddle import` reads these notes. If all users are called user-N, N is the number of a user.
  Statement users(db,
                  "SELECT user FROM jobs GROUP BY user HAVING NOT (SELECT min(user GLOB "
                  "'user-[0-9]*' AND substr(user, 6) NOT GLOB '*[^0-9]*') FROM jobs) "
                  "ORDER BY min(id)");
  for (int number = 1; users.next(); ++number)
    line("Note", "user " + std::to_string(number) + " is " + std::string(users.text(0)));
}

void write_swf(const Database& db, std::ostream& out) {
  write_swf_header(db, out);
  Statement job(db, kSwfJobs);
  while (job.next()) {
    for (int i = 0; i < job.columns(); ++i) out << (i > 0 ? " " : "") << cell(job, i);
    out << '\n';
  }
}

}  // namespace

Result<void> export_csv(const std::string& sqlite, const std::string& dir) {
  try {
    const Database db = Database::open(sqlite);
    for (const std::string& table : tables_of(db))
      HEDDLE_TRY(
          write_from(db, dir + "/" + table + ".csv", [&](const Database& from, std::ostream& out) {
            Statement rows(from, "SELECT * FROM " + table + " ORDER BY rowid");
            write_csv(rows, out);
          }));
  } catch (const DatabaseFailure& failure) {
    return failure.error;
  }
  return {};
}

Result<void> export_batsim(const std::string& sqlite, const std::string& path) {
  return write_from(sqlite, path, write_batsim);
}

Result<void> export_swf(const std::string& sqlite, const std::string& path) {
  return write_from(sqlite, path, write_swf);
}

}  // namespace heddle::report
