#include "core/scenario/model_reader.hpp"

#include "core/base/json_parser.hpp"
#include "core/scenario/named_entry.hpp"
#include "core/scenario/schema_check.hpp"

namespace orrery {

namespace {

std::optional<NamedModel> fromConfig(const Json& config, const std::string& pointer, Problems& problems) {
    if (!config.is_object()) {
        problems.push_back(error("wrong-type", pointer, "A model config must be an object, but is " + shown(config) + ".")
                               .mend("Give the fields of a Hugging Face config.json."));
        return std::nullopt;
    }
    auto architecture = importArchitecture(config, pointer, problems);
    if (!architecture) return std::nullopt;
    return NamedModel{architecture->modelType, *architecture};
}

/// A config that is not part of the document cannot be pointed into nor edited there.
void pointAtName(Problems& problems, const std::string& pointer, const std::string& file) {
    for (Problem& problem : problems) {
        if (!file.empty() && problem.file.empty()) problem.message = file + ": " + problem.message;
        problem.pointer = pointer;
        problem.edits.clear();
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
    Problems found;
    std::optional<NamedModel> model;
    if (const auto config = parseJsonText(*text, path, found)) model = fromConfig(*config, pointer, found);
    pointAtName(found, pointer, path);
    problems.insert(problems.end(), found.begin(), found.end());
    return model;
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

} // namespace

std::optional<NamedModel> readModel(const FilledDocument& document, const Catalog& catalog, const FileReader& readFile,
                                    Problems& problems) {
    std::optional<NamedModel> model;
    Problems found;
    if (document.has("/model/preset")) model = fromPreset(document.text("/model/preset"), catalog, found);
    else if (document.has("/model/config_file")) model = fromFile(document.text("/model/config_file"), readFile, found);
    else if (const Json* config = document.find("/model/config")) model = fromConfig(*config, "/model/config", found);
    if (hasErrors(found)) model.reset();
    problems.insert(problems.end(), found.begin(), found.end());
    return model;
}

} // namespace orrery
