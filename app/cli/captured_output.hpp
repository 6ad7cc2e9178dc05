// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <iostream>
#include <sstream>
#include <streambuf>
#include <string>

namespace orrery {

/// Keeps what is written to a stream as long as it lives, instead of letting it out.
class CapturedOutput {
public:
    explicit CapturedOutput(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(kept_.rdbuf())) {}
    ~CapturedOutput() { stream_.rdbuf(before_); }
    CapturedOutput(const CapturedOutput&) = delete;
    CapturedOutput& operator=(const CapturedOutput&) = delete;
    std::string text() const { return kept_.str(); }

private:
    std::ostringstream kept_;
    std::ostream& stream_;
    std::streambuf* before_;
};

} // namespace orrery
