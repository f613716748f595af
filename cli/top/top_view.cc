#include "cli/top/top_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "cli/top/top_columns.h"

namespace heddle::cli {
namespace {

using Node = wire::Progress::Node;
using Job = wire::Progress::Job;
using Look = TopLine::Look;

constexpr std::size_t kMostShownEvents = 1000;
constexpr int kEscape = '\033';
/// If a canvas has fewer lines than this, lines of the heading are left out: first the line about
/// tasks, then the line about jobs.
constexpr int kLow = 8;

struct Sequence {
  const char* text;
  int key;
};
constexpr Sequence kSequences[] = {
    {"[A", Key::kUp},      {"[B", Key::kDown},      {"OA", Key::kUp},     {"OB", Key::kDown},
    {"[5~", Key::kPageUp}, {"[6~", Key::kPageDown}, {"[H", Key::kHome},   {"[F", Key::kEnd},
    {"OH", Key::kHome},    {"OF", Key::kEnd},       {"[1~", Key::kHome},  {"[4~", Key::kEnd},
    {"[7~", Key::kHome},   {"[8~", Key::kEnd},      {"[Z", Key::kBackTab}};

/// Returns the length of the escape sequence at the beginning of the text, including the escape
/// character. Returns 0 if the sequence is incomplete.
std::size_t sequence_length(const std::string& text) {
  if (text.size() < 2) return 0;
  if (text[1] != '[' && text[1] != 'O') return 1;
  for (std::size_t i = 2; i < text.size(); ++i)
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
  return 0;
}

double load_of(const Node& node) {
  return std::max(share_of(node.used_cores, cores_of(node.capacity.cores)),
                  share_of(gib_of(node.used_memory), gib_of(node.capacity.memory)));
}

/// Returns the indices of the rows. If `sorted` is true, they are sorted by descending `amount`,
/// and equal rows keep their order.
template <class Row, class Amount>
std::vector<std::size_t> by_most(const std::vector<Row>& rows, bool sorted, const Amount& amount) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sorted)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return amount(rows[a]) > amount(rows[b]);
    });
  return order;
}

std::string count_text(int count) { return count > 0 ? std::to_string(count) : ""; }

/// Returns the title and all rows.
std::vector<std::string> node_rows(const wire::Progress& p, TopState::Sort sort,
                                   const Canvas& canvas) {
  const auto order = by_most(p.nodes, sort != TopState::kName, [&](const Node& node) {
    return sort == TopState::kLoad ? load_of(node) : node.suspended;
  });
  FitColumn name{"node", 0, false, {}}, state{"state", 9, false, {}}, cores{"cores", 1, true, {}},
      memory{"GiB", 2, true, {}}, cores_bar{"", 3, false, {}}, memory_bar{"", 4, false, {}},
      containers{"containers", 5, true, {}}, suspended{"suspended", 6, true, {}},
      held{"held for", 7, false, {}};
  for (std::size_t i : order) {
    const Node& node = p.nodes[i];
    const bool alive = node.state == "alive";
    if (!alive) state.rank = 0;  // a node that is not alive makes the column important
    const double all_cores = cores_of(node.capacity.cores),
                 all_memory = gib_of(node.capacity.memory);
    name.texts.push_back(node.name);
    state.texts.push_back(node.state);
    cores.texts.push_back(alive ? fmt::format("{:.1f}/{:g}", node.used_cores, all_cores) : "");
    memory.texts.push_back(alive ? fmt::format("{:.1f}/{:g}", gib_of(node.used_memory), all_memory)
                                 : "");
    cores_bar.bars.emplace_back(alive ? share_of(node.used_cores, all_cores) : -1,
                                share_of(cores_of(node.allocated.cores), all_cores));
    memory_bar.bars.emplace_back(alive ? share_of(gib_of(node.used_memory), all_memory) : -1,
                                 share_of(gib_of(node.allocated.memory), all_memory));
    containers.texts.push_back(count_text(node.containers));
    suspended.texts.push_back(count_text(node.suspended));
    held.texts.push_back(node.reserved);
  }
  return fit_columns(
      {name, state, cores_bar, cores, memory_bar, memory, containers, suspended, held},
      order.size(), canvas.width, canvas.utf8);
}

