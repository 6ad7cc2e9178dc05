// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/model/architecture.hpp"
#include "core/model/recorded/recorded_workload.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/scenario/serving_workload.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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

class Catalog; // core/catalog

struct NamedModel {
    std::string name; ///< preset id, or the config's type
    Architecture architecture;
    std::shared_ptr<const RecordedWorkload> recorded; ///< a graph from elsewhere; the architecture is empty then
};

/// Reads `/model`, whichever way it is given. Problems of a preset or a file point at the key that names it.
std::optional<NamedModel> readModel(const FilledDocument& document, const Catalog& catalog, const FileReader& readFile,
                                    Problems& problems);

/// Experts of a layer of a catalogue's model; nothing where it has none or is not there.
std::optional<std::int64_t> expertsOfPreset(const Catalog& catalog, const std::string& id);

} // namespace orrery
