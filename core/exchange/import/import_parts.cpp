// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/import_parts.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <cstring>
#include <numeric>

namespace orrery {
namespace {

constexpr std::int64_t usualPerNode = 8;
constexpr std::int64_t mostAccelerators = 100'000'000;

bool covers(const char* pattern, const std::string& name) {
    const std::size_t length = std::strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*') return name.compare(0, length - 1, pattern, length - 1) == 0;
    return name == pattern;
}

/// The row of a table whose name is or begins like the option's; the first that does.
template <class Row> const Row* rowOf(const std::vector<Row>& table, const std::string& name) {
    for (const Row& row : table)
        if (covers(row.name, name)) return &row;
    return nullptr;
}

std::string withValue(const GivenOption& option) {
    const std::string value = option.value();
    return option.written + (value.empty() ? "" : " " + value.substr(0, 60) + (value.size() > 60 ? "…" : ""));
}

/// A word that belongs to no option, or a variable in its place.
void reportStray(ScenarioDraft& draft, const std::string& word, int line) {
    if (leftOpen(word))
        draft.note(line, "variable-not-set", word + " has no value in this text and was taken as empty.", "If options come from it, set it above.");
    else
        draft.note(line, "word-not-understood", "The word \"" + word + "\" belongs to no option and has no effect.");
}

/// `--bf16 $MORE_ARGS`: what stands behind an option and is not its value.
void reportValuesBeyond(ScenarioDraft& draft, const GivenOption& option) {
    for (std::size_t i = option.isFlag ? 0 : 1; i < option.values.size(); ++i)
        if (option.isFlag || leftOpen(option.values[i])) reportStray(draft, option.values[i], option.line);
}

} // namespace

std::optional<std::string> torchFormat(const std::string& word) {
    const std::string name = word.rfind("torch.", 0) == 0 ? word.substr(6) : word;
    for (const auto& [written, format] : {std::pair{"float32", "fp32"}, std::pair{"fp32", "fp32"}, std::pair{"bfloat16", "bf16"}, std::pair{"bf16", "bf16"},
                                          std::pair{"float16", "fp16"}, std::pair{"fp16", "fp16"}, std::pair{"fp8", "fp8"}, std::pair{"int8", "int8"}})
        if (name == written) return format;
    return std::nullopt;
}

std::optional<std::int64_t> PlanDegrees::modelRanks() const {
    const double product = static_cast<double>(tensor) * static_cast<double>(context) * static_cast<double>(pipeline);
    if (product > static_cast<double>(mostAccelerators)) return std::nullopt;
    return tensor * context * pipeline;
}

bool placeOnCluster(ScenarioDraft& draft, const LaunchSize& size, PlanDegrees& degrees, const ImportOptions& options) {
    const auto ranks = degrees.modelRanks();
    const auto tooMany = [&] {
        draft.fail(size.line, "too-many-ranks", "The plan asks for more accelerators than any cluster has.",
                   "Check the parallel sizes and the number of nodes.");
        return false;
    };
    if (!ranks || size.nodes.value_or(1) > mostAccelerators || size.perNode.value_or(1) > mostAccelerators) return tooMany();

    if (!size.openNodes.empty() && !size.nodes)
        draft.warn(size.openNodesLine, "variable-not-set", size.openNodes + " has no value in this text: the number of nodes is not known.",
                   "Give it with --set, or set the nodes of your cluster.");
    std::int64_t perNode = size.perNode.value_or(usualPerNode);
    std::optional<std::int64_t> world = size.accelerators();
    if (!world && size.nodes) {
        world = *size.nodes * perNode;
        draft.noteAssumed("/cluster/accelerators_per_node", "8 accelerators a node were taken: the launch names the nodes alone.",
                          "Set it if your nodes have another number.");
    }
    if (!world) {
        // Experts are split over ranks of one stage.
        const std::int64_t ofStage = *ranks / degrees.pipeline;
        const std::int64_t ofStages = std::lcm(ofStage, std::min(degrees.expert, mostAccelerators));
        if (ofStages > mostAccelerators / degrees.pipeline) return tooMany();
        world = std::lcm(ofStages * degrees.pipeline, usualPerNode);
        if (*world > mostAccelerators) return tooMany();
        draft.noteAssumed("/cluster/nodes", std::to_string(*world) + " accelerators were taken, the fewest whole nodes of 8 that hold the plan: "
                                                                     "the text names no number of them.",
                          "Set the nodes of your cluster.");
    } else if (*world % *ranks != 0) {
        const std::int64_t group = std::lcm(*ranks, size.perNode.value_or(1));
        const std::int64_t wanted = (*world + group - 1) / group * group;
        draft.warn(size.line, "cluster-does-not-fit", "The launch starts " + std::to_string(*world) + " processes, which do not split into replicas of " + std::to_string(*ranks) + " ranks; " + std::to_string(wanted) + " accelerators were taken.",
                   "Set the nodes of your cluster.");
        world = wanted;
    }
    if (*world > mostAccelerators) return tooMany();
    if (*world % perNode != 0) perNode = std::gcd(*world, perNode);

    if (!options.accelerator.empty())
        draft.set("/cluster/accelerator", options.accelerator);
    else if (!draft.has("/cluster/accelerator"))
        draft.assume("/cluster/accelerator", "h100-sxm5-80gb", "a command line does not name the accelerator", "Name yours.");
    draft.set("/cluster/accelerators_per_node", perNode);
    draft.set("/cluster/nodes", *world / perNode);
    degrees.data = *world / *ranks;
    return true;
}

void reportLeftOptions(ScenarioDraft& draft, const OptionList& options, const std::vector<IgnoredOption>& ignored,
                       const std::vector<std::string>& known, const std::vector<RefusedOption>& refused) {
    for (const GivenOption& option : options.all()) {
        reportValuesBeyond(draft, option);
        if (option.used) continue;
        if (const RefusedOption* cannot = rowOf(refused, option.name)) {
            const std::string message = withValue(option) + (cannot->stops ? " can't be simulated: " : " has no effect: ") + cannot->leftOut + ".";
            if (cannot->stops) draft.fail(option.line, "not-simulated", message, "Leave it out to see the plan without it.");
            else draft.warn(option.line, "not-simulated", message, "Read the result with that in mind.");
            if (!option.file.empty()) draft.problems.back().file = option.file;
            continue;
        }
        if (const IgnoredOption* reason = rowOf(ignored, option.name)) {
            draft.note(option.line, "option-ignored", withValue(option) + " was ignored on purpose: " + reason->reason + ".");
            if (!option.file.empty()) draft.problems.back().file = option.file;
            continue;
        }
        const auto near = nearestWord(option.name, known);
        draft.warn(option.line, "option-not-understood", withValue(option) + " was not understood and has no effect.",
                   near && near->likely ? "Did you mean --" + near->word + "?" : "Set what it does in the scenario, if it matters there.");
        if (!option.file.empty()) draft.problems.back().file = option.file;
    }
    for (const LinedText& stray : options.strays()) reportStray(draft, stray.text(), stray.line());
}

void writeOutAbbreviations(OptionList& options, const std::vector<std::string>& known, const std::vector<IgnoredOption>& ignored) {
    constexpr std::size_t shortest = 4;
    for (GivenOption& option : options.all()) {
        if (option.name.size() < shortest || option.written.rfind("--", 0) != 0 || rowOf(ignored, option.name)) continue;
        if (std::find(known.begin(), known.end(), option.name) != known.end()) continue;
        const std::string* whole = nullptr;
        std::size_t fitting = 0;
        for (const std::string& name : known)
            if (name.starts_with(option.name)) whole = &name, ++fitting;
        if (fitting == 1) option.name = *whole;
    }
}

void reportLauncherOptions(ScenarioDraft& draft, const OptionList& options) {
    for (const GivenOption& option : options.all()) {
        if (option.used || option.name == "m" || option.name == "u" || option.name == "module") continue;
        draft.note(option.line, "option-ignored", withValue(option) + " was ignored on purpose: it tells the launcher how to start processes.");
    }
}

std::optional<Json> layoutWithEnds(std::int64_t layers, std::int64_t chunks, bool embedding, bool loss) {
    const std::int64_t counted = layers + (embedding ? 1 : 0) + (loss ? 1 : 0);
    if (chunks < 2 || chunks > 100'000 || counted % chunks != 0 || counted / chunks < 2) return std::nullopt;
    Json layout = Json::array();
    for (std::int64_t i = 0; i < chunks; ++i)
        layout.push_back(counted / chunks - (embedding && i == 0 ? 1 : 0) - (loss && i + 1 == chunks ? 1 : 0));
    return layout;
}

} // namespace orrery
