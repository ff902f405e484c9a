// Tells this program's version and its build id, which the linker wrote into an ELF note.
#include "system/this_build.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string_view>

namespace terminally {
namespace {

constexpr std::size_t kHashBytes = 8;
/// Includes the NUL at the end.
constexpr char kGnu[] = ELF_NOTE_GNU;

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// The build id among the notes of a segment (elf(5)): the linker's hash of the whole program.
std::string_view build_id_in(std::string_view notes) {
  ElfW(Nhdr) note{};
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t name = padded(note.n_namesz);
    const std::size_t content = padded(note.n_descsz);
    if (name + content > notes.size()) {
      break;
    }
    if (note.n_type == NT_GNU_BUILD_ID &&
        notes.substr(0, note.n_namesz) == std::string_view(kGnu, sizeof kGnu)) {
      return notes.substr(name, note.n_descsz);
    }
    notes.remove_prefix(name + content);
  }
  return {};
}

/// The callback of dl_iterate_phdr: the first object is the program itself.
int look_at(dl_phdr_info* program, std::size_t /*size*/, void* found) {
  for (ElfW(Half) i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = program->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an address, as the loader tells it
      const auto* begin = reinterpret_cast<const char*>(program->dlpi_addr + segment.p_vaddr);
      const std::string_view id = build_id_in({begin, segment.p_memsz});
      if (!id.empty()) {
        *static_cast<std::string_view*>(found) = id;
        break;
      }
    }
  }
  return 1;
}

std::string build_hash() {
  std::string_view id;
  ::dl_iterate_phdr(look_at, &id);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hash;
  for (const char c : id.substr(0, kHashBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    hash += kDigits[byte >> 4U];
    hash += kDigits[byte & 15U];
  }
  return hash;
}

}  // namespace

Build this_build() {
  return {TERMINALLY_VERSION, TERMINALLY_ARCHITECTURE, build_hash()};
}

std::string text_of(const Build& build) {
  return build.version + " " + build.architecture + " " + build.hash;
}

}  // namespace terminally
