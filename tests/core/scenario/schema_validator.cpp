// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/scenario/schema_validator.hpp"

#include "core/base/json.hpp"
#include "core/scenario/document/schema_document.hpp"
#include "core/scenario/reader/reader.hpp"

#include <nlohmann/json.hpp>

// The validator's headers are not written for our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace orrery::test {
namespace {

/// The validator knows the library's unordered documents only.
nlohmann::json plain(const Json& document) { return nlohmann::json::parse(document.dump()); }

} // namespace

struct SchemaValidator::Compiled {
    valijson::Schema schema;
};

SchemaValidator::SchemaValidator() : compiled_(std::make_unique<Compiled>()) {
    const nlohmann::json document = plain(scenarioSchema());
    const valijson::adapters::NlohmannJsonAdapter adapter(document);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, compiled_->schema);
}

SchemaValidator::~SchemaValidator() = default;

std::string SchemaValidator::mistakes(const Json& document) const {
    const nlohmann::json target = plain(document);
    const valijson::adapters::NlohmannJsonAdapter adapter(target);
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(compiled_->schema, adapter, &results)) return {};
    std::string text;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
        for (const std::string& part : error.context) text += part;
        text += ": " + error.description + "\n";
    }
    return text.empty() ? "invalid" : text;
}

} // namespace orrery::test
