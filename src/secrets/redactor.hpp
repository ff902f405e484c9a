#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "secrets/secrets.hpp"

namespace terminally {

/// Counts what was masked.
using OnMasked = std::function<void(std::uint16_t kind)>;

/// Masks the secrets of a stream of text (UTF-8, without escape sequences). Any split of the stream gives the
/// same text: the line that is not finished is held back, up to Secrets::kMostLineBytes of it, and so are the
/// lines that a named value may begin in. Who cannot wait for its end calls `release`.
class Redactor {
 public:
  explicit Redactor(std::shared_ptr<const Secrets> secrets, OnMasked on_masked = nullptr)
      : secrets_(std::move(secrets)), on_masked_(std::move(on_masked)) {}

  /// Appends what may be shown to `out`.
  void feed(std::string_view text, std::string& out);

  /// Appends what of the line that is not finished cannot become part of a secret.
  void release(std::string& out);

  /// The same, and what looks like the beginning of a secret is masked as one: when the rest comes, nothing
  /// more is shown of it. If it comes to something else, its beginning stays masked.
  void release_all(std::string& out);

  /// Something is held back.
  [[nodiscard]] bool holds() const { return held_.size() > shown_; }

  /// The stream ends here. Ready for another one.
  void finish(std::string& out);

 private:
  /// How much of a piece of a long line is looked at again with the next one.
  static constexpr std::size_t kOverlapBytes = 512;

  /// What ends with a line is kept no further back, to be looked at again with the next line.
  static constexpr std::size_t kMostKeptBytes = Secrets::kMostLineBytes / 2;

  void take_all(std::string& out);
  void take_lines(std::size_t end, std::string& out);
  void take_piece(std::string& out);
  void release(std::string& out, bool all);
  void show(const std::vector<SecretSpan>& spans, std::size_t end, std::string& out);
  void mask(std::uint16_t kind, std::size_t from, std::string& out);
  void drop(std::size_t bytes);

  std::shared_ptr<const Secrets> secrets_;
  OnMasked on_masked_;
  KeyState state_;
  std::string held_;           ///< the line, or what is left of it, that is not finished, and lines before it
  std::size_t looked_to_ = 0;  ///< up to here held_ is lines, kept for a value that may go on
  std::size_t shown_ = 0;      ///< how much of it was appended or masked
  std::size_t masked_from_ = 0;  ///< from here to masked_to_ there is a mask for it
  std::size_t masked_to_ = 0;
  bool begins_line_ = true;  ///< held_ does
};

}  // namespace terminally
