// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/study/kernel_question.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/operators/roofline.hpp"
#include "core/scenario/precisions.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Reads the question's members; the first thing wrong with each is a problem.
class QuestionReader {
public:
    QuestionReader(const Json& question, Problems& problems) : question_(question), problems_(problems) {}

    std::string text(const char* key, const char* otherwise) {
        const Json* value = find(key);
        if (!value) return otherwise;
        if (value->is_string()) return value->get<std::string>();
        fail(key, "is no text", "Write it in double quotes.");
        return otherwise;
    }

    double count(const char* key, double otherwise) {
        const Json* value = find(key);
        if (!value) return otherwise;
        if (value->is_number_integer() && value->get<double>() >= 1 && value->get<double>() <= 1e9) return value->get<double>();
        fail(key, "is no whole number from 1", "Write a number such as 200.");
        return otherwise;
    }

    const Json* find(const char* key) {
        known_.emplace_back(key);
        const auto found = question_.is_object() ? question_.find(key) : question_.end();
        return question_.is_object() && found != question_.end() ? &*found : nullptr;
    }

    void fail(const std::string& key, const std::string& what, const std::string& mend) {
        Problem problem;
        problem.code = "bad-kernel-question";
        problem.pointer = "/" + key;
        problem.message = "`" + key + "` " + what + ".";
        problem.mend = mend;
        problems_.push_back(std::move(problem));
    }

    /// One of some words.
    std::string choice(const char* key, const std::vector<std::string>& words, const std::string& otherwise) {
        const std::string word = text(key, otherwise.c_str());
        if (std::find(words.begin(), words.end(), word) != words.end()) return word;
        failWord(key, word, words);
        return otherwise;
    }

    void failWord(const std::string& key, const std::string& word, const std::vector<std::string>& words) {
        const auto nearest = nearestWord(word, words);
        fail(key, "is \"" + word + "\", which is not known here", nearest ? "The nearest is \"" + nearest->word + "\"." : "Name another.");
    }

    void refuseUnknown() {
        if (!question_.is_object()) return;
        for (const auto& [key, value] : question_.items())
            if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
                const auto nearest = nearestWord(key, known_);
                fail(key, "is no key of a question about a kernel", nearest ? "The nearest known key is \"" + nearest->word + "\"." : "Leave it out.");
            }
    }

private:
    const Json& question_;
    Problems& problems_;
    std::vector<std::string> known_;
};

std::optional<Architecture> readModel(QuestionReader& reader, const Catalog& catalog, Problems& problems) {
    const Json* model = reader.find("model");
    if (model && model->is_object() && model->contains("config")) return importArchitecture(model->at("config"), "/model/config", problems);
    if (!model || !model->is_object() || !model->contains("preset") || !model->at("preset").is_string()) {
        reader.fail("model", "names neither a preset nor a config", "Write {\"preset\": \"llama-2-7b\"}.");
        return std::nullopt;
    }
    const std::string id = model->at("preset").get<std::string>();
    if (const ModelEntry* entry = catalog.model(id)) return importArchitecture(entry->config, "/model/preset", problems);
    std::vector<std::string> ids;
    for (const ModelEntry& entry : catalog.models()) ids.push_back(entry.id);
    reader.failWord("model/preset", id, ids);
    return std::nullopt;
}

std::optional<Accelerator> readChip(QuestionReader& reader, const Catalog& catalog, Problems& problems) {
    const Json* chip = reader.find("accelerator");
    if (chip && chip->is_object()) return readAccelerator(*chip, catalog, "/accelerator", problems);
    const std::string id = chip && chip->is_string() ? chip->get<std::string>() : std::string();
    if (const Accelerator* accelerator = catalog.accelerator(id)) return *accelerator;
    std::vector<std::string> ids;
    for (const Accelerator& accelerator : catalog.accelerators()) ids.push_back(accelerator.id);
    reader.failWord("accelerator", id, ids);
    return std::nullopt;
}

struct Setting {
    double batch = 1, tokens = 1, keys = 1, tensor = 1;
    MatrixFormat format = MatrixFormat::sixteen_bit;
};

