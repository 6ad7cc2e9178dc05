// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/network/generators/topology_builder.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class ParameterKind { integer,
                           number,
                           flag };

/// A parameter of a generator, as a form asks for it. Its key is the pointer of problems about it, without the slash.
struct GeneratorParameter {
    std::string key;
    ParameterKind kind = ParameterKind::integer;
    double least = 0;
    double most = 0;
    double usual = 0; ///< flags: 0 or 1
};

using ParameterValues = std::map<std::string, double, std::less<>>;

/// One sort of topology with its parameters, so that a form can be made of them. Values left out are the usual ones.
struct Generator {
    std::string id; ///< "superpod"
    std::vector<GeneratorParameter> parameters;
    std::function<GeneratedTopology(const HostSpec&, const ParameterValues&)> make;
};

/// All of them: superpod, racks, leaf-spine, fat-tree, sized-fat-tree, dragonfly, torus-2d, torus-3d, tpu-torus.
const std::vector<Generator>& generators();
/// Null: none is called that.
const Generator* findGenerator(std::string_view id);

/// What a generated topology comes to, replicas counted.
struct TopologyTotals {
    std::int64_t hosts = 0;
    std::int64_t accelerators = 0;
    std::int64_t switches = 0;
    std::int64_t cables = 0;
};
TopologyTotals totalsOf(const Json& topology);

} // namespace orrery
