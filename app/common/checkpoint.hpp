// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A file that keeps what a long run has found: one JSON document a line, the first of them what was asked. Each line is on the file
/// before the next is found, so that a killed run loses at most the line it was writing.
class Checkpoint {
public:
    /// Goes on with the file where it answers the same question; begins one where there is none. Nothing, with a problem, for a
    /// file that answers another question, is no checkpoint, or can't be written.
    static std::optional<Checkpoint> open(const std::string& path, const Json& question, Problems& problems);

    /// What the file held, without its first line; a broken last line is dropped.
    const std::vector<BoxedJson>& known() const { return known_; }

    /// False, with `error` a sentence that names the file, when the line can't be written.
    bool add(const Json& line, std::string& error);

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); } // NOLINT(cppcoreguidelines-owning-memory)
    };
    std::string path_;
    std::vector<BoxedJson> known_;
    std::unique_ptr<std::FILE, Closer> file_;
};

} // namespace orrery
