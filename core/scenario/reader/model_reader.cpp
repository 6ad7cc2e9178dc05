// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/model_reader.hpp"
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/named_files.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/scenario_words.hpp"

#include <algorithm>

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

namespace {

constexpr std::size_t largestConfig = std::size_t{4} << 20; ///< bytes; real ones have kilobytes

std::optional<NamedModel> fromConfig(const Json& config, const std::string& pointer, Problems& problems) {
    if (!config.is_object()) {
        problems.push_back(error("wrong-type", pointer, "A model config must be an object, but is " + shown(config) + ".")
                               .mend("Give the fields of a Hugging Face config.json."));
        return std::nullopt;
    }
    auto architecture = importArchitecture(config, pointer, problems);
    if (!architecture) return std::nullopt;
    return NamedModel{architecture->modelType, *architecture, nullptr};
}

/// A config that is not part of the document cannot be pointed into nor edited there.
void pointAtName(Problems& problems, const std::string& pointer, const std::string& file) {
    for (Problem& problem : problems) {
        if (!file.empty() && problem.file.empty()) problem.message = file + ": " + problem.message;
        problem.pointer = pointer;
        problem.edits.clear();
    }
}

/// A scenario may name a file that was never meant for its reader's eyes: of what stands outside the scenario's folder no message says a word.
void quoteNothing(Problems& problems, const std::string& file) {
    if (!leadsOutside(file)) return;
    for (Problem& problem : problems) {
        const std::string where = problem.line > 0 ? " at line " + std::to_string(problem.line) : std::string();
        problem.message = file + " is not what the scenario takes it for (" + problem.code + where + "); of a file outside the scenario's folder nothing is quoted.";
        problem.mend = "Copy the file beside the scenario to be told more, or name another.";
        problem.column = 0;
    }
}

std::optional<NamedModel> fromFile(const std::string& path, const FileReader& readFile, Problems& problems) {
    const std::string pointer = "/model/config_file";
    std::string reason = "files cannot be read here";
    const auto text = readFile ? readFile(path, reason) : std::nullopt;
    if (!text) {
        problems.push_back(error("file-unreadable", pointer, "Cannot read " + path + ": " + reason + ".")
                               .mend("Name a readable config.json, relative to the scenario."));
        return std::nullopt;
    }
    if (text->size() > largestConfig) {
        problems.push_back(error("file-too-large", pointer, path + " has " + std::to_string(text->size() >> 20) + " MiB; no model's configuration is that large.")
                               .mend("Name a Hugging Face config.json."));
        return std::nullopt;
    }
    Problems found;
    std::optional<NamedModel> model;
    std::optional<Json> config = parseJsonText(*text, path, found);
    if (!config && !found.empty() && found.front().code == "json-not-a-number") {
        // Python writes Infinity and NaN, which a scenario may not have but a config inside one may.
        Problems again;
        if (const auto inside = parseJsonText("{\"config\":" + *text + "}", path, again)) {
            config = inside->at("config");
            found.clear();
        }
    }
    if (config) model = fromConfig(*config, pointer, found);
    quoteNothing(found, path);
    pointAtName(found, pointer, path);
    problems.insert(problems.end(), found.begin(), found.end());
    return model;
}

std::optional<NamedModel> fromRecording(const std::optional<Recording>& recording, const RecordingError& problem,
                                        const std::string& pointer, const std::string& file, Problems& problems) {
    if (recording) return NamedModel{recording->format, {}, std::make_shared<const RecordedWorkload>(makeRecordedWorkload(*recording))};
    // A file can't be pointed into; a part of the document can, where the place is a pointer itself.
    const bool inside = file.empty() && problem.place.starts_with('/');
    std::string message = file.empty() ? std::string() : file + ": ";
    if (!inside && !problem.place.empty()) message += "at " + problem.place + ": ";
    Problems found{error("bad-graph", inside ? pointer + problem.place : pointer, message + problem.message).mend(problem.mend)};
    quoteNothing(found, file);
    problems.push_back(std::move(found.front()));
    return std::nullopt;
}

std::optional<NamedModel> fromGraph(const Json& graph, Problems& problems) {
    RecordingError problem;
    const std::optional<Recording> recording = readRecording(graph, problem);
    return fromRecording(recording, problem, "/model/graph", "", problems);
}

std::optional<NamedModel> fromGraphFile(const std::string& path, const FileReader& readFile, Problems& problems) {
    const std::string pointer = "/model/graph_file";
    std::string reason = "files cannot be read here";
    const auto bytes = readFile ? readFile(path, reason) : std::nullopt;
    if (!bytes) {
        problems.push_back(error("file-unreadable", pointer, "Cannot read " + path + ": " + reason + ".")
                               .mend("Name a readable operator list or execution trace, relative to the scenario."));
        return std::nullopt;
    }
    RecordingError problem;
    const std::optional<Recording> recording = readRecording(std::string_view(*bytes), problem);
    return fromRecording(recording, problem, pointer, path, problems);
}

std::optional<NamedModel> fromPreset(const std::string& id, const Catalog& catalog, Problems& problems) {
    const std::string pointer = "/model/preset";
    const ModelEntry* entry = catalog.model(id);
    if (!entry) {
        problems.push_back(unknownEntry("unknown-model", pointer, "model", id, catalog.models()));
        return std::nullopt;
    }
    Problems found;
    auto model = fromConfig(entry->config, pointer, found);
    pointAtName(found, pointer, "");
    problems.insert(problems.end(), found.begin(), found.end());
    if (model) model->name = entry->id;
    return model;
}

/// What is stated in microseconds and by the chunk is kept in seconds and as a whole.
std::optional<NamedModel> fromToy(const FilledDocument& document, Problems& problems) {
    if (document.text("/workload/kind") != wordOf(WorkloadKind::training)) {
        problems.push_back(error("toy-trains", "/model/toy", "A toy has the passes of training alone; it answers no requests.").mend("Set the kind of workload to training, or choose a model."));
        return std::nullopt;
    }
    const auto seconds = [&](const char* key) { return 1e-6 * document.number(std::string("/model/toy/") + key); };
    const ToyModel toy{seconds("forward_us"), seconds("backward_input_us"), seconds("backward_weight_us"), document.number("/model/toy/kept_bytes")};
    const Json& layers = *document.find("/model/toy/stages_layers");
    int all = 0;
    if (layers.is_array())
        for (const Json& ofChunk : layers) all += ofChunk.get<int>();
    else
        all = layers.get<int>();
    if (all > 0) return NamedModel{"toy", toyArchitecture(toy, all), nullptr};
    problems.push_back(error("toy-without-layers", "/model/toy/stages_layers", "No chunk of the toy has a layer.").mend("Give at least one chunk a layer."));
    return std::nullopt;
}

/// Whoever serves a checkpoint that is stored narrower, or otherwise, than the workload says, runs another one.
void warnOfStorage(const FilledDocument& document, const Architecture& model, Problems& problems) {
    const bool runs = document.text("/workload/kind") == "inference" || document.text("/workload/kind") == "serving";
    const std::string precision = document.text("/workload/precision");
    if (!runs || model.storedAs.empty() || precision == model.storedAs) return;
    problems.push_back(warning("other-quantisation", "/workload/precision",
                               "The model's config says that its weights are stored in " + model.storedAs + " (`quantization_config`), and the workload asks for " + precision + ".")
                           .mend("Use the precision of the checkpoint, or another checkpoint."));
}

} // namespace

