// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/common/verb.hpp"
#include "core/base/problem.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// A scenario among a verb's arguments: the document itself, the path of its file, or its text ("orrery:…").
Shape scenarioArgument();

/// Arguments as a command takes them.
class VerbArguments {
public:
    explicit VerbArguments(const Json& arguments) : arguments_(arguments) {}

    std::string text(const char* key) const;
    double number(const char* key, double otherwise) const;
    int whole(const char* key, int otherwise) const;
    bool flag(const char* key) const;
    /// A scenario, or a file that a command reads, as a command names it; "" with a problem where it is none. Documents become texts ("orrery:…").
    std::string input(const char* key, Problems& problems);
    /// A list of files, FILE or RANK=FILE; with a problem for each that is none.
    std::vector<std::string> files(const char* key, Problems& problems) const;
    /// The text with the documents' texts taken out again: they stand in the place of files' names.
    std::string plain(std::string text) const;
    BoxedJson plain(BoxedJson document) const;

private:
    bool isIn(const Json& value) const;
    void makePlain(Json& value) const;

    const Json& arguments_;
    std::vector<std::pair<std::string, std::string>> texts_; ///< of documents, and the key of each
};

/// Runs a command that prints one JSON document, and gives what it printed. Its exit status says whether that answers the question.
VerbAnswer printedBy(const VerbArguments& arguments, const std::function<int()>& command);

/// The answer, with its long lists shortened unless `detail` is "full".
VerbAnswer withDetail(VerbAnswer answer, const VerbArguments& arguments);

/// The answer that says what is wrong.
VerbAnswer problemsAnswer(const Problems& problems);

} // namespace orrery
