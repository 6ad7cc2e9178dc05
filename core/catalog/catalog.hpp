#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/calibration.hpp"
#include "core/collectives/library_catalog.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

class MeasuredTimes;     // core/operators
class OperatorPredictor; // core/operators

/// A value's origin as the catalogue files state it.
struct Citation {
    std::string source;                  ///< free text: data sheet, repository and commit
    std::string url;                     ///< may be empty
    std::vector<std::string> fromMemory; ///< fields no source was seen for
};

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

/// A node as sold: how many accelerators and which fabrics.
struct Platform {
    std::string id; ///< "dgx-h100"
    std::string name;
    std::string accelerator;
    int acceleratorsPerNode = 8;
    double scaleUpBandwidth = 0; ///< bytes/s per accelerator and direction
    double scaleUpLatency = 0;   ///< s, one way, per hop
    int scaleUpDomain = 8;
    double scaleOutBandwidth = 0; ///< bytes/s per accelerator and direction
    double scaleOutLatency = 0;
    bool usual = false; ///< the platform that fills in what a short-form cluster leaves out for its accelerator
    bool generated = false; ///< made from the accelerator's own fields, because no platform of it is listed
    std::string notes;
    Citation citation;
};

/// Which measured runs a constant was fitted to.
enum class FittedOn : std::uint8_t {
    own,    ///< those of the same generation or profile
    others, ///< none of these: it is the middle of the other generations or profiles
};

/// One GEMM-rate and launch calibration for an accelerator; see resources/catalog/kernels.json.
struct KernelConstants {
    std::string accelerator; ///< id, or "default"
    double gemmRateOfPeak = 0.75;     ///< sustained share of the dense peak that large aligned 16-bit GEMMs reach
    double sustainedShare = 0.8;      ///< of those burst rates that 16-bit products keep under the continuous load of training
    double sustainedFp8Share = 0.8;   ///< the same in 8 bit, operands' quantisation included
    double sustainedBlockFp8Share = 0.8; ///< the same with block scales
    double sustainedFp4Share = 0.8;   ///< the same in 4 bit
    double memoryRateOfPeak = 0.85;   ///< share of the data-sheet bandwidth that streaming kernels reach
    double attentionRateOfPeak = 0.5; ///< share of the dense peak that fused (flash) attention forward reaches at long sequences;
                                      ///< counts the FLOPs a causal kernel executes, half of the full square
    double attentionShare = 1;        ///< of the tables' rate of fused attention forward, what training's kernels reach before sustainedShare
    double attentionBackwardRate = 0.8; ///< rate a FLOP of its backward over its forward's
    double streamRate = 0.85;         ///< share of the data-sheet bandwidth of kernels that only read and write
    double scaleUpShare = 1;          ///< of the communication library's rate inside a domain that a training job's collectives keep
    double scaleOutShare = 1;         ///< the same between domains
    double overlapSlowdown = 1;       ///< times as long as alone that a product takes while communication runs beside it
    double expertExchangeShare = 1;   ///< of the library's all-to-all rate that the exchange of tokens between experts keeps
    double kernelLaunch = 2.5e-6;     ///< s, the shortest a kernel lasts
    double gemmFp8RateOfPeak = 0.55;      ///< as gemmRateOfPeak, of the fp8 peak, tensors scaled as a whole
    double gemmBlockFp8RateOfPeak = 0.55; ///< the same with block scales
    double gemmFp4RateOfPeak = 0.33;      ///< the same of the fp4 peak, nvfp4
    /// Of the relative's sustained rates, by the power a chip may draw: 1 for accelerators with constants of their own. Clocks under
    /// load follow the power left for arithmetic; with voltage falling beside the clock it goes with its cube, with leakage and memory
    /// taking their fixed part with about its square. Assumed: the square root of the watts a FLOP/s of the peak, at most 1.
    double powerShare = 1;
    bool blocksAsTensors = false;     ///< its matrix units scale blocks, those of the relative it is known by do not: there products scaled
                                      ///< by blocks are slower than those scaled by tensors
    bool anyOperandLayout = false;    ///< products of 8-bit tensors with one scale take operands in either order: no transposed copies
    /// What a scenario states of this machine over what the tables' machines reached (execution.calibration), by MatrixFormat, and of
    /// fused attention: the tables' times are divided by it.
    std::array<double, 4> statedProductRate{1, 1, 1, 1};
    double statedAttentionRate = 1;
    std::string inheritedFrom;        ///< set when taken from a relative
    std::string generation;           ///< whose fitted constants these are; empty: none is fitted for the accelerator
    std::map<std::string, FittedOn> fitted; ///< constants (core/catalog/fitted_constants.hpp) that measured runs had a say in
    Citation citation;
};