std::optional<NamedModel> readModel(const FilledDocument& document, const Catalog& catalog, const FileReader& readFile,
                                    Problems& problems) {
    std::optional<NamedModel> model;
    Problems found;
    if (document.has("/model/preset")) model = fromPreset(document.text("/model/preset"), catalog, found);
    else if (document.has("/model/config_file")) model = fromFile(document.text("/model/config_file"), readFile, found);
    else if (document.has("/model/graph_file")) model = fromGraphFile(document.text("/model/graph_file"), readFile, found);
    else if (document.has("/model/toy")) model = fromToy(document, found);
    else if (const Json* graph = document.find("/model/graph")) model = fromGraph(*graph, found);
    else if (const Json* config = document.find("/model/config")) model = fromConfig(*config, "/model/config", found);
    if (model && !model->recorded) warnOfStorage(document, model->architecture, found);
    if (hasErrors(found)) model.reset();
    problems.insert(problems.end(), found.begin(), found.end());
    return model;
}

std::optional<std::int64_t> expertsOfPreset(const Catalog& catalog, const std::string& id) {
    Problems found;
    const std::optional<NamedModel> model = fromPreset(id, catalog, found);
    return model && model->architecture.experts ? std::optional(model->architecture.experts->count) : std::nullopt;
}

} // namespace orrery
