// nlohmann's parser and writer, optimised: no test of its own.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace terminally::test {

using Builder = nlohmann::json_sax<nlohmann::json>;
std::string json_copies(std::string_view text, Builder* builder);

std::string json_copies(std::string_view text, Builder* builder) {
  static_cast<void>(nlohmann::json::sax_parse(text.begin(), text.end(), builder));
  return nlohmann::json().dump() + nlohmann::ordered_json::parse(std::string(text)).dump();
}

}  // namespace terminally::test
