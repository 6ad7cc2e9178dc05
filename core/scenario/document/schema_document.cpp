// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/schema_document.hpp"
#include "core/base/json.hpp"
#include "core/scenario/document/schema_table.hpp"

#include <cmath>
#include <cstdint>

namespace orrery {
namespace {

using Kind = Shape::Kind;

Json asNumber(double value) {
    const bool whole = value == std::trunc(value) && std::fabs(value) < 9.1e15;
    return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json describe(const Shape& shape);

Json describe(const Field& field) {
    Json schema = describe(field.shape);
    schema["description"] = field.description;
    if (!field.fallback->is_null()) schema["default"] = field.fallback;
    return schema;
}

/// `properties` and `required` of a list of fields, added to what is there.
void addFields(Json& schema, const std::vector<Field>& fields) {
    for (const Field& field : fields) {
        schema["properties"][field.key] = describe(field);
        if (field.required) schema["required"].push_back(field.key);
    }
}

/// `required` of the form's keys, and none of those of other forms.
Json describe(const Form& form, const std::vector<Form>& all) {
    Json keys = Json::array();
    for (const std::string& key : form.forbidden) keys.push_back(Json{{"required", Json::array({key})}});
    for (const Form& other : all)
        if (other.name != form.name) keys.push_back(Json{{"required", Json::array({other.required.front()})}});
    Json schema{{"title", form.name}, {"required", form.required}};
    schema["not"] = Json{{"anyOf", std::move(keys)}};
    return schema;
}

Json describeObject(const Shape& shape) {
    Json schema{{"type", "object"}};
    if (shape.variants.empty()) {
        schema["properties"] = Json::object();
        addFields(schema, shape.fields);
        schema["additionalProperties"] = shape.open;
        if (!shape.forms.empty()) {
            schema["oneOf"] = Json::array();
            for (const Form& form : shape.forms) schema["oneOf"].push_back(describe(form, shape.forms));
        }
        return schema;
    }
    schema["required"] = Json::array({"kind"});
    schema["oneOf"] = Json::array();
    for (const Variant& variant : shape.variants) {
        Json one{{"title", variant.word}, {"description", variant.description}, {"type", "object"}};
        addFields(one, shape.fields);
        one["properties"]["kind"] = Json{{"const", variant.word}};
        addFields(one, variant.fields);
        one["additionalProperties"] = false;
        schema["oneOf"].push_back(std::move(one));
    }
    return schema;
}

Json describe(const Shape& shape) {
    Json schema = Json::object();
    switch (shape.kind) {
    case Kind::free: return schema;
    case Kind::object: schema = describeObject(shape); break;
    case Kind::map:
        schema["type"] = "object";
        schema["additionalProperties"] = describe(shape.element.front());
        break;
    case Kind::list:
        schema["type"] = "array";
        schema["items"] = describe(shape.element.front());
        if (shape.minItems > 0) schema["minItems"] = shape.minItems;
        break;
    case Kind::text:
        schema["type"] = "string";
        if (!shape.words.empty()) schema["enum"] = shape.words;
        break;
    case Kind::integer:
    case Kind::number:
        schema["type"] = shape.kind == Kind::integer ? "integer" : "number";
        schema["minimum"] = asNumber(shape.least);
        schema["maximum"] = asNumber(shape.most);
        break;
    case Kind::boolean: schema["type"] = "boolean"; break;
    case Kind::choice:
        schema["anyOf"] = Json::array();
        for (const Shape& alternative : shape.alternatives) schema["anyOf"].push_back(describe(alternative));
        break;
    }
    if (shape.nullable && schema.contains("type")) schema["type"] = Json::array({schema["type"], "null"});
    return schema;
}

} // namespace

Json schemaOf(const Shape& shape) { return describe(shape); }

Json scenarioSchema() {
    Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Orrery scenario"}};
    schema.update(describe(scenarioShape()));
    return schema;
}

} // namespace orrery
