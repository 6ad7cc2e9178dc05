// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/vision_rules.hpp"

#include "core/model/config_rules.hpp"

#include <string_view>

namespace orrery {
namespace {

constexpr const char* towerKeys[] = {"vision_config", "visual", "vision_tower_config", "vit_config"};
constexpr std::int64_t mostPixels = 100'000;
constexpr std::int64_t mostPixelsOfImage = 10'000'000'000;

class TowerReader {
public:
    TowerReader(const Json& row, ConfigRules& rules) : row_(row), rules_(rules) {}

    std::int64_t number(const char* property, std::int64_t most, std::int64_t otherwise = 0) {
        const std::int64_t value = row_.contains(property) ? rules_.number(row_.at(property), most) : otherwise;
        rules_.keep(property, value);
        return value;
    }
    bool flag(const char* property, bool otherwise) { return row_.contains(property) ? rules_.flag(row_.at(property)) : otherwise; }

    VisionTower read() {
        VisionTower v;
        v.layers = number("layers", mostLayers);
        v.hidden = number("hidden", mostWidth);
        v.heads = number("heads", mostHeads);
        v.headDim = number("head_dim", mostWidth, v.heads > 0 ? v.hidden / v.heads : 0);
        v.ffn = number("ffn", mostWidth);
        v.gatedMlp = flag("gated_mlp", false);
        v.qkvBias = flag("qkv_bias", true);
        v.outputBias = flag("output_bias", true);
        v.mlpBias = flag("mlp_bias", true);
        v.normBias = flag("norm_bias", true);
        v.normsAround = flag("norms_around", false);
        v.qkNorm = flag("qk_norm", false);
        v.firstNorm = flag("first_norm", false);
        v.lastNorm = flag("last_norm", false);
        v.window = number("window", mostPixels);
        v.wholeLayers = number("whole_layers", mostLayers);
        v.patch = number("patch", mostPixels);
        v.frames = number("frames", mostPixels, 1);
        v.patchBias = flag("patch_bias", true);
        v.edge = number("edge", mostPixels);
        v.positions = number("positions", mostPositions);
        v.extraTokens = number("extra_tokens", mostPositions);
        v.merge = number("merge", mostPixels, 1);
        v.pools = flag("pools", false);
        v.output = number("output", mostWidth);
        if (row_.contains("projector"))
            for (const Json& width : row_.at("projector")) v.projector.push_back(rules_.number(width, mostWidth));
        v.projectorBias = flag("projector_bias", true);
        v.projectorNorm = number("projector_norm", 2);
        v.normsMerged = flag("norms_merged", false);
        v.deepProjectors = number("deep_projectors", mostLayers);
        v.leastPixels = number("least_pixels", mostPixelsOfImage);
        v.mostPixels = number("most_pixels", mostPixelsOfImage);
        v.mostTiles = number("most_tiles", mostPixels, 1);
        v.tokensOfImage = number("tokens_of_image", mostPositions);
        const std::string sizing = row_.value("sizing", "rounded");
        v.sizing = sizing == "filled" ? ImageSizing::filled : sizing == "square" ? ImageSizing::square
                                                          : sizing == "tiled"    ? ImageSizing::tiled
                                                                                 : ImageSizing::rounded;
        return v;
    }

private:
    const Json& row_;
    ConfigRules& rules_;
};

std::string typeIn(const Json& config) { return config.contains("model_type") && config["model_type"].is_string() ? config["model_type"].get<std::string>() : std::string(); }

} // namespace

std::optional<VisionTower> readVision(const Json& config, const std::string& pointer, const ArchitectureTable& table, const Architecture& text) {
    for (const char* key : towerKeys) {
        const auto found = config.find(key);
        if (found == config.end() || !found->is_object()) continue;
        const Json* row = table.tower(typeIn(config)); // which says what its projector is
        if (!row) row = table.tower(typeIn(*found));
        if (!row) return std::nullopt;
        Json merged = *found;
        merged["outer"] = config;
        merged["outer"].erase(key);
        // A tower that can't be read is left out, as one of an unknown type is: text alone runs all the same.
        Problems own;
        const ConfigReader reader(merged, pointer + "/" + key, own);
        ConfigRules rules(reader);
        rules.keep("text_hidden", text.hidden);
        const VisionTower tower = TowerReader(*row, rules).read();
        if (!hasErrors(own) && tower.layers > 0 && tower.patch > 0 && tower.heads > 0) return tower;
        return std::nullopt;
    }
    return std::nullopt;
}

} // namespace orrery
