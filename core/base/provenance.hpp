// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Where a number comes from, in falling order of trust. `derived` = computed from other numbers by `formula`.
enum class Source { measured,
                    predicted,
                    roofline,
                    assumed,
                    given,
                    derived };

std::string_view toString(Source source);

/// A number that can be asked where it comes from.
struct Quantity {
    std::string name; ///< "bubble_fraction"
    double value = 0;
    std::string unit; ///< "s", "bytes", "FLOP", "1", "GB/s"
    Source source = Source::derived;
    /// An expression, where the number is computed from `inputs`: their names, signs and numbers, such as "(p − 1)/(v × m + p − 1)", or "sum of …" for the
    /// sum of all inputs. It gives the value when every input has its unit. An input may be named as people read it ("tokens per s" for
    /// "tokens_per_s"), by the sign at the end of its name ("R" for "restart R"), or by what stands before a comma. A sentence, where a simulation or
    /// a document gives the number. Empty for a leaf.
    std::string formula;
    std::string reference; ///< paper and equation, data sheet, or JSON pointer it was given at
    std::vector<Quantity> inputs;
};

/// What is computed from `inputs` by `formula`.
Quantity derived(std::string name, double value, std::string unit, std::string formula, std::vector<Quantity> inputs = {}, std::string reference = {});

/// What somebody gave: `reference` is the JSON pointer or the data sheet.
Quantity given(std::string name, double value, std::string unit, std::string reference);

/// The quantity as indented text: value, formula, inputs; for tooltips, `--explain` and the "why" panel.
std::string toText(const Quantity& quantity);

} // namespace orrery
