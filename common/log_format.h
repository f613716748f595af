#pragma once

#include <spdlog/pattern_formatter.h>
#include <spdlog/spdlog.h>

#include <ctime>
#include <memory>
#include <string>

#include "common/text.h"

namespace heddle {

/// Formats a log message on one line. Escapes characters that a terminal can interpret as commands.
class PrintableMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& to) override {
    const std::string text = printable_line({message.payload.data(), message.payload.size()});
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

/// Returns a formatter for a pattern of spdlog. In the pattern, %* stands for the printable
/// message.
inline std::unique_ptr<spdlog::formatter> printable_format(const std::string& pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('*').set_pattern(pattern);
  return formatter;
}

}  // namespace heddle
