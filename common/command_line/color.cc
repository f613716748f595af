#include "common/command_line/color.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace heddle {
namespace {

ColorWhen color_when = ColorWhen::kAuto;

constexpr std::array<std::pair<std::string_view, Color>, 6> kCells = {{
    {"MISSING", Color::kRed},
    {"failed", Color::kRed},
    {"killed", Color::kRed},
    {"cancelled", Color::kRed},
    {"worse", Color::kRed},
    {"better", Color::kGreen},
}};
constexpr std::string_view kGap = "  ";

std::string_view code_of(Color color) {
  switch (color) {
    case Color::kRed:
      return "31";
    case Color::kGreen:
      return "32";
    case Color::kYellow:
      break;
  }
  return "33";
}

std::string paint_cell(std::string_view cell) {
  const auto* known = std::ranges::find(kCells, cell, [](const auto& one) { return one.first; });
  return known == kCells.end() ? std::string(cell) : paint(known->second, cell);
}

std::string paint_line(std::string_view line) {
  if (line.starts_with("affected:")) return paint(Color::kYellow, line);
  std::string text;
  while (true) {
    const std::size_t end = line.find(kGap);
    text += paint_cell(line.substr(0, end));
    if (end == std::string_view::npos) return text;
    const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
    text += line.substr(end, next - end);
    line.remove_prefix(next);
  }
}

}  // namespace

bool wants_color(ColorWhen when, const char* no_color, const char* term, bool terminal) {
  if (when != ColorWhen::kAuto) return when == ColorWhen::kAlways;
  const bool refused = no_color != nullptr && *no_color != '\0';
  return terminal && !refused && term != nullptr && std::string_view(term) != "dumb";
}

void set_color(ColorWhen when) { color_when = when; }

bool colored(int descriptor) {
  return wants_color(color_when, std::getenv("NO_COLOR"), std::getenv("TERM"),
                     ::isatty(descriptor) == 1);
}

std::string paint(Color color, std::string_view text) {
  return "\033[" + std::string(code_of(color)) + "m" + std::string(text) + "\033[0m";
}

std::string paint_message(std::string_view message) {
  constexpr std::string_view kWarning = "warning:";
  const std::size_t name = message.find(": ");
  if (name == std::string_view::npos) return std::string(message);
  const std::string_view before = message.substr(0, name + 1), after = message.substr(name + 2);
  if (!after.starts_with(kWarning)) return paint(Color::kRed, before) + " " + std::string(after);
  return std::string(before) + " " + paint(Color::kYellow, kWarning) +
         std::string(after.substr(kWarning.size()));
}

std::string paint_tables(std::string_view text) {
  std::string painted;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    painted += paint_line(text.substr(0, end));
    if (end < text.size()) painted += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return painted;
}

}  // namespace heddle
