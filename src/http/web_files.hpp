#pragma once

#include <span>
#include <string_view>

namespace terminally {

/// One file of the browser page, carried inside the program.
struct WebFile {
  std::string_view path;  ///< from "/" on; "/index.html" is also "/"
  std::string_view type;  ///< its Content-Type
  std::string_view bytes;
  bool gzip;  ///< whether the bytes are compressed
};

/// The page that this program was built with: by terminally_web_files of cmake/web_files.cmake. Nothing where
/// it was built without one.
[[nodiscard]] std::span<const WebFile> web_files();

}  // namespace terminally
