// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Launch scripts and configurations as their projects publish them, cut down to what says something: same options,
// same values, same ways of writing them; paths, logging and learning rates mostly left out.

namespace orrery::inputs {

/// Megatron-LM, examples/gpt3/train_gpt3_175b_distributed.sh. It starts one node of 8 for a plan of 128 ranks.
inline constexpr const char* gpt3 = R"sh(#!/bin/bash

# Runs the "175B" parameter model
GPUS_PER_NODE=8
NUM_NODES=1
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))

CHECKPOINT_PATH=$1 #<Specify path>
VOCAB_FILE=$3 #<Specify path to file>/gpt2-vocab.json

DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
    --master_port 6000
)
GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
    --attention-backend auto # Can use (flash/fused/unfused/local)
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 1536
    --rampup-batch-size 16 16 5859375
    --train-iters 500000
    --init-method-std 0.006
    --fp16
    --lr 6.0e-5
)
MODEL_PARALLEL_ARGS=(
	--tensor-model-parallel-size 8
	--pipeline-model-parallel-size 16
)
DATA_ARGS=(
    --vocab-file $VOCAB_FILE
    --split 949,50,1
)
LOGGING_ARGS=(
    --save $CHECKPOINT_PATH
    --eval-iters 10
)
torchrun ${DISTRIBUTED_ARGS[@]} examples/classes/pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} \
    ${TRAINING_ARGS[@]} \
    ${MODEL_PARALLEL_ARGS[@]} \
    ${DATA_ARGS[@]} \
    ${LOGGING_ARGS[@]}
)sh";

/// Megatron-LM, examples/llama/train_llama3_8b_h100_fp8.sh: conditions, arrays added to arrays, options in one string.
inline constexpr const char* llama3Fp8 = R"sh(
CHECKPOINT_PATH=${1:-"checkpoints/llama3_8b_fp8"}
TOKENIZER_ARG=${3:-"MOCK"} # Path to tokenizer model, or "MOCK"
mkdir -p "$(dirname "$CHECKPOINT_PATH")"
GPUS_PER_NODE=8
NUM_NODES=1
PRETRAIN_SCRIPT_PATH="examples/classes/pretrain_gpt.py"
DTYPE="fp8"
SEQ_LENGTH=8192
DISTRIBUTED_ARGS=(--nproc_per_node $GPUS_PER_NODE --nnodes $NUM_NODES)
MODEL_ARGS=(
    --use-mcore-models
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 128
    --seq-length $SEQ_LENGTH
    --max-position-embeddings 8192
    --position-embedding-type rope
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --swiglu
    --attention-backend fused
    --untie-embeddings-and-output-weights
    --disable-bias-linear
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 128
    --train-samples 1953125000
    --bf16
    --grad-reduce-in-bf16
)
DTYPE_ARGS=()
if [[ "$DTYPE" == "fp8" ]]; then
    DTYPE_ARGS+=(
        "--fp8-format hybrid"
        "--fp8-param-gather"
    )
fi
DDP_ARGS=(
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
)
TRAINING_ARGS+=("${DDP_ARGS[@]}")
DATA_ARGS_LIST=()
if [[ "$TOKENIZER_ARG" == "MOCK" ]] || [[ -z "$TOKENIZER_ARG" ]]; then
    DATA_ARGS_LIST+=("--mock-data" "--tokenizer-type NullTokenizer" "--vocab-size 128256" "--split '99,1,0'")
else
    DATA_ARGS_LIST+=("--tokenizer-model $TOKENIZER_ARG" "--vocab-size 99")
fi
if [ ! -f "$PRETRAIN_SCRIPT_PATH" ]; then
    echo "Error: pretrain_gpt.py not found"
    exit 1
