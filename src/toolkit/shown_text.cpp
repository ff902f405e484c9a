#include "toolkit/shown_text.hpp"

#include <algorithm>
#include <utility>

namespace terminally {

ShownText::ShownText(const std::shared_ptr<TextGuard>& guard, std::string own_files)
    : guarded_(guard != nullptr), naming_(std::move(own_files)) {
  if (guard && guard->secrets().any()) {
    redactor_.emplace(guard->shared_secrets());
  }
}

void ShownText::feed(std::string_view bytes, std::string& out) {
  std::string drawn;
  steps_.feed(bytes, drawn);
  std::string text;
  naming_.feed(drawn, text);
  fed_ = Clock::now();
  mask(text, out);
}

void ShownText::finish(std::string& out, bool goes_on) {
  std::string drawn;
  steps_.finish(drawn);
  std::string text;
  naming_.feed(drawn, text);
  naming_.release(text);
  mask(text, out);
  if (redactor_) {
    std::string rest;
    if (goes_on) {
      redactor_->release_all(rest);
    }
    redactor_->finish(rest);
    make_visible(rest, out);
  }
  visible_.finish(out);
}

void ShownText::release(std::string& out) {
  if (naming_.holds() && Clock::now() >= fed_ + kHeldBack) {
    std::string named;
    naming_.release(named);
    mask(named, out);
  }
  if (!redactor_ || !redactor_->holds()) {
    return;
  }
  std::string text;
  const bool all = Clock::now() >= held_since_ + kHeldBack;
  if (all) {
    redactor_->release_all(text);
  } else {
    redactor_->release(text);
  }
  looked_ = true;
  held_ = redactor_->holds() && !all;  // of a private key nothing is released
  make_visible(text, out);
}

Clock::time_point ShownText::next_release(Clock::time_point last_step) const {
  const auto since = looked_ ? held_since_ : std::min(held_since_, last_step);
  return std::min(held_ ? since + kHeldBack : Clock::time_point::max(),
                  naming_.holds() ? fed_ + kHeldBack : Clock::time_point::max());
}

void ShownText::mask(std::string_view text, std::string& out) {
  if (!redactor_) {
    return make_visible(text, out);
  }
  std::string masked;
  redactor_->feed(text, masked);
  make_visible(masked, out);
  held_since_ = held_ && masked.empty() ? held_since_ : Clock::now();
  held_ = redactor_->holds();
  looked_ = false;
}

void ShownText::make_visible(std::string_view text, std::string& out) {
  if (guarded_) {
    visible_.feed(text, out);
  } else {
    out += text;
  }
}

}  // namespace terminally
