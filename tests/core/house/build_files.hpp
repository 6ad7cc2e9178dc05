// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::test {

/// A project's sources and build files by their path below its root, "core/training/cost/CMakeLists.txt".
using SourceTree = std::map<std::string, std::string>;

/// Reads sources and CMakeLists.txt of these folders below `root`, and the root's own CMakeLists.txt.
SourceTree readSourceTree(const std::string& root, const std::vector<std::string>& folders);

/// What precedes the last slash; empty when there is none.
std::string folderOf(std::string_view path);

/// What a target says it links.
struct DeclaredUse {
    std::string target;
    int line = 0; ///< of the target's CMakeLists.txt
};

/// A library or program of the project.
struct BuildTarget {
    std::string name;                 ///< "orrery_core_cost"
    std::string folder;               ///< "core/training/cost"
    std::vector<std::string> sources; ///< as its CMakeLists.txt lists them
    std::vector<DeclaredUse> uses;

    std::string buildFile() const { return folder + "/CMakeLists.txt"; }
};

/// Targets in the order in which CMake meets them, beginning at the root's CMakeLists.txt. Knows the commands that the project uses to
/// name targets, sources and uses; the bodies of functions are no targets.
std::vector<BuildTarget> readTargets(const SourceTree& tree);

} // namespace orrery::test