std::vector<std::string> job_rows(const wire::Progress& p, TopState::Sort sort,
                                  const Canvas& canvas) {
  const auto order = by_most(p.job_list, sort != TopState::kName, [&](const Job& job) {
    return sort == TopState::kLoad ? job.running : job.waiting_s.value_or(-1);
  });
  FitColumn name{"job", 0, false, {}}, state{"state", 1, false, {}}, tasks{"tasks", 2, true, {}},
      waiting{"waited", 3, true, {}}, running{"containers", 4, true, {}},
      work_bar{"", 5, false, {}}, work{"work", 6, true, {}};
  for (std::size_t i : order) {
    const Job& job = p.job_list[i];
    const bool to_come = job.state == "pending" && !job.waiting_s;
    name.texts.push_back(job.name);
    state.texts.push_back(to_come ? "to come" : job.state == "pending" ? "waiting" : job.state);
    tasks.texts.push_back(fmt::format("{}/{}", job.tasks_done, job.tasks));
    waiting.texts.push_back(job.waiting_s ? clock(*job.waiting_s) : "");
    running.texts.push_back(count_text(job.running));
    work_bar.bars.emplace_back(job.work, job.work);
    work.texts.push_back(fmt::format("{:.0f} %", 100 * job.work));
  }
  return fit_columns({name, state, tasks, work_bar, work, running, waiting}, order.size(),
                     canvas.width, canvas.utf8);
}

std::vector<std::string> rows_of(const TopData& data, const TopState& state, const Canvas& canvas) {
  if (state.view == TopState::kNodes) return node_rows(data.progress, state.sort, canvas);
  if (state.view == TopState::kJobs) return job_rows(data.progress, state.sort, canvas);
  std::vector<std::string> rows = {"newest first"};
  rows.insert(rows.end(), data.events.rbegin(), data.events.rend());
  return rows;
}

const std::vector<std::string>& help_lines() {
  static const std::vector<std::string> lines = {
      "1 2 3, tab    nodes, jobs, events",     "n, l, w       sort by name, load, waiting",
      "arrows, pages scroll; also home, end",  "p             pause the display",
      "q             quit; the run continues", "",
      "bars: used, allocated, free",
  };
  return lines;
}

std::string tabs(const TopState& state, int width) {
  static constexpr const char* kTitles[] = {"nodes", "jobs", "events"};
  static constexpr const char* kSorts[] = {"name", "load", "waiting"};
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += fmt::format("{}{} {}{}", i == state.view ? '[' : ' ', i + 1, kTitles[i],
                        i == state.view ? ']' : ' ');
  if (state.view != TopState::kEvents) text += fmt::format("  by {}", kSorts[state.sort]);
  if (state.paused) text += "  paused";
  text.resize(std::max(text.size(), static_cast<std::size_t>(std::max(width, 0))), ' ');
  return text;
}

std::string footer(const TopData& data, const TopState& state, const TopExtent& extent) {
  std::string text = "? help  q quit";
  const int first = state.scroll[state.view];
  if (extent.shown < extent.rows && !state.help)
    text += fmt::format("   {}-{} of {}", first + 1, first + extent.shown, extent.rows);
  const wire::Progress& p = data.progress;
  if (state.view == TopState::kJobs && p.jobs > std::ssize(p.job_list))
    text += fmt::format("   {} of {} jobs listed", p.job_list.size(), p.jobs);
  return text;
}

/// Returns the lines above the rows.
std::vector<TopLine> head(const TopData& data, const TopState& state, const Canvas& canvas) {
  const wire::Progress& p = data.progress;
  const std::string title = p.scenario + "  " + p.policy;
  std::vector<TopLine> lines = {{heading(p, title, canvas, data.left), Look::kBright}};
  if (canvas.height >= kLow - 2) lines.push_back({"jobs   " + jobs_line(p)});
  if (canvas.height >= kLow) {
    const int bar_width = std::clamp(canvas.width - 48, 0, 40);
    lines.push_back({"tasks  " + tasks_line(p, bar_width < 6 ? 0 : bar_width, canvas.utf8)});
  }
  lines.push_back({tabs(state, canvas.width), Look::kReverse});
  return lines;
}

}  // namespace

