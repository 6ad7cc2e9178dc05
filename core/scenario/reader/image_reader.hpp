// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/serving_workload.hpp"

#include <optional>

namespace orrery {

/// `workload.images` as it stands; no image where it is left out.
ImageLoad readImages(const FilledDocument& document);
/// Tokens that they take in the language model.
int imageTokens(const Architecture& model, const ImageLoad& images);

/// Refuses images that the model can't see or that a sequence has no room for. Where a model sees and nothing is said, text alone is noted as assumed;
/// where images come, the warning that it is goes.
void checkImages(FilledDocument& document, const std::optional<Architecture>& model, Problems& problems);

/// The prompts of requests with their images.
void addImageTokens(RequestsSpec& requests, int tokens);

} // namespace orrery
