#include "workloads/task/mount_line.h"

#include <cstring>

namespace heddle::task {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// Reads one character; "\040" is a blank. Returns the number of characters read, 1 or 4.
int unescape(const char* text, char& out) {
  out = *text;
  if (text[0] != '\\' || !is_octal(text[1]) || !is_octal(text[2]) || !is_octal(text[3])) return 1;
  out = static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
  return 4;
}

/// Returns the field of that number, from 0; nullptr if there are fewer.
const char* field(const char* line, int number) {
  for (; number > 0; --number) {
    line = std::strchr(line, ' ');
    if (line == nullptr) return nullptr;
    ++line;
  }
  return line;
}

}  // namespace

bool control_group_mount(const char* line, char* point, unsigned size) {
  // 36 35 98:0 / /mnt rw,noatime master:1 - cgroup2 cgroup2 rw: any number of fields before "-".
  const char* from = field(line, 4);
  const char* dash = std::strstr(line, " - ");
  if (from == nullptr || dash == nullptr || from > dash) return false;
  const char* type = dash + 3;
  if (std::strncmp(type, "cgroup ", 7) != 0 && std::strncmp(type, "cgroup2 ", 8) != 0) return false;
  unsigned length = 0;
  while (*from != ' ' && length + 1 < size) from += unescape(from, point[length++]);
  point[length] = '\0';
  return *from == ' ';
}

}  // namespace heddle::task
