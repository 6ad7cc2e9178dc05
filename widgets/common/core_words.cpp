// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/core_words.hpp"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

namespace orrery {
namespace {

/// Sentences of core that often stand on screen. Nobody reads the list: it tells lupdate what there is to translate.
[[maybe_unused]] constexpr const char* knownCoreWords[] = {
    QT_TRANSLATE_NOOP("CoreWords", "bubble: %1 stages, %2 micro-batches"),
    QT_TRANSLATE_NOOP("CoreWords", "tensor communication that no GEMM hides"),
    QT_TRANSLATE_NOOP("CoreWords", "gradient and parameter communication that no compute hides"),
    QT_TRANSLATE_NOOP("CoreWords", "all-to-alls of the experts that nothing hides"),
    QT_TRANSLATE_NOOP("CoreWords", "keys and values on their way between context ranks"),
    QT_TRANSLATE_NOOP("CoreWords", "transfers between stages"),
    QT_TRANSLATE_NOOP("CoreWords", "layers recomputed"),
    QT_TRANSLATE_NOOP("CoreWords", "layers recomputed; %1 GiB are free"),
    QT_TRANSLATE_NOOP("CoreWords", "some layers recomputed"),
    QT_TRANSLATE_NOOP("CoreWords", "some layers recomputed; %1 GiB are free"),
    QT_TRANSLATE_NOOP("CoreWords", "modules recomputed"),
    QT_TRANSLATE_NOOP("CoreWords", "modules recomputed; %1 GiB are free"),
    QT_TRANSLATE_NOOP("CoreWords", "attention recomputed"),
    QT_TRANSLATE_NOOP("CoreWords", "attention recomputed; %1 GiB are free"),
    QT_TRANSLATE_NOOP("CoreWords", "optimizer step and gradient norm"),
    QT_TRANSLATE_NOOP("CoreWords", "host time that kernels wait for"),
    QT_TRANSLATE_NOOP("CoreWords", "kernels slowed by communication beside them"),
    QT_TRANSLATE_NOOP("CoreWords", "kernels and hosts that vary: all wait for the slowest"),
    QT_TRANSLATE_NOOP("CoreWords", "%1 chunks"),
    QT_TRANSLATE_NOOP("CoreWords", "overlap: tensor"),
    QT_TRANSLATE_NOOP("CoreWords", "overlap: data"),
    QT_TRANSLATE_NOOP("CoreWords", "overlap: expert"),
    QT_TRANSLATE_NOOP("CoreWords", "overlap: pipeline"),
    QT_TRANSLATE_NOOP("CoreWords", "recompute: selective"),
    QT_TRANSLATE_NOOP("CoreWords", "recompute: none"),
    QT_TRANSLATE_NOOP("CoreWords", "keys and values in fp8"),
    QT_TRANSLATE_NOOP("CoreWords", "%1 requests at a time"),
    QT_TRANSLATE_NOOP("CoreWords", "%1 tokens a step"),
    QT_TRANSLATE_NOOP("CoreWords", "CUDA graphs"),
    QT_TRANSLATE_NOOP("CoreWords", "scheduling beside the step"),
    QT_TRANSLATE_NOOP("CoreWords", "without the job beside"),
    QT_TRANSLATE_NOOP("CoreWords", "without the jobs beside"),
    QT_TRANSLATE_NOOP("CoreWords", "Time to first token"),
    QT_TRANSLATE_NOOP("CoreWords", "Time per output token"),
    QT_TRANSLATE_NOOP("CoreWords", "the way from the client to the engine and back: HTTP, text to tokens, processes"),
    QT_TRANSLATE_NOOP("CoreWords", "waiting for blocks of the key-value cache: the cache is full"),
    QT_TRANSLATE_NOOP("CoreWords", "waiting for blocks of the key-value cache: the cache is full; it holds %1 requests of %2 tokens"),
    QT_TRANSLATE_NOOP("CoreWords", "waiting for blocks of the key-value cache: the cache is full; it holds %1 requests of %2 tokens, and while it is full %3 run and %4 wait"),
    QT_TRANSLATE_NOOP("CoreWords", "waiting for a place: as many requests run as may"),
    QT_TRANSLATE_NOOP("CoreWords", "waiting for room in a step: its tokens are used up"),
    QT_TRANSLATE_NOOP("CoreWords", "waiting for the step under way to end"),
    QT_TRANSLATE_NOOP("CoreWords", "waiting for another place: the cache was full and the blocks were taken"),
    QT_TRANSLATE_NOOP("CoreWords", "keys and values on their way to the instance that decodes"),
    QT_TRANSLATE_NOOP("CoreWords", "loading cached blocks from a tier below the accelerators' memory"),
    QT_TRANSLATE_NOOP("CoreWords", "weights' traffic: products wait for their matrices from memory"),
    QT_TRANSLATE_NOOP("CoreWords", "products with weights"),
    QT_TRANSLATE_NOOP("CoreWords", "attention over the cache"),
    QT_TRANSLATE_NOOP("CoreWords", "norms, activations, sampling"),
    QT_TRANSLATE_NOOP("CoreWords", "collectives between the accelerators of an instance"),
    QT_TRANSLATE_NOOP("CoreWords", "sends between pipeline stages"),
    QT_TRANSLATE_NOOP("CoreWords", "launching kernels"),
    QT_TRANSLATE_NOOP("CoreWords", "the host: scheduling, sampling, text"),
    QT_TRANSLATE_NOOP("CoreWords", "others' traffic on links that collectives cross"),
    QT_TRANSLATE_NOOP("CoreWords", "work on other requests in the same steps or between them"),
    QT_TRANSLATE_NOOP("CoreWords", "Gives the layers' products 8- or 4-bit operands and casts what comes in."),
    QT_TRANSLATE_NOOP("CoreWords", "Products are in bf16."),
    QT_TRANSLATE_NOOP("CoreWords", "Replaces kernels that follow each other by fused ones: flash attention, softmax with its mask, activation, dropout with its sum."),
    QT_TRANSLATE_NOOP("CoreWords", "Every step is a kernel of its own."),
    QT_TRANSLATE_NOOP("CoreWords", "Shares weights, heads and vocabulary out over the tensor ranks and adds up their partial results."),
    QT_TRANSLATE_NOOP("CoreWords", "1 tensor rank; the others become data ranks."),
    QT_TRANSLATE_NOOP("CoreWords", "Shares the tokens of norms, dropouts and sums out over the tensor ranks."),
    QT_TRANSLATE_NOOP("CoreWords", "Every tensor rank works on all tokens between the products."),
    QT_TRANSLATE_NOOP("CoreWords", "Shares every sequence out over the context ranks and lets attention see all keys and values."),
    QT_TRANSLATE_NOOP("CoreWords", "1 context rank; the others become data ranks."),
    QT_TRANSLATE_NOOP("CoreWords", "Shares experts out and sends tokens to them and back."),
    QT_TRANSLATE_NOOP("CoreWords", "Every rank holds all experts."),
    QT_TRANSLATE_NOOP("CoreWords", "Shares each expert's matrices out, gathers rows before and adds up results after."),
    QT_TRANSLATE_NOOP("CoreWords", "An expert's matrices are whole on its rank."),
    QT_TRANSLATE_NOOP("CoreWords", "Freezes the weights and trains thin matrices beside them."),
    QT_TRANSLATE_NOOP("CoreWords", "All weights are trained (task sft)."),
    QT_TRANSLATE_NOOP("CoreWords", "Runs forward work again in backward instead of keeping what it made."),
    QT_TRANSLATE_NOOP("CoreWords", "Everything that backward reads is kept."),
    QT_TRANSLATE_NOOP("CoreWords", "Makes logits, loss and their gradients for a part of the tokens at a time."),
    QT_TRANSLATE_NOOP("CoreWords", "Logits are there for all tokens at once."),
    QT_TRANSLATE_NOOP("CoreWords", "Moves weights, activations or optimizer states to host memory and back."),
    QT_TRANSLATE_NOOP("CoreWords", "Everything stays on the accelerator."),
    QT_TRANSLATE_NOOP("CoreWords", "Splits the layers over stages and sends activations and their gradients from one to the next."),
    QT_TRANSLATE_NOOP("CoreWords", "1 stage; the others become data ranks."),
    QT_TRANSLATE_NOOP("CoreWords", "Trains replicas on parts of the batch and adds up their gradients."),
    QT_TRANSLATE_NOOP("CoreWords", "1 replica, which trains on its part of the batch and runs alone."),
    QT_TRANSLATE_NOOP("CoreWords", "Shares optimizer states, gradients or weights out over the replicas (ZeRO; stage 3 is FSDP)."),
    QT_TRANSLATE_NOOP("CoreWords", "Every replica holds everything."),
    QT_TRANSLATE_NOOP("CoreWords", "Shards within groups of replicas and adds up gradients between the groups."),
    QT_TRANSLATE_NOOP("CoreWords", "States are sharded over all replicas."),
    QT_TRANSLATE_NOOP("CoreWords", "Lets communication run beside computation."),
    QT_TRANSLATE_NOOP("CoreWords", "Communication and computation take turns."),
    QT_TRANSLATE_NOOP("CoreWords", "the graph runs as it was recorded."),
    QT_TRANSLATE_NOOP("CoreWords", "products are in bf16."),
    QT_TRANSLATE_NOOP("CoreWords", "products are in fp16."),
    QT_TRANSLATE_NOOP("CoreWords", "attention is unfused and the profile fuses nothing."),
    QT_TRANSLATE_NOOP("CoreWords", "there is 1 tensor rank."),
    QT_TRANSLATE_NOOP("CoreWords", "sequence parallelism is off."),
    QT_TRANSLATE_NOOP("CoreWords", "there is 1 context rank."),
    QT_TRANSLATE_NOOP("CoreWords", "the model has no experts."),
    QT_TRANSLATE_NOOP("CoreWords", "there is 1 expert rank."),
    QT_TRANSLATE_NOOP("CoreWords", "no expert's matrices are shared out."),
    QT_TRANSLATE_NOOP("CoreWords", "all weights are trained."),
    QT_TRANSLATE_NOOP("CoreWords", "nothing is recomputed."),
    QT_TRANSLATE_NOOP("CoreWords", "the loss takes all tokens at once."),
    QT_TRANSLATE_NOOP("CoreWords", "nothing is in host memory."),
    QT_TRANSLATE_NOOP("CoreWords", "there is 1 pipeline stage."),
    QT_TRANSLATE_NOOP("CoreWords", "there is 1 replica."),
    QT_TRANSLATE_NOOP("CoreWords", "ZeRO stage 0 shares nothing out."),
    QT_TRANSLATE_NOOP("CoreWords", "states are sharded over all replicas."),
    QT_TRANSLATE_NOOP("CoreWords", "nothing is overlapped."),
    QT_TRANSLATE_NOOP("CoreWords", "interleaved"),
    QT_TRANSLATE_NOOP("CoreWords", "All forwards, then all backwards: every micro-batch is in memory at once."),
    QT_TRANSLATE_NOOP("CoreWords", "One forward, one backward in turn."),
    QT_TRANSLATE_NOOP("CoreWords", "1F1B over several chunks per stage: a smaller bubble, more communication."),
    QT_TRANSLATE_NOOP("CoreWords", "Weight gradients fill the bubble, with no more memory than 1F1B."),
    QT_TRANSLATE_NOOP("CoreWords", "Two chunks per stage, down the stages and back up: no bubble for equal parts."),
    QT_TRANSLATE_NOOP("CoreWords", "ZB-V's stages with half of 1F1B's activations and about half of its bubble."),
    QT_TRANSLATE_NOOP("CoreWords", "ZB-V's stages with a third of 1F1B's activations and about two thirds of its bubble."),
    QT_TRANSLATE_NOOP("CoreWords", "Micro-batches from both ends, forward beside backward; every stage holds two parts of the model."),
    QT_TRANSLATE_NOOP("CoreWords", "runs the model down the stages and back up"),
    QT_TRANSLATE_NOOP("CoreWords", "TensorRT-LLM, no evict"),
    QT_TRANSLATE_NOOP("CoreWords", "TensorRT-LLM, max use"),
    QT_TRANSLATE_NOOP("CoreWords", "communicators"),
    QT_TRANSLATE_NOOP("CoreWords", "allocator"),
    QT_TRANSLATE_NOOP("CoreWords", "context, libraries, workspaces"),
    QT_TRANSLATE_NOOP("CoreWords", "kept"),
    QT_TRANSLATE_NOOP("CoreWords", "the default"),
    QT_TRANSLATE_NOOP("CoreWords", "one node"),
    QT_TRANSLATE_NOOP("CoreWords", "a fabric with full bisection bandwidth"),
    QT_TRANSLATE_NOOP("CoreWords", "usual platform of %1: DGX %2"),
    QT_TRANSLATE_NOOP("CoreWords", "usual platform of %1: DGX %2 %3 GB"),
    QT_TRANSLATE_NOOP("CoreWords", "as even as the layers divide over the stages"),
    QT_TRANSLATE_NOOP("CoreWords", "%1 layers over %2 chunks: even"),
    QT_TRANSLATE_NOOP("CoreWords", "%1 layers over %2 chunk: even"),
    QT_TRANSLATE_NOOP("CoreWords", "vLLM's default"),
    QT_TRANSLATE_NOOP("CoreWords", "vLLM's default: the model's %1 bit"),
    QT_TRANSLATE_NOOP("CoreWords", "vLLM's for servers on accelerators of %1 GiB and more, but %2"),
    QT_TRANSLATE_NOOP("CoreWords", "the model's positions"),
    QT_TRANSLATE_NOOP("CoreWords", "default of the profile %1"),
    QT_TRANSLATE_NOOP("CoreWords", "no measured runs with profile %1 to fit it to; the middle of the other profiles"),
    QT_TRANSLATE_NOOP("CoreWords", "no measured runs on this generation of accelerators to fit it to; the middle of the other generations"),
    QT_TRANSLATE_NOOP("CoreWords", "instances: what the accelerators leave"),
    QT_TRANSLATE_NOOP("CoreWords", "instances of both pools"),
    QT_TRANSLATE_NOOP("CoreWords", "the model's %1 bit, unless a cache is quantised"),
    QT_TRANSLATE_NOOP("CoreWords", "the graph fixes the work; batch and sequence length only turn its time into tokens/s"),
    QT_TRANSLATE_NOOP("CoreWords", "the fleet's router"),
    QT_TRANSLATE_NOOP("CoreWords", "the profile %1 names no checkpoints with scales"),
    QT_TRANSLATE_NOOP("CoreWords", "of the checkpoints that the profile %1 runs in this precision"),
    QT_TRANSLATE_NOOP("CoreWords", "engines share each expert's matrices over the ranks that expert leaves"),
    QT_TRANSLATE_NOOP("CoreWords", "stated times are all that counts: links, embedding, head, optimizer and hosts take no time and no memory"),
    QT_TRANSLATE_NOOP("CoreWords", "parameters: elements of the tensors that stand where operators take weights"),
    QT_TRANSLATE_NOOP("CoreWords", "%1 nodes give %2 steps of one rank's iteration; every accelerator runs them as a data-parallel rank, collectives over all of them"),
    QT_TRANSLATE_NOOP("CoreWords", "the least recomputation that fits the memory"),
    QT_TRANSLATE_NOOP("CoreWords", "the newest generic profile"),
    QT_TRANSLATE_NOOP("CoreWords", " and "),
    QT_TRANSLATE_NOOP("CoreWords", "micro-batch %1"),
    QT_TRANSLATE_NOOP("CoreWords", "tensor %1"),
    QT_TRANSLATE_NOOP("CoreWords", "pipeline %1"),
    QT_TRANSLATE_NOOP("CoreWords", "context %1"),
    QT_TRANSLATE_NOOP("CoreWords", "expert %1"),
    QT_TRANSLATE_NOOP("CoreWords", "schedule %1"),
    QT_TRANSLATE_NOOP("CoreWords", "schedule gpipe"),
    QT_TRANSLATE_NOOP("CoreWords", "schedule interleaved"),
    QT_TRANSLATE_NOOP("CoreWords", "schedule zb-v"),
    QT_TRANSLATE_NOOP("CoreWords", "schedule v-half"),
    QT_TRANSLATE_NOOP("CoreWords", "schedule v-min"),
    QT_TRANSLATE_NOOP("CoreWords", "schedule dualpipe"),
    QT_TRANSLATE_NOOP("CoreWords", "optimizer states in host memory"),
    QT_TRANSLATE_NOOP("CoreWords", "half of the activations in host memory"),
    QT_TRANSLATE_NOOP("CoreWords", "activations in host memory"),
    QT_TRANSLATE_NOOP("CoreWords", "weights in %1"),
    QT_TRANSLATE_NOOP("CoreWords", "keys and values in %1"),
    QT_TRANSLATE_NOOP("CoreWords", "batch %1"),
    QT_TRANSLATE_NOOP("CoreWords", "steps of %1 tokens"),
    QT_TRANSLATE_NOOP("CoreWords", "requests no longer than that"),
    QT_TRANSLATE_NOOP("CoreWords", "%1 % of the memory for the engine"),
    QT_TRANSLATE_NOOP("CoreWords", "sequence parallelism"),
    QT_TRANSLATE_NOOP("CoreWords", "ZeRO %1"),
    QT_TRANSLATE_NOOP("CoreWords", "flash attention"),
    QT_TRANSLATE_NOOP("CoreWords", "every second layer recomputed"),
    QT_TRANSLATE_NOOP("CoreWords", "every layer recomputed"),
    QT_TRANSLATE_NOOP("CoreWords", "recompute selective"),
    QT_TRANSLATE_NOOP("CoreWords", "recompute full"),
    QT_TRANSLATE_NOOP("CoreWords", "node"),
};

/// Empty where the language has no words for it. English has none: core's own are English.
QString translated(const QString& text) {
    const QString found = QCoreApplication::translate("CoreWords", text.toUtf8().constData());
    return found == text ? QString() : found;
}

/// The sentence with numbers and names that hold a digit ("32", "vllm-2025") as %1, %2, …; `values` gets them.
QString patternOf(const QString& text, QStringList& values) {
    static const QRegularExpression value(QStringLiteral("[A-Za-z0-9-]*[0-9][A-Za-z0-9-]*(?:[.,][0-9]+)*"));
    QString pattern;
    qsizetype end = 0;
    for (auto each = value.globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        values << match.captured();
        pattern += text.mid(end, match.capturedStart() - end) + QStringLiteral("%%1").arg(values.size());
        end = match.capturedEnd();
    }
    return pattern + text.mid(end);
}

} // namespace

QString coreWords(const QString& text) {
    const QString joint = QStringLiteral(" and "), jointWords = translated(joint);
    if (text.isEmpty() || jointWords.isEmpty()) return text; // English: tables ask for thousands of names
    if (QString found = translated(text); !found.isEmpty()) return found;
    QStringList values;
    const QString pattern = patternOf(text, values);
    if (QString found = values.isEmpty() ? QString() : translated(pattern); !found.isEmpty()) {
        for (const QString& value : values) found = found.arg(value);
        return found;
    }
    // Mends that belong together; a sentence with an "and" of its own stays whole.
    QStringList parts = text.split(joint);
    for (QString& part : parts) {
        const QString said = parts.size() > 1 ? coreWords(part) : part;
        if (said == part) return text;
        part = said;
    }
    return parts.join(jointWords);
}

QString coreWords(const std::string& text) { return coreWords(QString::fromStdString(text)); }

} // namespace orrery
