// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <optional>
#include <string_view>

namespace orrery {

/// What a device does by an event's category, in Kineto's words for any device: "kernel", "gpu_memcpy", "Memset", "mtia_ccp_events"; nothing for other categories.
std::optional<DeviceWork> deviceWorkOf(std::string_view category);

/// Whether events of the category are calls of a device's runtime or driver: "cuda_runtime", "privateuse1_driver", "Runtime".
bool isRuntimeCategory(std::string_view category);

/// Finds the kernels of a trace whose categories say nothing of devices. The names of its processes and threads say it (JAX and XLA, TensorFlow, Ascend's profiler,
/// PyTorch's autograd profiler), or the device and stream among an event's arguments. Such events move from `others` to `device`, those of "CPU functions" to
/// `operators`. A trace that has kernels stays as it is.
void recogniseDevices(KinetoTrace& trace);

} // namespace orrery
