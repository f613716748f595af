#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/display/eta.h"
#include "wire/progress.h"

namespace heddle::cli {

/// How a terminal is drawn on.
struct Canvas {
  int width = 80;
  int height = 24;
  bool utf8 = true;
};

/// The live block of a run: heading, jobs, tasks, a line a node with bars for cores and memory
/// (used, allocated, free), the last events. No line is wider than the canvas, the block is at most
/// its height less two; bars, then figures, then events go first where there is no room.
std::vector<std::string> draw(const wire::Progress& progress, const std::string& title,
                              const Canvas& canvas, const std::optional<TimeLeft>& left = {});

/// The same as one plain line.
std::string plain_line(const wire::Progress& progress, const std::optional<TimeLeft>& left = {});

// What both are made of.
inline double gib_of(EmuBytes bytes) { return static_cast<double>(bytes.count()) / (1 << 30); }
inline double cores_of(Millicores some) { return static_cast<double>(some.count()) / 1e3; }
inline double share_of(double amount, double whole) { return whole > 0 ? amount / whole : 0; }
/// Title, time and time left, as much of it as the width has room for.
std::string heading(const wire::Progress& progress, const std::string& title, int width,
                    const std::optional<TimeLeft>& left);
std::string jobs_line(const wire::Progress& progress);
/// With a bar of so many cells before it, if there are any.
std::string tasks_line(const wire::Progress& progress, int bar_width, bool utf8);
/// Where a forecast is made from; none before all workers are there.
std::optional<Standing> standing(const wire::Progress& progress, double real_s);
/// "3.5 s", "1:02:05".
std::string clock(double seconds);
/// "4 s", "1:02:05".
std::string rough_clock(double seconds);

/// `used` of `width` cells full, up to `allocated` half, the rest free; amounts in 0..1, rounded to
/// the nearest cell.
std::string bar(double used, double allocated, int width, bool utf8);

/// Characters of the text.
int columns(std::string_view text);

/// The text cut to `width` characters, control characters made blanks.
std::string clip(const std::string& text, int width);

}  // namespace heddle::cli