/// What an era's software does by default. Sizes in bytes a parameter, times in seconds.
/// How a framework computes the loss from 16-bit logits, which decides what the last stage holds.
enum class LossKernel : std::uint8_t {
    in_place_fp32, ///< an fp32 copy of the logits that becomes the probabilities and then the gradient (Megatron's vocabulary-parallel loss)
    copied_fp32,   ///< the same from an fp32 copy of its own that is kept beside it until the loss is known
    eager_fp32,    ///< `cross_entropy(logits.float())`: fp32 logits, log-probabilities and two gradients, kernel by kernel
    eager_16_bit,  ///< the same without the cast
    fused,         ///< 16-bit logits are kept, the gradient is written at once (compiled, or a fused kernel)
};

/// How tokens come to their experts.
enum class ExpertExchange : std::uint8_t {
    rows,         ///< an all-to-all of the communication library that sends a row for each expert that a token visits
    deduplicated, ///< a token goes once to every rank, and between domains once to every domain (DeepEP, Hybrid-EP)
};

/// What an era's software does about experts.
struct ExpertProfile {
    ExpertExchange exchange = ExpertExchange::rows; ///< of dropless routing; a fixed capacity sends rows
    std::string library;             ///< of a deduplicated exchange: its id in collectives.json
    bool overlapsBetweenDomains = false; ///< `overlap.expert` unless given: where experts reach over more than one scale-up domain
    bool inGraphs = true;            ///< CUDA graphs hold the experts
    bool eagerBias = false;          ///< experts' biases and clamps are kernels of their own, biases in fp32
    bool loopsProducts = false;      ///< a product of each expert is a call of its own, one after another (Transformer Engine's GroupedLinear)
    bool fillsChunksFirst = false;   ///< a pipeline layout that comes out uneven: full chunks, the last has what remains
    std::vector<std::vector<std::string>> recomputeLadder; ///< modules that `auto` tries before whole layers, the least first
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

struct FrameworkProfile { // NOLINT(clang-analyzer-optin.performance.Padding): members stand by what they are about, and few profiles are held
    std::string id;
    std::string name;
    int year = 0;
    std::vector<std::string> use; ///< "training", "inference"
    Json defaults; ///< scenario fragment that fills in what the scenario leaves out: `{"execution": {…}, "parallelism": {…}}`
    bool flashAttention = true;
    bool asynchronousAttention = true; ///< its flash kernels use asynchronous matrix units where there are some (FlashAttention-3, cuDNN 9)
    bool fusedSoftmax = true;
    bool fusedElementwise = true; ///< bias + activation, bias + dropout + residual in one kernel
    bool asyncTensorCollectives = true; ///< backward's tensor collectives run beside the weight gradients
    double weightBytes = 2;         ///< as stored between iterations; 4 where fp32 shards are the master copy (FSDP)
    double gatheredWeightBytes = 2; ///< of a sharded weight while gathered, and on the wire
    double gradientBytes = 4;       ///< of the buffer the optimizer reads
    double optimizerBytes = 12;     ///< states + fp32 master
    double gradientReduceBytes = 4; ///< on the wire
    double gatheredCopyBytes = 0;   ///< moved to lay a gathered weight out as its layer's products read it
    double bucketGradientBytes = 0; ///< of the buckets that a parameter's gradient is copied into to be reduced; none where ZeRO shares gradients or states out
    bool keepsGatheredInputs = false; ///< tensor ranks keep the inputs they gathered for backward; else they gather them again
    bool keepsBackwardGradients = false; ///< a micro-batch's 16-bit gradients are all kept to the end of its backward, then added up
    bool reducesEachTensor = false; ///< gradients are reduced and sharded weights gathered by a collective for each tensor
    bool shardedStepWaits = false;  ///< with ZeRO-1 whole gradients are all-reduced after the last backward, weights gathered after the step
    bool prefetchesWeights = true;  ///< sharded weights are gathered one unit ahead
    double shareCopy = 0;           ///< s for each tensor and rank, to copy the rank's share out of what is gathered or into what is scattered
    bool flattensGathers = false;   ///< weights gathered after a step pass through a buffer of their size
    double gradientCopyBytes = 0;   ///< moved by kernels of their own to add a micro-batch's gradient up or lay it out for its reduction;
                                    ///< 0: the products that make it add it to its buffer
    double lossForwardBytes = 0;    ///< a logit, of all the kernels of the loss; 0: what its tensors hold
    double lossBackwardBytes = 0;
    double attentionShare = 1;      ///< of the accelerator's attention rate, what the era's kernels reach
    double elementwiseTraffic = 1;  ///< bytes that kernels which are no products move, over what their tensors hold
    double hostLaunch = 0;          ///< s a kernel the host needs to launch it; the floor of eager execution
    double expertHost = 0;          ///< s of the host that each local expert takes in each grouped product it launches
    double quantisedExpertHost = 1; ///< times that in 8 or 4 bit, quantisation of the expert's rows included
    bool synchronousLaunches = false; ///< the host waits for each kernel (CUDA_LAUNCH_BLOCKING=1)
    double iterationOverhead = 0;   ///< s an iteration: data loader, logging, host synchronisation
    double frameworkBytes = 0;      ///< CUDA context, libraries, workspaces
    double communicatorBytes = 0;   ///< per process group of more than one rank
    double fragmentationFraction = 0; ///< of allocated bytes, reserved by an allocator that is not PyTorch's
    bool cachingAllocator = false;    ///< memory comes from PyTorch's caching allocator, which is simulated
    double workspaceBytes = 0;        ///< of matrix products, allocated once
    double bucketBufferBytes = 0;     ///< that gradients are copied into to be reduced
    int furtherCommunicators = 0;     ///< process groups in use beside those of the plan
    bool keepsStageOutputs = false;   ///< a stage keeps what it sends on until the micro-batch's backward
    bool savesQuantisedInputs = false; ///< products in 8 or 4 bit keep their quantised input for the weight gradient, not the 16-bit one
    double quantisedWeightBytes = 0;  ///< a parameter, of copies that products in 8 bit keep over the micro-batches
    bool replicatesEmbedding = false; ///< every tensor rank holds the whole embedding
    double gradientBucketBytes = 0; ///< 0: one bucket
    double fp16GradientBytes = 0;   ///< of gradients when weights are fp16; 0: as `gradientBytes`
    double bf16WholeMasterBytes = 0; ///< of `optimizerBytes`, what ZeRO-1 and 2 do not share out when weights are bf16
    LossKernel loss = LossKernel::in_place_fp32;
    SelectiveRecompute selectiveRecompute = SelectiveRecompute::attention_core;
    bool recomputeStopsEarly = false;       ///< whole layers are made again only until all that backward reads is there (PyTorch's
                                            ///< non-reentrant checkpoints, XLA): the last product of a layer is not
    bool gathersLogits = false;             ///< tensor ranks each compute the loss over the whole vocabulary
    bool accumulatesWholeGradients = false; ///< with sharded weights: micro-batches' gradients are added up whole and reduced once
    bool cachesWeightGradients = false;     ///< a 16-bit stand-in for every shape of weight gradient is kept (Transformer Engine from 2.3)
    bool expandableSegments = false;        ///< of PyTorch's allocator
    ExpertProfile experts;
    std::map<std::string, FittedOn> fitted; ///< constants (core/catalog/fitted_constants.hpp) that measured runs had a say in
    std::string kernelsAs; ///< profile that runs the same kernels: without measured runs, what is fitted of its kernels holds here too
    TensorScaling tensorScaling = TensorScaling::delayed;
    bool normsQuantise = false;    ///< norms write the next product's 8-bit operand themselves, where its scale is known or by blocks
    bool gathersQuantised = false; ///< tensor ranks gather products' 8- and 4-bit operands, not the 16-bit ones
    bool quantisedParameters = false; ///< weights of 8-bit products are stored and gathered in 8 bit, with no 16-bit ones beside them
    bool offloadsActivations = false; ///< with sharded weights `auto` parks activations in host memory rather than making them again
    bool recomputesAllOrNothing = false; ///< `auto` has no choice of layers between
    std::vector<std::string> adaptedProducts; ///< where LoRA puts adapters; empty: beside every product of a layer
    int packedDocument = 0;        ///< tokens of the documents that fine-tuning packs into a sequence; 0: one fills it
    std::map<std::string, std::string> sources; ///< of each value, by its key in frameworks.json ("host_launch_us")
    Citation citation;
};

struct ModelEntry {
    std::string id;
    std::string name;
    Json config; ///< Hugging Face config.json fields
    Citation citation;
};

/// Everything shipped as data. Immutable once built; find functions return null when the id is unknown.
class Catalog {
public:
    /// Reads the catalogue files. `text` gives the content of a file of resources/catalog by name ("accelerators.json").
    /// Throws std::runtime_error that names the file and record when one is missing or malformed: a fault of the shipped
    /// files, never of a user's. An accelerator without a listed platform gets a conservative one made from its own fields.
    static Catalog fromText(const std::function<std::string_view(std::string_view)>& text);

