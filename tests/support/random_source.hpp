// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::test {

/// The same numbers from the same seed with every standard library (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    /// 0 … count − 1. (Skewed by count/2^64, which no test can see.)
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }

    std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }

    /// [0, 1)
    double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

    double between(double low, double high) { return low + (high - low) * unit(); }

    /// Falls between 1 and 10 as likely as between 10 and 100.
    double logBetween(double low, double high) { return low * std::exp(std::log(high / low) * unit()); }

    bool chance(double probability) { return unit() < probability; }

    template <typename T>
    const T& pick(const std::vector<T>& values) {
        return values[below(values.size())];
    }

    template <typename T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    }

private:
    std::uint64_t state_;
};

} // namespace orrery::test
