#include "base/digests.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace terminally;

TEST_CASE("sha256: the vectors of NIST") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlm"
            "nopqrsmnopqrstnopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE(
    "sha256: every length around a block, as Python's hashlib has it, in parts and with looks on the way") {
  Sha256 of_all;
  for (std::size_t length = 0; length < 300; ++length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
      text += static_cast<char>(i % 251);
    }
    Sha256 in_parts;
    for (std::size_t at = 0, step = 1; at < length; at += step, step = step * 3 % 71 + 1) {
      in_parts.update(text.substr(at, step));
      static_cast<void>(in_parts.hex());
    }
    REQUIRE(in_parts.hex() == sha256_hex(text));
    of_all.update(in_parts.hex());
  }
  CHECK(of_all.hex() == "36003b4decc573736378067bfe6b11525dae0f246679f49dc3152bd6dcb6e925");
}

TEST_CASE("sha256: what is one") {
  CHECK(is_sha256(sha256_hex("")));
  CHECK_FALSE(is_sha256(""));
  CHECK_FALSE(is_sha256(std::string(63, 'a')));
  CHECK_FALSE(is_sha256(std::string(65, 'a')));
  CHECK_FALSE(is_sha256(std::string(64, 'A')));
  CHECK_FALSE(is_sha256(std::string(64, 'g')));
}
