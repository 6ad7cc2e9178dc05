// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/image_reader.hpp"

#include "core/scenario/document/problem_builder.hpp"

#include <algorithm>
#include <string>

namespace orrery {
namespace {

constexpr const char* imagesAt = "/workload/images";

bool isTraining(const FilledDocument& document) { return document.text("/workload/kind") == "training"; }

/// Told of a model whose only other part is its vision tower.
bool tellsOfVisionAlone(const Problem& problem) {
    return problem.code == "text-alone" && problem.message.find("audio") == std::string::npos && problem.message.find("sound") == problem.message.rfind("sound") &&
           problem.message.find("speech") == std::string::npos;
}

} // namespace

ImageLoad readImages(const FilledDocument& document) {
    if (!document.has(imagesAt)) return {};
    const std::string at = imagesAt;
    return {document.integer(at + (isTraining(document) ? "/per_sequence" : "/per_request")), document.integer(at + "/width"), document.integer(at + "/height")};
}

int imageTokens(const Architecture& model, const ImageLoad& images) {
    if (!model.vision || images.count == 0) return 0;
    constexpr double mostTokens = 1e8; // of a sequence, as the schema has it
    return static_cast<int>(std::min(mostTokens, double(images.count) * imageParts(*model.vision, images.width, images.height).tokens));
}

void checkImages(FilledDocument& document, const std::optional<Architecture>& model, Problems& problems) {
    if (!model) return;
    if (!document.has(imagesAt)) {
        if (model->vision) document.assume(imagesAt, nullptr, "text alone: the model's vision tower has nothing to do and is left out");
        return;
    }
    if (!model->vision) {
        problems.push_back(error("no-vision-part", imagesAt, "The model has no vision tower that is known here (type `" + model->modelType + "`), so it can't take images.")
                               .mend("Leave `images` out, or name a model whose config has a `vision_config`.")
                               .edit(imagesAt, nullptr));
        return;
    }
    std::erase_if(problems, tellsOfVisionAlone);
    const int tokens = imageTokens(*model, readImages(document)), length = document.integer("/workload/sequence_length");
    if (isTraining(document) && tokens > length)
        problems.push_back(error("images-exceed-sequence", std::string(imagesAt) + "/per_sequence",
                                 "The images of a sequence take " + std::to_string(tokens) + " tokens, but it has " + std::to_string(length) + " (`sequence_length`).")
                               .mend("Give fewer or smaller images, or longer sequences."));
}

void addImageTokens(RequestsSpec& requests, int tokens) {
    if (tokens == 0) return;
    if (auto* law = std::get_if<RequestLaw>(&requests)) {
        law->imageTokens = tokens;
        return;
    }
    auto& log = std::get<RequestLog>(requests);
    auto longer = std::make_shared<RequestList>(*log.list);
    for (Request& request : longer->requests) request.input += tokens;
    log.list = std::move(longer);
}

} // namespace orrery
