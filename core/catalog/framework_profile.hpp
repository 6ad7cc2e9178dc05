// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/catalog/citation.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orrery {

/// How a framework computes the loss from 16-bit logits, which decides what the last stage holds.
enum class LossKernel : std::uint8_t {
    in_place_fp32, ///< an fp32 copy of the logits that becomes the probabilities and then the gradient (Megatron's vocabulary-parallel loss)
    copied_fp32,   ///< the same from an fp32 copy of its own that is kept beside it until the loss is known
    eager_fp32,    ///< `cross_entropy(logits.float())`: fp32 logits, log-probabilities and two gradients, kernel by kernel; of shared logits PyTorch's loss_parallel
    eager_16_bit,  ///< the same without the cast
    fused,         ///< 16-bit logits are kept, the gradient is written at once (compiled, or a fused kernel)
};

/// How tokens come to their experts.
enum class ExpertExchange : std::uint8_t {
    rows,         ///< an all-to-all of the communication library that sends a row for each expert that a token visits
    gathered,     ///< every rank gathers the tokens of all, and takes those of its experts
    deduplicated, ///< a token goes once to every rank, and between domains once to every domain (DeepEP, Hybrid-EP)
};

/// What an era's software does about experts.
struct ExpertProfile {
    ExpertExchange exchange = ExpertExchange::rows;        ///< of dropless routing; a fixed capacity sends rows
    std::string library;                                   ///< of a deduplicated exchange: its id in collectives.json
    std::string libraryBetweenHosts;                       ///< `exchange` of fine-grained experts on more than one host, `moe_dispatcher` unless given; empty: the same
    bool overlapsBetweenDomains = false;                   ///< `overlap.expert` unless given: where experts reach over more than one scale-up domain
    bool inGraphs = true;                                  ///< CUDA graphs hold the experts
    bool eagerBias = false;                                ///< experts' biases and clamps are kernels of their own, biases in fp32
    bool weighsOutputs = false;                            ///< scores multiply what the experts give, whole rows in fp32, not what goes into their last product
    bool loopsProducts = false;                            ///< a product of each expert is a call of its own, one after another (Transformer Engine's GroupedLinear)
    bool fillsChunksFirst = false;                         ///< a pipeline layout that comes out uneven: full chunks, the last has what remains
    std::vector<std::vector<std::string>> recomputeLadder; ///< modules that `auto` tries before whole layers, the least first
    double capacityFactor = 0;                             ///< `moe_dispatch` unless given; 0: dropless
    bool padsCapacity = false;                             ///< with a fixed capacity experts work on all the rows they have room for
};

/// What an era's serving stack does beside the kernels of a step.
struct ServingProfile {
    double frontEnd = 0;           ///< s that a request and its tokens are on the way: HTTP, text to tokens and back, processes between client and engine
    double splitFrontEnd = 0;      ///< the same in front of split engines: a router asks both, which tell each other where the cache lies
    double promptStretch = 1;      ///< a step with prompts outside graphs takes so many times its kernels: gaps between launches, work that no table has
    double decodeStretch = 1;      ///< any other step takes so many times its kernels: what one's own server showed (`calibrate`); every shipped profile has 1
    double stepHost = 0;           ///< s a step: scheduling, inputs, sampling's synchronisation
    double sequenceHost = 0;       ///< s a sequence in the step: its bookkeeping, sampling, text
    bool overlapsHost = false;     ///< all that beside the step before (`async_scheduling` unless given)
    bool servesAnyHeads = false;   ///< `groupedHeads` is of releases that ran static batches; those that serve requests have a kernel for any number
    double graphLaunch = 0;        ///< s to start a captured CUDA graph
    double eagerLaunch = 0;        ///< s a kernel where CUDA graphs are switched off, and with them compiled code; 0: hostLaunch
    double launchSpread = 0;       ///< s, standard deviation of the ranks' arrivals at a collective where the host launches kernel by kernel
    double narrowExpert = 0;       ///< s that each expert's worth of matrices on a rank adds to a layer whose experts multiply in 8 bit, chosen or not
    int largestGraph = 0;          ///< sequences of the largest step of decodes that is captured; 0: none is
    bool capturesPrompts = false;  ///< steps with prompts run in graphs too, cut at attention
    bool customAllReduce = false;  ///< its own one- and two-shot kernels where they are faster than the library's
    bool fusesResidual = false;    ///< the residual's addition and the RMS norm after it are one kernel
    bool joinsLatentDowns = false; ///< latent attention's two products from the hidden state are one
    int sharedBeside = 0;          ///< tokens of the largest step whose shared expert runs on a stream of its own beside the routed ones; 0: none
    bool fusesRotary = false;      ///< rotation and the cache's writing ride in the attention kernel
    bool leanRouting = false;      ///< experts whose weights alone are narrow are routed as quickly as those in 16 bit, where the tables' take longer
    std::vector<int> groupedHeads; ///< query heads a key head that the decode kernel serves together, each key read once; of others each reads
                                   ///< and widens keys by itself. Empty: any number

