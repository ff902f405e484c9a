#pragma once

#include <string>
#include <string_view>

#include "text/ansi_parser.hpp"

namespace terminally {

/// Filters a log for playback on a terminal or into a recording: keeps text, colours and everything that
/// draws. Drops what would act on the viewer's terminal in another way: queries that the terminal would
/// answer as if typed, the clipboard, titles, its size and its printer; every OSC, DCS, APC, PM and SOS
/// string (the records of commands are OSC strings; links and images are lost). Makes valid UTF-8. Any split
/// of the stream gives the same bytes; an unfinished character or sequence is held.
class PlaybackFilter {
 public:
  void feed(std::string_view bytes, std::string& out);

  void finish(std::string& out);

 private:
  struct Player {
    std::string& out;
    void text(std::string_view text) { out.append(text); }
    void control(char c) const;
    void escape(char intermediate, char final) const;
    void csi(std::string_view parameters, char final) const;
  };

  AnsiParser<Player> parser_;
};

}  // namespace terminally
