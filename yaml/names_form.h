#pragma once

#include "yaml/form.h"

namespace heddle {

/// A list of names, such as [ann, bob]. M: std::vector<std::string>.
class NamesForm : public Form {
 public:
  std::string name() const override { return "list of names"; }
  bool read(const Field& field, void* member) const override;
  std::string text(const void* member) const override;
  Plain plain_kind() const override { return Plain::kNames; }
  std::string plain(const void* member) const override;
  bool read_plain(std::string_view text, void* member) const override;
};

}  // namespace heddle
