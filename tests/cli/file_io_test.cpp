// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/file_io.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>

namespace orrery {
namespace {

namespace fs = std::filesystem;

std::size_t entriesIn(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Imitates a full disk: no file may grow beyond `bytes` while it lives.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        reportFileSizeLimitAsError();
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit now = before_;
        now.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

TEST(FileIo, WritesAndReadsBack) {
    const ScratchFolder folder;
    const std::string path = folder.path("a.json");
    std::string error;
    const std::string text = std::string("line\n\0tail", 10);
    ASSERT_TRUE(writeFileAtomically(path, text, error)) << error;
    EXPECT_EQ(readTextFile(path, error), text);
    ASSERT_TRUE(writeFileAtomically(path, "", error)) << error;
    EXPECT_EQ(readTextFile(path, error), "");
    EXPECT_EQ(entriesIn(folder.root()), 1u);
}

TEST(FileIo, FullDiskLeavesTheOldFileWholeAndNoTemporary) {
    const ScratchFolder folder;
    const std::string path = folder.path("scenario.orrery.json");
    std::string error;
    const std::string old = "the old scenario, whole";
    ASSERT_TRUE(writeFileAtomically(path, old, error)) << error;
    {
        const FileSizeLimit limit(4096);
        EXPECT_FALSE(writeFileAtomically(path, std::string(100000, 'x'), error));
        EXPECT_NE(error.find(path), std::string::npos) << error;
        // What fits is still written.
        EXPECT_TRUE(writeFileAtomically(folder.path("small"), "small", error)) << error;
    }
    EXPECT_EQ(readTextFile(path, error), old);
    EXPECT_EQ(entriesIn(folder.root()), 2u);
}

TEST(FileIo, KeepsPermissionsAndSymbolicLinks) {
    const ScratchFolder folder;
    const std::string target = folder.path("target");
    const std::string link = folder.path("link");
    std::string error;
    ASSERT_TRUE(writeFileAtomically(target, "one", error)) << error;
    fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("target", link);
    ASSERT_TRUE(writeFileAtomically(link, "two", error)) << error;
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(readTextFile(target, error), "two");
    EXPECT_EQ(fs::status(target).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(FileIo, NewFileHasTheUsualPermissions) {
    const ScratchFolder folder;
    std::string error;
    ASSERT_TRUE(writeFileAtomically(folder.path("written"), "x", error)) << error;
    std::ofstream(folder.path("reference")) << "x";
    EXPECT_EQ(fs::status(folder.path("written")).permissions(), fs::status(folder.path("reference")).permissions());
}

TEST(FileIo, NamesTheFileInEveryRefusal) {
    const ScratchFolder folder;
    std::string error;
    std::ofstream(folder.path("plain")) << "x";
    const std::string below = folder.path("plain") + "/child";
    const std::string missing = folder.path("missing/child");
    for (const std::string& path : {folder.root().string(), below, missing}) {
        error.clear();
        EXPECT_FALSE(writeFileAtomically(path, "text", error)) << path;
        EXPECT_NE(error.find(path), std::string::npos) << error;
        error.clear();
        EXPECT_FALSE(readTextFile(path, error)) << path;
        EXPECT_NE(error.find(path), std::string::npos) << error;
    }
    EXPECT_EQ(entriesIn(folder.root()), 1u);
}

TEST(FileIo, WritesToADeviceWithoutReplacingIt) {
    std::string error;
    EXPECT_TRUE(writeFileAtomically("/dev/null", "text", error)) << error;
    struct stat status {};
    ASSERT_EQ(stat("/dev/null", &status), 0);
    EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(FileIo, OnlyRegularFilesWhereOthersMayNeverEnd) {
    const ScratchFolder folder;
    const std::string pipe = folder.path("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink("pipe", folder.path("link"));
    std::string error;
    for (const std::string& path : {pipe, folder.path("link"), std::string("/dev/zero"), std::string("/dev/null"), folder.root().string()}) {
        error.clear();
        EXPECT_FALSE(readTextFile(path, error, {.regularOnly = true})) << path;
        EXPECT_NE(error.find(path), std::string::npos) << error;
    }
    EXPECT_FALSE(tryReadFile(pipe, error, {.regularOnly = true}));
    EXPECT_EQ(error, "it is a pipe, not a regular file");
    std::ofstream(folder.path("plain")) << "text";
    EXPECT_EQ(readTextFile(folder.path("plain"), error, {.regularOnly = true}), "text");
}

TEST(FileIo, APipeIsReadFromWhoeverWritesToIt) {
    const ScratchFolder folder;
    const std::string pipe = folder.path("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::string error;
    EXPECT_FALSE(tryReadFile(pipe, error));
    EXPECT_EQ(error, "it is a pipe, and no program writes to it");
    // Somebody who says nothing for a while, writes, and writes again.
    std::thread writer([&] {
        std::ofstream out(pipe);
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        out << "first " << std::flush;
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        out << "second";
    });
    EXPECT_EQ(readTextFile(pipe, error), "first second") << error;
    writer.join();
}

TEST(FileIo, NothingIsReadBeyondItsLimit) {
    const ScratchFolder folder;
    std::string reason;
    EXPECT_FALSE(tryReadFile("/dev/zero", reason, {.most = 3 << 20}));
    EXPECT_EQ(reason, "it is larger than 3 MiB");
    const std::string path = folder.path("sparse");
    std::ofstream(path) << "x";
    fs::resize_file(path, std::uintmax_t{1} << 40); // holes: it takes no room
    EXPECT_FALSE(tryReadFile(path, reason, {}));
    EXPECT_EQ(reason, "it is larger than 256 MiB");
    fs::resize_file(path, 1 << 20);
    EXPECT_TRUE(tryReadFile(path, reason, {.most = 1 << 20})) << reason;
    EXPECT_FALSE(tryReadFile(path, reason, {.most = (1 << 20) - 1}));
}

} // namespace
} // namespace orrery
