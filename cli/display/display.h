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

/// Returns the live block of a run: heading, jobs, tasks, a line per node with bars for cores and
/// memory (used, allocated, free), and the last events. No line is wider than the canvas, and the
/// block leaves two lines of its height free. If there is not enough space, bars are left out
/// first, then figures, then events.
std::vector<std::string> draw(const wire::Progress& progress, const std::string& title,
                              const Canvas& canvas, const std::optional<TimeLeft>& left = {});

/// Returns the same as one plain line.
std::string plain_line(const wire::Progress& progress, const std::optional<TimeLeft>& left = {});

// Parts of both.
inline double gib_of(EmuBytes bytes) { return static_cast<double>(bytes.count()) / (1 << 30); }
inline double cores_of(Millicores some) { return static_cast<double>(some.count()) / 1e3; }
inline double share_of(double amount, double whole) { return whole > 0 ? amount / whole : 0; }
/// Returns title, time and time left, as much as fits the width.
std::string heading(const wire::Progress& progress, const std::string& title, int width,
                    const std::optional<TimeLeft>& left);
std::string jobs_line(const wire::Progress& progress);
/// Returns the line about tasks, after a bar of `bar_width` cells if that is above 0.
std::string tasks_line(const wire::Progress& progress, int bar_width, bool utf8);
/// Returns the input of a forecast; none before all workers have registered.
std::optional<Standing> standing(const wire::Progress& progress, double real_s);
/// Formats a time as "3.5 s" or "1:02:05".
std::string clock(double seconds);
/// Formats a time as "4 s" or "1:02:05".
std::string rough_clock(double seconds);

/// Returns a bar of `width` cells: full up to `used`, half up to `allocated`, then free. The
/// amounts are in 0..1 and rounded to the nearest cell.
std::string bar(double used, double allocated, int width, bool utf8);

/// Returns the number of characters of the text.
int columns(std::string_view text);

/// Cuts the text to `width` characters and replaces control characters with blanks.
std::string clip(const std::string& text, int width);

}  // namespace heddle::cli
