#include "report/efficiency.h"

#include <algorithm>

#include "report/table.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::rounded;

constexpr std::size_t kMostPoints = 1000;

Json ratio(double part, double whole) { return whole > 0 ? Json(rounded(part / whole)) : Json(); }

std::vector<std::string> row(const std::string& of, const std::string& what,
                             const std::vector<double>& values) {
  std::vector<std::string> cells = {of, what, std::to_string(values.size())};
  for (double p : {0.1, 0.25, 0.5, 0.75, 0.9})
    cells.push_back(number_cell(wire::percentile(values, p), "{:.2f}"));
  return cells;
}

}  // namespace

Usefulness& Usefulness::operator+=(const Usefulness& other) {
  used_core_s += other.used_core_s;
  held_core_s += other.held_core_s;
  used_byte_s += other.used_byte_s;
  held_byte_s += other.held_byte_s;
  return *this;
}

void AllocationEfficiency::Groups::add(const Usefulness& one) {
  if (one.held_core_s > 0) cores.push_back(one.used_core_s / one.held_core_s);
  if (one.held_byte_s > 0) memory.push_back(one.used_byte_s / one.held_byte_s);
}

void AllocationEfficiency::add(const std::string& job, const std::string& user,
                               const Usefulness& container) {
  containers_.add(container);
  jobs_[job] += container;
  users_[user] += container;
  overall_ += container;
}

std::vector<AllocationEfficiency::Groups> AllocationEfficiency::groups() const {
  std::vector<Groups> all = {containers_, {"job", {}, {}}, {"user", {}, {}}};
  for (const auto& [name, one] : jobs_) all[1].add(one);
  for (const auto& [name, one] : users_) all[2].add(one);
  for (Groups& of : all)
    for (std::vector<double>* values : {&of.cores, &of.memory})
      std::sort(values->begin(), values->end());
  return all;
}

wire::Json AllocationEfficiency::json() const {
  Json json = {{"overall",
                {{"cores", ratio(overall_.used_core_s, overall_.held_core_s)},
                 {"memory", ratio(overall_.used_byte_s, overall_.held_byte_s)}}}};
  for (const Groups& of : groups())
    json["by_" + of.title] = {{"cores", distribution(of.cores, kMostPoints)},
                              {"memory", distribution(of.memory, kMostPoints)}};
  return json;
}

wire::Json AllocationEfficiency::summary() const {
  Json p90;
  for (const Groups& of : groups())
    p90[of.title] = {{"cpu", wire::percentile(of.cores, 0.9)},
                     {"memory", wire::percentile(of.memory, 0.9)}};
  return {{"cpu", ratio(overall_.used_core_s, overall_.held_core_s)},
          {"memory", ratio(overall_.used_byte_s, overall_.held_byte_s)},
          {"p90", std::move(p90)}};
}

std::string AllocationEfficiency::table() const {
  std::vector<Column> columns = {{"used / held"}, {"by"}, {"of them", true}};
  for (const char* title : {"p10", "p25", "p50", "p75", "p90"}) columns.push_back({title, true});
  std::vector<std::vector<std::string>> cores, memory;
  for (const Groups& of : groups()) {
    cores.push_back(row("cores", of.title, of.cores));
    memory.push_back(row("memory", of.title, of.memory));
  }
  cores.insert(cores.end(), memory.begin(), memory.end());
  return format_table(columns, cores);
}

wire::Json distribution(const std::vector<double>& ascending, std::size_t most) {
  Json points = Json::array();
  const std::size_t n = ascending.size(), points_wanted = std::min(n, most);
  for (std::size_t i = 1; i <= points_wanted; ++i) {
    const std::size_t rank = i * n / points_wanted;
    points.push_back({rounded(ascending[rank - 1]),
                      rounded(static_cast<double>(rank) / static_cast<double>(n))});
  }
  return points;
}

}  // namespace heddle::report
