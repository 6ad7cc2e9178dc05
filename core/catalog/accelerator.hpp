// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/citation.hpp"

#include <map>
#include <optional>
#include <string>

namespace orrery {

class Catalog;

/// One accelerator as its data sheet describes it. Rates are per second, sizes in bytes.
struct Accelerator {
    std::string id;
    std::string name;
    std::string vendor;
    std::string form; ///< "SXM5", "PCIe", "OAM"
    int releaseYear = 0;
    std::map<std::string, double> peakDense; ///< FLOP/s without sparsity by precision: "bf16", "fp16", "fp8", "int8", "fp4", "tf32", "fp32"
    double vectorFp32 = 0;                   ///< FLOP/s outside the matrix units; 0 when unknown
    double memoryBytes = 0;                  ///< what the driver reports, not the marketing figure
    double memoryBandwidth = 0;              ///< bytes/s
    bool inlineEcc = false;                  ///< it keeps error-correcting codes among the data (GDDR6 with ECC on)
    double l2Bytes = 0;                      ///< 0 when unknown
    double l2Bandwidth = 0;                  ///< bytes/s, 0 when unknown
    int multiprocessors = 0;                 ///< SMs or CUs
    bool asynchronousMatrixUnits = false;    ///< they read operands from shared memory by themselves (NVIDIA from Hopper on)
    double boostClock = 0;                   ///< Hz, 0 when unknown
    double sharedBytes = 0;                  ///< of shared memory (LDS) a multiprocessor, 0 when unknown
    double registerBytes = 0;                ///< of register files a multiprocessor, 0 when unknown
    int clusterSize = 1;                     ///< multiprocessors that one load from L2 can serve (thread block clusters with multicast)
    double scaleUpBandwidth = 0;             ///< bytes/s per direction
    int scaleUpDomain = 1;                   ///< accelerators that share the scale-up fabric
    double hostLinkBandwidth = 0;            ///< bytes/s per direction
    double nicBandwidth = 0;                 ///< bytes/s per accelerator and direction, the usual platform's
    double tdpWatts = 0;
    Citation citation;
};

/// Whether its matrix units take the scales of small blocks as operands: those do that multiply fp4, of fp8's blocks of 32 as well (OCP
/// Microscaling Formats 1.0; NVIDIA from Blackwell on, AMD from CDNA 4 on).
bool scalesBlocks(const Accelerator& chip);

/// Reads an accelerator given as an object with the catalogue's fields; problems point below `pointer`. Needs `memory_gb_per_s`,
/// one of `memory_bytes` and `memory_gb`, and `peak_dense_tflops` with a 16-bit rate; keys it does not know it ignores.
std::optional<Accelerator> readAccelerator(const Json& object, const std::string& pointer, Problems& problems);

/// The same over the catalogue's entry of that id, where there is one: a field that the object states replaces that one, the others
/// are the entry's; null takes one away. An entry as it is listed gives the entry.
std::optional<Accelerator> readAccelerator(const Json& object, const Catalog& catalog, const std::string& pointer, Problems& problems);

} // namespace orrery
