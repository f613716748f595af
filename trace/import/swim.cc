// Reads the traces of SWIM (https://github.com/SWIMProjectUCB/SWIM): a line per job with 6 to 9
// fields and tabs between them. The fields are the job's id, the second of its submission, the
// seconds since the line above, its bytes of map input, of shuffle and of reduce output, and
// paths.
//
// The trace has neither tasks nor durations. A job has a map for each block of its input and a
// reduce for each block of its shuffle or its output, the larger of the two. The tasks of a phase
// divide its bytes equally and take as long as `options.rate` says. They read no data, so the
// scenario needs no storage.

#include "core/scenario/quantity_text.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace swim {
namespace {

constexpr double kMostBytes = 1e18;  ///< of a job
constexpr double kMostTasks = 1e6;   ///< of a phase
constexpr int kNodes = 100;
constexpr Millicores kCores(8000);  ///< of a node
constexpr std::string_view kExpected =
    "; expected a job id, a time of submission, a gap and three numbers of bytes, with tabs "
    "between them";

constexpr Repair kTooManyTasks{"too_many_tasks",
                               "a phase has more than 1000000 tasks (--block): left out"};

struct Row {
  std::string_view id;
  std::optional<double> submit;
  double input = 0, shuffle = 0, output = 0;
};
constexpr Rule kTime = strict(-1e12, 1e12, -1);
constexpr Rule kBytes{.least = 0,
                      .most = kMostBytes,
                      .blank = missing(kMissing),
                      .wrong = missing(kNoNumber),
                      .below = missing(kMissing),
                      .above = left_out(kUnreadable)};
constexpr Column<Row> kColumns[] = {
    column<&Row::id>(0, kWord), column<&Row::submit>(1, kTime), column<&Row::input>(3, kBytes),
    column<&Row::shuffle>(4, kBytes), column<&Row::output>(5, kBytes)};
constexpr Table<Row> kTrace{kColumns,
                            {.separator = '\t',
                             .comment = '\0',
                             .blanks = " \t",
                             .fields = 6,
                             .most_fields = 9,
                             .whole_lines = true,
                             .few = left_out(kUnreadable)}};  // without all sizes, it is unknown

/// Returns whether the first lines, at most `most` of them, are rows of SWIM. Ids are words such as
/// job0; other formats begin with a number.
bool looks_like_swim(std::string_view head, std::size_t most) {
  const std::vector<Cells> rows = first_rows(head, most, kTrace.layout);
  return !rows.empty() && std::ranges::all_of(rows, [](const Cells& row) {
    return row.size() >= kTrace.layout.fields && row.size() <= kTrace.layout.most_fields &&
           !row[0].empty() && !number(row[0]) &&
           std::all_of(row.begin() + 1, row.begin() + 6,
                       [](std::string_view cell) { return number(cell).has_value(); });
  });
}

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    if (!looks_like_swim(files_.front().head(), 1))
      throw BadTrace{"its first row is not of SWIM" + std::string(kExpected)};
    need_one_file("one file of SWIM");
    read_rows(files_.front(), kTrace, [&](const Row& row) { read_row(row); });
    const double cores = to_cores(options_.cores.value_or(kCores));
    Imported imported = made(
        &task_frame, equal_cluster(kNodes, request_of(cores, {}), "; the trace does not say it"));
    state_equal("job");
    report_.state("the trace has no tasks: a task processes at most " +
                  print_bytes(options_.block) + " (--block) at " + print_byte_rate(options_.rate) +
                  " (--rate)");
    report_.state(options_.work == ImportOptions::Work::kCpu
                      ? "tasks compute for this time"
                      : "tasks sleep for this time (--work cpu: they compute)");
    report_.state("tasks request 1 core and " + print_bytes(options_.memory_per_core) +
                  " (--memory-per-core)");
    return imported;
  }

 private:
  void read_row(const Row& row) {
    const double reduced = std::max(row.shuffle, row.output);
    if (row.input == 0 && reduced == 0) return repaired(kNoTask);
    const double block = static_cast<double>(options_.block.count());
    const double maps = std::max(1.0, std::ceil(row.input / block));
    const double reduces = std::ceil(reduced / block);
    if (maps > kMostTasks || reduces > kMostTasks) return repaired(kTooManyTasks);
    if (!is_new(row.id)) repaired(kSameId);
    if (row.input == 0) repaired(kZeroTime);
    const auto submit = row.submit ? row.submit : submission_above();
    if (!submit) return;
    submitted(*submit);
    add(row.id, "", "", emu_seconds(*submit), [&](JobSpec& job) {
      add_tasks(job, "map", PhaseKind::kMap, maps, row.input);
      if (reduces == 0) return;
      add_tasks(job, "reduce", PhaseKind::kReduce, reduces, reduced);
      job.phases.back().after = {0};
    });
  }

  void add_tasks(JobSpec& job, const char* name, PhaseKind kind, double tasks, double bytes) {
    const double micros = bytes / tasks / options_.rate * 1e6;
    // Longer than the limit only if --rate is very low.
    if (micros > kMostSeconds * 1e6)
      throw BadTrace{"a task of " + print_bytes(options_.block) + " takes more than 10000h at " +
                     print_byte_rate(options_.rate) + "; expected a higher --rate"};
    PhaseSpec& phase = add_phase(job, name, {Millicores(1000), options_.memory_per_core}, tasks);
    phase.kind = kind;
    set_time(phase, micros);
  }
};

bool is_swim(std::string_view head) { return looks_like_swim(head, 5); }

}  // namespace
}  // namespace swim

const FormatCode formats::swim{&swim::is_swim, &import_with<swim::Reader>};

}  // namespace heddle::trace
