// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/schema_table.hpp"

#include "core/base/json.hpp"
#include "core/scenario/document/schema_shapes.hpp"

#include <algorithm>

namespace orrery {

namespace schema {
namespace {

Shape ofKind(Shape::Kind kind) {
    Shape shape;
    shape.kind = kind;
    return shape;
}

} // namespace

Shape anything() { return ofKind(Shape::Kind::free); }
Shape text() { return ofKind(Shape::Kind::text); }
Shape boolean() { return ofKind(Shape::Kind::boolean); }

Shape word(std::vector<std::string> allowed) {
    Shape shape = ofKind(Shape::Kind::text);
    shape.words = std::move(allowed);
    return shape;
}

Shape integer(double least, double most) {
    Shape shape = ofKind(Shape::Kind::integer);
    shape.least = least;
    shape.most = most;
    return shape;
}

Shape number(double least, double most) {
    Shape shape = integer(least, most);
    shape.kind = Shape::Kind::number;
    return shape;
}

Shape positive(double most) {
    return number(leastPositive, most);
}

Shape list(Shape element, std::size_t minItems) {
    Shape shape = ofKind(Shape::Kind::list);
    shape.element.push_back(std::move(element));
    shape.minItems = minItems;
    return shape;
}

Shape map(Shape element) {
    Shape shape = ofKind(Shape::Kind::map);
    shape.element.push_back(std::move(element));
    return shape;
}

Shape object(std::vector<Field> fields) {
    Shape shape = ofKind(Shape::Kind::object);
    shape.fields = std::move(fields);
    return shape;
}

Shape choice(std::vector<Shape> alternatives) {
    Shape shape = ofKind(Shape::Kind::choice);
    shape.alternatives = std::move(alternatives);
    return shape;
}

Shape orNull(Shape shape) {
    shape.nullable = true;
    return shape;
}

Field field(std::string key, Shape shape, std::string description, Json fallback) {
    return Field{std::move(key), std::move(shape), std::move(description), false, std::move(fallback)};
}

Field required(std::string key, Shape shape, std::string description) {
    return Field{std::move(key), std::move(shape), std::move(description), true, nullptr};
}

namespace {

constexpr double mostToyMicroseconds = 1e12, mostToyBytes = 1e15; ///< of a layer

Shape toyShape() {
    return object({
        required("stages_layers", choice({integer(1, 1e4), list(integer(0, 1e4), 1)}), "How many layers the stages share out; or a list, the layers of each chunk in model order."),
        required("forward_us", positive(mostToyMicroseconds), "Time of a layer's forward, for each micro-batch."),
        required("backward_input_us", positive(mostToyMicroseconds), "Time of its backward's part that the layer before waits for."),
        required("backward_weight_us", number(0, mostToyMicroseconds), "Time of the part that gives the weights' gradients, which nobody waits for."),
        field("kept_bytes", number(0, mostToyBytes), "What a layer keeps of a micro-batch from forward to backward.", 0),
    });
}

Shape modelShape() {
    Shape shape = object({
        field("preset", text(), "Id of a model of the catalogue, for example llama-3.1-70b."),
        field("config", anything(), "The fields of a Hugging Face config.json."),
        field("config_file", text(), "Path of a Hugging Face config.json, relative to the scenario."),
        field(
            "graph", anything(),
            "An operator graph from elsewhere instead of a model: a PyTorch FX/ATen operator list, a PyTorch execution trace or a Chakra execution "
            "trace in JSON. It is one rank's iteration, which every rank runs; batch and sequence length then only turn its time into tokens/s."),
        field("graph_file", text(), "Path of such a graph, relative to the scenario; Chakra's protobuf form (.et) and gzip too."),
        field("toy", toyShape(), "A model of equal layers with stated times, for teaching: all that is left to see is the order of the passes. Links, embedding, head and optimizer take no time."),
    });
    shape.forms = {{"preset", {"preset"}, {}}, {"config", {"config"}, {}}, {"config_file", {"config_file"}, {}}, {"graph", {"graph"}, {}}, {"graph_file", {"graph_file"}, {}}, {"toy", {"toy"}, {}}};
    return shape;
}

Shape documentShape() {
    return object({
        required("format", word({"orrery-scenario/1"}), "The version of this document's form."),
        field("name", text(), "What the scenario is called."),
        field("notes", anything(), "Free text, kept and not read."),
        required("model", modelShape(), "The model: one of preset, config, config_file, graph, graph_file and toy."),
        required("cluster", clusterShape(), "The accelerators and what connects them: short form or drawn form."),
        required("workload", workloadShape(), "What runs: training, one static batch of inference, or serving."),
        field("parallelism", parallelismShape(), "How the work is split over the accelerators."),
        field("execution", executionShape(), "The software stack: kernels, recomputation, overlaps, what-ifs."),
        field("hybrid", hybridShape(), "Recorded ranks that stand in for simulated ones."),
        field("beside",
              list(object({
                  required("scenario", text(), "File of the other job's scenario, relative to this one."),
                  required("hosts", list(text(), 1), "Ids of the drawn hosts that it has."),
              })),
              "Other jobs on this cluster at the same time."),
        field("variants", list(variantShape()), "Named changes to this scenario; FILE#NAME means one of them wherever a command takes a scenario."),
        field("measures", map(text()), "Names of figures, each with its pointer into the result: columns of sweeps and searches."),
        field("reliability", reliabilityShape(), "Failures, checkpoints and restarts of a whole run."),
        field("economics", economicsShape(), "Price and power, for the cost of a whole run."),
        field("search", searchShape(), "What orrery-cli search varies."),
        field("view", anything(), "What the windows remember; the simulation ignores it."),
    });
}

} // namespace
} // namespace schema

const Shape& scenarioShape() {
    static const Shape shape = schema::documentShape();
    return shape;
}

namespace {

const Variant* chosenVariant(const Shape& shape, const Json& value) {
    if (shape.variants.empty() || !value.is_object()) return nullptr;
    const auto kind = value.find("kind");
    if (kind == value.end() || !kind->is_string()) return nullptr;
    const auto found = std::find_if(shape.variants.begin(), shape.variants.end(),
                                    [&](const Variant& v) { return v.word == kind->get_ref<const std::string&>(); });
    return found == shape.variants.end() ? nullptr : &*found;
}

const Field* named(const std::vector<Field>& fields, const std::string& key) {
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key; });
    return found == fields.end() ? nullptr : &*found;
}

} // namespace

const Field* findField(const Shape& shape, const Json& value, const std::string& key) {
    if (const Field* found = named(shape.fields, key)) return found;
    const Variant* variant = chosenVariant(shape, value);
    return variant ? named(variant->fields, key) : nullptr;
}

std::vector<std::string> knownKeys(const Shape& shape, const Json& value) {
    std::vector<std::string> keys;
    for (const Field& known : shape.fields) keys.push_back(known.key);
    if (const Variant* variant = chosenVariant(shape, value))
        for (const Field& known : variant->fields) keys.push_back(known.key);
    return keys;
}

} // namespace orrery
