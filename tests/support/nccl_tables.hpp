// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/model/graph.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// Measured tables of collectives (reference/nccl.json and nccl_domains.json), which platform each was measured on, and how errors are summed up.

namespace orrery::test {

inline constexpr double mebibyte = 1048576;

inline CollectiveKind collectiveNamed(const std::string& name) {
    if (name == "all_reduce") return CollectiveKind::all_reduce;
    if (name == "all_gather") return CollectiveKind::all_gather;
    if (name == "reduce_scatter") return CollectiveKind::reduce_scatter;
    if (name == "alltoall") return CollectiveKind::all_to_all;
    if (name == "sendrecv") return CollectiveKind::send_receive;
    if (name == "broadcast") return CollectiveKind::broadcast;
    return CollectiveKind::none;
}

inline double quantile(std::vector<double> values, double q) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const double at = q * double(values.size() - 1);
    const auto below = std::size_t(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - double(below)) * (values[above] - values[below]);
}

inline std::vector<double> magnitudes(std::vector<double> values) {
    for (double& value : values) value = std::fabs(value);
    return values;
}

/// Percent errors of a table or of all, by message size.
struct CollectiveErrors {
    std::vector<double> large; ///< from 1 MiB up
    std::vector<double> small;
    void add(double bytes, double percent) { (bytes >= mebibyte ? large : small).push_back(percent); }
    void add(const CollectiveErrors& more) {
        large.insert(large.end(), more.large.begin(), more.large.end());
        small.insert(small.end(), more.small.begin(), more.small.end());
    }
    std::string line() const {
        std::ostringstream out;
        out << std::fixed << std::setprecision(1);
        const auto part = [&out](const char* name, const std::vector<double>& values) {
            out << "  " << name << ' ';
            if (values.empty()) {
                out << "-";
                return;
            }
            out << "median " << quantile(magnitudes(values), 0.5) << " p90 " << quantile(magnitudes(values), 0.9) << " bias " << std::showpos
                << quantile(values, 0.5) << std::noshowpos;
        };
        part("from 1 MiB:", large);
        part(" below:", small);
        return out.str();
    }
};

/// What the tables must meet: rows from 1 MiB up of all of them together, and each table in the median.
inline void expectTablesMet(const CollectiveErrors& all, const std::map<std::string, CollectiveErrors>& tables) {
    EXPECT_EQ(tables.size(), 91U) << "tables that were published";
    EXPECT_LE(quantile(magnitudes(all.large), 0.5), 8);
    EXPECT_LE(quantile(magnitudes(all.large), 0.9), 25);
    EXPECT_LE(quantile(magnitudes(all.small), 0.5), 25);
    for (const auto& [id, errors] : tables) {
        if (!errors.large.empty()) {
            EXPECT_LE(quantile(magnitudes(errors.large), 0.5), 30) << id << errors.line();
        }
    }
}

struct NcclTables {
    Json tables;
    Json platforms;

    static NcclTables load() {
        Json tables = Json::array();
        for (const char* file : {"reference/nccl.json", "reference/nccl_domains.json"}) {
            Json document = Json::parse(readWholeFile(sharedPath(file)));
            for (Json& table : document.at("tables")) tables.push_back(std::move(table));
        }
        return {std::move(tables), Json::parse(readWholeFile(sourcePath("tests/data/nccl_platforms.json"))).at("platforms")};
    }

    /// Null: nobody has said what the table's hardware is.
    const Json* platformOf(const Json& table) const {
        for (const Json& platform : platforms)
            if (platform.at("hardware") == table.at("hardware") && platform.at("interconnect") == table.at("interconnect")) return &platform;
        return nullptr;
    }
};

} // namespace orrery::test
