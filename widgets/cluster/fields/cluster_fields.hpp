// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/platform.hpp"
#include "widgets/cluster/document/cluster_document.hpp"

#include <QString>

namespace orrery {

/// The scenario form's fields of the cluster, the same for a short form and for a drawing: which platform, accelerator, how many
/// in a host, how many hosts, how fast the network is. Each is named by a JSON pointer; of a drawing they stand for all of its hosts.
class ClusterFields {
public:
    static constexpr const char* platform = "/cluster";
    static constexpr const char* accelerator = "/cluster/accelerator";
    static constexpr const char* perHost = "/cluster/accelerators_per_node";
    static constexpr const char* hosts = "/cluster/nodes";
    static constexpr const char* network = "/cluster/scale_out/bandwidth_gb_s";
    static bool has(std::string_view pointer); ///< one of these five

    /// `scenario` and `catalog` must outlive it.
    ClusterFields(const Json& scenario, const Catalog& catalog);

    bool isDrawn() const { return !document_.isShortForm() && !document_.isEmpty(); }
    int accelerators() const { return document_.accelerators(); }

    /// What the document says; nothing where it says nothing, or where the hosts of a drawing differ.
    std::optional<Json> given(std::string_view pointer) const;
    /// What stands for a value that the short form leaves out.
    std::optional<Json> assumed(std::string_view pointer) const;
    bool differ(std::string_view pointer) const; ///< between the hosts of a drawing
    /// Edits that make it so, with all that follows from another platform.
    std::vector<ScenarioEdit> edits(std::string_view pointer, const Json& value) const;

private:
    const Platform* platformHere() const;
    std::vector<const DrawnNode*> hostNodes() const;
    std::set<std::string> hostIds() const;

    const Json& scenario_;
    const Catalog& catalog_;
    ClusterDocument document_;
};

/// "8 × H100": hosts that are no platform as sold.
QString customHostText(const Json& custom);

} // namespace orrery
