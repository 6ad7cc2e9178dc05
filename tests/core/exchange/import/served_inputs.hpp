// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Commands and configurations as the documentation of vLLM, SGLang and TensorRT-LLM prints them, paths and ports apart.

namespace orrery::inputs {

/// vLLM, "Parallelism and scaling": a server over one node and over two.
inline constexpr const char* vllmServe = R"sh(vllm serve meta-llama/Llama-3.1-70B-Instruct \
    --tensor-parallel-size 4 --pipeline-parallel-size 2 \
    --max-model-len 32k --max-num-seqs 256 --max-num-batched-tokens 8192 \
    --gpu-memory-utilization 0.95 --kv-cache-dtype fp8_e4m3 --no-enable-prefix-caching \
    --enable-chunked-prefill --api-key token-abc123 --disable-log-requests)sh";

/// vLLM, "Using Docker".
inline constexpr const char* vllmDocker = R"sh(docker run --runtime nvidia --gpus all \
    -v ~/.cache/huggingface:/root/.cache/huggingface \
    --env "HUGGING_FACE_HUB_TOKEN=$HF_TOKEN" \
    -p 8000:8000 \
    --ipc=host \
    vllm/vllm-openai:latest \
    --model mistralai/Mistral-7B-v0.1)sh";

/// vLLM, "Serve YAML config": vllm serve --config config.yaml.
inline constexpr const char* vllmYaml = R"yaml(# config.yaml

model: meta-llama/Llama-3.1-8B-Instruct
host: "127.0.0.1"
port: 6379
uvicorn-log-level: "info"
tensor-parallel-size: 2
enable-prefix-caching: false
)yaml";

/// vLLM, "Expert parallel deployment".
inline constexpr const char* vllmExperts = R"sh(VLLM_ALL2ALL_BACKEND=pplx VLLM_USE_DEEP_GEMM=1 \
    vllm serve deepseek-ai/DeepSeek-V3-0324 \
    --tensor-parallel-size 1 \
    --data-parallel-size 8 \
    --enable-expert-parallel)sh";

/// vLLM, "Speculative decoding".
inline constexpr const char* vllmSpeculative = R"sh(python -m vllm.entrypoints.openai.api_server \
    --host 0.0.0.0 --port 8000 --model meta-llama/Llama-3.1-8B-Instruct --seed 42 -tp 1 --gpu_memory_utilization 0.8 \
    --speculative_config '{"model": "meta-llama/Llama-3.2-1B-Instruct", "num_speculative_tokens": 5}')sh";

/// vLLM, "Benchmark CLI": a server and what asks it.
inline constexpr const char* vllmBench = R"sh(vllm serve Qwen/Qwen2.5-7B-Instruct &
vllm bench serve --backend vllm --model Qwen/Qwen2.5-7B-Instruct --endpoint /v1/completions \
  --dataset-name random --random-input-len 2048 --random-output-len 256 --num-prompts 500 \
  --request-rate 8 --burstiness 0.5 --save-result --result-dir ./)sh";

/// SGLang, "DeepSeek usage": data-parallel attention over two nodes of eight.
inline constexpr const char* sglangDeepSeek = R"sh(python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 16 --dp 2 --enable-dp-attention \
    --dist-init-addr 10.0.0.1:5000 --nnodes 2 --node-rank 0 --trust-remote-code \
    --speculative-algorithm EAGLE --speculative-num-steps 1 --speculative-eagle-topk 1 --speculative-num-draft-tokens 2)sh";

/// SGLang, "Server arguments".
inline constexpr const char* sglangPlain = R"sh(python -m sglang.launch_server --model-path meta-llama/Meta-Llama-3-8B-Instruct --mem-fraction-static 0.7 \
    --chunked-prefill-size 4096 --dp 2 --quantization fp8 --kv-cache-dtype fp8_e5m2 --schedule-policy lpm)sh";

/// SGLang, "Server arguments": python -m sglang.launch_server --config config.yaml.
inline constexpr const char* sglangYaml = R"yaml(model-path: meta-llama/Meta-Llama-3-8B-Instruct
host: 0.0.0.0
port: 30000
tensor-parallel-size: 2
enable-metrics: true
log-requests: true
)yaml";

/// TensorRT-LLM, "Run benchmarking with trtllm-serve": the script writes its own options file.
inline constexpr const char* trtllmServe = R"sh(#! /bin/bash
model_path=/path/to/Llama-3.1-70B-Instruct-FP8
extra_llm_api_file=/tmp/extra-llm-api-config.yml

cat << EOF > ${extra_llm_api_file}
enable_attention_dp: false
print_iter_log: true
cuda_graph_config:
  enable_padding: true
  max_batch_size: 1024
kv_cache_config:
  dtype: fp8
  enable_block_reuse: false
EOF

trtllm-serve ${model_path} \
    --max_batch_size 1024 \
    --max_num_tokens 2048 \
    --max_seq_len 1024 \
    --kv_cache_free_gpu_memory_fraction 0.9 \
    --tp_size 1 \
    --ep_size 1 \
    --trust_remote_code \
    --extra_llm_api_options ${extra_llm_api_file})sh";

/// TensorRT-LLM, its blogs on DeepSeek-R1: throughput with attention data parallelism.
inline constexpr const char* trtllmBench = R"sh(cat <<EOF > ./extra-llm-api-config.yml
enable_attention_dp: true
speculative_config:
  decoding_type: MTP
  num_nextn_predict_layers: 3
EOF
trtllm-bench --model nvidia/DeepSeek-R1-FP4 throughput --dataset dataset.txt --tp 8 --ep 8 --pp 1 \
  --backend pytorch --max_batch_size 384 --max_num_tokens 1536 --concurrency 3072 --num_requests 49152 \
  --kv_cache_free_gpu_mem_fraction 0.85 --extra_llm_api_options ./extra-llm-api-config.yml)sh";

} // namespace orrery::inputs
