#include "app/cli/catalog_document.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/units.hpp"

namespace orrery {

namespace {

void addCitation(Json& object, const Citation& citation) {
    object["source"] = citation.source;
    if (!citation.url.empty()) object["source_url"] = citation.url;
    object["from_memory"] = citation.fromMemory;
}

/// Leaves unknown (zero) figures out.
void addKnown(Json& object, const char* key, double value) {
    if (value > 0) object[key] = value;
}

Json document(const Accelerator& one) {
    Json peaks = Json::object();
    for (const auto& [precision, rate] : one.peakDense) {
        if (rate > 0) peaks[precision] = rate / units::tera;
    }
    Json object{{"id", one.id}, {"name", one.name}, {"vendor", one.vendor}, {"release_year", one.releaseYear}};
    object["peak_dense_tflops"] = std::move(peaks);
    if (one.vectorFp32 > 0) object["vector_tflops"] = Json{{"fp32", one.vectorFp32 / units::tera}};
    object["memory_bytes"] = one.memoryBytes;
    object["memory_gb_per_s"] = one.memoryBandwidth / units::gigabyte;
    addKnown(object, "l2_mb", one.l2Bytes / 1e6);
    addKnown(object, "l2_gb_per_s", one.l2Bandwidth / units::gigabyte);
    object["sm_or_cu_count"] = one.multiprocessors;
    object["scale_up"] = Json{{"gb_per_s_per_direction", one.scaleUpBandwidth / units::gigabyte}};
    object["scale_up_domain_size"] = one.scaleUpDomain;
    if (one.hostLinkBandwidth > 0) {
        object["host_link"] = Json{{"gb_per_s_per_direction", one.hostLinkBandwidth / units::gigabyte}};
    }
    constexpr double bitsPerByte = 8;
    addKnown(object, "typical_nic_gbps_per_accelerator", one.nicBandwidth * bitsPerByte / units::gigabyte);
    addKnown(object, "tdp_w", one.tdpWatts);
    addCitation(object, one.citation);
    return object;
}

Json document(const Platform& one) {
    Json object{{"id", one.id},
                {"name", one.name},
                {"accelerator", one.accelerator},
                {"accelerators_per_node", one.acceleratorsPerNode}};
    object["scale_up"] = Json{{"bandwidth_gb_s", one.scaleUpBandwidth / units::gigabyte},
                              {"latency_us", one.scaleUpLatency / units::microsecond},
                              {"domain_size", one.scaleUpDomain}};
    object["scale_out"] = Json{{"bandwidth_gb_s", one.scaleOutBandwidth / units::gigabyte},
                               {"latency_us", one.scaleOutLatency / units::microsecond}};
    object["usual"] = one.usual;
    addCitation(object, one.citation);
    return object;
}

Json document(const ModelEntry& one) {
    Json object{{"id", one.id}, {"name", one.name}, {"config", one.config}};
    addCitation(object, one.citation);
    return object;
}

Json document(const FrameworkProfile& one) {
    Json object{{"id", one.id},
                {"name", one.name},
                {"defaults", one.defaults},
                {"flash_attention", one.flashAttention},
                {"fused_softmax", one.fusedSoftmax},
                {"fused_elementwise", one.fusedElementwise},
                {"weight_bytes", one.weightBytes},
                {"gradient_bytes", one.gradientBytes},
                {"optimizer_bytes", one.optimizerBytes},
                {"gradient_reduce_bytes", one.gradientReduceBytes},
                {"host_launch_s", one.hostLaunch},
                {"iteration_overhead_s", one.iterationOverhead},
                {"framework_bytes", one.frameworkBytes},
                {"communicator_bytes", one.communicatorBytes},
                {"fragmentation_fraction", one.fragmentationFraction},
                {"caching_allocator", one.cachingAllocator},
                {"expandable_segments", one.expandableSegments},
                {"gradient_bucket_bytes", one.gradientBucketBytes}};
    addCitation(object, one.citation);
    return object;
}

template <typename Entry>
Json documents(const std::vector<Entry>& entries) {
    Json list = Json::array();
    for (const Entry& entry : entries) list.push_back(document(entry));
    return list;
}

} // namespace

Json catalogDocument(const Catalog& catalog, const std::string& what) {
    Json list;
    if (what == "accelerators") list = documents(catalog.accelerators());
    else if (what == "platforms") list = documents(catalog.platforms());
    else if (what == "models") list = documents(catalog.models());
    else list = documents(catalog.frameworks());
    return Json{{"format", "orrery-list/1"}, {what, std::move(list)}};
}

} // namespace orrery
