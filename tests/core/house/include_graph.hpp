// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/house/build_files.hpp"

#include <string>
#include <vector>

namespace orrery::test {

/// The arrows between the targets of a project, as the includes of their files draw them.
class IncludeGraph {
public:
    explicit IncludeGraph(const SourceTree& tree);

    /// What is wrong with it, each with its place and a mend; nothing where the house is in order:
    /// - a file belongs to a target, and every header of the project that it includes is one of its target or of a target that its own
    ///   declares, itself and not by way of others;
    /// - every declared use of a target is one of some include;
    /// - a target uses only targets that CMake meets before it, so that there is no circle;
    /// - core includes nothing of the folders above it and nothing of Qt, and views nothing of the programs.
    const std::vector<std::string>& problems() const { return problems_; }

    std::size_t targetCount() const { return targets_.size(); }
    std::size_t arrowCount() const { return arrows_.size(); }

private:
    /// The first include that makes one target use another.
    struct Arrow {
        std::string place; ///< "core/training/cost/operator_cost.hpp:9"
        std::string included;
    };
    /// Both as index into `targets_`.
    using Ends = std::pair<std::size_t, std::size_t>;

    void assignFiles(const SourceTree& tree);
    void readIncludes(const SourceTree& tree);
    void readInclude(const std::string& path, int line, const std::string& included, bool quoted);
    void checkDeclared();
    void checkUsed();
    void checkOrder();
    /// "core/a → core/b → core/a" when the second end uses the first by way of any; else empty.
    std::string circle(Ends ends) const;
    bool declares(const BuildTarget& target, const std::string& name) const;
    void report(const std::string& place, const std::string& text) { problems_.push_back(place + ": " + text); }

    std::vector<BuildTarget> targets_;
    std::map<std::string, std::size_t> owners_; ///< of files: index into `targets_`
    std::map<Ends, Arrow> arrows_;
    std::vector<std::string> problems_;
};

} // namespace orrery::test
