// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

enum class LengthKind { constant,
                        uniform,
                        normal,
                        lognormal,
                        exponential,
                        zipf };

/// How many tokens a prompt or an answer has: always the same, or by chance.
struct LengthLaw {
    LengthKind kind = LengthKind::constant;
    double mean = 1;      ///< tokens: of constant, normal, lognormal, exponential, before it is cut at `least` and `most`
    double deviation = 0; ///< tokens: standard deviation of normal and lognormal (of the lengths, not of their logarithm)
    double exponent = 1;  ///< of zipf: a length n from `least` to `most` has a chance in proportion to (n − least + 1)^−exponent
    int least = 1, most = 1 << 20;
};

/// "a number, or {"distribution": …}" of a scenario, at `pointer`. The distributions and their keys: `uniform` (`min`, `max`), `normal` and
/// `lognormal` (`mean`, `std`), `exponential` (`mean`), `zipf` (`min`, `max`, `exponent`); all take `min` and `max`.
/// Gives nothing, and problems with `pointer`, for anything else.
std::optional<LengthLaw> readLengthLaw(const Json& value, const std::string& pointer, Problems& problems);

class RandomStream;

/// Draws lengths by a law; a table is made once for zipf.
class LengthSource {
public:
    explicit LengthSource(const LengthLaw& law);
    int draw(RandomStream& random) const;

private:
    LengthLaw law_;
    double logMean_ = 0, logDeviation_ = 0; ///< of lognormal
    std::vector<double> cumulative_;        ///< of zipf, up to 1
};

} // namespace orrery
