// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/records.hpp"
#include "core/catalog/technology_design.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Reads the fields of one accelerator object; null means the same as a missing key.
class Fields {
public:
    Fields(const Json& object, const std::string& pointer, Problems& problems)
        : object_(object), pointer_(pointer), problems_(problems) {}

    std::string text(const char* key) const {
        const Json* value = find(key);
        if (!value) return {};
        if (value->is_string()) return value->get<std::string>();
        fail("wrong-type", key, "is not a text", "Write it in quotes.");
        return {};
    }

    /// A number from 0 to a bound that no machine comes near, times `unit`; 0 when the key is missing.
    double number(const char* key, double unit) const { return number(object_, pointer_, key, unit); }

    int count(const char* key) const { return static_cast<int>(number(object_, pointer_, key, 1, 1e9)); }

    double number(const Json& object, const std::string& pointer, const std::string& key, double unit, double most = 1e18) const {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) return 0;
        if (!found->is_number()) {
            add("wrong-type", pointer + "/" + key, "`" + key + "` is not a number", "Give a number.");
            return 0;
        }
        const double value = found->get<double>();
        if (!(value >= 0 && value <= most)) {
            add("out-of-range", pointer + "/" + key, "`" + key + "` is " + found->dump() + ", which no accelerator has",
                "Give a number that is not negative and not absurdly large.");
            return 0;
        }
        return value * unit;
    }

    bool flag(const char* key) const {
        const Json* value = find(key);
        if (!value || value->is_boolean()) return value && value->get<bool>();
        fail("wrong-type", key, "is neither true nor false", "Write true or false.");
        return false;
    }

    const Json* inner(const char* key) const {
        const Json* value = find(key);
        if (!value || value->is_object()) return value;
        fail("wrong-type", key, "is not an object", "Write it as {…}.");
        return nullptr;
    }

    void missing(const char* key, const std::string& what) const {
        add("missing-key", pointer_ + "/" + key, "The accelerator has no `" + std::string(key) + "`: " + what,
            "Add `" + std::string(key) + "`, or name an accelerator of the catalogue instead.");
    }

private:
    const Json* find(const char* key) const {
        const auto found = object_.find(key);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }

    void fail(const char* code, const char* key, const char* what, const char* mend) const {
        add(code, pointer_ + "/" + key, "`" + std::string(key) + "` " + what, mend);
    }

    void add(const char* code, const std::string& pointer, std::string message, std::string mend) const {
        Problem problem;
        problem.code = code;
        problem.pointer = pointer;
        problem.message = std::move(message) + ".";
        problem.mend = std::move(mend);
        problems_.push_back(std::move(problem));
    }

    const Json& object_;
    const std::string& pointer_;
    Problems& problems_;
};

} // namespace

std::optional<Accelerator> readAccelerator(const Json& object, const std::string& pointer, Problems& problems) {
    const std::size_t before = problems.size();
    if (!object.is_object()) {
        Problem problem;
        problem.code = "wrong-type";
        problem.pointer = pointer;
        problem.message = "The accelerator is neither a name nor an object.";
        problem.mend = "Name an accelerator of the catalogue, or give an object with the catalogue's fields.";
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
    const Fields fields(object, pointer, problems);
    Accelerator accelerator;
    accelerator.id = fields.text("id");
    accelerator.name = fields.text("name");
    accelerator.vendor = fields.text("vendor");
    accelerator.form = fields.text("form");
    if (accelerator.id.empty()) accelerator.id = "custom";
    if (accelerator.name.empty()) accelerator.name = accelerator.id;
    accelerator.releaseYear = fields.count("release_year");
    if (const Json* peaks = fields.inner("peak_dense_tflops"))
        for (const auto& [precision, rate] : peaks->items()) {
            const double value = fields.number(*peaks, pointer + "/peak_dense_tflops", precision, units::tera);
            if (!rate.is_null() && value > 0) accelerator.peakDense[precision] = value;
        }
    if (const Json* vector = fields.inner("vector_tflops"))
        accelerator.vectorFp32 = fields.number(*vector, pointer + "/vector_tflops", "fp32", units::tera);
    accelerator.memoryBytes = fields.number("memory_bytes", 1);
    if (accelerator.memoryBytes == 0) accelerator.memoryBytes = fields.number("memory_gb", units::gibibyte);
    accelerator.memoryBandwidth = fields.number("memory_gb_per_s", units::gigabyte);
    accelerator.inlineEcc = fields.flag("inline_ecc");
    accelerator.l2Bytes = fields.number("l2_mb", 1e6);
    accelerator.l2Bandwidth = fields.number("l2_gb_per_s", units::gigabyte);
    accelerator.multiprocessors = fields.count("sm_or_cu_count");
    accelerator.asynchronousMatrixUnits = fields.flag("asynchronous_matrix_units");
    accelerator.boostClock = fields.number("boost_clock_mhz", 1e6);
    accelerator.sharedBytes = fields.number("shared_mem_kb_per_sm", 1024);
    accelerator.clusterSize = std::max(1, fields.count("thread_block_cluster"));
    accelerator.registerBytes = fields.number("register_file_kb_per_sm", 1024);
    if (const Json* scaleUp = fields.inner("scale_up"))
        accelerator.scaleUpBandwidth = fields.number(*scaleUp, pointer + "/scale_up", "gb_per_s_per_direction", units::gigabyte);
    accelerator.scaleUpDomain = std::max(1, fields.count("scale_up_domain_size"));
    if (const Json* host = fields.inner("host_link"))
        accelerator.hostLinkBandwidth = fields.number(*host, pointer + "/host_link", "gb_per_s_per_direction", units::gigabyte);
    accelerator.nicBandwidth = fields.number("typical_nic_gbps_per_accelerator", units::gigabyte / 8);
    accelerator.tdpWatts = fields.number("tdp_w", 1);
    if (problems.size() == before) {
        if (accelerator.memoryBytes <= 0) fields.missing("memory_bytes", "nothing says what fits.");
        if (accelerator.memoryBandwidth <= 0) fields.missing("memory_gb_per_s", "memory-bound operators have no rate.");
        if (!accelerator.peakDense.count("bf16") && !accelerator.peakDense.count("fp16"))
            fields.missing("peak_dense_tflops", "it needs a rate for `bf16` or `fp16`.");
    }
    accelerator.citation = records::citation(object);
    if (problems.size() != before) return std::nullopt;
    return accelerator;
}

std::optional<Accelerator> readAccelerator(const Json& object, const Catalog& catalog, const std::string& pointer, Problems& problems) {
    if (object.is_object() && object.contains("technology") && !object.at("technology").is_null()) {
        const auto derived = withoutTechnology(object, catalog, pointer, problems);
        return derived ? readAccelerator(*derived, pointer, problems) : std::nullopt;
    }
    const auto id = object.is_object() ? object.find("id") : object.end();
    const std::string* known = id != object.end() && id->is_string() ? catalog.record("accelerators", id->get_ref<const std::string&>()) : nullptr;
    if (!known) return readAccelerator(object, pointer, problems);
    Json whole = Json::parse(*known);
    // What the driver reports goes before what is marketed, but not before a size that only the object states.
    if (object.contains("memory_gb") && !object.contains("memory_bytes") && object.at("memory_gb") != whole["memory_gb"]) whole.erase("memory_bytes");
    whole.merge_patch(object);
    return readAccelerator(whole, pointer, problems);
}

bool scalesBlocks(const Accelerator& chip) {
    const auto fourBit = chip.peakDense.find("fp4");
    return fourBit != chip.peakDense.end() && fourBit->second > 0;
}

} // namespace orrery
