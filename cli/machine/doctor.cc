#include "cli/machine/doctor.h"

#include <fmt/core.h>

#include <iostream>

#include "cli/base/exit_status.h"
#include "report/table.h"

namespace heddle::cli {
namespace {

/// Longer texts are printed below the table.
constexpr std::size_t kLongestCell = 60;

/// Indents the lines after the first to the column of the first line's text.
std::string indented(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at)
    text.insert(at + 1, 14, ' ');
  return text;
}

bool fits_cell(const Check& check) { return check.found.size() <= kLongestCell; }

}  // namespace

std::string format_checks(const std::vector<Check>& checks) {
  std::vector<std::vector<std::string>> rows;
  for (const Check& check : checks)
    rows.push_back({check.name,
                    check.ok         ? "yes"
                    : check.required ? "MISSING"
                                     : "no",
                    fits_cell(check) || check.ok ? check.found : "see below"});
  std::string text = report::format_table({{"what"}, {"there"}, {"found"}}, rows);
  for (const Check& check : checks) {
    if (check.ok) continue;
    text += "\n" + check.name + (check.required ? " (required)\n" : "\n");
    if (!fits_cell(check)) text += "  found:      " + check.found + "\n";
    text += fmt::format("  without it: {}\n  to get it:  {}\n", check.cost, indented(check.remedy));
  }
  return text;
}

wire::Json checks_json(const std::vector<Check>& checks) {
  wire::Json rows = wire::Json::array();
  bool met = true;
  for (const Check& check : checks) {
    met &= check.ok || !check.required;
    rows.push_back({{"name", check.name},
                    {"required", check.required},
                    {"ok", check.ok},
                    {"found", check.found},
                    {"cost", check.cost},
                    {"remedy", check.remedy}});
  }
  return {{"ok", met}, {"checks", std::move(rows)}};
}

int doctor_command(bool json, bool developer) {
  std::vector<Check> checks = developer ? examine_for_developers() : examine();
  wire::Json all = checks_json(checks);
  std::string text = json ? all.dump(2) + "\n" : format_checks(checks);
  std::cout << text;
  return all.at("ok") ? kExitDone : kExitMachine;
}

}  // namespace heddle::cli