fi
torchrun ${DISTRIBUTED_ARGS[@]} \
    "$PRETRAIN_SCRIPT_PATH" \
    ${MODEL_ARGS[@]} \
    ${TRAINING_ARGS[@]} \
    ${DTYPE_ARGS[@]} \
    ${DATA_ARGS_LIST[@]}
)sh";

/// BigScience, train/tr11-176B-ml/tr11-176B-ml.slurm: Slurm directives, strings of options, a here-document, bash -c.
inline constexpr const char* bloom = R"sh(#!/bin/bash
#SBATCH --nodes=48
#SBATCH --ntasks-per-node=1          # crucial - only 1 task per dist per node!
#SBATCH --gres=gpu:8                 # number of gpus

MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
GPUS_PER_NODE=8
NNODES=$SLURM_NNODES
TP_SIZE=4
PP_SIZE=12
MICRO_BATCH_SIZE=2  # was MBS=1 till GBS=784
GLOBAL_BATCH_SIZE=2048
NHIDDEN=14336
NLAYERS=70
NHEADS=112
SEQ_LEN=2048
TRAIN_SAMPLES=220_000_000  # 450B tokens

GPT_ARGS=" \
    --pp-partition-method 'type:transformer|embedding' \
    --num-layers $NLAYERS \
    --hidden-size $NHIDDEN \
    --num-attention-heads $NHEADS \
    --seq-length $SEQ_LEN \
    --max-position-embeddings $SEQ_LEN \
    --micro-batch-size $MICRO_BATCH_SIZE \
    --rampup-batch-size 192 16 9_765_625 \
    --global-batch-size $GLOBAL_BATCH_SIZE \
    --train-samples $TRAIN_SAMPLES \
    --embed-layernorm \
    --bf16 \
    --position-embedding-type alibi \
    --checkpoint-activations \
    --pad-vocab-size-to 250880 \
    "
ZERO_STAGE=0 # important: bf16 must use z0! it implements its own zero stage 1 equivalent
config_json="./ds_config.$SLURM_JOB_ID.json"
cat <<EOT > $config_json
{
  "train_micro_batch_size_per_gpu": $MICRO_BATCH_SIZE,
  "train_batch_size": $GLOBAL_BATCH_SIZE,
  "gradient_clipping": 1.0,
  "zero_optimization": {
    "stage": $ZERO_STAGE
  },
  "bf16": {
    "enabled": true
  },
  "steps_per_print": 2000
}
EOT
DEEPSPEED_ARGS=" \
    --deepspeed \
    --deepspeed_config ${config_json} \
    --zero-stage ${ZERO_STAGE} \
    --deepspeed-activation-checkpointing \
    "
export LAUNCHER="python -u -m torch.distributed.run \
    --nproc_per_node $GPUS_PER_NODE \
    --nnodes $NNODES \
    --rdzv_endpoint $MASTER_ADDR:6000 \
    "
export CMD=" \
    `pwd`/pretrain_gpt.py \
    --tensor-model-parallel-size $TP_SIZE \
    --pipeline-model-parallel-size $PP_SIZE \
    $GPT_ARGS \
    --data-impl mmap \
     $DEEPSPEED_ARGS \
    "
echo $CMD
clear; srun --wait=60 --jobid $SLURM_JOB_ID bash -c "$LAUNCHER --node_rank \$SLURM_PROCID $CMD" 2>&1 | tee -a main_log.txt
)sh";

/// microsoft/Megatron-DeepSpeed, examples_deepspeed/pretrain_llama2_distributed.sh.
inline constexpr const char* deepSpeedLlama = R"sh(
DS_CONFIG=./tmp/deepspeed.json
TP=2
PP=2
ZERO_STAGE=1
HIDDEN_SIZE=2048 # e.g. llama-13b: 5120
activation_checkpoint="false"
cat <<EOT > $DS_CONFIG
{
  "train_batch_size" : 32,
  "train_micro_batch_size_per_gpu": 4,
  "zero_optimization": { "stage": $ZERO_STAGE },
  "bf16": { "enabled": true }
}
EOT
ds_args=""
ds_args=" --deepspeed ${ds_args}"
ds_args=" --deepspeed_config=$DS_CONFIG ${ds_args}"
ds_args=" --zero-stage=$ZERO_STAGE ${ds_args}"
if [ "${activation_checkpoint}" = "true" ]; then
  ds_args="--recompute-granularity full --recompute-method uniform ${ds_args}"
