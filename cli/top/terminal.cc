#include "cli/top/terminal.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/display/screen.h"

namespace heddle::cli {
namespace {

// Switches to the alternate screen, without cursor and wrapping, and back.
constexpr char kEnter[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
constexpr char kLeave[] = "\033[?7h\033[?25h\033[0m\033[?1049l";
constexpr int kDeadly[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

/// The original settings. They are global, because the signal handler needs them.
termios g_before{};

bool write_all(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(STDOUT_FILENO, text, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

void restore() {
  (void)write_all(kLeave, sizeof kLeave - 1);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &g_before);
}

// Restores the terminal before the signal kills the program. The system calls in restore() are
// allowed in a signal handler (man 7 signal-safety). SA_RESETHAND has restored the default action
// of the signal, so raising the signal again kills the program.
void die(int number) {
  restore();
  ::raise(number);
}

void restore_when_dying(bool on) {
  struct sigaction action {};
  action.sa_handler = on ? die : SIG_DFL;
  action.sa_flags = on ? SA_RESETHAND : 0;
  for (int number : kDeadly) ::sigaction(number, &action, nullptr);
}

const char* look_of(TopLine::Look look) {
  switch (look) {
    case TopLine::Look::kBright:
      return "\033[1m";
    case TopLine::Look::kReverse:
      return "\033[7m";
    case TopLine::Look::kPlain:
      break;
  }
  return "";
}

}  // namespace

bool Terminal::usable() { return ::isatty(STDIN_FILENO) && can_draw_on(STDOUT_FILENO); }

Result<void> Terminal::enter() {
  if (entered_) return {};
  if (::tcgetattr(STDIN_FILENO, &g_before) != 0)
    return system_error("ask the terminal how it is set", errno);
  termios raw = g_before;
  // Keys are read one by one and without echo. Ctrl-C and Ctrl-Z still send signals.
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0)
    return system_error("set the terminal", errno);
  entered_ = true;
  restore_when_dying(true);
  (void)write_all(kEnter, sizeof kEnter - 1);
  return {};
}

void Terminal::leave() {
  if (!entered_) return;
  entered_ = false;
  restore();
  restore_when_dying(false);
}

bool Terminal::draw(const TopFrame& frame) {
  std::string text;
  for (std::size_t i = 0; i < frame.lines.size(); ++i) {
    const TopLine& line = frame.lines[i];
    // The line is cleared before its text is written. After a line of full width, the cursor is on
    // the last character of the line, so clearing would remove this character.
    text +=
        "\033[" + std::to_string(i + 1) + ";1H\033[K" + look_of(line.look) + line.text + "\033[0m";
  }
  text += "\033[J";
  return write_all(text.data(), text.size());
}

bool Terminal::read(std::string& bytes) {
  char buffer[256];
  const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  // The descriptor was readable but has no data, so the terminal is gone.
  if (n == 0) return false;
  bytes.append(buffer, static_cast<std::size_t>(n));
  return true;
}

}  // namespace heddle::cli
