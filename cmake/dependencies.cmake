# All from Debian 12: libboost1.81-dev nlohmann-json3-dev libcli11-dev doctest-dev libpcre2-dev libsodium-dev libvterm-dev
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)  # headers only: Asio, CRC
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(PkgConfig REQUIRED)
if(TERMINALLY_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(VTERM REQUIRED IMPORTED_TARGET vterm)
if(BUILD_TESTING)
  find_package(doctest 2.4 REQUIRED)
endif()

# Asio without its deprecated parts; the full header is in the precompiled header only. What is no template in it and in Beast is compiled
# in one file each: src/base/asio.cpp and src/http/beast.cpp.
add_library(terminally_asio INTERFACE)
target_link_libraries(terminally_asio INTERFACE Boost::headers Threads::Threads)
target_compile_definitions(terminally_asio INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)
