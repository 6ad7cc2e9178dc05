#pragma once

#include "core/model/graph.hpp"

namespace orrery {

/// What a matrix product runs on. Rates per second, sizes in bytes.
struct GemmMachine {
    double peak = 0;            ///< dense FLOP/s of the precision
    double unalignedPeak = 0;   ///< the same where a leading dimension is no multiple of 16 bytes
    double rateOfPeak = 0.75;   ///< sustained share that large, aligned products reach (KernelConstants::gemmRateOfPeak)
    double memoryBandwidth = 0; ///< bytes/s that streaming reaches
    int multiprocessors = 1;
};

struct GemmTime {
    double compute = 0; ///< s on the matrix units, with tile and wave quantisation
    double memory = 0;  ///< s to move the operands once
};

/// Time of C[m,n] = A[m,k] B[k,n] (`batch` times) on tiles that the multiprocessors take in waves: the best of a fixed set of
/// tile shapes and k-splits, as a BLAS library chooses. Partial tiles and waves cost as much as whole ones; k is padded to the
/// instruction's depth. NVIDIA, "Matrix Multiplication Background User's Guide", sections 4 and 5 (tile and wave quantisation).
GemmTime gemmTime(const GemmMachine& machine, const OperatorShape& shape, double bytes);

} // namespace orrery
