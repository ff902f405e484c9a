#include "base/digests.hpp"

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

TEST_CASE("base64: what was encoded is decoded, and nothing else is") {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    CHECK(decode_base64(encode_base64(bytes)) == bytes);
    bytes += static_cast<char>(i * 7);
  }
  for (const char* bad : {"Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zg==Zg==", "Zh==", "Zm9=",
                          "Zm9v\n", "Zm 9", "Zm9-", "Zm9_", "Zm9v=", "\xDA\x95\xD6J", "\xCC\xBCw\xC3"}) {
    CAPTURE(bad);
    CHECK_FALSE(decode_base64(bad));
  }
  CHECK_FALSE(decode_base64(std::string_view("Zm\0v", 4)));
}
