// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Says of kernels with a name whether they communicate.
struct CommunicationRule {
    std::string match;         ///< a part of the name, case of a to z ignored; `_?` stands for an underscore or none; empty: every name
    bool communication = true; ///< false: such kernels compute
    bool operator==(const CommunicationRule&) const = default;
};

/// The first rule that matches decides; a kernel that none matches computes.
using CommunicationRules = std::vector<CommunicationRule>;

inline constexpr std::size_t mostCommunicationRules = 1000;
inline constexpr std::size_t longestCommunicationMatch = 200; ///< letters

/// What counts unless somebody says otherwise: kernels of NCCL, RCCL, DeepEP, NVSHMEM, MSCCL++, HCCL and XLA, and of engines' own all-reduces.
const CommunicationRules& shippedCommunicationRules();

/// Rules made ready to be asked about many names.
class CommunicationJudge {
public:
    explicit CommunicationJudge(const CommunicationRules& rules);
    /// Place of the rule that decides; nothing where none matches.
    std::optional<std::size_t> rule(std::string_view kernel) const;
    bool communicates(std::string_view kernel) const;

private:
    /// A letter, or a row of underscores: so many at least and at most.
    struct Piece {
        char letter = '_';
        std::size_t least = 1, most = 1;
    };
    struct Pattern {
        std::vector<Piece> pieces;
        bool communication = true;
    };
    static Pattern patternOf(const CommunicationRule& rule);
    static bool standsAt(const Pattern& pattern, std::string_view text);
    static bool standsIn(const Pattern& pattern, std::string_view text);

    std::vector<Pattern> patterns_;
};

/// Whether a kernel's name is a collective's or a send's by the shipped rules.
bool isCommunication(std::string_view kernel);

/// Sorts the kernels of a trace that was read into communication and computation anew. Each name is looked at once.
void sortKernels(KinetoTrace& trace, const CommunicationRules& rules);

/// A copy of the trace sorted by the rules; nothing where they say of every kernel what the trace has already.
std::optional<KinetoTrace> sortedOtherwise(const KinetoTrace& trace, const CommunicationRules& rules);

/// Reads `[{"match": "nccl", "communication": true}, …]`, where `communication` may be missing. Nothing, with problems, where it is something else, has too many rules
/// or one that is too long. Problems name the file; without one they point below `pointer`.
std::optional<CommunicationRules> readCommunicationRules(const Json& list, const std::string& fileName, const std::string& pointer, Problems& problems);

/// The list that `readCommunicationRules` reads.
Json communicationRulesDocument(const CommunicationRules& rules);

} // namespace orrery
