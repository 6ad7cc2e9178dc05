// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/boxed_json.hpp"

#include "core/base/json.hpp"

namespace orrery {

BoxedJson::BoxedJson() {
    static const std::shared_ptr<const Json> null = std::make_shared<const Json>(nullptr);
    value_ = null;
}

bool operator==(const BoxedJson& a, const BoxedJson& b) { return a.value_ == b.value_ || *a.value_ == *b.value_; }

bool operator==(const BoxedJson& a, const Json& b) { return *a.value_ == b; }

} // namespace orrery
