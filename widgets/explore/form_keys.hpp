// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>
#include <vector>

namespace orrery {

/// A key of the scenario as the form calls it: "Micro-batch", "Network speed", "Overlap data". Each name stands once.
struct FormKey {
    std::string pointer;
    QString name;
};

/// Those of the form's fields that can take another value, in the form's order.
const std::vector<FormKey>& formKeys();

/// What the form calls the key; empty: it has no such field.
QString formKeyName(const std::string& pointer);

/// The pointer of what a person wrote: a name of the form in any case, or a pointer as it is. Empty: no field is called so.
QString pointerOfKey(const QString& text);

} // namespace orrery
