// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace orrery {

/// How an image becomes as many pixels as a tower takes.
enum class ImageSizing : std::uint8_t {
    rounded, ///< each edge to the next multiple of a token's, within the least and most pixels (Qwen-VL's "smart resize")
    filled,  ///< as many tokens as there is room for, in the image's proportions (Gemma 4)
    square,  ///< to one size whatever its own was (SigLIP, CLIP)
    tiled    ///< cut into squares of one size, with the whole image as one more where it is more than one (InternVL, Llama 4)
};

/// A vision transformer and the projector that takes what it gives to the language model's width. Attention has no mask.
struct VisionTower { // NOLINT(clang-analyzer-optin.performance.Padding): members stand by what they are about
    std::int64_t layers = 0, hidden = 0, heads = 0, headDim = 0, ffn = 0;
    bool gatedMlp = false;
    bool qkvBias = true, outputBias = true, mlpBias = true;
    bool normBias = true;     ///< LayerNorm; else norms have one vector
    bool normsAround = false; ///< what attention and MLP give is normed too (Gemma 4)
    bool qkNorm = false;
    bool lastNorm = false, firstNorm = false; ///< after the last layer, before the first (CLIP, Pixtral)
    std::int64_t window = 0;                  ///< pixels of an edge of the squares that attention stays within (Qwen2.5-VL); 0: the image
    std::int64_t wholeLayers = 0;             ///< of `layers`, those that see the whole image where others have a window

    std::int64_t patch = 0;  ///< pixels of an edge
    std::int64_t frames = 1; ///< of a video that a patch spans; an image counts as so many
    bool patchBias = true;
    std::int64_t positions = 0;   ///< learned, one vector each
    std::int64_t extraTokens = 0; ///< a class token in front of the patches
    std::int64_t merge = 1;       ///< patches of an edge that are one token for the language model
    bool pools = false;           ///< they are averaged, not laid side by side, before the projector

    std::vector<std::int64_t> projector; ///< widths between the projector's products; none: one product
    std::int64_t output = 0;             ///< the language model's width
    bool projectorBias = true;
    std::int64_t projectorNorm = 0; ///< vectors of the norm before it: 0, 1 or 2, each as wide as a patch, or as what is merged
    bool normsMerged = false;
    std::int64_t deepProjectors = 0; ///< more of them that take middle layers' results to the language model's first layers (Qwen3-VL's DeepStack)

    ImageSizing sizing = ImageSizing::rounded;
    std::int64_t leastPixels = 0, mostPixels = 0; ///< of a rounded image; 0: no bound
    std::int64_t edge = 0;                        ///< pixels, of a square or tile
    std::int64_t mostTiles = 1;
    std::int64_t tokensOfImage = 0; ///< most of a filled image; of a square one where it is not as many as patches give

    /// In elements, projectors included.
    double parameters() const;
    double layerParameters() const;
    double projectorParameters() const; ///< of one
    /// From what is merged to the language model, every width.
    std::vector<double> projectorWidths() const;
};

/// What a tower makes of an image.
struct ImageParts {
    double sequences = 1; ///< that attention stays within: tiles, or one
    double patches = 0;   ///< of each
    double tokens = 0;    ///< of the whole image, for the language model
};
ImageParts imageParts(const VisionTower& tower, std::int64_t width, std::int64_t height);

/// The images that come with each sequence of training, or each request.
struct ImageLoad {
    std::int64_t count = 0;             ///< of one sequence or request
    std::int64_t width = 0, height = 0; ///< pixels
};

} // namespace orrery
