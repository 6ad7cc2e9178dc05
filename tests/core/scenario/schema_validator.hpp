// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"

#include <memory>
#include <string>

namespace orrery::test {

/// An independent JSON Schema validator over the schema that Orrery publishes.
class SchemaValidator {
public:
    SchemaValidator();
    ~SchemaValidator();
    /// Empty when the document is valid, else what the validator says.
    std::string mistakes(const Json& document) const;

private:
    struct Compiled;
    std::unique_ptr<Compiled> compiled_;
};

} // namespace orrery::test