/// The operator for tokens that follow others: with a cache, the attention core meets keys that are not computed now. Each of `tensor`
/// ranks has its share of heads, of columns, or of rows.
Operator settled(Operator op, const Setting& setting) {
    if (op.name == "attention.scores") op.shape.n = setting.keys;
    if (op.name == "attention.context") op.shape.k = setting.keys;
    switch (op.role) {
    case TensorRole::column:
    case TensorRole::vocabulary: op.shape.n /= setting.tensor; break;
    case TensorRole::row: op.shape.k /= setting.tensor; break;
    case TensorRole::heads: op.shape.batch /= setting.tensor; break;
    default: break;
    }
    op.flops = 2 * op.shape.m * op.shape.n * op.shape.k * op.shape.batch;
    // The attention core and the router stay at 16 bit and above.
    if (op.kind == OperatorKind::gemm && op.operandBytes <= 2) op.format = setting.format;
    op.bytesRead = op.bytesWritten = 0;
    return op;
}

std::vector<Operator> productsOf(const Architecture& model, const Setting& setting) {
    const ModelPieces pieces = buildModelPieces(model, {setting.batch, setting.tokens});
    std::vector<Operator> products;
    const auto take = [&](const Graph& graph) {
        for (const Operator& op : graph.forward) {
            const bool product = op.kind == OperatorKind::gemm || op.kind == OperatorKind::batched_gemm || op.kind == OperatorKind::grouped_gemm;
            const bool known = std::any_of(products.begin(), products.end(), [&](const Operator& other) { return other.name == op.name; });
            if (product && !known) products.push_back(settled(op, setting));
        }
    };
    for (const Graph& layer : pieces.layers) take(layer);
    take(pieces.head);
    return products;
}

std::string_view classOf(RooflineBound bound) { return isCompute(bound) ? "compute" : isMemory(bound) ? "memory"
                                                                                                      : "latency"; }

Json answer(const RooflineMachine& machine, const Operator& op) {
    const GemmWork work = gemmWork(op);
    const RooflineTime t = gemmRoofline(machine, work);
    const double compute = t.flops / (machine.matrixPeak[static_cast<std::size_t>(work.rate)] * machine.shares.matrix);
    const double operands = (work.m * work.k * work.leftBytes + work.k * work.n * work.rightBytes + work.m * work.n * work.outBytes) * work.batch;
    const double memory = operands / (machine.bandwidth[0] * machine.shares.memory);
    Json levels = Json::object();
    for (std::size_t i = 0; i < memoryLevels; ++i) {
        const auto level = static_cast<MemoryLevel>(i);
        levels[std::string(toString(level))] = {{"traffic_bytes", t.traffic[i]}, {"time_s", t.levelTime[i]}, {"intensity_flop_per_byte", t.intensity(level)}};
    }
    return {{"operator", op.name},
            {"m", work.m},
            {"n", work.n},
            {"k", work.k},
            {"batch", work.batch},
            {"flops", t.flops},
            {"time_s", t.time},
            {"bound", std::string(toString(t.bound))},
            {"class", std::string(classOf(t.bound))},
            {"compute_s", compute},
            {"memory_s", memory},
            {"compute_over_memory", compute / memory},
            {"latency_s", t.latency},
            {"levels", std::move(levels)},
            {"tile", {{"m", t.tiling.m}, {"n", t.tiling.n}, {"split", t.tiling.split}, {"waves", t.tiling.waves}}}};
}

} // namespace

Json answerKernelQuestion(const Json& question, const Catalog& catalog, Problems& problems) {
    const std::size_t before = problems.size();
    QuestionReader reader(question, problems);
    const std::optional<Architecture> model = readModel(reader, catalog, problems);
    const std::optional<Accelerator> chip = readChip(reader, catalog, problems);
    Setting setting;
    setting.batch = reader.count("batch", 1);
    setting.tokens = reader.count("tokens", 1);
    setting.keys = reader.count("keys", setting.tokens);
    setting.tensor = reader.count("tensor", 1);
    const std::string precision = reader.choice("precision", precisionWords(PrecisionUse::training), std::string(wordOf(Precision::bf16)));
    setting.format = traitsOf(fromText<Precision>(precision).value_or(Precision::bf16)).format;
    const std::string shares = reader.choice("shares", {"data_sheet", "usual"}, "data_sheet");
    const std::string name = reader.text("operator", "");
    reader.refuseUnknown();
    if (problems.size() != before || !model || !chip) return Json::object();

    const std::vector<Operator> products = productsOf(*model, setting);
    const auto found = std::find_if(products.begin(), products.end(), [&](const Operator& op) { return op.name == name; });
    if (found == products.end()) {
        std::vector<std::string> names;
        for (const Operator& op : products) names.push_back(op.name);
        reader.failWord("operator", name, names);
        return Json::object();
    }
    const PhysicsConstants& physics = catalog.physics();
    return answer(rooflineMachine(*chip, physics, shares == "usual" ? usualShares(physics) : dataSheetShares), *found);
}

} // namespace orrery
