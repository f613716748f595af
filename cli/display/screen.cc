#include "cli/display/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle::cli {
namespace {

constexpr auto kLineInterval = std::chrono::seconds(2);

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value && *value)
      return std::strstr(value, "UTF-8") || std::strstr(value, "utf8") ||
             std::strstr(value, "UTF8") || std::strstr(value, "utf-8");
  }
  return false;
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void put_events(const std::vector<std::string>& events) {
  for (const std::string& event : events) put("heddle: " + clip(event, 1000) + "\n");
}

}  // namespace

Canvas canvas_of(int terminal) {
  Canvas canvas;
  winsize size{};
  if (::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    canvas.width = size.ws_col;
    canvas.height = size.ws_row;
  }
  canvas.utf8 = utf8_locale();
  return canvas;
}

int table_width(bool wide) {
  return wide || !::isatty(STDOUT_FILENO) ? 0 : canvas_of(STDOUT_FILENO).width;
}

bool can_draw_on(int terminal) {
  const char* type = std::getenv("TERM");
  return type && std::strcmp(type, "dumb") != 0 && ::isatty(terminal);
}

bool LinePace::due(const wire::Progress& progress, std::chrono::steady_clock::time_point now) {
  const int over = progress.jobs_done + progress.jobs_failed;
  if (now - last_ < kLineInterval && over == jobs_over_) return false;
  last_ = now;
  jobs_over_ = over;
  return true;
}

Screen::Kind Screen::kind(bool quiet) {
  if (quiet) return Kind::kNone;
  return can_draw_on(STDERR_FILENO) ? Kind::kBlock : Kind::kLines;
}

void Screen::show(const wire::Progress& progress, std::chrono::steady_clock::time_point now) {
  if (kind_ == Kind::kNone) return;
  const double real_s = std::chrono::duration<double>(now.time_since_epoch()).count();
  if (const auto at = standing(progress, real_s)) forecaster_.add(*at);
  const std::optional<TimeLeft> left = forecaster_.left();
  if (kind_ == Kind::kLines) {
    put_events(events_.take(progress, now));
    if (!pace_.due(progress, now)) return;
    std::string line = "heddle: " + clip(plain_line(progress, left), 1000) + "\n";
    if (line != last_line_)
      put(line);  // the line can stay the same for a long time while workers start
    last_line_ = std::move(line);
    return;
  }
  std::vector<std::string> lines = draw(progress, title_, canvas_of(STDERR_FILENO), left);
  // The cursor moves up to the first line of the block, and each line overwrites the old line. This
  // avoids flicker. Line wrapping is off. Therefore a line does not use a second line, even if the
  // terminal renders it wider than computed.
  std::string text = drawn_ > 0 ? "\033[" + std::to_string(drawn_) + "A" : "";
  text += "\033[?7l";
  for (const std::string& line : lines) text += "\r\033[K" + line + "\n";
  text += "\033[?7h\033[J";
  drawn_ = lines.size();
  put(text);
}

void Screen::finish(std::chrono::steady_clock::time_point now) {
  if (kind_ == Kind::kLines) put_events(events_.rest(now));
  clear();
}

void Screen::clear() {
  if (drawn_ == 0) return;
  put("\033[" + std::to_string(drawn_) + "A\r\033[J");
  drawn_ = 0;
}

}  // namespace heddle::cli
