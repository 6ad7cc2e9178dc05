// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/model/recorded/readers.hpp"

#include <algorithm>

namespace orrery {
namespace {

const Json nothing;

const Json& element(const Json& list, std::size_t index) { return list.is_array() && index < list.size() ? list[index] : nothing; }

/// [tensor id, storage id, offset, elements, bytes an element, device]; PyTorch 2.6 and later put the strides elsewhere.
bool isTensor(const Json& value) {
    if (!value.is_array() || value.size() < 6 || !value[5].is_string()) return false;
    return std::all_of(value.begin(), value.begin() + 5, [](const Json& number) { return number.is_number_integer(); });
}

void readShape(const Json& shape, RecordedTensor& tensor) {
    tensor.shapeKnown = shape.is_array();
    if (!tensor.shapeKnown) return;
    for (const Json& dimension : shape) {
        if (!dimension.is_number_integer() || dimension.get<std::int64_t>() < 0) {
            tensor.shapeKnown = false;
            return;
        }
        tensor.shape.push_back(dimension.get<std::int64_t>());
    }
}

RecordedTensor tensorFrom(const Json& value, const Json& shape, const std::string& type) {
    RecordedTensor tensor;
    tensor.storage = std::to_string(value[1].get<std::int64_t>());
    const auto number = [&](std::size_t index) { return std::max(0.0, value[index].get<double>()); };
    tensor.elementBytes = number(4);
    tensor.storageBytes = (number(2) + number(3)) * number(4);
    tensor.onDevice = !value[5].get_ref<const std::string&>().starts_with("cpu");
    tensor.float8 = type.find("Float8") != std::string::npos || type.find("float8") != std::string::npos;
    readShape(shape, tensor);
    // A shape that doesn't have the elements that the value counts belongs to something else.
    if (tensor.shapeKnown && tensor.shape.empty() && number(3) > 1) tensor.shapeKnown = false;
    if (tensor.isAbsurd()) {
        tensor.shapeKnown = false;
        tensor.storageBytes = 0;
    }
    return tensor;
}

void collect(const Json& value, const Json& shape, const std::string& type, RecordedArgument& argument) {
    if (isTensor(value)) {
        argument.tensors.push_back(tensorFrom(value, shape, type));
        return;
    }
    if (!value.is_array()) return;
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], element(shape, i), type, argument);
}

} // namespace

double RecordedTensor::elements() const {
    double product = shapeKnown ? 1 : 0;
    for (const std::int64_t dimension : shape) product *= static_cast<double>(dimension);
    return product;
}

std::vector<RecordedArgument> readArguments(const Json& values, const Json& shapes, const Json& types) {
    std::vector<RecordedArgument> arguments;
    if (!values.is_array()) return arguments;
    for (std::size_t i = 0; i < values.size(); ++i) {
        RecordedArgument argument;
        const Json& type = element(types, i);
        collect(values[i], element(shapes, i), type.is_string() ? type.get<std::string>() : std::string(), argument);
        if (argument.tensors.empty()) argument.value = values[i];
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

const Json& memberOf(const Json& object, const char* key) {
    if (!object.is_object()) return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

std::int64_t integerOf(const Json& object, const char* key, std::int64_t fallback) {
    const Json& value = memberOf(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : fallback;
}

double numberOf(const Json& object, const char* key, double fallback) {
    const Json& value = memberOf(object, key);
    return value.is_number() ? value.get<double>() : fallback;
}

std::string textOf(const Json& object, const char* key) {
    const Json& value = memberOf(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

NodeIds indexNodes(const std::vector<RecordedNode>& nodes) {
    NodeIds ids;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if (!ids.emplace(nodes[i].id, i).second)
            throw RecordingError{nodes[i].place, "Two nodes have the id " + std::to_string(nodes[i].id) + ".",
                                 "Record it again; ids must differ."};
    return ids;
}

} // namespace orrery
