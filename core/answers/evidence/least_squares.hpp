// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace orrery {

/// Weighted least squares of a few factors that are not negative, row by row.
template <std::size_t terms> class LeastSquares {
public:
    using Row = std::array<double, terms>;

    void add(const Row& row, double value, double weight) {
        for (std::size_t i = 0; i < terms; ++i) {
            if (row[i] == 0) continue;
            right_[i] += weight * row[i] * value;
            for (std::size_t j = 0; j < terms; ++j) products_[i][j] += weight * row[i] * row[j];
        }
    }

    /// By coordinate descent on the normal equations (Franc, Hlavac, Navara 2005). A factor that no row speaks of is 0.
    Row nonNegative() const {
        constexpr int sweeps = 400;
        Row solution{};
        for (int sweep = 0; sweep < sweeps; ++sweep)
            for (std::size_t i = 0; i < terms; ++i) {
                if (products_[i][i] <= 0) continue;
                double rest = right_[i];
                for (std::size_t j = 0; j < terms; ++j)
                    if (j != i) rest -= products_[i][j] * solution[j];
                solution[i] = std::max(0.0, rest / products_[i][i]);
            }
        return solution;
    }

private:
    std::array<Row, terms> products_{};
    Row right_{};
};

} // namespace orrery
