// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/mixer_rules.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace orrery {
namespace {

/// Rules of one part of a row, each with what holds where the row says nothing.
class PartReader {
public:
    PartReader(const Json& part, ConfigRules& rules, std::string prefix) : part_(part), rules_(rules), prefix_(std::move(prefix)) {}

    std::int64_t number(const char* property, std::int64_t most, std::int64_t otherwise = 0) {
        const std::int64_t value = part_.contains(property) ? rules_.number(part_.at(property), most) : otherwise;
        rules_.keep(prefix_ + property, value);
        return value;
    }
    bool flag(const char* property, bool otherwise = false) const { return part_.contains(property) ? rules_.flag(part_.at(property)) : otherwise; }

private:
    const Json& part_;
    ConfigRules& rules_;
    std::string prefix_;
};

StateRule stateNamed(const std::string& name) {
    if (name == "gated_delta") return StateRule::gated_delta;
    if (name == "key_gated_delta") return StateRule::key_gated_delta;
    if (name == "mamba2") return StateRule::mamba2;
    if (name == "mamba1") return StateRule::mamba1;
    if (name == "lightning") return StateRule::lightning;
    if (name == "convolution") return StateRule::convolution;
    if (name == "rwkv7") return StateRule::rwkv7;
    throw std::runtime_error("catalogue architectures.json: the state rule " + name + " is not known");
}

void readGroups(PartReader& part, Experts& experts) {
    constexpr std::int64_t mostGroups = 255;
    const std::int64_t groups = part.number("groups", mostGroups, 1), visited = part.number("groups_per_token", mostGroups, groups);
    if (groups < 1 || experts.count % groups != 0 || visited > groups || experts.count / groups * visited < experts.perToken) return;
    experts.groups = static_cast<std::uint8_t>(groups);
    experts.groupsPerToken = static_cast<std::uint8_t>(visited);
}

} // namespace

void readLatent(const Json& rule, ConfigRules& rules, Architecture& a) {
    if (rule.contains("when") && !rules.flag(rule.at("when"))) return;
    PartReader part(rule, rules, "latent.");
    LatentAttention latent;
    latent.queryRank = part.number("query_rank", mostWidth);
    latent.keyValueRank = part.number("key_value_rank", mostWidth);
    latent.plainDim = part.number("plain_dim", mostWidth);
    latent.rotaryDim = part.number("rotary_dim", mostWidth);
    latent.valueDim = part.number("value_dim", mostWidth);
    a.latent = latent;
    a.headDim = latent.plainDim + latent.rotaryDim;
    a.kvHeads = a.heads;
}

void readState(const Json& rule, ConfigRules& rules, Architecture& a) {
    PartReader part(rule, rules, "state.");
    StateMixer state;
    state.rule = stateNamed(rule.at("rule").get<std::string>());
    state.heads = part.number("heads", mostWidth, 1);
    state.keyHeads = part.number("key_heads", mostWidth, state.heads);
    state.keyDim = part.number("key_dim", mostWidth);
    state.valueDim = part.number("value_dim", mostWidth);
    state.kernel = part.number("kernel", mostWidth);
    state.gateRank = part.number("gate_rank", mostWidth);
    state.decayRank = part.number("decay_rank", mostWidth);
    state.rateRank = part.number("rate_rank", mostWidth);
    state.valueRank = part.number("value_rank", mostWidth);
    state.chunk = part.number("chunk", mostPositions, state.chunk);
    state.convolutionBias = part.flag("convolution_bias");
    state.projectionBias = part.flag("projection_bias");
    state.innerNorms = part.flag("inner_norms");
    state.outputNorm = part.flag("output_norm", true);
    a.state = state;
}

void readIndexer(const Json& rule, ConfigRules& rules, Architecture& a) {
    if (rule.contains("when") && !rules.flag(rule.at("when"))) return;
    PartReader part(rule, rules, "indexer.");
    a.indexer = Indexer{part.number("heads", mostHeads), part.number("dim", mostWidth), part.number("selected", mostPositions)};
}

void readCompressed(const Json& rule, ConfigRules& rules, Architecture& a) {
    PartReader part(rule, rules, "compressed.");
    a.compressed = CompressedAttention{part.number("rotary_dim", mostWidth), std::max<std::int64_t>(1, part.number("output_groups", mostHeads, 1)), part.number("output_rank", mostWidth)};
}

void readBesideBlocks(const Json& row, ConfigRules& rules, Architecture& a) {
    const auto asked = [&](const char* name) { return row.contains(name) && (!row.at(name).contains("when") || rules.flag(row.at(name).at("when"))); };
    if (asked("streams")) {
        PartReader part(row.at("streams"), rules, "streams.");
        ResidualStreams streams;
        if (row.at("streams").at("rule") == "alternating") streams.rule = ResidualStreams::Rule::alternating;
        constexpr std::int64_t mostStreams = 64, mostRounds = 10'000;
        streams.count = std::max<std::int64_t>(1, part.number("count", mostStreams, 1));
        streams.rounds = part.number("rounds", mostRounds);
        a.streams = streams;
    }
    if (asked("layer_inputs")) {
        PartReader part(row.at("layer_inputs"), rules, "layer_inputs.");
        a.layerInputs = LayerInputs{part.number("width", mostWidth), part.number("rows", mostVocabulary)};
    }
    if (row.contains("residual_rank")) a.residualRank = rules.number(row.at("residual_rank"), mostWidth);
}

void readExperts(const Json& rule, ConfigRules& rules, Architecture& a) {
    if (rule.contains("when") && !rules.flag(rule.at("when"))) return;
    PartReader part(rule, rules, "experts.");
    Experts experts;
    experts.count = part.number("count", mostExperts);
    experts.perToken = part.number("per_token", mostExperts);
    if (rule.value("capped", false)) experts.perToken = std::min(experts.perToken, experts.count);
    experts.ffn = part.number("ffn", mostWidth);
    const std::string countField = rules.fieldOf(rule.at("count")), perTokenField = rules.fieldOf(rule.at("per_token"));
    if (rules.raw(rule.at("count").at("key")) && experts.perToken > experts.count)
        rules.config().fail("out-of-range", perTokenField,
                            "A token visits " + std::to_string(experts.perToken) + " experts (`" + perTokenField + "`), but there are only " + std::to_string(experts.count) + " (`" + countField + "`).",
                            "Give at most " + std::to_string(experts.count) + ".");
    experts.idle = part.number("idle", mostExperts);
    // A token's choices fall on idle places as often as on experts.
    if (experts.idle > 0) experts.perToken = std::max<std::int64_t>(1, experts.perToken * experts.count / (experts.count + experts.idle));
    experts.sharedFfn = part.number("shared_ffn", mostWidth);
    experts.latent = part.number("latent", mostWidth);
    experts.sharedGate = part.flag("shared_gate") && experts.sharedFfn > 0;
    experts.bias = part.flag("bias");
    experts.routerBias = part.flag("router_bias");
    experts.balancingBias = part.flag("balancing_bias");
    experts.routerInFp32 = part.flag("router_fp32");
    experts.clamped = part.flag("clamped");
    readGroups(part, experts);
    a.experts = experts;
}

} // namespace orrery
