// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/recorded/operator_map.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace orrery {
namespace {

using Table = std::map<std::string, OperatorFacts, std::less<>>;

void add(Table& table, OperatorClass what, OperatorKind kind, std::initializer_list<const char*> names) {
    for (const char* name : names) table.emplace(name, OperatorFacts{what, kind, CollectiveKind::none, false, false, false});
}

/// PyTorch's operators without namespace, overload and the underscore of those that work in place.
const Table& knownOperators() {
    static const Table table = [] {
        Table t;
        using enum OperatorClass;
        using K = OperatorKind;
        add(t, view, K::residual,
            {"view", "_unsafe_view", "_reshape_alias", "as_strided", "slice", "narrow", "select", "transpose", "t", "numpy_T", "permute", "movedim",
             "swapaxes", "expand", "expand_as", "unsqueeze", "squeeze", "detach", "alias", "split", "split_with_sizes", "chunk",
             "unbind", "unflatten",
             "unfold", "diagonal", "view_as", "view_as_real", "view_as_complex", "lift_fresh", "_conj", "resolve_conj",
             "resolve_neg", "mT", "getitem",
             "wait_tensor", "unflatten_dense_tensors", "tensor_split", "hsplit", "vsplit", "real", "imag"});
        add(t, free, K::residual,
            {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize", "resize_as", "set", "is_pinned", "_pin_memory", "pin_memory",
             "record_stream", "item", "_local_scalar_dense", "is_same_size", "size", "stride", "sym_size", "sym_stride",
             "sym_numel", "sym_storage_offset",
             "numel", "is_nonzero", "requires_grad", "_has_compatible_shallow_copy_type", "_version", "result_type", "can_cast",
             "is_complex",
             "is_floating_point", "_backward", "retain_grad", "lift", "_assert_async", "_assert_tensor_metadata",
             "_assert_scalar", "le_scalar", "barrier",
             "monitored_barrier", "profiler_enter", "_record_function_enter_new", "_record_function_exit", "seed", "manual_seed",
             "device", "sym_constrain_range",
             "_nested_tensor_size", "data_ptr", "cudnn_is_acceptable", "is_set_to", "_debug_has_internal_overlap"});
        add(t, composite, K::residual,
            {"to", "contiguous", "reshape", "reshape_as", "flatten", "ravel", "type_as", "float", "half", "bfloat16", "double", "cpu", "cuda", "concat",
             "concatenate", "einsum", "pad", "meshgrid", "broadcast_tensors", "atleast_1d", "atleast_2d", "one_hot",
             "value_selecting_reduction_backward"});
        add(t, product, K::gemm, {"mm", "addmm", "linear", "_scaled_mm", "mv", "addmv", "dot", "_addmm_activation", "_int_mm"});
        add(t, product, K::batched_gemm, {"bmm", "baddbmm", "matmul"});
        add(t, convolution, K::gemm,
            {"conv1d", "conv2d", "conv3d", "convolution", "_convolution", "convolution_overrideable", "cudnn_convolution", "cudnn_convolution_relu",
             "miopen_convolution", "mkldnn_convolution", "_slow_conv2d_forward", "slow_conv2d", "_conv_depthwise2d",
             "thnn_conv2d", "conv_transpose1d",
             "conv_transpose2d", "conv_transpose3d", "convolution_backward", "convolution_backward_overrideable"});
        add(t, attention, K::attention,
            {"scaled_dot_product_attention", "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention",
             "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_flash_attention_for_cpu",
             "_scaled_dot_product_attention_math", "_flash_attention_forward",
             "_efficient_attention_forward", "_flash_attn_forward", "_scaled_dot_product_flash_attention_backward",
             "_scaled_dot_product_efficient_attention_backward", "_scaled_dot_product_cudnn_attention_backward",
             "_flash_attention_backward",
             "_efficient_attention_backward", "_flash_attn_backward"});
        add(t, pointwise, K::norm,
            {"layer_norm", "native_layer_norm", "native_layer_norm_backward", "rms_norm", "_fused_rms_norm", "_fused_rms_norm_backward", "group_norm",
             "native_group_norm", "native_group_norm_backward", "batch_norm", "native_batch_norm", "_native_batch_norm_legit",
             "_batch_norm_impl_index",
             "_batch_norm_with_update", "cudnn_batch_norm", "miopen_batch_norm", "native_batch_norm_backward", "cudnn_batch_norm_backward",
             "miopen_batch_norm_backward", "batch_norm_backward", "instance_norm", "_weight_norm_interface"});
        add(t, pointwise, K::softmax, {"softmax", "_softmax", "_softmax_backward_data", "log_softmax", "_log_softmax", "_log_softmax_backward_data", "_safe_softmax", "logsumexp"});
        add(t, pointwise, K::cross_entropy,
            {"cross_entropy_loss", "nll_loss", "nll_loss_forward", "nll_loss_backward", "nll_loss_nd", "nll_loss2d_forward", "nll_loss2d_backward",
             "binary_cross_entropy", "binary_cross_entropy_backward", "binary_cross_entropy_with_logits", "mse_loss",
             "mse_loss_backward", "l1_loss", "smooth_l1_loss",
             "smooth_l1_loss_backward", "huber_loss", "kl_div"});
        add(t, pointwise, K::dropout, {"dropout", "native_dropout", "native_dropout_backward", "_fused_dropout", "bernoulli", "feature_dropout"});
        add(t, pointwise, K::activation,
            {"relu", "relu6", "gelu", "gelu_backward", "silu", "silu_backward", "sigmoid", "sigmoid_backward", "tanh", "tanh_backward", "threshold", "threshold_backward",
             "leaky_relu", "leaky_relu_backward", "elu", "elu_backward", "hardtanh", "hardtanh_backward", "hardswish",
             "hardswish_backward", "hardsigmoid",
             "hardsigmoid_backward", "mish", "mish_backward", "softplus", "softplus_backward", "prelu", "_prelu_kernel",
             "_prelu_kernel_backward", "log_sigmoid_forward", "glu", "glu_backward", "max_pool2d",
             "max_pool2d_with_indices", "max_pool2d_with_indices_backward", "avg_pool2d", "avg_pool2d_backward",
             "adaptive_avg_pool2d", "_adaptive_avg_pool2d",
             "_adaptive_avg_pool2d_backward", "adaptive_max_pool2d", "max_pool1d", "avg_pool1d", "upsample_nearest2d",
             "upsample_nearest2d_backward",
             "upsample_bilinear2d", "upsample_bilinear2d_backward"});
        add(t, pointwise, K::residual,
            {"add", "sub", "rsub", "mul", "div", "divide", "multiply", "subtract", "true_divide", "floor_divide", "remainder", "fmod", "neg", "negative", "abs", "exp", "expm1", "exp2", "log", "log2",
             "log1p", "log10", "sqrt", "rsqrt", "square", "pow", "reciprocal", "sin", "cos", "tan", "atan2", "erf", "erfinv",
             "sign", "floor", "ceil", "round", "trunc", "clamp", "clamp_min",
             "clamp_max", "clip", "where", "masked_fill", "eq", "ne", "lt", "le", "gt", "ge", "logical_not", "logical_and",
             "logical_or", "logical_xor", "bitwise_not",
             "bitwise_and", "bitwise_or", "bitwise_xor", "maximum", "minimum", "lerp", "addcmul", "addcdiv", "sum", "mean",
             "prod", "amax", "amin", "max", "min", "any", "all", "var", "std",
             "var_mean", "std_mean", "norm", "linalg_vector_norm", "cumsum", "cumprod", "argmax", "argmin", "isnan", "isinf",
             "isfinite", "nan_to_num", "cat", "stack",
             "clone", "flip", "roll", "repeat", "repeat_interleave", "constant_pad_nd", "tril", "triu", "flatten_dense_tensors",
             "slice_backward", "select_backward",
             "masked_select", "nonzero", "polar", "complex", "_to_copy", "_amp_update_scale", "count_nonzero", "_fused_rope",
             "outer", "ger", "addr", "select_scatter", "slice_scatter",
             "_conj_physical", "dist", "cross", "diff", "frac", "_foreach_norm", "renorm", "heaviside", "split_copy",
             "unsafe_split", "permute_copy", "expand_copy", "view_copy"});
        add(t, overwrite, K::residual,
            {"copy", "fill", "zero", "zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "arange", "linspace",
             "scalar_tensor", "uniform", "normal", "rand", "randn", "rand_like", "randn_like", "randint", "randperm", "random",
             "exponential", "eye", "tril_indices", "triu_indices", "fill_diagonal"});
        add(t, lookup, K::embedding, {"embedding", "_embedding_bag", "embedding_bag", "_embedding_bag_forward_only"});
        add(t, lookup, K::permute, {"index", "index_select", "gather", "take", "take_along_dim", "_unsafe_index", "grid_sampler_2d"});
        add(t, scatter, K::embedding, {"embedding_dense_backward", "_embedding_bag_dense_backward", "embedding_backward"});
        add(t, scatter, K::permute, {"index_put", "_index_put_impl", "_unsafe_index_put", "index_add", "index_copy", "index_fill", "scatter", "scatter_add", "scatter_reduce", "masked_scatter", "index_backward", "gather_backward"});
        add(t, pointwise, K::top_k, {"topk", "sort", "argsort", "unique", "_unique2", "unique_consecutive", "multinomial", "bincount", "histc", "searchsorted", "bucketize"});
        return t;
    }();
    return table;
}

struct CollectiveWord {
    const char* word;
    CollectiveKind kind;
};
/// c10d, its functional form, and NCCL's labels; the first that stands in the name holds.
constexpr CollectiveWord collectiveWords[]{{"reducescatter", CollectiveKind::reduce_scatter}, {"allreduce", CollectiveKind::all_reduce}, {"allgather", CollectiveKind::all_gather}, {"alltoall", CollectiveKind::all_to_all}, {"broadcast", CollectiveKind::broadcast}, {"reduce", CollectiveKind::reduce_scatter}, {"gather", CollectiveKind::all_gather}, {"scatter", CollectiveKind::broadcast}, {"send", CollectiveKind::send_receive}, {"recv", CollectiveKind::send_receive}};

OperatorFacts collectiveFacts(std::string name) {
    std::erase(name, '_');
    for (const CollectiveWord& known : collectiveWords)
        if (name.find(known.word) != std::string::npos) {
            OperatorFacts facts{OperatorClass::collective, OperatorKind::collective, known.kind, false, false, false};
            if (known.kind == CollectiveKind::send_receive) facts.kind = OperatorKind::send_receive;
            return facts;
        }
    // wait_tensor, barrier, work.wait
    return {name.find("wait") != std::string::npos ? OperatorClass::view : OperatorClass::free, OperatorKind::residual, CollectiveKind::none, false, false, false};
}

bool startsWithAny(std::string_view name, std::initializer_list<const char*> starts) {
    return std::any_of(starts.begin(), starts.end(), [&](const char* start) { return name.starts_with(start); });
}

} // namespace

