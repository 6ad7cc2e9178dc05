// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/framework_profile.hpp"
#include "core/model/architecture.hpp"
#include "core/model/graph.hpp"
#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

/// Graph passes over one piece of the model: each takes a graph and gives a graph. `plannedGraph` (graph_passes.hpp) runs them in the order
/// of the table of plan passes (core/scenario/pass_table.hpp).

/// Replaces kernels by fused ones: scores, mask, softmax, dropout and context by flash attention (where `flash`), mask and
/// softmax by one kernel, activation and product, dropout and residual by one each.
struct FusionOptions {
    bool flash = true;
    bool softmax = true;
    bool elementwise = true;
    LossKernel loss = LossKernel::in_place_fp32; ///< replaces the loss's kernels
    bool gathersLogits = false;                  ///< of tensor ranks, before the loss
};
Graph fusionPass(Graph graph, const FusionOptions& options);

/// Multiplies by each matrix on its own where models have several of the same input: queries, keys and values; gate and up. Backward then adds
/// up the gradients of that input. To be run before `tensorPass`.
Graph separateProductsPass(Graph graph);

/// Shares weights, heads and vocabulary out over `ranks` and inserts Megatron's conjugate pairs f and g
/// (Shoeybi et al. 2019, section 3; the identity side of a pair is an operator whose collective is `none`).
/// `gathersEach`: products of the same input each bring it together by themselves, and reduce its gradient so.
Graph tensorPass(Graph graph, const Architecture& architecture, int ranks, bool gathersEach = false);

/// Shares the tokens of everything else out over the same ranks; all-reduces become reduce-scatter and all-gather
/// (Korthikanti et al. 2022, section 4.2.2). To be run after `tensorPass` with the same `ranks`.
Graph sequencePass(Graph graph, int ranks);
/// What products gathered of their tensor ranks is kept for backward, which then need not gather it again. To be run after `sequencePass`.
Graph keepGatheredInputs(Graph graph);

/// Runs forward work again in backward so that it need not be kept: `full` a whole layer from its input,
/// `selective` the attention core (Korthikanti et al. 2022, section 5), `modules` those named. `every` is a choice of layers,
/// made by whoever builds the stages. To be run on a graph whose backward is derived.
///
/// `stopsEarly`: whole layers are made again only as far as backward reads (FrameworkProfile::recomputeStopsEarly).
Graph recomputePass(Graph graph, RecomputeKind kind, const std::vector<std::string>& modules = {}, bool stopsEarly = false);

/// torchtitan's selective checkpointing: of a layer forward keeps the input and what every second product (each of the matrices that
/// one operator stands for counts), attention, reduce-scatters and all-to-alls give; the rest is made again. `onlyNeeded`: what backward
/// does not read is not kept (compiled); run eagerly it is.
Graph recomputeOperatorsPass(Graph graph, bool onlyNeeded);

/// Where a weight's gradient stands before it is in the buffer of gradients.
enum class WeightGradients : std::uint8_t {
    elsewhere, ///< no tensor of its own
    transient, ///< a 16-bit tensor in use while it is added up; of an expert's matrices one after the other
    kept,      ///< to the end of the piece, where they are reduced together
};

/// Gives weight gradients 16-bit tensors of their own. To be run last; times do not change.
Graph weightGradientPass(Graph graph, WeightGradients place);

/// Bytes that kernels beside the products move for a piece's weights in each micro-batch, half of them read.
struct WeightCopies {
    double gatheredBytes = 0; ///< to lay gathered weights out, before forward and before backward
    double gradientBytes = 0; ///< to add gradients up or lay them out for their reduction
};

/// Puts those kernels around the piece. To be run when traffic is settled.
Graph weightCopiesPass(Graph graph, const WeightCopies& copies);

/// Brings together once what several products gather of the same tensor, as compilers find that it is the same; its gradients are scattered
/// one by one all the same. To be run on a graph whose backward is derived.
Graph shareGathersPass(Graph graph);

/// Adds gradients of one tensor up on the way of who reads the sum, as compilers do: each addend is read and no sum written. To be run when
/// traffic is settled.
Graph fuseGradientSumsPass(Graph graph);

/// Copies what tensor ranks gather or scatter along another dimension than the first: collectives know that one alone, so a gathered tensor is cut
/// into ranks' parts and put together again, and one to be scattered likewise beforehand. To be run when traffic and precision are settled.
Graph layoutCopiesPass(Graph graph);

/// Shares the tokens of every sequence out over `ranks` and lets attention see all keys and values: sent round a ring beside
/// it (Liu et al. 2023), gathered before it (Llama 3, section 3.3.2), or heads exchanged for tokens around it (Jacobs et al. 2023,
/// Ulysses). To be run after `sequencePass`, before backward is derived.
Graph contextPass(Graph graph, int ranks, ContextMethod method);

/// How a layer's experts are shared out.
struct ExpertSharing {
    double experts = 1;      ///< ranks over which experts are shared out
    double load = 1;         ///< rows of the busiest rank over the mean
    double visitedRanks = 0; ///< ranks that a token goes to where each gets it once (core/catalog/collectives/expert_exchange.hpp); 0: a row for each expert
    bool gathers = false;    ///< likewise, and they are all: tokens come by an all-gather and results go by a reduce-scatter
};

