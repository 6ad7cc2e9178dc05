// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <memory>
#include <type_traits>
#include <utility>

namespace orrery {

/// A JSON value for types in much-used headers: a header that includes this file does not compile the JSON library.
///
/// Reads as a `const Json`. Nobody changes the value in place: copies share it, and an assignment puts another in its place.
class BoxedJson {
public:
    BoxedJson(); ///< null
    /// Holds a copy of a Json, or makes one from whatever a Json can be made from.
    template <typename Value>
    requires(!std::is_same_v<std::remove_cvref_t<Value>, BoxedJson>)
        BoxedJson(Value&& value) : value_(std::make_shared<const Json>(std::forward<Value>(value))) {} // NOLINT(bugprone-forwarding-reference-overload): see `requires`

    const Json& operator*() const { return *value_; }
    const Json* operator->() const { return value_.get(); }
    operator const Json&() const { return *value_; }

    friend bool operator==(const BoxedJson& a, const BoxedJson& b);
    friend bool operator==(const BoxedJson& a, const Json& b);

private:
    std::shared_ptr<const Json> value_; ///< never null
};

} // namespace orrery