std::string plainOperatorName(std::string_view recorded) {
    if (recorded.starts_with("torch.ops.")) recorded.remove_prefix(10);
    if (const std::size_t bracket = recorded.find('('); bracket != std::string_view::npos && bracket > 0) recorded = recorded.substr(0, bracket);
    std::string name(recorded);
    if (name.find("::") == std::string::npos) {
        // namespace.operator.overload; Python's own functions have no overload.
        const std::size_t dot = name.find('.');
        if (dot != std::string::npos) {
            const std::size_t overload = name.find('.', dot + 1);
            name = name.substr(0, dot) + "::" + name.substr(dot + 1, overload == std::string::npos ? std::string::npos : overload - dot - 1);
        }
    } else if (const std::size_t dot = name.find('.', name.find("::")); dot != std::string::npos) {
        name.resize(dot);
    }
    return name;
}

OperatorFacts operatorFacts(const std::string& plainName) {
    const std::size_t colons = plainName.find("::");
    const std::string space = colons == std::string::npos ? "" : plainName.substr(0, colons);
    std::string name = colons == std::string::npos ? plainName : plainName.substr(colons + 2);
    if (plainName.starts_with("nccl:") && space.empty()) return collectiveFacts(plainName.substr(5));
    if (space == "c10d" || space == "_c10d_functional" || space == "c10d_functional" || space == "symm_mem") return collectiveFacts(name);
    const bool known = space == "aten" || space == "prims" || space == "operator" || space == "_operator" || space == "flash_attn" || space == "quantized" ||
                       (space.empty() && (name == "detach" || name == "detach_"));
    if (!known) return {};

    OperatorFacts facts;
    const bool list = startsWithAny(name, {"_foreach_", "_fused_adam", "_fused_sgd", "_fused_adagrad", "_amp_foreach"});
    if (list) {
        facts.what = OperatorClass::lists;
        facts.inPlace = name.ends_with("_");
        facts.optimizer = name.starts_with("_fused_");
        if (facts.optimizer) facts.kind = OperatorKind::optimizer;
        return facts;
    }
    auto found = knownOperators().find(name);
    if (found == knownOperators().end() && name.ends_with("_")) {
        name.pop_back();
        found = knownOperators().find(name);
        facts.inPlace = true;
    }
    if (found == knownOperators().end()) return {};
    const bool inPlace = facts.inPlace;
    facts = found->second;
    facts.inPlace = inPlace;
    facts.backward = name.find("backward") != std::string::npos;
    return facts;
}

