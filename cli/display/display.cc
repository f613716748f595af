#include "cli/display/display.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "report/table.h"

namespace heddle::cli {
namespace {

constexpr int kNarrowColumns = 60;  ///< narrower canvases have no bars
constexpr int kLongestBar = 24;
constexpr int kMostEvents = 5;
/// A title is not shortened below this width.
constexpr int kLeastTitle = 8;
constexpr std::size_t kMostAwaited = 10;
/// Longest time that a clock shows.
constexpr double kLongest_s = 1e9;

bool registered(const wire::Progress& p) {
  return std::ranges::find(p.nodes, "waiting", &wire::Progress::Node::state) == p.nodes.end();
}

/// Returns which workers have not registered yet, and the last event.
std::string awaited(const wire::Progress& p) {
  std::vector<std::string> names;
  for (const wire::Progress::Node& node : p.nodes)
    if (node.state == "waiting") names.push_back(node.name);
  const std::size_t more = names.size() - std::min(names.size(), kMostAwaited);
  names.resize(names.size() - more);
  return "workers are starting; none yet for " + join(names) +
         (more > 0 ? fmt::format(" and {} more", more) : "") +
         (p.last_events.empty() ? "" : "; " + p.last_events.back());
}

/// Returns the line of a node: name, cores and memory used and available.
std::string node_line(const wire::Progress::Node& node, std::size_t name_width, int bar_width,
                      bool utf8) {
  std::string line = fmt::format("{:<{}}  ", node.name, name_width);
  if (node.state != "alive") return line + node.state;
  double all_cores = cores_of(node.capacity.cores), all_memory = gib_of(node.capacity.memory);
  double used_memory = gib_of(node.used_memory);
  if (bar_width > 0)
    line += "cores " +
            bar(share_of(node.used_cores, all_cores),
                share_of(cores_of(node.allocated.cores), all_cores), bar_width, utf8) +
            fmt::format(" {:>4.1f}/{:<4g}  memory ", node.used_cores, all_cores) +
            bar(share_of(used_memory, all_memory),
                share_of(gib_of(node.allocated.memory), all_memory), bar_width, utf8) +
            fmt::format(" {:>5.1f}/{:g} GiB", used_memory, all_memory);
  else
    line += fmt::format("{:.1f}/{:g} cores  {:.1f}/{:g} GiB", node.used_cores, all_cores,
                        used_memory, all_memory);
  return line;
}

/// Appends more facts about a node. Leaves out facts that do not fit the width.
void add_more(const wire::Progress::Node& node, int width, std::string& line) {
  const auto add = [&](const std::string& text) {
    if (columns(line) + std::ssize(text) <= width) line += text;
  };
  if (node.suspended > 0) add(fmt::format("  {} suspended", node.suspended));
  if (!node.reserved.empty()) add("  held for " + node.reserved);
}

std::string whole_clock(std::int64_t whole) {
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// Returns the title and the text. Shortens the title in its middle if both do not fit.
std::string beside(std::string title, const std::string& text, const Canvas& canvas) {
  const int room = std::max(canvas.width - columns(text) - 2, kLeastTitle);
  if (columns(title) > room) {
    title = report::shortened({title}, room)[0];
    if (const std::size_t dots = title.find("…"); !canvas.utf8 && dots != std::string::npos)
      title.replace(dots, std::string("…").size(), "~");
  }
  return title + "  " + text;
}

}  // namespace

std::string clock(double seconds) {
  seconds = std::clamp(seconds, 0.0, kLongest_s);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  return whole_clock(static_cast<std::int64_t>(seconds));
}

std::string rough_clock(double seconds) {
  const std::int64_t whole = std::llround(std::ceil(std::clamp(seconds, 0.0, kLongest_s)));
  return whole < 60 ? fmt::format("{} s", whole) : whole_clock(whole);
}

std::string heading(const wire::Progress& p, const std::string& title, const Canvas& canvas,
                    const std::optional<TimeLeft>& left) {
  if (!registered(p)) return beside(title, "workers are starting", canvas);
  const std::string time = clock(p.now_s) + " emulated";
  if (!left) return beside(title, time, canvas);
  const std::string all = time + ", " + text_of(*left);
  const bool fits = columns(all) + std::min(columns(title), kLeastTitle) + 2 <= canvas.width;
  return beside(title, fits ? all : text_of(*left, false), canvas);
}

std::string jobs_line(const wire::Progress& p) {
  std::string text = fmt::format("{} of {} done", p.jobs_done, p.jobs);
  if (p.jobs_failed > 0) text += fmt::format(", {} failed", p.jobs_failed);
  return text + fmt::format(", {} running, {} waiting", p.jobs_running, p.jobs_waiting);
}

std::string tasks_line(const wire::Progress& p, int bar_width, bool utf8) {
  std::string text =
      fmt::format("{} of {} done, {} running", p.tasks_done, p.tasks, p.containers_running);
  if (bar_width <= 0) return text;
  return bar(share_of(p.tasks_done, p.tasks),
             share_of(p.tasks_done + p.containers_running, p.tasks), bar_width, utf8) +
         " " + text;
}

std::optional<Standing> standing(const wire::Progress& p, double real_s) {
  if (!registered(p)) return std::nullopt;
  return Standing{real_s, p.now_s, p.work, p.last_submit_s};
}

std::string bar(double used, double allocated, int width, bool utf8) {
  auto cells = [&](double share) {
    return std::clamp(static_cast<int>(std::lround(share * width)), 0, width);
  };
  int full = cells(used), half = std::max(cells(allocated), full);
  std::string text;
  for (int i = 0; i < width; ++i) {
    int kind = i < full ? 0 : i < half ? 1 : 2;
    text += utf8 ? std::string_view("█▒░").substr(kind * 3, 3)
                 : std::string_view("#=.").substr(kind, 1);
  }
  return text;
}

std::string clip(const std::string& text, int width) {
  std::string out;
  int count = 0;
  for (char c : blanked(text)) {
    bool continues = (c & 0xC0) == 0x80;
    if (!continues && ++count > width) break;
    out += c;
  }
  return out;
}

int columns(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> draw(const wire::Progress& p, const std::string& title,
                              const Canvas& canvas, const std::optional<TimeLeft>& left) {
  std::vector<std::string> lines = {heading(p, title, canvas, left)};
  // A node's line without name and bars takes about 46 columns.
  std::size_t name_width = 5;
  for (const auto& node : p.nodes) name_width = std::max(name_width, node.name.size());
  int room_for_bars = canvas.width - static_cast<int>(name_width) - 46;
  int bar_width = canvas.width < kNarrowColumns ? 0 : std::clamp(room_for_bars / 2, 0, kLongestBar);
  if (bar_width < 4) bar_width = 0;
  lines.push_back(fmt::format("{:<{}}  {}", "jobs", name_width, jobs_line(p)));
  int tasks_bar = bar_width > 0 ? std::min(2 * bar_width, 40) : 0;
  lines.push_back(
      fmt::format("{:<{}}  {}", "tasks", name_width, tasks_line(p, tasks_bar, canvas.utf8)));
  int room = std::max(canvas.height - 2, 3) - static_cast<int>(lines.size());
  int nodes = static_cast<int>(p.nodes.size());
  int shown = nodes <= room ? nodes : std::max(room - 1, 0);
  for (int i = 0; i < shown; ++i) {
    const wire::Progress::Node& node = p.nodes[static_cast<std::size_t>(i)];
    lines.push_back(node_line(node, name_width, bar_width, canvas.utf8));
    add_more(node, canvas.width, lines.back());
  }
  if (shown < nodes && room > 0) lines.push_back(fmt::format("and {} more nodes", nodes - shown));
  room -= std::min(nodes, room);
  int events = std::min({room, kMostEvents, static_cast<int>(p.last_events.size())});
  for (std::size_t i = p.last_events.size() - static_cast<std::size_t>(events);
       i < p.last_events.size(); ++i)
    lines.push_back((canvas.utf8 ? "· " : "- ") + p.last_events[i]);
  for (std::string& line : lines) line = clip(line, canvas.width);
  return lines;
}

std::string plain_line(const wire::Progress& p, const std::optional<TimeLeft>& left) {
  if (!registered(p)) return awaited(p);
  return fmt::format("{:.1f} s: jobs {}; tasks {}", p.now_s, jobs_line(p),
                     tasks_line(p, 0, false)) +
         (left ? "; " + text_of(*left) : "");
}

}  // namespace heddle::cli
