#include "core/scenario/device_env.h"

#include <algorithm>
#include <cctype>

#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

constexpr std::size_t kLongestName = 80;

std::string variable_of(const std::string& resource) {
  std::string name = "HEDDLE_";
  for (const char c : resource) {
    const auto letter = static_cast<unsigned char>(c);
    name += std::isalnum(letter) ? static_cast<char>(std::toupper(letter)) : '_';
  }
  return name;
}

}  // namespace

std::vector<std::string> device_variables(const Counts& held, const CountNames& counted,
                                          const Labels& names) {
  std::vector<std::string> variables;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (!held.has_devices(i)) continue;
    std::string list;
    for (const int number : numbers_of(held.devices(i)))
      list += (list.empty() ? "" : ",") + std::to_string(number);
    const std::string name = variable_of(counted[i].name);
    const auto other = names.find(counted[i].name);
    variables.push_back((other == names.end() ? name : other->second) + "=" + list);
    variables.push_back(name + "_SHARE=" + print_count(std::min(held[i], Counts::kDevice)));
  }
  return variables;
}

bool is_device_variable(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kLongestName && name[0] >= 'A' && name[0] <= 'Z' &&
         std::ranges::all_of(name, fits) && !name.starts_with("LD_") && name != "PATH" &&
         name != "HOME" && name != "LANG";
}

bool is_device_setting(std::string_view text) {
  const std::size_t end = text.find('=');
  return end != text.npos && is_device_variable(text.substr(0, end)) &&
         text.find_first_not_of("0123456789.,", end + 1) == text.npos;
}

}  // namespace heddle
