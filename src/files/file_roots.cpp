// Decides which of the allowed directories a path lies in.
#include "files/file_roots.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "files/file_uri.hpp"
#include "files/project.hpp"
#include "system/account.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kKnownWithin{500};

/// The part of `path` below `directory`, both without empty parts; nothing where the path is not below it.
std::optional<std::string> part_below(std::string_view path, std::string_view directory) {
  if (directory == "/") {
    return std::string(path.substr(1));
  }
  if (!path.starts_with(directory)) {
    return std::nullopt;
  }
  const std::string_view rest = path.substr(directory.size());
  if (!rest.empty() && rest.front() != '/') {
    return std::nullopt;
  }
  return std::string(rest.empty() ? rest : rest.substr(1));
}

std::string real_or_same(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

std::string meant_path(const std::string& path) {
  if (!is_file_uri(path)) {
    return with_home(path);
  }
  const std::optional<std::string> meant = path_of_file_uri(path);
  if (!meant) {
    throw Error(ErrorCode::invalid_argument,
                "path: \"" + path +
                    "\" is no valid file URI; allowed: file:///, the path, and % with two hex digits");
  }
  return *meant;
}

}  // namespace

std::string without_empty_parts(std::string_view path) {
  std::string tidy = path.starts_with('/') ? "/" : "";
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (!part.empty() && part != ".") {
      tidy.append(tidy.empty() || tidy == "/" ? "" : "/").append(part);
    }
  }
  return tidy;
}

/// Signals are for the main thread. Where no thread can be made, the look is done at once.
void FileRoots::add(Root until_known, std::function<Root()> look) {
  const auto task = std::make_shared<std::packaged_task<Root()>>(std::move(look));
  roots_.push_back({std::move(until_known), task->get_future().share(), Clock::now() + kKnownWithin});
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {
    (*task)();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::vector<FileRoots::Root> FileRoots::roots_now() const {
  std::vector<Root> now;
  for (const FutureRoot& root : roots_) {
    const bool known = root.known.wait_until(root.wait_until) == std::future_status::ready;
    now.push_back(known ? root.known.get() : root.until_known);
  }
  return now;
}

FileRoots FileRoots::of(const std::vector<std::filesystem::path>& named) {
  FileRoots roots;
  for (const std::filesystem::path& path : named) {
    const std::string spelled = without_empty_parts(path.string());
    roots.add({spelled, spelled}, [spelled] { return Root{spelled, real_or_same(spelled)}; });
  }
  return roots;
}

FileRoots FileRoots::of_project(const std::filesystem::path& directory, const std::filesystem::path& home) {
  const std::string started = "the server was started in " + directory.string() + ", ";
  FileRoots roots;
  roots.add({"", "", started + "whose file system does not answer"}, [directory, home, started] {
    const std::string project = project_of(directory, home).string();
    return Root{project, project, project.empty() ? started + "which is in no project" : ""};
  });
  return roots;
}

FileRoots FileRoots::all() {
  FileRoots roots;
  roots.all_ = true;
  return roots;
}

FilePlaceInRoot FileRoots::find(const std::string& path) const {
  const std::string given = meant_path(path);
  FilePlaceInRoot place = place_of(without_empty_parts(given), path);
  place.is_directory = given.ends_with('/') || given.ends_with("/.") || given == ".";
  place.one_for_all = std::filesystem::path(place.one_for_all + "/" + place.path).lexically_normal().string();
  return place;
}

FilePlaceInRoot FileRoots::place_of(const std::string& meant, const std::string& path) const {
  if (all_) {
    return {FileRoot::anywhere(), meant, meant, path};
  }
  const std::vector<Root> roots = roots_now();
  if (!meant.starts_with('/') && !roots.empty() && !roots.front().named.empty()) {
    const Root& root = roots.front();
    return {FileRoot::beneath(root.real), meant, root.named + (meant.empty() ? "" : "/") + meant, path,
            root.real};
  }
  const Root* best = nullptr;
  std::string below;
  for (const Root& root : roots) {
    for (const std::string& spelled : {root.named, root.real}) {
      const std::optional<std::string> rest = spelled.empty() ? std::nullopt : part_below(meant, spelled);
      if (rest && (best == nullptr || rest->size() < below.size())) {
        best = &root;
        below = *rest;
      }
    }
  }
  if (best == nullptr) {
    throw Error(ErrorCode::invalid_argument,
                "path: \"" + path + "\" is outside the allowed roots: " + explain(roots));
  }
  return {FileRoot::beneath(best->real), below, meant, path, best->real};
}

std::string FileRoots::explain(const std::vector<Root>& roots) {
  std::string all;
  for (const Root& root : roots) {
    all += (all.empty() ? "" : ", ") + (root.named.empty() ? "none, as " + root.why_none : root.named);
  }
  return all +
         ". To allow more: start the server with --file-root DIR (for a host: \"file_roots\" in hosts.json)";
}

}  // namespace terminally