    /// Precisions that it runs with weights alone in them where an accelerator of NVIDIA lacks the arithmetic.
    std::vector<std::string> weightOnly;
};

/// What "selective" recomputation keeps.
enum class SelectiveRecompute : std::uint8_t {
    attention_core, ///< everything but the attention core (Korthikanti et al. 2022)
    operators,      ///< of each layer its input, every second product, attention and reduce-scatters (torchtitan)
};

/// Where the scale of an 8-bit tensor comes from, when there is one for the whole tensor.
enum class TensorScaling : std::uint8_t {
    delayed, ///< from earlier iterations: known before the tensor is made
    current, ///< from the tensor itself, which is read once more for it
};

/// What an era's software does by default. Sizes in bytes a parameter, times in seconds.
struct FrameworkProfile { // NOLINT(clang-analyzer-optin.performance.Padding): members stand by what they are about, and few profiles are held
    std::string id;
    std::string name;
    int year = 0;
    std::string line;             ///< of software that grew out of one another or shares its kernels; its own id where it stands alone
    std::vector<std::string> use; ///< "training", "inference"
    BoxedJson defaults;           ///< scenario fragment that fills in what the scenario leaves out: `{"execution": {…}, "parallelism": {…}}`
    bool flashAttention = true;
    bool copiesKeyHeads = true; ///< more tensor ranks than key-value heads hold these several times; else the ranks have to divide them
    /// What runs fused attention: the first of them that the accelerator has.
    std::vector<std::string> attentionKernels{"cudnn", "fa2"};
    bool fusedSoftmax = true;
    bool fusedElementwise = true;        ///< bias + activation, bias + dropout + residual in one kernel
    bool asyncTensorCollectives = true;  ///< backward's tensor collectives run beside the weight gradients; else each is waited for at once
    double weightBytes = 2;              ///< as stored between iterations; 4 where fp32 shards are the master copy (FSDP)
    double gatheredWeightBytes = 2;      ///< of a sharded weight while gathered, and on the wire
    double gradientBytes = 4;            ///< of the buffer the optimizer reads
    double optimizerBytes = 12;          ///< states + fp32 master
    double gradientReduceBytes = 4;      ///< on the wire
    double gatheredCopyBytes = 0;        ///< moved to lay a gathered weight out as its layer's products read it
    double bucketGradientBytes = 0;      ///< of the buckets that a parameter's gradient is copied into to be reduced; none where ZeRO shares gradients or states out
    bool keepsGatheredInputs = false;    ///< tensor ranks keep the inputs they gathered for backward; else they gather them again
    bool gathersEachProduct = false;     ///< products of the same input each gather it from the tensor ranks, and reduce its gradient so
    bool laysOutGathers = false;         ///< tensor ranks share out another dimension than the first: what collectives bring or take is copied into order
    bool separateProducts = false;       ///< queries, keys and values, gate and up are products of their own
    bool keepsBackwardGradients = false; ///< a micro-batch's 16-bit gradients are all kept to the end of its backward, then added up
    bool reducesEachTensor = false;      ///< gradients are reduced and sharded weights gathered by a collective for each tensor
    bool shardedStepWaits = false;       ///< with ZeRO-1 whole gradients are all-reduced after the last backward, weights gathered after the step
    bool prefetchesWeights = true;       ///< sharded weights are gathered one unit ahead
    double shareCopy = 0;                ///< s for each tensor and rank, to copy the rank's share out of what is gathered or into what is scattered
    bool flattensGathers = false;        ///< weights gathered after a step pass through a buffer of their size
    double gradientCopyBytes = 0;        ///< moved by kernels of their own to add a micro-batch's gradient up or lay it out for its reduction;
                                         ///< 0: the products that make it add it to its buffer
    double lossForwardBytes = 0;         ///< a logit, of all the kernels of the loss; 0: what its tensors hold
    double lossBackwardBytes = 0;
    double eagerNormBytes = 0; ///< an element, of all the kernels of a norm where nothing is compiled; 0: one kernel
    double eagerNormBackwardBytes = 0;
    double eagerRotaryBytes = 0;       ///< likewise
    double attentionShare = 1;         ///< of the rate of those kernels
    double elementwiseTraffic = 1;     ///< bytes that kernels which are no products move, over what their tensors hold
    double hostLaunch = 0;             ///< s a kernel the host needs to launch it; the floor of eager execution
    double expertHost = 0;             ///< s of the host that each local expert takes in each grouped product it launches
    double quantisedExpertHost = 1;    ///< times that in 8 or 4 bit, quantisation of the expert's rows included
    bool synchronousLaunches = false;  ///< the host waits for each kernel (CUDA_LAUNCH_BLOCKING=1)
    double iterationOverhead = 0;      ///< s an iteration: data loader, logging, host synchronisation
    double frameworkBytes = 0;         ///< CUDA context, libraries, workspaces
    double communicatorBytes = 0;      ///< per process group of more than one rank
    double fragmentationFraction = 0;  ///< of allocated bytes, reserved by an allocator that is not PyTorch's
    bool cachingAllocator = false;     ///< memory comes from PyTorch's caching allocator, which is simulated
    bool plansMemory = false;          ///< a compiler places all buffers of a step (XLA): collectives write where the layer reads, the loss's gradient over the logits
    double workspaceBytes = 0;         ///< of matrix products, allocated once
    double bucketBufferBytes = 0;      ///< that gradients are copied into to be reduced
    int furtherCommunicators = 0;      ///< process groups in use beside those of the plan
    bool outrunsCollectives = false;   ///< what a layer's collectives used is free only when the device has passed them; the host is a micro-batch ahead
    bool keepsStageOutputs = false;    ///< a stage keeps what it sends on until the micro-batch's backward
    bool savesQuantisedInputs = false; ///< products in 8 or 4 bit keep their quantised input for the weight gradient, not the 16-bit one
    /// Products in 8 or 4 bit keep quantised copies of their weights over the micro-batches.
    bool keepsQuantisedWeights = false;
    bool replicatesEmbedding = false;  ///< every tensor rank holds the whole embedding
    double gradientBucketBytes = 0;    ///< 0: one bucket
    double bucketElementsEachRank = 0; ///< the fewest elements of a bucket, for each rank that shares the weights out
    double fp16GradientBytes = 0;      ///< of gradients when weights are fp16; 0: as `gradientBytes`
    double bf16WholeMasterBytes = 0;   ///< of `optimizerBytes`, what ZeRO-1 and 2 do not share out when weights are bf16
    LossKernel loss = LossKernel::in_place_fp32;
    SelectiveRecompute selectiveRecompute = SelectiveRecompute::attention_core;
    bool recomputeStopsEarly = false;       ///< whole layers are made again only until all that backward reads is there (PyTorch's
                                            ///< non-reentrant checkpoints, XLA): the last product of a layer is not
    bool gathersLogits = false;             ///< tensor ranks each compute the loss over the whole vocabulary
    bool accumulatesWholeGradients = false; ///< with sharded weights: micro-batches' gradients are added up whole and reduced once
    bool keepsGatheredInPipeline = false;   ///< with sharded weights under a pipeline: gathered once an iteration and kept
    bool cachesWeightGradients = false;     ///< a 16-bit stand-in for every shape of weight gradient is kept (Transformer Engine from 2.3)
    bool expandableSegments = false;        ///< of PyTorch's allocator
    ExpertProfile experts;
    ServingProfile serving;
    std::map<std::string, FittedOn> fitted; ///< constants (core/catalog/fitted_constants.hpp) that measured runs had a say in
    std::string kernelsAs;                  ///< profile that runs the same kernels: without measured runs, what is fitted of its kernels holds here too
    TensorScaling tensorScaling = TensorScaling::delayed;
    bool normsQuantise = false;                 ///< norms write the next product's 8-bit operand themselves, where its scale is known or by blocks
    bool gathersQuantised = false;              ///< tensor ranks gather products' 8- and 4-bit operands, not the 16-bit ones
    bool quantisedParameters = false;           ///< weights of 8-bit products are stored and gathered in 8 bit, with no 16-bit ones beside them
    bool quantisesShards = false;               ///< sharded weights of products scaled by tensors are quantised before they are gathered
    bool offloadsActivations = false;           ///< with sharded weights `auto` parks activations in host memory rather than making them again
    bool recomputesAllOrNothing = false;        ///< `auto` has no choice of layers between
    std::vector<std::string> adaptedProducts;   ///< where LoRA puts adapters; empty: beside every product of a layer
    int packedDocument = 0;                     ///< tokens of the documents that fine-tuning packs into a sequence; 0: one fills it
    std::map<std::string, std::string> sources; ///< of each value, by its key in frameworks.json ("host_launch_us")
    Citation citation;
};

} // namespace orrery