fi
torchrun --nproc_per_node 8 --nnodes 1 \
       pretrain_gpt.py \
       --tensor-model-parallel-size $TP \
       --pipeline-model-parallel-size $PP \
       --num-layers 24 \
       --hidden-size $HIDDEN_SIZE \
       --ffn-hidden-size 5504 \
       --num-attention-heads 16 \
       --seq-length 2048 \
       --max-position-embeddings 2048 \
       --data-path $DATASET \
       --tokenizer-type GPTSentencePieceTokenizer \
       --attention-dropout 0 \
       --hidden-dropout 0 \
       --use-rotary-position-embeddings \
       --untie-embeddings-and-output-weights \
       --swiglu \
       --normalization rmsnorm \
       --disable-bias-linear \
       --num-key-value-heads 4 \
       $WANDB_ARGS \
       $ds_args
)sh";

/// DeepSeek-V3's sizes in Megatron-LM's arguments (its examples/deepseek_v3).
inline constexpr const char* deepSeek = R"sh(
torchrun --nproc_per_node 8 --nnodes 256 pretrain_gpt.py --bf16 --swiglu --normalization RMSNorm --disable-bias-linear \
  --untie-embeddings-and-output-weights --position-embedding-type rope --num-layers 61 --hidden-size 7168 --ffn-hidden-size 18432 \
  --num-attention-heads 128 --seq-length 4096 --vocab-size 129280 --make-vocab-size-divisible-by 1 \
  --multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 --qk-layernorm \
  --num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048 --moe-shared-expert-intermediate-size 2048 \
  --moe-layer-freq "([0]*3+[1]*58)" --moe-router-num-groups 8 --moe-router-group-topk 4 --mtp-num-layers 1 \
  --attention-dropout 0 --hidden-dropout 0 --micro-batch-size 1 --global-batch-size 15360 \
  --pipeline-model-parallel-size 16 --expert-model-parallel-size 64 --expert-tensor-parallel-size 1 \
  --recompute-granularity selective --recompute-modules mla_up_proj layernorm --use-distributed-optimizer
)sh";

/// torchtitan, torchtitan/models/llama3/train_configs/llama3_8b.toml.
inline constexpr const char* titan8b = R"toml(# torchtitan Config.toml
# NOTE: this toml config is a preset for 64 A100 GPUs.

[job]
description = "Llama 3 8B training"

[model]
name = "llama3"
flavor = "8B"
# converters = "float8"

[training]
batch_size = 1
seq_len = 8192
compile = false
dataset = "c4"

[parallelism]
data_parallel_replicate_degree = 1
data_parallel_shard_degree = -1
tensor_parallel_degree = 1
pipeline_parallel_degree = 1

[activation_checkpoint]
mode = 'selective'  # ['none', 'selective', 'full']
selective_ac_option = 'op'
)toml";

/// torchtitan, torchtitan/models/llama3/train_configs/llama3_405b.toml.
inline constexpr const char* titan405b = R"toml(
# NOTE: this toml config is a preset for 128 H100 GPUs.
[model]
name = "llama3"
flavor = "405B"
converters = "float8"
[training]
batch_size = 2
seq_len = 8192
compile = true
[parallelism]
data_parallel_shard_degree = -1
tensor_parallel_degree = 8  # 8-way TP
enable_async_tensor_parallel = true
[activation_checkpoint]
mode = 'full'
[float8]
enable_fsdp_float8_all_gather = true
)toml";

} // namespace orrery::inputs
