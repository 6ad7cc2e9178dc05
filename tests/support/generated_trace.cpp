// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/generated_trace.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>

namespace orrery::test {
namespace {

std::string microseconds(std::int64_t nanoseconds) {
    const std::string rest = std::to_string(1000 + nanoseconds % 1000);
    return std::to_string(nanoseconds / 1000) + '.' + rest.substr(1);
}

std::string complete(const char* category, const std::string& name, const std::string& place, std::int64_t start, std::int64_t duration, const std::string& arguments) {
    return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + name + "\", " + place + R"(, "ts": )" + microseconds(start) + R"(, "dur": )" + microseconds(duration) + R"(, "args": {)" + arguments + "}},\n";
}

constexpr std::array operators{"aten::linear", "aten::addmm", "aten::layer_norm", "aten::gelu", "aten::_scaled_dot_product_flash_attention", "aten::add", "aten::mul"};
constexpr std::array kernels{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas", "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>",
                             "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>", "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>"};

} // namespace

GeneratedTrace writeGeneratedTrace(std::ostream& out, std::size_t bytes, int rank, int worldSize) {
    GeneratedTrace made;
    std::size_t written = 0;
    const auto put = [&](const std::string& text) {
        out << text;
        written += text.size();
    };
    put(R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) + R"(, "world_size": )" + std::to_string(worldSize) + "},\n\"traceEvents\": [\n");
    constexpr std::int64_t begin = 1'700'000'000'000'000'000;
    std::int64_t host = begin + 40'000LL * rank, device = host + 20'000, correlation = 1, allocated = 10'000'000'000;
    for (std::int64_t step = 0; written < bytes; ++step, ++correlation) {
        const bool backward = step % 3 != 0;
        const std::string thread = backward ? R"("pid": 1000, "tid": 1001)" : R"("pid": 1000, "tid": 1000)";
        const std::string name = operators[static_cast<std::size_t>(step) % operators.size()];
        const std::int64_t length = 9000 + 700 * (step % 5);
        put(complete("cpu_op", name, thread, host, length, R"("External id": )" + std::to_string(step) + R"(, "Record function id": 0, "Ev Idx": )" + std::to_string(step) + R"(, "Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::BFloat16", "c10::BFloat16"])"));
        put(complete("cpu_op", "aten::empty", thread, host + 600, 900, R"("External id": )" + std::to_string(step)));
        put(complete("cuda_runtime", "cudaLaunchKernel", thread, host + 2500, 4200, R"("External id": )" + std::to_string(step) + R"(, "cbid": 211, "correlation": )" + std::to_string(correlation)));
        put(R"({"ph": "s", "id": )" + std::to_string(correlation) + R"(, "cat": "ac2g", "name": "ac2g", )" + thread + R"(, "ts": )" + microseconds(host + 2500) + "},\n");
        made.operators += 2;
        ++made.launches;
        const bool collective = step % 40 == 39;
        device = std::max(device + (step % 17 == 0 ? 3000 : 300), host + 5000);
        const std::int64_t duration = collective ? 180'000 : 8000 + 900 * (step % 7) + 40LL * rank;
        const std::string stream = collective ? "20" : "7";
        put(complete("kernel", collective ? "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)" : kernels[static_cast<std::size_t>(step) % kernels.size()], R"("pid": 0, "tid": )" + stream, device, duration,
                     R"("External id": )" + std::to_string(step) + R"(, "queued": 0, "device": 0, "context": 1, "stream": )" + stream + R"(, "correlation": )" + std::to_string(correlation) +
                         R"(, "registers per thread": 168, "shared memory": 213248, "blocks per SM": 1.0, "warps per SM": 12.0, "grid": [132, 1, 1], "block": [384, 1, 1], "est. achieved occupancy %": 18)"));
        put(R"({"ph": "f", "id": )" + std::to_string(correlation) + R"(, "cat": "ac2g", "name": "ac2g", "pid": 0, "tid": )" + stream + R"(, "ts": )" + microseconds(device) + ", \"bp\": \"e\"},\n");
        ++made.kernels;
        if (collective) ++made.collectives;
        else device += duration;
        if (step % 8 == 0) {
            const std::int64_t taken = step % 16 == 0 ? 33'554'432 : -33'554'432;
            allocated += taken;
            put(R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", )" + thread + R"(, "ts": )" + microseconds(host + 700) + R"(, "args": {"Total Reserved": 20000000000, "Total Allocated": )" + std::to_string(allocated) + R"(, "Bytes": )" + std::to_string(taken) +
                R"(, "Addr": 140000000000, "Device Id": 0, "Device Type": 1}},)" + "\n");
            ++made.memoryEvents;
        }
        host += length + 500;
    }
    put(R"({"ph": "i", "name": "end", "pid": 0, "tid": 0, "ts": 0})"
        "\n]}\n");
    return made;
}

} // namespace orrery::test
