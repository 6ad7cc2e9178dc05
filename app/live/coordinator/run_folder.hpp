// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace orrery {

/// A folder of one live run that nobody but its user may enter, with the socket on which ranks are heard and the stacks that they write. Gone with the
/// object: two runs at once never meet.
class RunFolder {
public:
    RunFolder() = default;
    ~RunFolder();
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    bool open(std::string& error);
    const std::string& path() const { return path_; }
    std::string socketPath() const { return path_ + "/orrery"; }
    int listening() const { return listening_; }
    /// The next rank's socket; 0: none waits.
    int accept() const;

    bool hasStack(int process) const;
    /// What the process wrote of its stack, innermost call first as Python writes it.
    std::string stackOf(int process) const;

private:
    std::string path_;
    int listening_ = -1;
};

} // namespace orrery
