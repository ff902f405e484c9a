// Keeps owner, group, ACL and mode of a file that is replaced, and never lets in who was not let in before.
#include "files/kept_access.hpp"

#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "files/file_requests.hpp"

namespace terminally {
namespace {

constexpr const char* kAcl = "system.posix_acl_access";
constexpr mode_t kGroupAndOthers = 077;

/// The file's ACL as the system keeps it; nothing where it has none beside its mode.
std::optional<std::string> acl_of(const UniqueFd& file) {
  std::array<char, 65'536> bytes{};  // the system allows no larger one
  const ssize_t size = ::fgetxattr(file.get(), kAcl, bytes.data(), bytes.size());
  return size < 0 ? std::nullopt : std::optional(std::string(bytes.data(), static_cast<std::size_t>(size)));
}

/// Gives a file this ACL; without one, takes away what it inherited from its directory.
bool set_acl(const UniqueFd& file, const std::optional<std::string>& acl) {
  if (acl) {
    return ::fsetxattr(file.get(), kAcl, acl->data(), acl->size(), 0) == 0;
  }
  return ::fremovexattr(file.get(), kAcl) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
}

/// The mode bits that let nobody in who was outside before: who belonged to a class that is no longer theirs
/// may be in any of the others now.
mode_t narrowed(mode_t mode, bool same_owner, bool same_group) {
  const mode_t owner = (mode >> 6U) & 7U;
  mode_t group = (mode >> 3U) & 7U;
  mode_t others = mode & 7U;
  if (!same_group) {
    group = others = group & others;
  }
  if (!same_owner) {
    group &= owner;
    others &= owner;
  }
  return (owner << 6U) | (group << 3U) | others;
}

}  // namespace

std::vector<std::string> note_on_setuid(mode_t before) {
  if ((before & static_cast<mode_t>(S_ISUID | S_ISGID)) == 0) {
    return {};
  }
  return {"its mode was " + octal_mode(before & 07777U) + ": setuid and setgid are dropped, as by any write"};
}

mode_t AskedMode::over(mode_t kept, std::vector<std::string>& notes) const {
  constexpr mode_t kOthersReadOrWrite = 066;
  const mode_t gets = mode && !widens ? *mode & (kept | ~kOthersReadOrWrite) : mode.value_or(kept);
  if (mode && gets != *mode) {
    notes.push_back("its mode is " + octal_mode(gets) + " and not " + octal_mode(*mode) +
                    ": what comes in parts lets nobody read or write who could not before");
  }
  return gets;
}

std::vector<std::string> keep_access(const UniqueFd& fresh, const OpenFile& old, const AskedMode& asked,
                                     const std::string& said) {
  std::vector<std::string> notes;
  const auto note = [&notes](const std::string& what, uid_t was, uid_t is) {
    notes.push_back("its " + what + " " + std::to_string(was) + " could not be kept: it is " +
                    std::to_string(is) + " now");
  };
  const struct stat made = info_of(fresh, said);
  const bool same_group =
      made.st_gid == old.info.st_gid || ::fchown(fresh.get(), static_cast<uid_t>(-1), old.info.st_gid) == 0;
  const bool same_owner =
      made.st_uid == old.info.st_uid || ::fchown(fresh.get(), old.info.st_uid, static_cast<gid_t>(-1)) == 0;
  if (!same_owner) {
    note("owner (uid)", old.info.st_uid, made.st_uid);
  }
  if (!same_group) {
    note("group (gid)", old.info.st_gid, made.st_gid);
  }
  const std::optional<std::string> acl = acl_of(old.fd);
  mode_t kept = narrowed(old.info.st_mode, same_owner, same_group);
  // An ACL names people relative to the owner and the group: with others, it might let them in.
  const bool may_keep_acl = !acl || (same_owner && same_group);
  if (!set_acl(fresh, may_keep_acl ? acl : std::nullopt) || !may_keep_acl) {
    kept &= ~kGroupAndOthers;
    notes.emplace_back("its access control list could not be kept");
  }
  for (std::string& dropped : note_on_setuid(old.info.st_mode)) {
    notes.push_back(std::move(dropped));
  }
  if (same_owner && same_group) {
    kept |= old.info.st_mode & static_cast<mode_t>(S_ISVTX);
  }
  if (::fchmod(fresh.get(), asked.over(kept, notes)) != 0) {
    throw file_error(said, errno);
  }
  return notes;
}

}  // namespace terminally
