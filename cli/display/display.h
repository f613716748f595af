#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/display/eta.h"
#include "wire/progress.h"

namespace heddle::cli {

/// Size and character set of a terminal.
struct Canvas {
  int width = 80;
  int height = 24;
  bool utf8 = true;
};

/// Returns the block that shows a live run. It has a heading, jobs, tasks, a line per node, and the
/// last events. A node's line has bars for cores and memory (used, allocated, free). No line is
/// wider than the canvas. The block is at least two lines lower than the canvas. If there is not
/// enough space, bars are left out first, then figures, then events.
std::vector<std::string> draw(const wire::Progress& progress, const std::string& title,
                              const Canvas& canvas, const std::optional<TimeLeft>& left = {});

/// Returns the same as one plain line.
std::string plain_line(const wire::Progress& progress, const std::optional<TimeLeft>& left = {});

// Parts of the block and of the plain line.
inline double gib_of(EmuBytes bytes) { return static_cast<double>(bytes.count()) / (1 << 30); }
inline double cores_of(Millicores some) { return static_cast<double>(some.count()) / 1e3; }
inline double share_of(double amount, double whole) { return whole > 0 ? amount / whole : 0; }
/// Returns the title, the time and the time left. If they do not fit the width, shortens the title,
/// then leaves out emulated times. The real time that is left is always there.
std::string heading(const wire::Progress& progress, const std::string& title, const Canvas& canvas,
                    const std::optional<TimeLeft>& left);
std::string jobs_line(const wire::Progress& progress);
/// Returns the line about tasks. If `bar_width` is above 0, the line begins with a bar of this
/// number of cells.
std::string tasks_line(const wire::Progress& progress, int bar_width, bool utf8);
/// Returns the input of a forecast, or nullopt before all workers have registered.
std::optional<Standing> standing(const wire::Progress& progress, double real_s);
/// Formats a time as "3.5 s" or "1:02:05".
std::string clock(double seconds);
/// Formats a time as "4 s" or "1:02:05".
std::string rough_clock(double seconds);

/// Returns a bar of `width` cells: full cells up to `used`, half cells up to `allocated`, then free
/// cells. Both amounts are from 0 to 1 and rounded to the nearest cell.
std::string bar(double used, double allocated, int width, bool utf8);

/// Returns the number of characters of the text.
int columns(std::string_view text);

/// Cuts the text to `width` characters and replaces control characters with blanks.
std::string clip(const std::string& text, int width);

}  // namespace heddle::cli
