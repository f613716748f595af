#include "yaml/names_form.h"

#include "common/text.h"
#include "yaml/text.h"

namespace heddle {
namespace {

constexpr std::size_t kMostNames = 10000;

const std::vector<std::string>& names_in(const void* member) {
  return *static_cast<const std::vector<std::string>*>(member);
}

}  // namespace

bool NamesForm::read(const Field& field, void* member) const {
  if (!field.is_list("a list of names") || !field.has_at_most(kMostNames, "names")) return false;
  std::vector<std::string> names(field.node().items.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!NameForm().read(field.item(i), &names[i])) return false;
  *static_cast<std::vector<std::string>*>(member) = std::move(names);
  return true;
}

std::string NamesForm::text(const void* member) const {
  const std::vector<std::string>& names = names_in(member);
  return names.empty() ? ""
                       : list_text(names, [](const std::string& one) { return name_text(one); });
}

std::string NamesForm::plain(const void* member) const { return join(names_in(member), ";"); }

bool NamesForm::read_plain(std::string_view text, void* member) const {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::string_view one = take_until(text, ';');
    if (!valid_name(one) || names.size() == kMostNames) return false;
    names.emplace_back(one);
  }
  *static_cast<std::vector<std::string>*>(member) = std::move(names);
  return true;
}

}  // namespace heddle
