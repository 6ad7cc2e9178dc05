// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/records/ranks/trace_seeds.hpp"

#include "core/records/traces/trace_figures.hpp"
#include "tests/core/model/recorded/chakra_fixture.hpp"
#include "tests/core/records/traces/nsight_fixture.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <filesystem>

#include <zlib.h>

namespace orrery::test {
namespace {

constexpr const char* kinetoSeed = R"trace({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla"}], "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2, "pg_config": [{"pg_name": "0"}]}, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 10, "dur": 90},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 11, "dur": 5.5, "args": {"External id": 4}},
{"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 1, "tid": 1, "ts": 18, "dur": 5, "args": {"Input Dims": [[394241]], "Input type": ["float"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12.25, "dur": 2, "args": {"correlation": 5}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 1, "tid": 1, "ts": 20, "dur": 60, "args": {"correlation": 6}},
{"ph": "s", "id": 5, "pid": 1, "tid": 1, "ts": 12.25, "cat": "ac2g", "name": "ac2g"},
{"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 16.125, "dur": 30, "args": {"device": 0, "stream": 7, "correlation": 5}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 47, "dur": 2, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce", "pid": 0, "tid": 9, "ts": 40, "dur": 35.001, "args": {"device": 0, "stream": 9, "In msg nelems": 1024, "dtype": "Float"}},
{"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 13, "args": {"Bytes": 512, "Addr": 4096, "Total Allocated": 512, "Total Reserved": 2097152, "Device Type": 1}},
{"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 70, "args": {"Bytes": -512, "Addr": 4096, "Total Allocated": 0, "Total Reserved": 2097152, "Device Type": 1}}]})trace";

constexpr const char* executionSeed = R"trace({"schema": "1.0.2-chakra.0.0.4", "pid": 1, "nodes": [
{"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, "inputs": {"values": [], "shapes": [], "types": []}, "outputs": {"values": [], "shapes": [], "types": []}, "attrs": []},
{"id": 2, "name": "aten::mm", "ctrl_deps": 1, "inputs": {"values": [[1, 2, 0, 64, 4, "cuda:0"], [3, 4, 0, 64, 4, "cuda:0"]], "shapes": [[8, 8], [8, 8]], "types": ["Tensor(float)", "Tensor(float)"]}, "outputs": {"values": [[5, 6, 0, 64, 4, "cuda:0"]], "shapes": [[8, 8]], "types": ["Tensor(float)"]}, "attrs": [{"name": "tid", "type": "uint64", "value": 1}]},
{"id": 3, "name": "record_param_comms", "ctrl_deps": 1, "inputs": {"values": [[[5, 6, 0, 64, 4, "cuda:0"]]], "shapes": [[[8, 8]]], "types": ["GenericList[Tensor(float)]"]}, "outputs": {"values": [], "shapes": [], "types": []}, "attrs": [{"name": "collective_name", "type": "string", "value": "all_reduce"}]}]})trace";

constexpr const char* chakraSeed = R"trace({"workload_graph": [
{"Id": 1, "Name": "a", "NodeType": 4, "ctrlDeps": [], "dataDeps": [], "runtime": 5, "num_ops": 100, "tensor_size": 64},
{"Id": 2, "Name": "b", "NodeType": 7, "ctrlDeps": [1], "dataDeps": [1], "runtime": 3, "comm_type": 0, "comm_size": 4096}]})trace";

constexpr const char* primusSeed = R"trace({"8": {"total": 100.5, "memory": 52.25, "fwd_start": [0, 20], "fwd_end": [10, 30], "bwd_start": [40, 70], "bwd_end": [60, 90.25]}})trace";

void addSmallRealFiles(std::vector<TraceSeed>& seeds) {
    constexpr std::uintmax_t most = 7000;
    if (!haveShared("traces/expected.json")) return;
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sharedPath("traces")))
        if (entry.is_regular_file() && entry.file_size() <= most && entry.path().extension() != ".md") paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
        seeds.push_back({path, readWholeFile(path)});
        Problems problems;
        // What is inside as well: what is packed changes as a whole.
        if (path.ends_with(".gz")) seeds.push_back({path + " unpacked", unpackedTrace(seeds.back().bytes, path, problems).value_or("").substr(0, 20'000)});
    }
}

} // namespace

std::string gzipped(const std::string& text) {
    z_stream stream{};
    constexpr int gzip = 16 + MAX_WBITS;
    deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<unsigned>(text.size());
    stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
    stream.avail_out = static_cast<unsigned>(packed.size());
    deflate(&stream, Z_FINISH);
    std::string whole = packed.substr(0, stream.total_out);
    deflateEnd(&stream);
    return whole;
}

std::vector<TraceSeed> traceSeeds() {
    std::vector<TraceSeed> seeds{{"kineto", kinetoSeed}, {"kineto, packed", gzipped(kinetoSeed)}, {"execution trace", executionSeed}, {"Chakra JSON", chakraSeed}, {"Primus", primusSeed}, {"snapshot, protocol 2", madeSnapshot(2)}, {"snapshot, protocol 4", madeSnapshot(4)}};
    seeds.push_back({"Chakra", chakraMessages({{1, "a", 4, false, {}, {}, 10, {{"num_ops", 100}}}, {2, "b", 7, false, {1}, {1}, 5, {{"comm_size", 4096}, {"comm_type", 0}}}})});
    Problems problems;
    const auto trace = readDeviceTrace(kinetoSeed, "seed", problems);
    seeds.push_back({"Nsight", nsightConverted(trace.value_or(KinetoTrace()))});
    addSmallRealFiles(seeds);
    return seeds;
}

} // namespace orrery::test
