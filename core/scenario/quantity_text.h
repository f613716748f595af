#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "common/units.h"
#include "core/model/resources.h"

namespace heddle {

// Quantities as scenarios write them. A parser reads the whole text, which can have blanks around
// the quantity and before the unit. A negative number is an error. Errors (kUsage) name the
// expected form, for example: "12" has no unit; expected a duration such as 12s, 500ms, 2min or 1h.
// The number 0 needs no unit. A printer returns the shortest text that a parser reads as exactly
// the same value.

/// Units: us, ms, s, min, h. Rounded to the microsecond; at most 200 years. Most values have a
/// smaller limit of their own.
Result<EmuTime> parse_duration(std::string_view text);
/// Units: as for durations. A point in time, such as seconds since 1970; at most 1e12 s.
Result<EmuTime> parse_instant(std::string_view text);
/// Units: B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024). Rounded to the
/// byte; at most 1024 TiB.
Result<EmuBytes> parse_bytes(std::string_view text);
/// No unit; rounded to 1/1000 core; at most 1000000 cores.
Result<Millicores> parse_cores(std::string_view text);
/// No unit; rounded to 1/1000; at most 1000000.
Result<Thousandths> parse_count(std::string_view text);
/// Forms: "1/64", "0.05", "5%", "1e-3".
Result<double> parse_fraction(std::string_view text);
/// Units: B/s, kB/s … TiB/s. Returns bytes per second.
Result<double> parse_byte_rate(std::string_view text);
/// Units: bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s (the /s may be omitted). Returns bits per second.
Result<double> parse_bit_rate(std::string_view text);

std::string print_duration(EmuTime time);
std::string print_bytes(EmuBytes bytes);
std::string print_cores(Millicores cores);
std::string print_count(Thousandths amount);
/// Returns text such as "4 cores and 8GiB", or "4 cores, 8GiB and 1 gpu".
std::string print_resources(const Resources& resources, const CountNames& names);
std::string print_fraction(double value);
/// Returns text such as "12.5 %", with up to 12 digits. The text is for people. No parser reads it.
std::string print_percent(double value);
std::string print_byte_rate(double bytes_per_s);
std::string print_bit_rate(double bits_per_s);

}  // namespace heddle
