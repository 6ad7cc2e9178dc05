#include "core/catalog/records.hpp"

#include "core/units.hpp"

namespace orrery::records {

FrameworkProfile framework(const Json& record) {
    FrameworkProfile result;
    result.id = record.at("id").get<std::string>();
    result.name = record.at("name").get<std::string>();
    result.year = record.at("year").get<int>();
    result.use = record.at("use").get<std::vector<std::string>>();
    result.defaults = record.at("defaults");
    const Json& values = record.at("values");
    const auto value = [&](const char* key) -> const Json& {
        const Json& entry = values.at(key);
        result.sources[key] = entry.at("source").get<std::string>();
        return entry.at("value");
    };
    result.flashAttention = value("flash_attention").get<bool>();
    result.fusedSoftmax = value("fused_softmax").get<bool>();
    result.fusedElementwise = value("fused_elementwise").get<bool>();
    result.asyncTensorCollectives = value("async_tensor_collectives").get<bool>();
    result.weightBytes = value("weight_bytes").get<double>();
    result.gatheredWeightBytes = value("gathered_weight_bytes").get<double>();
    result.gradientBytes = value("gradient_bytes").get<double>();
    result.optimizerBytes = value("optimizer_bytes").get<double>();
    result.gradientReduceBytes = value("gradient_reduce_bytes").get<double>();
    result.hostLaunch = value("host_launch_us").get<double>() * units::microsecond;
    result.iterationOverhead = value("iteration_overhead_s").get<double>();
    result.frameworkBytes = value("framework_bytes").get<double>();
    result.communicatorBytes = value("communicator_bytes").get<double>();
    result.fragmentationFraction = value("fragmentation_fraction").get<double>();
    result.gradientBucketBytes = value("gradient_bucket_bytes").get<double>();
    result.citation = citation(record);
    return result;
}

} // namespace orrery::records
