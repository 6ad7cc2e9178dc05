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
    /// Of a number that is computed from `inputs`: an expression over their names, in the words in which people read them (core/base/words of
    /// "tokens_per_s": "tokens per s"), a sign at a name's end ("restart R") or its part before a comma, which gives the value with the inputs' units:
    /// "(p − 1)/(v × m + p − 1)", or "sum of …" all inputs. Of a number that a simulation or a document gives: a sentence. Empty for a leaf.
    std::string formula;
    std::string reference; ///< paper and equation, data sheet, or JSON pointer it was given at
    std::vector<Quantity> inputs;
};

/// The quantity as indented text: value, formula, inputs; for tooltips, `--explain` and the "why" panel.
std::string toText(const Quantity& quantity);

} // namespace orrery
