// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/network/generators/topology_builder.hpp"

#include <QByteArray>
#include <QPointF>

#include <map>
#include <optional>
#include <string>

namespace orrery {

/// A piece of a cluster as JSON, the one form for the clipboard, for what a palette places and for what is dropped:
/// `{"format": "orrery-cluster-fragment/1", "topology": {"nodes": […], "links": […]}, "positions": {ID: [x, y]}}`.
inline constexpr const char* fragmentFormat = "orrery-cluster-fragment/1";
inline constexpr const char* fragmentMimeType = "application/x-orrery-cluster+json";

Json makeFragment(Json nodes, Json links, const std::map<std::string, QPointF>& positions);
/// What a generator gave, laid out where it is placed. Empty where there are problems.
Json generatedFragment(GeneratedTopology generated);
QByteArray fragmentBytes(const Json& fragment);
/// Nothing when the bytes are no fragment.
std::optional<Json> readFragment(const QByteArray& bytes);

} // namespace orrery