std::vector<int> take_keys(std::string& bytes) {
  std::vector<int> keys;
  while (!bytes.empty()) {
    if (bytes[0] != kEscape) {
      keys.push_back(static_cast<unsigned char>(bytes[0]));
      bytes.erase(0, 1);
      continue;
    }
    const std::size_t length = sequence_length(bytes);
    if (length == 0) break;
    for (const Sequence& sequence : kSequences)
      if (bytes.substr(1, length - 1) == sequence.text) keys.push_back(sequence.key);
    bytes.erase(0, length);
  }
  return keys;
}

TopState on_key(TopState state, int key, const TopExtent& extent) {
  if (key == 'q' || key == 'Q') {
    state.quit = true;
    return state;
  }
  if (state.help) {
    state.help = false;
    return state;
  }
  int& scroll = state.scroll[state.view];
  const int page = std::max(extent.shown, 1);
  switch (key) {
    case '1':
    case '2':
    case '3':
      state.view = static_cast<TopState::View>(key - '1');
      return state;
    case '\t':
      state.view = static_cast<TopState::View>((state.view + 1) % 3);
      return state;
    case Key::kBackTab:
      state.view = static_cast<TopState::View>((state.view + 2) % 3);
      return state;
    case 'n':
      state.sort = TopState::kName;
      break;
    case 'l':
      state.sort = TopState::kLoad;
      break;
    case 'w':
      state.sort = TopState::kWaiting;
      break;
    case 'p':
      state.paused = !state.paused;
      break;
    case '?':
    case 'h':
      state.help = true;
      break;
    case Key::kUp:
      scroll -= 1;
      break;
    case Key::kDown:
      scroll += 1;
      break;
    case Key::kPageUp:
      scroll -= page;
      break;
    case Key::kPageDown:
      scroll += page;
      break;
    case Key::kHome:
      scroll = 0;
      break;
    case Key::kEnd:
      scroll = extent.rows;
      break;
    default:
      break;
  }
  scroll = std::clamp(scroll, 0, std::max(0, extent.rows - extent.shown));
  return state;
}

void take(wire::Progress progress, const std::optional<TimeLeft>& left, TopData& data) {
  const auto fresh = std::min<std::int64_t>(progress.events - data.progress.events,
                                            std::ssize(progress.last_events));
  if (fresh > 0)
    data.events.insert(data.events.end(), progress.last_events.end() - fresh,
                       progress.last_events.end());
  while (data.events.size() > kMostShownEvents) data.events.pop_front();
  data.progress = std::move(progress);
  data.left = left;
}

TopFrame lay_out(const TopData& data, const TopState& state, const Canvas& canvas) {
  TopFrame frame{head(data, state, canvas), {}, state};
  std::vector<std::string> rows = state.help ? help_lines() : rows_of(data, state, canvas);
  if (!state.help) {
    frame.lines.push_back({rows.front(), Look::kBright});
    rows.erase(rows.begin());
  }
  // The last line is the footer.
  const int room = std::max(0, canvas.height - 1 - static_cast<int>(frame.lines.size()));
  frame.extent.rows = static_cast<int>(rows.size());
  frame.extent.shown = std::min(room, frame.extent.rows);
  int& scroll = frame.state.scroll[state.view];
  if (!state.help) scroll = std::clamp(scroll, 0, frame.extent.rows - frame.extent.shown);
  const auto first = rows.begin() + (state.help ? 0 : scroll);
  for (auto row = first; row != first + frame.extent.shown; ++row) frame.lines.push_back({*row});
  while (std::ssize(frame.lines) < canvas.height - 1) frame.lines.push_back({""});
  frame.lines.push_back({footer(data, frame.state, frame.extent)});
  if (std::ssize(frame.lines) > canvas.height)
    frame.lines.resize(static_cast<std::size_t>(std::max(canvas.height, 0)));
  for (TopLine& line : frame.lines) line.text = clip(line.text, canvas.width);
  return frame;
}

std::string last_words(const wire::Progress& last) {
  const std::string how = last.status.empty() ? "ended" : last.status;
  std::string text =
      fmt::format("{} {} after {:.1f} s: jobs {}", last.scenario, how, last.now_s, jobs_line(last));
  const bool plain = how == "done" || how == "failed" || last.reason.empty() || last.reason == how;
  return plain ? text : text + " (" + last.reason + ")";
}

}  // namespace heddle::cli
