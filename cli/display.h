#pragma once

#include <string>
#include <vector>

#include "common/wire/record.h"

namespace heddle {

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
                              const Canvas& canvas);

/// The same as one plain line.
std::string plain_line(const wire::Progress& progress);

/// `used` of `width` cells full, up to `allocated` half, the rest free; amounts in 0..1, rounded to
/// the nearest cell.
std::string bar(double used, double allocated, int width, bool utf8);

/// The text cut to `width` characters, control characters made blanks.
std::string clip(const std::string& text, int width);

}  // namespace heddle
