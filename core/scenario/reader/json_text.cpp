// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/scenario/reader/reader.hpp"

namespace orrery {

std::optional<Json> parseJson(std::string_view text, const std::string& fileName, Problems& problems) {
    return parseJsonText(text, fileName, problems);
}

} // namespace orrery
