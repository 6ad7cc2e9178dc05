// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <QString>
#include <QStringList>

#include <functional>
#include <string>
#include <vector>

namespace orrery {

/// An input that documents differ in: one row of a comparison, however many places of the documents it stands in.
struct ComparedInput {
    QString name;        ///< "network speed", "tensor", "latency of 256 links"
    std::string pointer; ///< the first place
    QStringList values;  ///< of each document
};

/// Says the value at a place of the document with this number.
using InputWords = std::function<QString(std::size_t document, const std::string& pointer)>;

/// What the others have otherwise than the first, in the order of the documents. A network that is as many times as fast in all of its
/// links is one input, and so are hosts that more of a drawing's nodes make, and places of a list that change from one value to one other.
std::vector<ComparedInput> comparedInputs(const std::vector<const Json*>& documents, const InputWords& words);

/// Whether a place is part of what the drawing says or of its network's speed: it changes with others.
bool isOfDrawing(const std::string& pointer);

} // namespace orrery