std::optional<OperatorKind> kernelKind(std::string_view recorded) {
    std::string name(recorded);
    name = lowered(std::move(name));
    struct Word {
        const char* word;
        OperatorKind kind;
    };
    // In this order: "softmax" stands in the names of attention kernels too.
    static constexpr Word words[]{{"flash", OperatorKind::attention}, {"fmha", OperatorKind::attention}, {"attention", OperatorKind::attention}, {"gemm", OperatorKind::gemm}, {"cutlass", OperatorKind::gemm}, {"xmma", OperatorKind::gemm}, {"wgmma", OperatorKind::gemm}, {"conv", OperatorKind::gemm}, {"winograd", OperatorKind::gemm}, {"dgrad", OperatorKind::gemm}, {"wgrad", OperatorKind::gemm}, {"cudnn_infer", OperatorKind::gemm}, {"cudnn_train", OperatorKind::gemm}, {"splitk", OperatorKind::gemm}, {"softmax", OperatorKind::softmax}, {"nll_loss", OperatorKind::cross_entropy}, {"cross_entropy", OperatorKind::cross_entropy}, {"bn_", OperatorKind::norm}, {"norm", OperatorKind::norm}, {"dropout", OperatorKind::dropout}, {"embedding", OperatorKind::embedding}, {"multi_tensor", OperatorKind::optimizer}, {"adam", OperatorKind::optimizer}, {"topk", OperatorKind::top_k}, {"sort", OperatorKind::top_k}, {"rope", OperatorKind::rotary}, {"rotary", OperatorKind::rotary}, {"gather", OperatorKind::permute}, {"scatter", OperatorKind::permute}, {"index", OperatorKind::permute}, {"pool", OperatorKind::activation}, {"elementwise", OperatorKind::residual}, {"reduce", OperatorKind::residual}, {"memcpy", OperatorKind::residual}, {"memset", OperatorKind::residual}, {"copy", OperatorKind::residual}, {"fill", OperatorKind::residual}, {"cat", OperatorKind::residual}, {"triton_poi", OperatorKind::residual}, {"triton_red", OperatorKind::residual}, {"triton_per", OperatorKind::residual}};
    for (const Word& known : words)
        if (name.find(known.word) != std::string::npos) return known.kind;
    return std::nullopt;
}

} // namespace orrery
