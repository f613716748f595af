#include "cli/display/batch_screen.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdio>

#include "cli/base/exit_status.h"
#include "cli/display/display.h"

namespace heddle::cli {
namespace {

constexpr std::chrono::seconds kBetweenLines{2};
constexpr int kNarrow = 78;  ///< fits any terminal
constexpr double kMinute_s = 60, kManyMinutes_s = 90;

std::string left_text(double seconds) {
  return seconds < kManyMinutes_s ? fmt::format("{:.0f} s", std::ceil(seconds))
                                  : fmt::format("{:.0f} min", std::ceil(seconds / kMinute_s));
}

}  // namespace

std::string batch_progress(std::size_t done, std::size_t runs, std::size_t had, double seconds) {
  std::string text = fmt::format("{} of {} runs done", had + done, had + runs);
  if (done == 0 || done >= runs) return text;
  const double each = seconds / static_cast<double>(done);
  return text + ", " + left_text(each * static_cast<double>(runs - done)) + " left";
}

void BatchScreen::start(std::size_t runs, std::size_t had) {
  runs_ = runs;
  had_ = had;
  began_ = Clock::now();
  shown_ = began_ - kBetweenLines;
  if (had > 0) show("", true);
}

void BatchScreen::on_start(const std::string& run, bool each) {
  if (each || kind_ == Screen::Kind::kBlock) show(": " + run, true);
}

void BatchScreen::on_end(const std::string& run) {
  ++done_;
  show(": " + run, done_ == runs_);
}

void BatchScreen::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void BatchScreen::show(const std::string& what, bool now) {
  if (kind_ == Screen::Kind::kNone) return;
  const Clock::time_point at = Clock::now();
  if (!now && at - shown_ < kBetweenLines) return;
  shown_ = at;
  const double seconds = std::chrono::duration<double>(at - began_).count();
  const std::string line = batch_progress(done_, runs_, had_, seconds) + what;
  if (kind_ == Screen::Kind::kLines) return say(line);
  clear();
  std::fputs(clip(line, kNarrow).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace heddle::cli
