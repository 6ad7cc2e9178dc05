// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/vision_tower.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

/// Tokens along both edges.
struct Grid {
    double across = 1, down = 1;
    double tokens() const { return across * down; }
};

/// Qwen-VL's smart_resize (transformers, image_processing_qwen2_vl.py).
Grid rounded(const VisionTower& v, double width, double height, double unit) {
    const auto whole = [&](double pixels) { return std::max(1.0, std::nearbyint(pixels / unit)); };
    Grid grid{whole(width), whole(height)};
    const double pixels = grid.tokens() * unit * unit;
    if (v.mostPixels > 0 && pixels > real(v.mostPixels)) {
        const double shrink = std::sqrt(width * height / real(v.mostPixels));
        grid = {std::max(1.0, std::floor(width / shrink / unit)), std::max(1.0, std::floor(height / shrink / unit))};
    } else if (pixels < real(v.leastPixels)) {
        const double grow = std::sqrt(real(v.leastPixels) / (width * height));
        grid = {std::ceil(width * grow / unit), std::ceil(height * grow / unit)};
    }
    return grid;
}

/// The image is made as large as there is room for (transformers, image_processing_gemma4.py).
Grid filled(const VisionTower& v, double width, double height, double unit) {
    const double scale = std::sqrt(real(v.tokensOfImage) * unit * unit / (width * height));
    return {std::max(1.0, std::floor(scale * width / unit)), std::max(1.0, std::floor(scale * height / unit))};
}

/// Squares whose grid comes nearest to the image's proportions; of equally near ones the larger where the image has pixels for half of it
/// (InternVL, dynamic_preprocess). With the whole image beside them where there are several.
double tiles(const VisionTower& v, double width, double height) {
    const double wanted = width / height, edge = real(v.edge);
    double best = 1, distance = std::abs(wanted - 1);
    for (std::int64_t count = 2; count <= v.mostTiles; ++count)
        for (std::int64_t across = 1; across <= count; ++across) {
            if (count % across != 0) continue;
            const double away = std::abs(wanted - real(across) / real(count / across));
            if (away > distance || (away == distance && width * height <= edge * edge * real(count) / 2)) continue;
            distance = away;
            best = real(count);
        }
    return best > 1 ? best + 1 : 1;
}

} // namespace

double VisionTower::layerParameters() const {
    const double h = real(hidden), heads3 = 3 * real(heads * headDim), f = real(ffn);
    double total = h * heads3 + (qkvBias ? heads3 : 0) + heads3 / 3 * h + (outputBias ? h : 0);
    total += (gatedMlp ? 3 : 2) * h * f + (mlpBias ? (gatedMlp ? 2 : 1) * f + h : 0);
    if (qkNorm) total += 2 * real(headDim);
    return total + (normsAround ? 4 : 2) * h * (normBias ? 2 : 1);
}

std::vector<double> VisionTower::projectorWidths() const {
    std::vector<double> widths{real(hidden) * (pools ? 1 : real(merge * merge))};
    for (const std::int64_t width : projector) widths.push_back(real(width));
    widths.push_back(real(output));
    return widths;
}

double VisionTower::projectorParameters() const {
    const std::vector<double> widths = projectorWidths();
    double total = real(projectorNorm) * (normsMerged ? widths.front() : real(hidden));
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) total += widths[i] * widths[i + 1] + (projectorBias ? widths[i + 1] : 0);
    return total;
}

double VisionTower::parameters() const {
    const double h = real(hidden), norm = h * (normBias ? 2 : 1);
    double total = 3 * real(patch * patch * frames) * h + (patchBias ? h : 0) + real(positions + extraTokens) * h;
    total += real(layers) * layerParameters() + (firstNorm ? norm : 0) + (lastNorm ? norm : 0) + projectorParameters();
    if (deepProjectors == 0) return total;
    VisionTower deep = *this;
    deep.normsMerged = true;
    return total + real(deepProjectors) * deep.projectorParameters();
}

ImageParts imageParts(const VisionTower& tower, std::int64_t width, std::int64_t height) {
    const double w = real(width), h = real(height), unit = real(tower.patch * tower.merge), merged = real(tower.merge * tower.merge);
    ImageParts parts;
    if (tower.sizing == ImageSizing::rounded || tower.sizing == ImageSizing::filled) {
        parts.tokens = (tower.sizing == ImageSizing::rounded ? rounded(tower, w, h, unit) : filled(tower, w, h, unit)).tokens();
        parts.patches = parts.tokens * merged;
    } else {
        const double edge = std::floor(real(tower.edge) / real(tower.patch));
        parts.patches = edge * edge;
        parts.sequences = tower.sizing == ImageSizing::tiled ? tiles(tower, w, h) : 1;
        parts.tokens = parts.sequences * (tower.tokensOfImage > 0 ? real(tower.tokensOfImage) : std::floor(parts.patches / merged));
    }
    parts.patches += real(tower.extraTokens);
    return parts;
}

} // namespace orrery
