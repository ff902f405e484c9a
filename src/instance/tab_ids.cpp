// Finds the files of a tab on disk by its id, and notes the numbers that were used.
#include "instance/tab_ids.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "base/files.hpp"

namespace terminally {
namespace {

constexpr std::string_view kPanePrefix = "pane-";

/// The file of the notes, one number a line. Lines are only appended, so that no process undoes another's
/// note. Each note begins with a newline, because a full disk may have torn the line before.
std::filesystem::path notes_in(const std::filesystem::path& state) {
  return state / "ids";
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(end - text.size(), end, number);
  const bool ours = error == std::errc() && rest == end && number <= kHighestNumber;
  return ours ? std::optional(number) : std::nullopt;
}

/// The number after the highest one noted; 0 where none is.
std::uint32_t behind_noted(const std::filesystem::path& state) {
  std::uint32_t behind = 0;
  std::istringstream lines(read_if_there(notes_in(state)).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto number = parse_number(line);
    behind = std::max(behind, number ? *number + 1 : 0);
  }
  return behind;
}

/// The number after the highest that names a file here; 0 where none does.
std::uint32_t behind_logs(const std::filesystem::path& generation) {
  std::uint32_t behind = 0;
  for (const std::filesystem::path& path : entries_of(generation)) {
    const std::string name = path.filename().string();
    if (name.starts_with(kPanePrefix)) {
      const std::string tag = name.substr(kPanePrefix.size());
      const auto tab = parse_window_id(std::string_view(tag).substr(0, tag.find('.')));
      behind = std::max(behind, tab && tab->number <= kHighestNumber ? tab->number + 1 : 0);
    }
  }
  return behind;
}

}  // namespace

std::filesystem::path log_path(const std::filesystem::path& generation, std::string_view tag) {
  return generation / (std::string(kPanePrefix) + std::string(tag) + ".log");
}

Tab::Home home_of(const Instance& instance, std::uint32_t generation, WindowId tab) {
  return {.instance = instance.cookie(),
          .generation = generation,
          .log = log_path(instance.generation(generation), to_string(tab)),
          .runtime = instance.runtime(),
          .files = instance.files()};
}

std::optional<WindowId> tab_of_records(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  return path.extension() == ".commands" && stem.starts_with(kPanePrefix)
             ? parse_window_id(stem.substr(kPanePrefix.size()))
             : std::nullopt;
}

std::vector<std::uint32_t> generations(const Instance& instance) {
  std::vector<std::uint32_t> numbers;
  for (const std::filesystem::path& path : entries_of(instance.state())) {
    if (const auto number = parse_number(path.filename().string())) {
      numbers.push_back(*number);
    }
  }
  std::ranges::sort(numbers, std::greater());
  return numbers;
}

std::vector<WindowId> tabs_with_logs(const Instance& instance) {
  std::vector<WindowId> tabs;
  for (const std::uint32_t generation : generations(instance)) {
    for (const std::filesystem::path& path : entries_of(instance.generation(generation))) {
      const std::string stem = path.stem().string();
      const auto tab = path.extension() == ".log" && stem.starts_with(kPanePrefix)
                           ? parse_window_id(std::string_view(stem).substr(kPanePrefix.size()))
                           : std::nullopt;
      if (tab) {
        tabs.push_back(*tab);
      }
    }
  }
  std::ranges::sort(tabs);
  return tabs;
}

std::optional<std::uint32_t> generation_of(const Instance& instance, WindowId tab) {
  for (const std::uint32_t generation : generations(instance)) {
    std::filesystem::path path = log_path(instance.generation(generation), to_string(tab));
    if (is_there(path) || is_there(path.replace_extension(".commands"))) {
      return generation;
    }
  }
  return std::nullopt;
}

std::uint32_t first_unused_id(const Instance& instance) {
  std::uint32_t first = behind_noted(instance.state());
  for (const std::uint32_t generation : generations(instance)) {
    if (const std::uint32_t behind = behind_logs(instance.generation(generation)); behind > 0) {
      return std::max(first, behind);  // earlier generations have lower numbers
    }
  }
  return first;
}

bool note_used_id(const std::filesystem::path& state, WindowId tab) {
  try {
    if (behind_noted(state) > tab.number) {
      return true;
    }
    append_file(notes_in(state), "\n" + std::to_string(tab.number) + "\n");
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace terminally
