#include "base/base64.hpp"

#include <doctest/doctest.h>

using namespace terminally;

TEST_CASE("base64: the vectors of RFC 4648, section 10, and every byte") {
  CHECK(encode_base64("").empty());
  CHECK(encode_base64("f") == "Zg==");
  CHECK(encode_base64("fo") == "Zm8=");
  CHECK(encode_base64("foo") == "Zm9v");
  CHECK(encode_base64("foob") == "Zm9vYg==");
  CHECK(encode_base64("fooba") == "Zm9vYmE=");
  CHECK(encode_base64("foobar") == "Zm9vYmFy");
  CHECK(encode_base64(std::string_view("\x00\xff\xfe\x80", 4)) == "AP/+gA==");
}
