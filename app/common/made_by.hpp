// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/results/report/timeline.hpp"

#include <string>

namespace orrery {

/// `{"program": "orrery", "version", "commit", "catalogue"}`: which program made a document. It depends on nothing but the build.
Json madeBy();

/// The document with `made_by` behind its `format`. Documents that are read as input again keep their form, and so does the error document: no `made_by` there,
/// nor where there is no `format`.
Json withMaker(Json document);

/// The timeline as a Chrome trace, whose `otherData` says which program made it; viewers show that as information on the file.
std::string chromeTraceText(const Timeline& timeline);

} // namespace orrery
