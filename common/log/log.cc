#include "common/log/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <ctime>
#include <memory>

#include "common/directory.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/text.h"

namespace heddle {
namespace {

/// Formats a message on one line and escapes control characters.
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

}  // namespace

Result<void> log_to_file(const std::string& path, const std::string& name) {
  try {
    Result<Fd> file = append_file(path);
    if (!file) return std::move(file).error().in("--log");
    spdlog::set_default_logger(spdlog::basic_logger_mt(name, proc_path_of(*file)));
    return {};
  } catch (const spdlog::spdlog_ex& error) {
    return machine_error(std::string("--log: ") + error.what());
  }
}

void log_to_standard_error(const std::string& name) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt(name));
}

void set_log_pattern(const std::string& pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('*').set_pattern(pattern);
  spdlog::set_formatter(std::move(formatter));
  spdlog::flush_on(spdlog::level::info);
}

void log_debug(std::string_view message) { spdlog::debug(message); }
void log_info(std::string_view message) { spdlog::info(message); }
void log_warning(std::string_view message) { spdlog::warn(message); }
void log_error(std::string_view message) { spdlog::error(message); }

}  // namespace heddle