/// Shares experts out and inserts the all-to-alls that bring rows to them and back (Lepikhin et al. 2020, GShard, section 3.2).
/// Where every rank gets a token once, rows are made of what arrived, and added up before they go back; else a rank of several experts
/// sorts what arrived by expert, and back (Megatron-Core, token_dispatcher.py, sort_chunks_by_idxs).
Graph expertPass(Graph graph, const ExpertSharing& sharing);

/// Shares each expert's matrices out: ranks that do gather each other's rows and add up results (Megatron's expert tensor
/// parallelism). To be run after `expertPass`.
Graph expertTensorPass(Graph graph, int ranks);

/// Marks what the host launches for experts by itself where CUDA graphs hold the rest. `waits`: it must know first how many rows the
/// routing gives each expert. To be run after the expert passes, before backward is derived.
Graph eagerExpertsPass(Graph graph, bool waits);

/// Marks what the host launches where CUDA graphs hold these parts of layers: all else, the embedding and the head too. `waits`: it must know
/// how many rows the routing gives each expert before it goes on. To be run after the expert passes, before backward is derived.
Graph outsideGraphsPass(Graph graph, const std::vector<GraphPart>& parts, bool waits);

/// Experts' biases and the clamp of what gate and up give as kernels of their own (Megatron-Core's TEGroupedMLP: a bias times the
/// row's score in fp32, its sum with the row in fp32, and back to 16 bit). To be run before the expert passes.
Graph eagerExpertBiasPass(Graph graph, bool bias, bool clamp);

/// Multiplies what the experts gave by their scores, whole rows in fp32, in place of what goes into their last product. `fused`: in one kernel;
/// else casts are kernels too, and the fp32 rows are kept. To be run after the expert passes, before backward is derived.
Graph expertScoresPass(Graph graph, bool fused);

/// Marks the products with weights that take 8- or 4-bit operands; logits, attention and the router stay in 16 bit. Backward's
/// products inherit the mark.
Graph precisionPass(Graph graph, MatrixFormat format);

/// The same products' weights, or the routed experts' alone, stored narrower than they are multiplied. To be run before traffic is settled.
Graph weightStoragePass(Graph graph, WeightStorage storage, bool expertsAlone);

/// How a framework quantises the operands of products in 8 and 4 bit.
struct Quantisation {
    bool savesInputs = false;                       ///< forward keeps the quantised input instead of the 16-bit one (Transformer Engine; torchao keeps the latter)
    TensorScaling scaling = TensorScaling::delayed; ///< of tensors scaled as a whole
    bool normsQuantise = false;                     ///< norms write the operand themselves where its scale needs no second look
    bool gathersQuantised = false;                  ///< tensor ranks gather the operands
    bool anyLayout = false;                         ///< 8-bit products take operands in either order
    bool sharesCasts = false;                       ///< products of the same input quantise it once
    bool weightsEachPass = false;                   ///< weights are quantised for every product that reads them; else copies are there
    double rowBytes = 5, columnBytes = 5;           ///< moved for an element where rows, or columns, are scaled apart
};

/// What the marks cost: quantising what comes in is a kernel of its own or the norm's before it, weight gradients want their operand
/// turned (a second copy, unless the hardware takes either order; blocks of rows and of columns are scaled apart, so always two; rows and
/// columns scaled as wholes are looked through by kernels of their own), and the products read fewer bytes. To be run when traffic is settled.
Graph lowerPrecision(Graph graph, const Quantisation& how = {});

/// Freezes the weights and puts a pair of thin matrices of `rank` beside each linear layer (Hu et al. 2021): no weight
/// gradients but theirs, and their results are added by a kernel of its own. `adaptedProducts`: the layers that have them; empty: all.
/// To be run on a graph whose backward is derived. Sets `weights` of operators to what is trained.
Graph loraPass(Graph graph, int rank, const std::vector<std::string>& adaptedProducts = {});

/// Widens frozen weights of layers, stored in so many bytes, to 16 bit before every product that reads them, by a kernel of its own (bitsandbytes).
/// To be run when traffic is settled.
Graph widenFrozenPass(Graph graph, double storedBytes);

/// Cuts the head's tokens into parts whose logits, loss and gradients are made one after the other in the same memory, as fused linear
/// cross entropies do: logits are never there whole. Every part reads the output matrix anew and adds to its gradient. Such kernels make
/// the gradients right beside the loss; here they stay in backward, which on the stage with the loss follows at once. To be run on a
/// graph whose backward is derived, before traffic is settled.
Graph chunkedLossPass(Graph graph);

/// The eager loss of logits that tensor ranks share out, kernel by kernel (PyTorch's loss_parallel: a log-softmax and a gradient of both its steps
/// written in Python round the ranks' all-reduces). To be run on a graph whose backward is derived, before traffic is settled.
Graph parallelLossPass(Graph graph);

/// Lets the gradient of a fused loss take the memory of the logits that it is made of, as compilers do that plan the memory of a whole
/// step. To be run when traffic is settled; times do not change.
Graph lossInPlacePass(Graph graph);

/// Drops operators that do nothing (the identity side of a conjugate pair).
Graph removeIdentities(Graph graph);

} // namespace orrery
