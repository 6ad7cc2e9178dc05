// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/parallel.hpp"

namespace orrery {

void releaseVectorRegisters() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx")) asm volatile("vzeroupper" ::
                                                        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}

} // namespace orrery
