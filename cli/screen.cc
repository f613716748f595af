#include "cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle {
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

Canvas canvas() {
  Canvas canvas;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    canvas.width = size.ws_col;
    canvas.height = size.ws_row;
  }
  canvas.utf8 = utf8_locale();
  return canvas;
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Screen::Kind Screen::kind(bool quiet) {
  if (quiet) return Kind::kNone;
  const char* terminal = std::getenv("TERM");
  bool dumb = !terminal || std::strcmp(terminal, "dumb") == 0;
  return ::isatty(STDERR_FILENO) && !dumb ? Kind::kBlock : Kind::kLines;
}

void Screen::show(const wire::Progress& progress, std::chrono::steady_clock::time_point now) {
  if (kind_ == Kind::kLines) show_line(progress, now);
  if (kind_ != Kind::kBlock) return;
  std::vector<std::string> lines = draw(progress, title_, canvas());
  // Up to the first line of the block, then each line over the old one: no flicker.
  std::string text = drawn_ > 0 ? "\033[" + std::to_string(drawn_) + "A" : "";
  for (const std::string& line : lines) text += "\r" + line + "\033[K\n";
  text += "\033[J";
  drawn_ = lines.size();
  put(text);
}

void Screen::show_line(const wire::Progress& progress, std::chrono::steady_clock::time_point now) {
  int over = progress.jobs_done + progress.jobs_failed;
  bool due = now - last_line_ >= kLineInterval || over != jobs_over_;
  if (!due) return;
  last_line_ = now;
  jobs_over_ = over;
  put("heddle: " + clip(plain_line(progress), 1000) + "\n");
}

void Screen::clear() {
  if (drawn_ == 0) return;
  put("\033[" + std::to_string(drawn_) + "A\r\033[J");
  drawn_ = 0;
}

}  // namespace heddle