    const std::vector<Accelerator>& accelerators() const { return accelerators_; }
    const std::vector<Platform>& platforms() const { return platforms_; }
    const std::vector<ModelEntry>& models() const { return models_; }
    const std::vector<FrameworkProfile>& frameworks() const { return frameworks_; }

    const Accelerator* accelerator(std::string_view id) const;
    const Platform* platform(std::string_view id) const;
    const Platform* usualPlatform(std::string_view acceleratorId) const;
    const ModelEntry* model(std::string_view id) const;
    const FrameworkProfile* framework(std::string_view id) const;
    const FrameworkProfile& newestFramework() const;
    /// Constants for the accelerator, or of its nearest relative, which is then named: the entry that lists it as its own,
    /// else of the same vendor and nearest release year, else the entry "default". Fitted constants of its generation lie over them.
    KernelConstants kernels(const Accelerator& accelerator) const;
    /// What is known of kernels' times beyond data sheets: fitted to tables, and a user's own measurements. Either may be null.
    struct OperatorTimes {
        std::shared_ptr<const OperatorPredictor> predictor;
        std::shared_ptr<const MeasuredTimes> measured;
    };
    void setOperatorTimes(OperatorTimes times) { operatorTimes_ = std::move(times); }
    const OperatorTimes& operatorTimes() const { return operatorTimes_; }
    /// Constants fitted to measured runs; `kernels` and the profiles have them already.
    const Calibration& calibration() const { return calibration_; }
    /// The same catalogue with other fitted constants; without any when `calibration` is empty.
    Catalog withCalibration(Calibration calibration) const;
    /// Communication libraries on machines of each kind.
    const LibraryCatalog& library() const { return library_; }

private:
    std::vector<Accelerator> accelerators_;
    std::vector<Platform> platforms_;
    std::vector<ModelEntry> models_;
    std::vector<FrameworkProfile> plainFrameworks_; ///< without fitted constants
    std::vector<FrameworkProfile> frameworks_;
    std::vector<KernelConstants> kernels_; ///< without fitted constants
    Calibration calibration_;
    LibraryCatalog library_;
    OperatorTimes operatorTimes_;
    std::map<std::string, std::string, std::less<>> standIns_; ///< accelerator → the one whose constants stand in for it
};

/// Reads an accelerator given as an object with the catalogue's fields; problems point below `pointer`. Needs `memory_gb_per_s`,
/// one of `memory_bytes` and `memory_gb`, and `peak_dense_tflops` with a 16-bit rate; keys it does not know it ignores.
std::optional<Accelerator> readAccelerator(const Json& object, const std::string& pointer, Problems& problems);

} // namespace orrery
