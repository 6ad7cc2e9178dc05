<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AccuracyWords</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1%2 %</source>
        <translation>%1%2 %</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>iteration time</source>
        <translation>迭代时间</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>显存峰值</translation>
    </message>
    <message>
        <source>time to first token</source>
        <translation>首 token 延迟</translation>
    </message>
    <message>
        <source>time per output token</source>
        <translation>每 token 输出时间</translation>
    </message>
    <message>
        <source>output rate</source>
        <translation>输出速率</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>显存峰值</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Output rate</source>
        <translation>输出速率</translation>
    </message>
    <message>
        <source>accelerator</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>framework</source>
        <translation>框架</translation>
    </message>
    <message>
        <source>collection</source>
        <translation>数据集</translation>
    </message>
</context>
<context>
    <name>AnswerText</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>The sweep has no points.</source>
        <translation>这次扫描没有任何点。</translation>
    </message>
    <message>
        <source>The document is not as orrery-cli writes it: %1</source>
        <translation>该文档不是 orrery-cli 写出的格式：%1</translation>
    </message>
    <message>
        <source>No chart shows this document. Give what orrery-cli compare, search, sweep or sensitivity printed with --json.</source>
        <translation>没有图表能显示该文档。请给出 orrery-cli compare、search、sweep 或 sensitivity 加 --json 打印的结果。</translation>
    </message>
</context>
<context>
    <name>ChoiceText</name>
    <message>
        <source>of its own</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>toy of stated times</source>
        <translation>给定时间的玩具模型</translation>
    </message>
    <message>
        <source>recorded graph</source>
        <translation>录制的计算图</translation>
    </message>
    <message>
        <source>own %1 config</source>
        <translation>自带的 %1 配置</translation>
    </message>
    <message>
        <source>own config</source>
        <translation>自带的配置</translation>
    </message>
    <message>
        <source>choose…</source>
        <translation>选择…</translation>
    </message>
</context>
<context>
    <name>ClusterDefaults</name>
    <message>
        <source>%1 tray</source>
        <translation>%1 计算托盘</translation>
    </message>
    <message>
        <source>Scale-up</source>
        <translation>Scale-up</translation>
    </message>
</context>
<context>
    <name>ClusterPainter</name>
    <message>
        <source>one scale-up fabric of %1</source>
        <translation>一个 %1 卡的 Scale-up 域</translation>
    </message>
</context>
<context>
    <name>ClusterPalette</name>
    <message>
        <source>%1 tray</source>
        <translation>%1 计算托盘</translation>
    </message>
    <message>
        <source>Leaf switch</source>
        <translation>叶交换机</translation>
    </message>
    <message>
        <source>joins hosts</source>
        <translation>连接主机</translation>
    </message>
    <message>
        <source>Spine switch</source>
        <translation>脊交换机</translation>
    </message>
    <message>
        <source>joins leaves</source>
        <translation>连接叶交换机</translation>
    </message>
    <message>
        <source>rail-optimised</source>
        <translation>轨道优化</translation>
    </message>
    <message>
        <source>hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>NVL72</source>
        <translation>NVL72</translation>
    </message>
    <message>
        <source>GB200 racks</source>
        <translation>GB200 机架</translation>
    </message>
    <message>
        <source>racks</source>
        <translation>机架</translation>
    </message>
    <message>
        <source>TPU v5p</source>
        <translation>TPU v5p</translation>
    </message>
    <message>
        <source>torus of 4³ cubes</source>
        <translation>由 4³ 立方体组成的环面</translation>
    </message>
    <message>
        <source>cubes of 64 chips</source>
        <translation>64 芯片立方体</translation>
    </message>
    <message>
        <source>%1 TPU v5p chips</source>
        <translation>%1 个 TPU v5p 芯片</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>Leaf and spine</source>
        <translation>叶脊网络</translation>
    </message>
    <message>
        <source>leaf and spine for %1 hosts</source>
        <translation>%1 台主机的叶脊网络</translation>
    </message>
    <message>
        <source>Fat tree</source>
        <translation>胖树</translation>
    </message>
    <message>
        <source>ports of a switch (k)</source>
        <translation>交换机端口数（k）</translation>
    </message>
    <message>
        <source>fat tree of %1-port switches</source>
        <translation>%1 端口交换机组成的胖树</translation>
    </message>
    <message>
        <source>Dragonfly</source>
        <translation>Dragonfly</translation>
    </message>
    <message>
        <source>hosts of a router</source>
        <translation>每个路由器的主机数</translation>
    </message>
    <message>
        <source>dragonfly of %1 groups</source>
        <translation>%1 个组的 Dragonfly</translation>
    </message>
    <message>
        <source>2D torus</source>
        <translation>二维环面</translation>
    </message>
    <message>
        <source>hosts along a side</source>
        <translation>每边的主机数</translation>
    </message>
    <message>
        <source>%1 × %1 torus</source>
        <translation>%1 × %1 环面</translation>
    </message>
    <message>
        <source>3D torus</source>
        <translation>三维环面</translation>
    </message>
    <message>
        <source>%1 × %1 × %1 torus</source>
        <translation>%1 × %1 × %1 环面</translation>
    </message>
    <message>
        <source>DGX H100</source>
        <translation>DGX H100</translation>
    </message>
    <message>
        <source>DGX A100</source>
        <translation>DGX A100</translation>
    </message>
    <message>
        <source>HGX B200</source>
        <translation>HGX B200</translation>
    </message>
    <message>
        <source>MI300X</source>
        <translation>MI300X</translation>
    </message>
</context>
<context>
    <name>ClusterSummary</name>
    <message>
        <source>not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>one switch</source>
        <translation>一台交换机</translation>
    </message>
    <message>
        <source>rail-optimised</source>
        <translation>轨道优化</translation>
    </message>
    <message>
        <source>leaf and spine</source>
        <translation>叶脊网络</translation>
    </message>
    <message>
        <source>fat tree</source>
        <translation>胖树</translation>
    </message>
    <message>
        <source>dragonfly</source>
        <translation>dragonfly</translation>
    </message>
    <message>
        <source>%1 torus</source>
        <translation>%1 环面</translation>
    </message>
    <message>
        <source>%1 mesh</source>
        <translation>%1 网格</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 台交换机</translation>
    </message>
    <message>
        <source>%1 hosts</source>
        <translation>%1 台主机</translation>
    </message>
    <message>
        <source>%1 per GPU</source>
        <translation>每卡 %1</translation>
    </message>
</context>
<context>
    <name>ComparedInputs</name>
    <message>
        <source>hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>drawn links</source>
        <translation>绘制的链路</translation>
    </message>
    <message>
        <source>%1 of %2 links</source>
        <translation>%2 条链路中的 %1 条</translation>
    </message>
    <message>
        <source>%1 of %2 nodes</source>
        <translation>%2 个节点中的 %1 个</translation>
    </message>
</context>
<context>
    <name>ComparedText</name>
    <message>
        <source>changed</source>
        <translation>已改动</translation>
    </message>
    <message>
        <source>%1 ± %2 %</source>
        <translation>%1 ± %2 %</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>%1 (assumed)</source>
        <translation>%1（假定）</translation>
    </message>
</context>
<context>
    <name>CoreWords</name>
    <message>
        <source>bubble: %1 stages, %2 micro-batches</source>
        <translation>气泡：%1 个流水级，%2 个微批次</translation>
    </message>
    <message>
        <source>tensor communication that no GEMM hides</source>
        <translation>没有被 GEMM 掩盖的张量通信</translation>
    </message>
    <message>
        <source>gradient and parameter communication that no compute hides</source>
        <translation>没有被计算掩盖的梯度与参数通信</translation>
    </message>
    <message>
        <source>all-to-alls of the experts that nothing hides</source>
        <translation>没有被掩盖的专家 all-to-all</translation>
    </message>
    <message>
        <source>keys and values on their way between context ranks</source>
        <translation>上下文 rank 之间传输键和值</translation>
    </message>
    <message>
        <source>transfers between stages</source>
        <translation>流水级之间的传输</translation>
    </message>
    <message>
        <source>layers recomputed</source>
        <translation>整层重计算</translation>
    </message>
    <message>
        <source>layers recomputed; %1 GiB are free</source>
        <translation>整层重计算；还有 %1 GiB 空闲</translation>
    </message>
    <message>
        <source>some layers recomputed</source>
        <translation>部分层重计算</translation>
    </message>
    <message>
        <source>some layers recomputed; %1 GiB are free</source>
        <translation>部分层重计算；还有 %1 GiB 空闲</translation>
    </message>
    <message>
        <source>modules recomputed</source>
        <translation>按模块重计算</translation>
    </message>
    <message>
        <source>modules recomputed; %1 GiB are free</source>
        <translation>按模块重计算；还有 %1 GiB 空闲</translation>
    </message>
    <message>
        <source>attention recomputed</source>
        <translation>注意力重计算</translation>
    </message>
    <message>
        <source>attention recomputed; %1 GiB are free</source>
        <translation>注意力重计算；还有 %1 GiB 空闲</translation>
    </message>
    <message>
        <source>optimizer step and gradient norm</source>
        <translation>优化器更新与梯度范数</translation>
    </message>
    <message>
        <source>host time that kernels wait for</source>
        <translation>kernel 等待主机的时间</translation>
    </message>
    <message>
        <source>kernels slowed by communication beside them</source>
        <translation>被同时进行的通信拖慢的 kernel</translation>
    </message>
    <message>
        <source>kernels and hosts that vary: all wait for the slowest</source>
        <translation>kernel 和主机时快时慢：大家都等最慢的</translation>
    </message>
    <message>
        <source>%1 chunks</source>
        <translation>%1 个模型块</translation>
    </message>
    <message>
        <source>overlap: tensor</source>
        <translation>重叠：张量</translation>
    </message>
    <message>
        <source>overlap: data</source>
        <translation>重叠：数据</translation>
    </message>
    <message>
        <source>overlap: expert</source>
        <translation>重叠：专家</translation>
    </message>
    <message>
        <source>overlap: pipeline</source>
        <translation>重叠：流水线</translation>
    </message>
    <message>
        <source>recompute: selective</source>
        <translation>重计算：选择性</translation>
    </message>
    <message>
        <source>recompute: none</source>
        <translation>重计算：无</translation>
    </message>
    <message>
        <source>keys and values in fp8</source>
        <translation>键和值用 fp8</translation>
    </message>
    <message>
        <source>%1 requests at a time</source>
        <translation>同时 %1 个请求</translation>
    </message>
    <message>
        <source>%1 tokens a step</source>
        <translation>每步 %1 个 token</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA graphs</translation>
    </message>
    <message>
        <source>scheduling beside the step</source>
        <translation>异步调度</translation>
    </message>
    <message>
        <source>without the job beside</source>
        <translation>不带并行的作业</translation>
    </message>
    <message>
        <source>without the jobs beside</source>
        <translation>不带并行的作业</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首 token 延迟</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>每 token 输出时间</translation>
    </message>
    <message>
        <source>the way from the client to the engine and back: HTTP, text to tokens, processes</source>
        <translation>客户端与引擎之间的往返：HTTP、文本转 token、进程</translation>
    </message>
    <message>
        <source>waiting for blocks of the key-value cache: the cache is full</source>
        <translation>等待 KV 缓存块：缓存已满</translation>
    </message>
    <message>
        <source>waiting for blocks of the key-value cache: the cache is full; it holds %1 requests of %2 tokens</source>
        <translation>等待 KV 缓存块：缓存已满；它容纳 %1 个 %2 token 的请求</translation>
    </message>
    <message>
        <source>waiting for blocks of the key-value cache: the cache is full; it holds %1 requests of %2 tokens, and while it is full %3 run and %4 wait</source>
        <translation>等待 KV 缓存块：缓存已满；它容纳 %1 个 %2 token 的请求，满时 %3 个运行、%4 个等待</translation>
    </message>
    <message>
        <source>waiting for a place: as many requests run as may</source>
        <translation>等待名额：运行的请求已达上限</translation>
    </message>
    <message>
        <source>waiting for room in a step: its tokens are used up</source>
        <translation>等待单步空间：该步的 token 已用完</translation>
    </message>
    <message>
        <source>waiting for the step under way to end</source>
        <translation>等待当前步结束</translation>
    </message>
    <message>
        <source>waiting for another place: the cache was full and the blocks were taken</source>
        <translation>等待重新获得名额：缓存已满，缓存块被收回</translation>
    </message>
    <message>
        <source>keys and values on their way to the instance that decodes</source>
        <translation>键和值传往解码实例</translation>
    </message>
    <message>
        <source>loading cached blocks from a tier below the accelerators&apos; memory</source>
        <translation>从加速卡显存之下的层级载入缓存块</translation>
    </message>
    <message>
        <source>weights&apos; traffic: products wait for their matrices from memory</source>
        <translation>权重访存：矩阵乘等待从显存读取权重</translation>
    </message>
    <message>
        <source>products with weights</source>
        <translation>与权重的矩阵乘</translation>
    </message>
    <message>
        <source>attention over the cache</source>
        <translation>对缓存的注意力</translation>
    </message>
    <message>
        <source>norms, activations, sampling</source>
        <translation>归一化、激活函数、采样</translation>
    </message>
    <message>
        <source>collectives between the accelerators of an instance</source>
        <translation>实例内加速卡之间的集合通信</translation>
    </message>
    <message>
        <source>sends between pipeline stages</source>
        <translation>流水级之间的发送</translation>
    </message>
    <message>
        <source>launching kernels</source>
        <translation>启动 kernel</translation>
    </message>
    <message>
        <source>the host: scheduling, sampling, text</source>
        <translation>主机：调度、采样、文本</translation>
    </message>
    <message>
        <source>others&apos; traffic on links that collectives cross</source>
        <translation>集合通信所经链路上的他人流量</translation>
    </message>
    <message>
        <source>work on other requests in the same steps or between them</source>
        <translation>同一步内或其间处理其他请求</translation>
    </message>
    <message>
        <source>Gives the layers&apos; products 8- or 4-bit operands and casts what comes in.</source>
        <translation>给各层的矩阵乘换上 8 位或 4 位操作数，并对输入做类型转换。</translation>
    </message>
    <message>
        <source>Products are in bf16.</source>
        <translation>矩阵乘使用 bf16。</translation>
    </message>
    <message>
        <source>Replaces kernels that follow each other by fused ones: flash attention, softmax with its mask, activation, dropout with its sum.</source>
        <translation>用融合 kernel 代替前后相继的 kernel：flash 注意力、带掩码的 softmax、激活函数、带求和的 dropout。</translation>
    </message>
    <message>
        <source>Every step is a kernel of its own.</source>
        <translation>每一步都是单独的 kernel。</translation>
    </message>
    <message>
        <source>Shares weights, heads and vocabulary out over the tensor ranks and adds up their partial results.</source>
        <translation>把权重、注意力头和词表分摊到张量 rank，并累加部分结果。</translation>
    </message>
    <message>
        <source>1 tensor rank; the others become data ranks.</source>
        <translation>1 个张量 rank；其余变成数据 rank。</translation>
    </message>
    <message>
        <source>Shares the tokens of norms, dropouts and sums out over the tensor ranks.</source>
        <translation>把归一化、dropout 和求和的 token 分摊到张量 rank。</translation>
    </message>
    <message>
        <source>Every tensor rank works on all tokens between the products.</source>
        <translation>在矩阵乘之间，每个张量 rank 处理全部 token。</translation>
    </message>
    <message>
        <source>Shares every sequence out over the context ranks and lets attention see all keys and values.</source>
        <translation>把每条序列分摊到上下文 rank，并让注意力看到全部键和值。</translation>
    </message>
    <message>
        <source>1 context rank; the others become data ranks.</source>
        <translation>1 个上下文 rank；其余变成数据 rank。</translation>
    </message>
    <message>
        <source>Shares experts out and sends tokens to them and back.</source>
        <translation>分摊专家，并把 token 送到专家再送回。</translation>
    </message>
    <message>
        <source>Every rank holds all experts.</source>
        <translation>每个 rank 持有全部专家。</translation>
    </message>
    <message>
        <source>Shares each expert&apos;s matrices out, gathers rows before and adds up results after.</source>
        <translation>分摊每个专家的矩阵，之前收集各行，之后累加结果。</translation>
    </message>
    <message>
        <source>An expert&apos;s matrices are whole on its rank.</source>
        <translation>专家的矩阵完整地放在它的 rank 上。</translation>
    </message>
    <message>
        <source>Freezes the weights and trains thin matrices beside them.</source>
        <translation>冻结权重，训练旁边的低秩矩阵。</translation>
    </message>
    <message>
        <source>All weights are trained (task sft).</source>
        <translation>训练全部权重（任务 sft）。</translation>
    </message>
    <message>
        <source>Runs forward work again in backward instead of keeping what it made.</source>
        <translation>在反向中重跑前向计算，而不保存其结果。</translation>
    </message>
    <message>
        <source>Everything that backward reads is kept.</source>
        <translation>反向要读的一切都保存。</translation>
    </message>
    <message>
        <source>Makes logits, loss and their gradients for a part of the tokens at a time.</source>
        <translation>每次只为一部分 token 计算 logits、损失及其梯度。</translation>
    </message>
    <message>
        <source>Logits are there for all tokens at once.</source>
        <translation>全部 token 的 logits 同时存在。</translation>
    </message>
    <message>
        <source>Moves weights, activations or optimizer states to host memory and back.</source>
        <translation>把权重、激活或优化器状态移到主机内存再取回。</translation>
    </message>
    <message>
        <source>Everything stays on the accelerator.</source>
        <translation>一切都留在加速卡上。</translation>
    </message>
    <message>
        <source>Splits the layers over stages and sends activations and their gradients from one to the next.</source>
        <translation>把各层切分到流水级，并在级间传递激活及其梯度。</translation>
    </message>
    <message>
        <source>1 stage; the others become data ranks.</source>
        <translation>1 个流水级；其余变成数据 rank。</translation>
    </message>
    <message>
        <source>Trains replicas on parts of the batch and adds up their gradients.</source>
        <translation>用批次的不同部分训练各副本，并累加它们的梯度。</translation>
    </message>
    <message>
        <source>1 replica, which trains on its part of the batch and runs alone.</source>
        <translation>1 个副本，用它那部分批次单独训练。</translation>
    </message>
    <message>
        <source>Shares optimizer states, gradients or weights out over the replicas (ZeRO; stage 3 is FSDP).</source>
        <translation>在副本之间分摊优化器状态、梯度或权重（ZeRO；级别 3 即 FSDP）。</translation>
    </message>
    <message>
        <source>Every replica holds everything.</source>
        <translation>每个副本持有全部内容。</translation>
    </message>
    <message>
        <source>Shards within groups of replicas and adds up gradients between the groups.</source>
        <translation>在副本组内切分，在组间累加梯度。</translation>
    </message>
    <message>
        <source>States are sharded over all replicas.</source>
        <translation>状态在所有副本之间切分。</translation>
    </message>
    <message>
        <source>Lets communication run beside computation.</source>
        <translation>让通信与计算同时进行。</translation>
    </message>
    <message>
        <source>Communication and computation take turns.</source>
        <translation>通信与计算轮流进行。</translation>
    </message>
    <message>
        <source>the graph runs as it was recorded.</source>
        <translation>计算图按录制的样子运行。</translation>
    </message>
    <message>
        <source>products are in bf16.</source>
        <translation>矩阵乘使用 bf16。</translation>
    </message>
    <message>
        <source>products are in fp16.</source>
        <translation>矩阵乘使用 fp16。</translation>
    </message>
    <message>
        <source>attention is unfused and the profile fuses nothing.</source>
        <translation>注意力未融合，软件配置也不做融合。</translation>
    </message>
    <message>
        <source>there is 1 tensor rank.</source>
        <translation>只有 1 个张量 rank。</translation>
    </message>
    <message>
        <source>sequence parallelism is off.</source>
        <translation>序列并行已关闭。</translation>
    </message>
    <message>
        <source>there is 1 context rank.</source>
        <translation>只有 1 个上下文 rank。</translation>
    </message>
    <message>
        <source>the model has no experts.</source>
        <translation>模型没有专家。</translation>
    </message>
    <message>
        <source>there is 1 expert rank.</source>
        <translation>只有 1 个专家 rank。</translation>
    </message>
    <message>
        <source>no expert&apos;s matrices are shared out.</source>
        <translation>没有分摊专家的矩阵。</translation>
    </message>
    <message>
        <source>all weights are trained.</source>
        <translation>训练全部权重。</translation>
    </message>
    <message>
        <source>nothing is recomputed.</source>
        <translation>没有重计算。</translation>
    </message>
    <message>
        <source>the loss takes all tokens at once.</source>
        <translation>损失一次处理全部 token。</translation>
    </message>
    <message>
        <source>nothing is in host memory.</source>
        <translation>主机内存中没有内容。</translation>
    </message>
    <message>
        <source>there is 1 pipeline stage.</source>
        <translation>只有 1 个流水级。</translation>
    </message>
    <message>
        <source>there is 1 replica.</source>
        <translation>只有 1 个副本。</translation>
    </message>
    <message>
        <source>ZeRO stage 0 shares nothing out.</source>
        <translation>ZeRO 级别 0 不切分任何内容。</translation>
    </message>
    <message>
        <source>states are sharded over all replicas.</source>
        <translation>状态在所有副本之间切分。</translation>
    </message>
    <message>
        <source>nothing is overlapped.</source>
        <translation>没有重叠。</translation>
    </message>
    <message>
        <source>interleaved</source>
        <translation>交错</translation>
    </message>
    <message>
        <source>All forwards, then all backwards: every micro-batch is in memory at once.</source>
        <translation>先做完全部前向，再做全部反向：所有微批次同时占用显存。</translation>
    </message>
    <message>
        <source>One forward, one backward in turn.</source>
        <translation>前向和反向逐个交替。</translation>
    </message>
    <message>
        <source>1F1B over several chunks per stage: a smaller bubble, more communication.</source>
        <translation>每级多个模型块的 1F1B：气泡更小，通信更多。</translation>
    </message>
    <message>
        <source>Weight gradients fill the bubble, with no more memory than 1F1B.</source>
        <translation>用权重梯度填充气泡，显存不超过 1F1B。</translation>
    </message>
    <message>
        <source>Two chunks per stage, down the stages and back up: no bubble for equal parts.</source>
        <translation>每级两个模型块，沿流水级下行再上行：各部分相等时没有气泡。</translation>
    </message>
    <message>
        <source>ZB-V&apos;s stages with half of 1F1B&apos;s activations and about half of its bubble.</source>
        <translation>ZB-V 的流水级，激活为 1F1B 的一半，气泡约为其一半。</translation>
    </message>
    <message>
        <source>ZB-V&apos;s stages with a third of 1F1B&apos;s activations and about two thirds of its bubble.</source>
        <translation>ZB-V 的流水级，激活为 1F1B 的三分之一，气泡约为其三分之二。</translation>
    </message>
    <message>
        <source>Micro-batches from both ends, forward beside backward; every stage holds two parts of the model.</source>
        <translation>微批次从两端进入，前向与反向同时进行；每个流水级持有模型的两部分。</translation>
    </message>
    <message>
        <source>runs the model down the stages and back up</source>
        <translation>让模型沿流水级下行再上行</translation>
    </message>
    <message>
        <source>TensorRT-LLM, no evict</source>
        <translation>TensorRT-LLM，不驱逐</translation>
    </message>
    <message>
        <source>TensorRT-LLM, max use</source>
        <translation>TensorRT-LLM，最大利用</translation>
    </message>
    <message>
        <source>communicators</source>
        <translation>通信器</translation>
    </message>
    <message>
        <source>allocator</source>
        <translation>分配器</translation>
    </message>
    <message>
        <source>context, libraries, workspaces</source>
        <translation>上下文、库、工作区</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>the default</source>
        <translation>默认值</translation>
    </message>
    <message>
        <source>one node</source>
        <translation>一个节点</translation>
    </message>
    <message>
        <source>a fabric with full bisection bandwidth</source>
        <translation>全对分带宽的网络</translation>
    </message>
    <message>
        <source>usual platform of %1: DGX %2</source>
        <translation>%1 的常用平台：DGX %2</translation>
    </message>
    <message>
        <source>usual platform of %1: DGX %2 %3 GB</source>
        <translation>%1 的常用平台：DGX %2 %3 GB</translation>
    </message>
    <message>
        <source>as even as the layers divide over the stages</source>
        <translation>各层在流水级之间尽量均分</translation>
    </message>
    <message>
        <source>%1 layers over %2 chunks: even</source>
        <translation>%1 层分到 %2 个模型块：均分</translation>
    </message>
    <message>
        <source>%1 layers over %2 chunk: even</source>
        <translation>%1 层分到 %2 个模型块：均分</translation>
    </message>
    <message>
        <source>vLLM&apos;s default</source>
        <translation>vLLM 的默认值</translation>
    </message>
    <message>
        <source>vLLM&apos;s default: the model&apos;s %1 bit</source>
        <translation>vLLM 的默认值：模型的 %1 位</translation>
    </message>
    <message>
        <source>vLLM&apos;s for servers on accelerators of %1 GiB and more, but %2</source>
        <translation>vLLM 对 %1 GiB 及以上加速卡（%2 除外）服务器的取值</translation>
    </message>
    <message>
        <source>the model&apos;s positions</source>
        <translation>模型的位置数</translation>
    </message>
    <message>
        <source>default of the profile %1</source>
        <translation>软件配置 %1 的默认值</translation>
    </message>
    <message>
        <source>no measured runs with profile %1 to fit it to; the middle of the other profiles</source>
        <translation>没有软件配置 %1 的实测运行可供拟合；取其他配置的中间值</translation>
    </message>
    <message>
        <source>no measured runs on this generation of accelerators to fit it to; the middle of the other generations</source>
        <translation>没有这一代加速卡的实测运行可供拟合；取其他各代的中间值</translation>
    </message>
    <message>
        <source>instances: what the accelerators leave</source>
        <translation>实例数：由加速卡数得出</translation>
    </message>
    <message>
        <source>instances of both pools</source>
        <translation>两个池的实例数</translation>
    </message>
    <message>
        <source>the model&apos;s %1 bit, unless a cache is quantised</source>
        <translation>模型的 %1 位，除非缓存经过量化</translation>
    </message>
    <message>
        <source>the graph fixes the work; batch and sequence length only turn its time into tokens/s</source>
        <translation>计算图固定了工作量；批次和序列长度只用来把时间换算成 token/s</translation>
    </message>
    <message>
        <source>the fleet&apos;s router</source>
        <translation>副本群的路由器</translation>
    </message>
    <message>
        <source>the profile %1 names no checkpoints with scales</source>
        <translation>软件配置 %1 没有列出带缩放因子的检查点</translation>
    </message>
    <message>
        <source>of the checkpoints that the profile %1 runs in this precision</source>
        <translation>软件配置 %1 以该精度运行的检查点所带</translation>
    </message>
    <message>
        <source>engines share each expert&apos;s matrices over the ranks that expert leaves</source>
        <translation>引擎把每个专家的矩阵分摊到专家并行剩余的 rank</translation>
    </message>
    <message>
        <source>stated times are all that counts: links, embedding, head, optimizer and hosts take no time and no memory</source>
        <translation>只计给定的时间：链路、嵌入层、输出头、优化器和主机不占时间也不占显存</translation>
    </message>
    <message>
        <source>parameters: elements of the tensors that stand where operators take weights</source>
        <translation>参数量：算子取权重之处的张量元素数</translation>
    </message>
    <message>
        <source>%1 nodes give %2 steps of one rank&apos;s iteration; every accelerator runs them as a data-parallel rank, collectives over all of them</source>
        <translation>%1 个节点构成一个 rank 一次迭代的 %2 步；每张加速卡作为数据并行 rank 运行它们，集合通信遍及全部</translation>
    </message>
    <message>
        <source>the least recomputation that fits the memory</source>
        <translation>显存放得下的最少重计算</translation>
    </message>
    <message>
        <source>the newest generic profile</source>
        <translation>最新的通用软件配置</translation>
    </message>
    <message>
        <source> and </source>
        <translation> 并 </translation>
    </message>
    <message>
        <source>micro-batch %1</source>
        <translation>微批次 %1</translation>
    </message>
    <message>
        <source>tensor %1</source>
        <translation>张量并行 %1</translation>
    </message>
    <message>
        <source>pipeline %1</source>
        <translation>流水线并行 %1</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>上下文并行 %1</translation>
    </message>
    <message>
        <source>expert %1</source>
        <translation>专家并行 %1</translation>
    </message>
    <message>
        <source>schedule %1</source>
        <translation>调度 %1</translation>
    </message>
    <message>
        <source>schedule gpipe</source>
        <translation>调度 GPipe</translation>
    </message>
    <message>
        <source>schedule interleaved</source>
        <translation>调度 交错</translation>
    </message>
    <message>
        <source>schedule zb-v</source>
        <translation>调度 ZB-V</translation>
    </message>
    <message>
        <source>schedule v-half</source>
        <translation>调度 V-Half</translation>
    </message>
    <message>
        <source>schedule v-min</source>
        <translation>调度 V-Min</translation>
    </message>
    <message>
        <source>schedule dualpipe</source>
        <translation>调度 DualPipe</translation>
    </message>
    <message>
        <source>optimizer states in host memory</source>
        <translation>优化器状态放主机内存</translation>
    </message>
    <message>
        <source>half of the activations in host memory</source>
        <translation>一半激活放主机内存</translation>
    </message>
    <message>
        <source>activations in host memory</source>
        <translation>激活放主机内存</translation>
    </message>
    <message>
        <source>weights in %1</source>
        <translation>权重用 %1</translation>
    </message>
    <message>
        <source>keys and values in %1</source>
        <translation>键和值用 %1</translation>
    </message>
    <message>
        <source>batch %1</source>
        <translation>批次 %1</translation>
    </message>
    <message>
        <source>steps of %1 tokens</source>
        <translation>每步 %1 个 token</translation>
    </message>
    <message>
        <source>requests no longer than that</source>
        <translation>请求不超过该长度</translation>
    </message>
    <message>
        <source>%1 % of the memory for the engine</source>
        <translation>引擎占用 %1 % 的显存</translation>
    </message>
    <message>
        <source>sequence parallelism</source>
        <translation>序列并行</translation>
    </message>
    <message>
        <source>ZeRO %1</source>
        <translation>ZeRO 级别 %1</translation>
    </message>
    <message>
        <source>flash attention</source>
        <translation>flash 注意力</translation>
    </message>
    <message>
        <source>every second layer recomputed</source>
        <translation>隔层重计算</translation>
    </message>
    <message>
        <source>every layer recomputed</source>
        <translation>每层重计算</translation>
    </message>
    <message>
        <source>recompute selective</source>
        <translation>重计算：选择性</translation>
    </message>
    <message>
        <source>recompute full</source>
        <translation>重计算：全部</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
</context>
<context>
    <name>DocumentFile</name>
    <message>
        <source>%1 has %2 MB; no launch script is that large.</source>
        <translation>%1 有 %2 MB；启动脚本不会这么大。</translation>
    </message>
    <message>
        <source>%1 has %2 MB; no scenario is that large.</source>
        <translation>%1 有 %2 MB；场景文件不会这么大。</translation>
    </message>
    <message>
        <source>Choose the script or the configuration that starts the training.</source>
        <translation>请选择启动训练的脚本或配置文件。</translation>
    </message>
    <message>
        <source>Choose a scenario or a model&apos;s config.json.</source>
        <translation>请选择一个场景，或某个模型的 config.json。</translation>
    </message>
    <message>
        <source>Choose a file inside the folder.</source>
        <translation>请选择文件夹里的一个文件。</translation>
    </message>
    <message>
        <source>Choose a regular file.</source>
        <translation>请选择普通文件。</translation>
    </message>
    <message>
        <source>Check its permissions.</source>
        <translation>请检查它的权限。</translation>
    </message>
    <message>
        <source>Check the name, or choose another file.</source>
        <translation>请检查文件名，或选择另一个文件。</translation>
    </message>
    <message>
        <source>%1 is a result. Orrery can&apos;t show saved results yet.</source>
        <translation>%1 是一份结果。Orrery 目前还不能显示保存的结果。</translation>
    </message>
    <message>
        <source>Open the scenario it was computed from.</source>
        <translation>请打开计算它的那个场景。</translation>
    </message>
    <message>
        <source>%1 is a list of measured cases.</source>
        <translation>%1 是一份实测用例列表。</translation>
    </message>
    <message>
        <source>Run it with “orrery-cli validate”.</source>
        <translation>请用“orrery-cli validate”运行它。</translation>
    </message>
    <message>
        <source>%1 is the outcome of a search. Orrery can&apos;t show these yet.</source>
        <translation>%1 是一次搜索的结果。Orrery 目前还不能显示它。</translation>
    </message>
    <message>
        <source>Open the scenario it was made from.</source>
        <translation>请打开生成它的那个场景。</translation>
    </message>
    <message>
        <source>%1 is a recorded trace, not a scenario.</source>
        <translation>%1 是采集到的 trace，不是场景。</translation>
    </message>
    <message>
        <source>Open it with “Open”: it has a workspace of its own.</source>
        <translation>请用“打开”来打开它：它有自己的工作区。</translation>
    </message>
    <message>
        <source>%1 is a study of many scenarios.</source>
        <translation>%1 是由许多场景组成的专题研究。</translation>
    </message>
    <message>
        <source>Open it with “Open”: it has a window of its own.</source>
        <translation>请用“打开”来打开它：它有自己的窗口。</translation>
    </message>
    <message>
        <source>%1 is a model&apos;s configuration, not a scenario.</source>
        <translation>%1 是模型配置，不是场景。</translation>
    </message>
    <message>
        <source>Open it with “Model from file”.</source>
        <translation>请用“从文件导入模型”打开它。</translation>
    </message>
    <message>
        <source>%1 is JSON, but not a scenario.</source>
        <translation>%1 是 JSON，但不是场景。</translation>
    </message>
    <message>
        <source>A scenario begins with &quot;format&quot;: &quot;orrery-scenario/1&quot;.</source>
        <translation>场景文件的开头应为 &quot;format&quot;: &quot;orrery-scenario/1&quot;。</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>%1 has the format “%2”, which this version doesn&apos;t know.</source>
        <translation>%1 的格式是“%2”，本版本不认识它。</translation>
    </message>
    <message>
        <source>Open it with a newer Orrery; this one reads “orrery-scenario/1”.</source>
        <translation>请用更新的 Orrery 打开；本版本读取“orrery-scenario/1”。</translation>
    </message>
    <message>
        <source>%1 is not a model&apos;s configuration: it has no &quot;model_type&quot;.</source>
        <translation>%1 不是模型配置：它没有 &quot;model_type&quot;。</translation>
    </message>
    <message>
        <source>Choose the config.json of a Hugging Face model.</source>
        <translation>请选择 Hugging Face 模型的 config.json。</translation>
    </message>
    <message>
        <source>What was in the file before is still there. Save somewhere else, or make room.</source>
        <translation>文件里原来的内容仍在。请保存到别处，或腾出空间。</translation>
    </message>
    <message>
        <source>Save the scenario first: a relative path starts from its folder.</source>
        <translation>请先保存场景：相对路径从场景所在的文件夹算起。</translation>
    </message>
    <message>
        <source>it lies outside the scenario&apos;s folder, and nobody said that it may be read (open the scenario again to be asked)</source>
        <translation>它位于场景文件夹之外，而且没有人允许读取它（重新打开场景会再次询问）</translation>
    </message>
</context>
<context>
    <name>ExploreText</name>
    <message>
        <source>micro-batch size</source>
        <translation>微批次大小</translation>
    </message>
    <message>
        <source>KV cache precision</source>
        <translation>KV 缓存精度</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO 级别</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>约 %1</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>显存峰值</translation>
    </message>
    <message>
        <source>model TFLOP/s per accelerator</source>
        <translation>每卡模型 TFLOP/s</translation>
    </message>
    <message>
        <source>pipeline bubble</source>
        <translation>流水线气泡</translation>
    </message>
    <message>
        <source>goodput, requests/s</source>
        <translation>有效吞吐，请求/s</translation>
    </message>
    <message>
        <source>$ per million output tokens</source>
        <translation>每百万输出 token 的美元成本</translation>
    </message>
    <message>
        <source>J per output token</source>
        <translation>每输出 token 的焦耳数</translation>
    </message>
    <message>
        <source>%1 in s</source>
        <translation>%1（s）</translation>
    </message>
    <message>
        <source>%1 in bytes</source>
        <translation>%1（字节）</translation>
    </message>
    <message>
        <source>billion</source>
        <translation>十亿</translation>
    </message>
    <message>
        <source>million</source>
        <translation>百万</translation>
    </message>
    <message numerus="yes">
        <source>%n hosts</source>
        <translation>
            <numerusform>%n 台主机</numerusform>
        </translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>together</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 改为 %2</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>设置 %1</translation>
    </message>
    <message>
        <source>less than a second</source>
        <translation>不到一秒</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>小时</translation>
    </message>
    <message>
        <source>days</source>
        <translation>天</translation>
    </message>
    <message>
        <source>years</source>
        <translation>年</translation>
    </message>
</context>
<context>
    <name>ExportText</name>
    <message>
        <source>“%1” was not written: the chart has nothing to draw yet. %2</source>
        <translation>“%1”未写出：图表还没有可画的内容。%2</translation>
    </message>
    <message>
        <source>“%1” is a folder. Give the name of a file inside it.</source>
        <translation>“%1”是文件夹。请给出其中某个文件的名称。</translation>
    </message>
    <message>
        <source>“%1” does not end in a kind of file a chart can be written as. End its name in .svg, .pdf, .png, .csv, .tex, .vl.json or .py.</source>
        <translation>“%1”的扩展名不是图表能写成的类型。请让名称以 .svg、.pdf、.png、.csv、.tex、.vl.json 或 .py 结尾。</translation>
    </message>
    <message>
        <source>“%1” was not written: this chart is a drawing, and no other tool plots it from numbers. Write .svg, .pdf, .png or .csv.</source>
        <translation>“%1”未写出：这张图是示意图，没有其他工具能从数字画出它。请写成 .svg、.pdf、.png 或 .csv。</translation>
    </message>
    <message>
        <source>“%1” was not written: the chart has nothing to draw yet.</source>
        <translation>“%1”未写出：图表还没有可画的内容。</translation>
    </message>
    <message>
        <source>“%1” could not be written: %2. What was there before is unchanged.</source>
        <translation>“%1”无法写出：%2。原来的内容未变。</translation>
    </message>
</context>
<context>
    <name>FieldRules</name>
    <message>
        <source>The model has no experts.</source>
        <translation>该模型没有专家。</translation>
    </message>
    <message>
        <source>no experts</source>
        <translation>没有专家</translation>
    </message>
    <message>
        <source>There is one pipeline stage: nothing to schedule.</source>
        <translation>只有一个流水级：没有什么可调度。</translation>
    </message>
    <message>
        <source>one stage</source>
        <translation>一个流水级</translation>
    </message>
    <message>
        <source>Sequence parallelism splits over tensor ranks, and there is 1.</source>
        <translation>序列并行在张量 rank 之间切分，而这里只有 1 个。</translation>
    </message>
    <message>
        <source>one tensor rank</source>
        <translation>一个张量 rank</translation>
    </message>
    <message>
        <source>The chosen schedule has one chunk per stage.</source>
        <translation>所选调度每个流水级只有一个模型块。</translation>
    </message>
    <message>
        <source>one by schedule</source>
        <translation>由调度定为一</translation>
    </message>
    <message>
        <source>There is one pipeline stage: it holds every layer.</source>
        <translation>只有一个流水级：它持有所有层。</translation>
    </message>
    <message>
        <source>There is one context rank: nobody to exchange with.</source>
        <translation>只有一个上下文 rank：没有交换的对象。</translation>
    </message>
    <message>
        <source>one context rank</source>
        <translation>一个上下文 rank</translation>
    </message>
    <message>
        <source>A shard group shares out what ZeRO shards, and ZeRO shards nothing.</source>
        <translation>分片组用来分摊 ZeRO 切分的内容，而 ZeRO 什么也没切分。</translation>
    </message>
    <message>
        <source>ZeRO is off</source>
        <translation>ZeRO 已关闭</translation>
    </message>
    <message>
        <source>The requests are those of %1.</source>
        <translation>请求来自 %1。</translation>
    </message>
    <message>
        <source>of a file</source>
        <translation>来自文件</translation>
    </message>
    <message>
        <source>Such arrivals have no rate.</source>
        <translation>这种到达方式没有速率。</translation>
    </message>
    <message>
        <source>no rate</source>
        <translation>没有速率</translation>
    </message>
    <message>
        <source>Only a closed loop holds the number of requests under way.</source>
        <translation>只有闭环才保持在途请求数不变。</translation>
    </message>
    <message>
        <source>no closed loop</source>
        <translation>非闭环</translation>
    </message>
    <message>
        <source>This means nothing for %1.</source>
        <translation>这对 %1 没有意义。</translation>
    </message>
    <message>
        <source>of another kind</source>
        <translation>属于另一类</translation>
    </message>
    <message>
        <source>Nothing trains in this format.</source>
        <translation>没有训练使用这种格式。</translation>
    </message>
    <message>
        <source>Products are in %1, which has no scales to choose.</source>
        <translation>矩阵乘使用 %1，没有缩放因子可选。</translation>
    </message>
    <message>
        <source>not in fp8</source>
        <translation>不是 fp8</translation>
    </message>
    <message>
        <source>mxfp8 scales blocks of 32 elements; there is nothing to choose.</source>
        <translation>mxfp8 以 32 个元素为一块缩放；没有可选项。</translation>
    </message>
    <message>
        <source>blocks of 32</source>
        <translation>32 个元素一块</translation>
    </message>
    <message>
        <source>All weights are trained: there are no adapters.</source>
        <translation>所有权重都参与训练：没有适配器。</translation>
    </message>
    <message>
        <source>no adapters</source>
        <translation>没有适配器</translation>
    </message>
    <message>
        <source>There is one tensor rank: no collectives to hide.</source>
        <translation>只有一个张量 rank：没有集合通信可掩盖。</translation>
    </message>
    <message>
        <source>There is one pipeline stage: nothing is sent.</source>
        <translation>只有一个流水级：不发送任何数据。</translation>
    </message>
    <message>
        <source>Every rank holds all experts: no tokens are sent.</source>
        <translation>每个 rank 都持有全部专家：不发送 token。</translation>
    </message>
    <message>
        <source>one expert rank</source>
        <translation>一个专家 rank</translation>
    </message>
    <message>
        <source>Interleaving needs more than one chunk per stage.</source>
        <translation>交错调度要求每个流水级多于一个模型块。</translation>
    </message>
    <message>
        <source>needs %1 chunks</source>
        <translation>需要 %1 个块</translation>
    </message>
    <message>
        <source>%1 %2: each holds %3 chunks.</source>
        <translation>%1 %2：每个持有 %3 个块。</translation>
    </message>
    <message>
        <source>This schedule has one chunk per stage.</source>
        <translation>该调度每个流水级只有一个模型块。</translation>
    </message>
    <message>
        <source>one chunk only</source>
        <translation>只能一个块</translation>
    </message>
    <message>
        <source>%1 sends micro-batches in from both ends: the stages must be even in number.</source>
        <translation>%1 从两端送入微批次：流水级数必须为偶数。</translation>
    </message>
    <message>
        <source>even stages only</source>
        <translation>仅限偶数个流水级</translation>
    </message>
    <message>
        <source>The model has no latent attention.</source>
        <translation>该模型没有 MLA 潜在注意力。</translation>
    </message>
    <message>
        <source>no latent attention</source>
        <translation>没有潜在注意力</translation>
    </message>
    <message>
        <source>The model has no shared experts.</source>
        <translation>该模型没有共享专家。</translation>
    </message>
    <message>
        <source>no shared experts</source>
        <translation>没有共享专家</translation>
    </message>
</context>
<context>
    <name>FieldTable</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The language model that is trained, from the catalogue or from a Hugging Face config.json.</source>
        <translation>要训练的语言模型，来自目录或 Hugging Face 的 config.json。</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机型号</translation>
    </message>
    <message>
        <source>The machine as sold. Another one brings its accelerators, scale-up and network cards along; numbers that you typed stay.</source>
        <translation>整机型号。换一种型号会带来它的加速卡、Scale-up 和网卡；您输入过的数值保留不变。</translation>
    </message>
    <message>
        <source>Accelerator</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>The chip. What came from its platform, links and memory say, follows it; numbers that you typed stay.</source>
        <translation>芯片型号。来自其平台的数值（例如链路和显存）会随之改变；您输入过的数值保留不变。</translation>
    </message>
    <message>
        <source>In one host</source>
        <translation>每台主机</translation>
    </message>
    <message>
        <source>accelerators</source>
        <translation>张加速卡</translation>
    </message>
    <message>
        <source>Accelerators of one host.</source>
        <translation>每台主机的加速卡数。</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>主机数</translation>
    </message>
    <message>
        <source>How many hosts there are. In a drawing, more are copies of the last one, cabled as it is; fewer go from the end.</source>
        <translation>主机的数量。在绘制的集群中，增加的主机是最后一台的副本，布线也相同；减少时从末尾开始删除。</translation>
    </message>
    <message>
        <source>Scale-up domain</source>
        <translation>Scale-up 域</translation>
    </message>
    <message>
        <source>The most accelerators that share one scale-up fabric, such as NVLink: one host&apos;s unless the platform&apos;s fabric reaches over hosts (72 of an NVL72).</source>
        <translation>共享同一个 Scale-up 互连（如 NVLink）的最大加速卡数：除非平台的互连跨越主机（NVL72 为 72 张），否则就是一台主机的卡数。</translation>
    </message>
    <message>
        <source>Network speed</source>
        <translation>网络速度</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>What the network between hosts gives each accelerator, per direction. Type 50, 50 GB/s or 400 Gb/s. In a drawing it makes all links as many times as fast.</source>
        <translation>主机间网络给每张加速卡的单向带宽。可输入 50、50 GB/s 或 400 Gb/s。在绘制的集群中，它会把所有链路按同样倍数加快。</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Tokens of one training sequence.</source>
        <translation>一条训练序列的 token 数。</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>全局批次</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>条序列</translation>
    </message>
    <message>
        <source>Sequences of one iteration over the whole cluster. A multiple of micro-batch × data.</source>
        <translation>整个集群一次迭代的序列数。必须是“微批次 × 数据并行”的倍数。</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Sequences that go through the pipeline together.</source>
        <translation>一起通过流水线的序列数。</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Number format of the matrix products.</source>
        <translation>矩阵乘的数值格式。</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Sets the states kept for each parameter and the length of the update.</source>
        <translation>决定每个参数保存哪些状态，以及更新需要多久。</translation>
    </message>
    <message>
        <source>Adam</source>
        <translation>Adam</translation>
    </message>
    <message>
        <source>SGD</source>
        <translation>SGD</translation>
    </message>
    <message>
        <source>Muon</source>
        <translation>Muon</translation>
    </message>
    <message>
        <source>FP8 scales</source>
        <translation>FP8 缩放</translation>
    </message>
    <message>
        <source>What one scaling factor covers: a whole tensor, a row, or a block.</source>
        <translation>一个缩放因子覆盖的范围：整个张量、一行或一个块。</translation>
    </message>
    <message>
        <source>whole tensor</source>
        <translation>整个张量</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Number format that gradients are kept and reduced in.</source>
        <translation>保存和规约梯度所用的数值格式。</translation>
    </message>
    <message>
        <source>Optimizer states</source>
        <translation>优化器状态</translation>
    </message>
    <message>
        <source>Number format of the optimizer&apos;s moments.</source>
        <translation>优化器动量的数值格式。</translation>
    </message>
    <message>
        <source>Weights kept in</source>
        <translation>权重保存为</translation>
    </message>
    <message>
        <source>Number format that weights are kept and updated in: fp32, or 16 bit with no copy in fp32.</source>
        <translation>保存和更新权重所用的数值格式：fp32，或不带 fp32 副本的 16 位格式。</translation>
    </message>
    <message>
        <source>Gradients sent in</source>
        <translation>梯度发送为</translation>
    </message>
    <message>
        <source>Number format of gradients on the wire.</source>
        <translation>梯度在网络上传输时的数值格式。</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>What is trained: all weights, or with LoRA thin matrices beside frozen ones.</source>
        <translation>训练什么：全部权重，或用 LoRA 训练冻结权重旁的低秩矩阵。</translation>
    </message>
    <message>
        <source>pre-training</source>
        <translation>预训练</translation>
    </message>
    <message>
        <source>fine-tuning</source>
        <translation>微调</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>LoRA rank</source>
        <translation>LoRA 秩</translation>
    </message>
    <message>
        <source>Width of the thin matrices beside each linear layer.</source>
        <translation>每个线性层旁低秩矩阵的宽度。</translation>
    </message>
    <message>
        <source>LoRA targets</source>
        <translation>LoRA 目标</translation>
    </message>
    <message>
        <source>Linear layers with thin matrices beside them, by PEFT&apos;s names; none: the profile&apos;s.</source>
        <translation>旁挂低秩矩阵的线性层，用 PEFT 的名称；留空则用软件配置的默认值。</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量并行</translation>
    </message>
    <message>
        <source>Accelerators that share every matrix product of a layer. Divides the attention heads.</source>
        <translation>分担每层每个矩阵乘的加速卡数。必须整除注意力头数。</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列并行</translation>
    </message>
    <message>
        <source>Splits norms and dropout along the sequence over the tensor group; saves activation memory.</source>
        <translation>在张量组内沿序列切分归一化和 dropout；节省激活显存。</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线并行</translation>
    </message>
    <message>
        <source>Stages that the layers are split into.</source>
        <translation>把所有层切分成的流水级数。</translation>
    </message>
    <message>
        <source>Chunks per stage</source>
        <translation>每级块数</translation>
    </message>
    <message>
        <source>Chunks of layers that each stage holds. More than one interleaves the schedule: a smaller bubble, more communication.</source>
        <translation>每个流水级持有的模型块数。多于一个时采用交错调度：气泡更小，通信更多。</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Order in which a stage runs the forward and backward passes of its micro-batches.</source>
        <translation>流水级执行各微批次前向和反向的顺序。</translation>
    </message>
    <message>
        <source>Layers per chunk</source>
        <translation>每块层数</translation>
    </message>
    <message>
        <source>Transformer layers of each chunk in the model&apos;s order, such as 39, 41. Left empty: as even as they divide.</source>
        <translation>按模型顺序列出每个模型块的 Transformer 层数，例如 39, 41。留空：尽量均分。</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据并行</translation>
    </message>
    <message>
        <source>what is left</source>
        <translation>由余数决定</translation>
    </message>
    <message>
        <source>Copies of the model that share the batch: accelerators / (tensor × context × pipeline). Follows from the others.</source>
        <translation>分摊批次的模型副本数：加速卡数 /（张量 × 上下文 × 流水线）。由其他数值得出。</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO 级别</translation>
    </message>
    <message>
        <source>What the data-parallel ranks share out instead of each keeping a copy: 1 the optimizer states, 2 the gradients too, 3 the weights too.</source>
        <translation>数据并行的 rank 分摊哪些内容，而不是各存一份：1 优化器状态，2 再加梯度，3 再加权重。</translation>
    </message>
    <message>
        <source>0 · nothing</source>
        <translation>0 · 不切分</translation>
    </message>
    <message>
        <source>1 · optimizer</source>
        <translation>1 · 优化器</translation>
    </message>
    <message>
        <source>2 · gradients</source>
        <translation>2 · 梯度</translation>
    </message>
    <message>
        <source>3 · weights</source>
        <translation>3 · 权重</translation>
    </message>
    <message>
        <source>Shard group</source>
        <translation>分片组</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>个 rank</translation>
    </message>
    <message>
        <source>HSDP: ranks that share out one copy of what ZeRO shards; the others hold copies. Left empty: all of them share one.</source>
        <translation>HSDP：共同分摊一份 ZeRO 切分内容的 rank 数；其他 rank 持有副本。留空：所有 rank 共用一份。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文并行</translation>
    </message>
    <message>
        <source>Accelerators that share one sequence.</source>
        <translation>共享一条序列的加速卡数。</translation>
    </message>
    <message>
        <source>Context by</source>
        <translation>上下文方式</translation>
    </message>
    <message>
        <source>How attention sees the keys and values of the other context ranks.</source>
        <translation>注意力如何取得其他上下文 rank 的键和值。</translation>
    </message>
    <message>
        <source>ring</source>
        <translation>ring</translation>
    </message>
    <message>
        <source>Keys and values go round beside the attention.</source>
        <translation>键和值在计算注意力的同时环形传递。</translation>
    </message>
    <message>
        <source>all-gather</source>
        <translation>all-gather</translation>
    </message>
    <message>
        <source>Keys and values are gathered before the attention.</source>
        <translation>在计算注意力之前收集键和值。</translation>
    </message>
    <message>
        <source>all-to-all</source>
        <translation>all-to-all</translation>
    </message>
    <message>
        <source>Heads are exchanged for tokens around the attention (Ulysses).</source>
        <translation>在注意力前后用头换取 token（Ulysses）。</translation>
    </message>
    <message>
        <source>Expert</source>
        <translation>专家并行</translation>
    </message>
    <message>
        <source>Accelerators that share the experts of a layer.</source>
        <translation>分摊一层专家的加速卡数。</translation>
    </message>
    <message>
        <source>Expert tensor</source>
        <translation>专家张量并行</translation>
    </message>
    <message>
        <source>Accelerators that share each expert&apos;s matrices.</source>
        <translation>分摊每个专家矩阵的加速卡数。</translation>
    </message>
    <message>
        <source>Rank order</source>
        <translation>rank 顺序</translation>
    </message>
    <message>
        <source>Which ranks are neighbours; the first are next to each other.</source>
        <translation>哪些 rank 相邻；排在最前的彼此紧邻。</translation>
    </message>
    <message>
        <source>tp-cp-ep-dp-pp</source>
        <translation>tp-cp-ep-dp-pp</translation>
    </message>
    <message>
        <source>tp-cp-ep-pp-dp</source>
        <translation>tp-cp-ep-pp-dp</translation>
    </message>
    <message>
        <source>tp-pp-cp-ep-dp</source>
        <translation>tp-pp-cp-ep-dp</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>重叠</translation>
    </message>
    <message>
        <source>Framework</source>
        <translation>框架</translation>
    </message>
    <message>
        <source>Software profile: the kernels, overlaps and overheads of its time.</source>
        <translation>软件配置：其时期的 kernel、重叠与开销。</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Which activations are computed again in the backward pass instead of kept.</source>
        <translation>哪些激活在反向中重新计算，而不保存。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>selective</source>
        <translation>选择性</translation>
    </message>
    <message>
        <source>The attention core.</source>
        <translation>注意力核心。</translation>
    </message>
    <message>
        <source>full</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Every layer from its input.</source>
        <translation>每一层都从其输入重算。</translation>
    </message>
    <message>
        <source>by module</source>
        <translation>按模块</translation>
    </message>
    <message>
        <source>The parts of a layer that are ticked below.</source>
        <translation>下面勾选的层内部分。</translation>
    </message>
    <message>
        <source>every n-th layer</source>
        <translation>每 n 层</translation>
    </message>
    <message>
        <source>Whole layers, one in n.</source>
        <translation>整层重算，每 n 层一层。</translation>
    </message>
    <message>
        <source>least that fits</source>
        <translation>能放下的最少</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Parts of a layer that are computed again in the backward pass.</source>
        <translation>在反向中重新计算的层内部分。</translation>
    </message>
    <message>
        <source>attention core</source>
        <translation>注意力核心</translation>
    </message>
    <message>
        <source>norms</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>latent up-projections</source>
        <translation>潜在向量上投影</translation>
    </message>
    <message>
        <source>MLP</source>
        <translation>MLP</translation>
    </message>
    <message>
        <source>experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>experts&apos; activation</source>
        <translation>专家的激活函数</translation>
    </message>
    <message>
        <source>shared experts</source>
        <translation>共享专家</translation>
    </message>
    <message>
        <source>One layer in</source>
        <translation>每几层一层</translation>
    </message>
    <message>
        <source>One of so many layers is recomputed as a whole.</source>
        <translation>每这么多层有一层整层重算。</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Flash keeps no score matrix; unfused writes it to memory.</source>
        <translation>Flash 不保存分数矩阵；非融合实现会把它写入显存。</translation>
    </message>
    <message>
        <source>flash</source>
        <translation>flash</translation>
    </message>
    <message>
        <source>The kernels of the framework.</source>
        <translation>框架自带的 kernel。</translation>
    </message>
    <message>
        <source>unfused</source>
        <translation>非融合</translation>
    </message>
    <message>
        <source>FlashAttention-2</source>
        <translation>FlashAttention-2</translation>
    </message>
    <message>
        <source>FlashAttention-3</source>
        <translation>FlashAttention-3</translation>
    </message>
    <message>
        <source>FlashAttention-4</source>
        <translation>FlashAttention-4</translation>
    </message>
    <message>
        <source>cuDNN</source>
        <translation>cuDNN</translation>
    </message>
    <message>
        <source>Attention in</source>
        <translation>注意力精度</translation>
    </message>
    <message>
        <source>Number format of fused attention&apos;s products.</source>
        <translation>融合注意力中矩阵乘的数值格式。</translation>
    </message>
    <message>
        <source>fp8</source>
        <translation>fp8</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>A compiler fuses the element-wise operators between matrix products.</source>
        <translation>编译器融合矩阵乘之间的逐元素算子。</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA graphs</translation>
    </message>
    <message>
        <source>Kernels are launched in recorded batches: no host time for each.</source>
        <translation>kernel 以录制的批次启动：无需为每个 kernel 花费主机时间。</translation>
    </message>
    <message>
        <source>The host launches every kernel.</source>
        <translation>由主机启动每个 kernel。</translation>
    </message>
    <message>
        <source>as usual</source>
        <translation>照常</translation>
    </message>
    <message>
        <source>What the framework&apos;s graphs hold: most leave experts out.</source>
        <translation>按框架自带图的范围：多数不含专家部分。</translation>
    </message>
    <message>
        <source>whole iteration</source>
        <translation>整个迭代</translation>
    </message>
    <message>
        <source>parts of layers</source>
        <translation>层的各部分</translation>
    </message>
    <message>
        <source>Those that are ticked below.</source>
        <translation>下面勾选的部分。</translation>
    </message>
    <message>
        <source>In graphs</source>
        <translation>图内包含</translation>
    </message>
    <message>
        <source>Parts of a layer that CUDA graphs hold; the host launches the others.</source>
        <translation>CUDA graphs 包含的层内部分；其余由主机启动。</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>router</source>
        <translation>路由</translation>
    </message>
    <message>
        <source>dispatch&apos;s preparation</source>
        <translation>分发准备</translation>
    </message>
    <message>
        <source>Mamba</source>
        <translation>Mamba</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Tensor-parallel collectives run beside the matrix products they feed.</source>
        <translation>张量并行的集合通信与它们所服务的矩阵乘同时进行。</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>A stage computes while it sends and receives.</source>
        <translation>流水级在收发的同时进行计算。</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Gradients are reduced while the backward pass still runs.</source>
        <translation>反向还在进行时就规约梯度。</translation>
    </message>
    <message>
        <source>expert</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Tokens travel to the experts and back while others are computed.</source>
        <translation>token 往返专家的同时计算其他 token。</translation>
    </message>
    <message>
        <source>Dispatcher</source>
        <translation>分发器</translation>
    </message>
    <message>
        <source>How tokens come to their experts.</source>
        <translation>token 如何到达各自的专家。</translation>
    </message>
    <message>
        <source>A row for each expert that a token visits.</source>
        <translation>token 每访问一个专家就有一行。</translation>
    </message>
    <message>
        <source>Every rank gathers all tokens.</source>
        <translation>每个 rank 收集全部 token。</translation>
    </message>
    <message>
        <source>DeepEP</source>
        <translation>DeepEP</translation>
    </message>
    <message>
        <source>A token once to every rank.</source>
        <translation>每个 token 向每个 rank 只发送一次。</translation>
    </message>
    <message>
        <source>Hybrid-EP</source>
        <translation>Hybrid-EP</translation>
    </message>
    <message>
        <source>Fused experts</source>
        <translation>融合专家</translation>
    </message>
    <message>
        <source>One kernel for all experts of a product, with activation and quantisation in it.</source>
        <translation>所有专家的同一个矩阵乘用一个 kernel，激活函数和量化也在其中。</translation>
    </message>
    <message>
        <source>Dispatch</source>
        <translation>分发</translation>
    </message>
    <message>
        <source>What happens to tokens beyond an expert&apos;s room.</source>
        <translation>超出专家容量的 token 如何处理。</translation>
    </message>
    <message>
        <source>dropless</source>
        <translation>不丢弃</translation>
    </message>
    <message>
        <source>Every token is computed; the busiest rank sets the pace.</source>
        <translation>每个 token 都计算；最忙的 rank 决定节奏。</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>Experts take so many times their even share; other tokens are dropped.</source>
        <translation>专家最多接收平均份额的若干倍；其余 token 被丢弃。</translation>
    </message>
    <message>
        <source>Capacity factor</source>
        <translation>容量因子</translation>
    </message>
    <message>
        <source>Room of an expert over its even share.</source>
        <translation>专家容量与其平均份额之比。</translation>
    </message>
    <message>
        <source>Expert load</source>
        <translation>专家负载</translation>
    </message>
    <message>
        <source>How tokens spread over the experts.</source>
        <translation>token 如何分布到各专家。</translation>
    </message>
    <message>
        <source>balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Zipf</source>
        <translation>Zipf</translation>
    </message>
    <message>
        <source>The i-th expert gets tokens in proportion to i to the minus exponent.</source>
        <translation>第 i 个专家得到的 token 数与 i 的负指数次方成正比。</translation>
    </message>
    <message>
        <source>by histogram</source>
        <translation>按直方图</translation>
    </message>
    <message>
        <source>Relative loads, one expert after the other.</source>
        <translation>逐个专家给出相对负载。</translation>
    </message>
    <message>
        <source>Exponent</source>
        <translation>指数</translation>
    </message>
    <message>
        <source>0 is balanced; at 1 the first expert gets twice what the second gets.</source>
        <translation>0 表示均衡；为 1 时第一个专家得到的是第二个的两倍。</translation>
    </message>
    <message>
        <source>Loads</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Relative load of each expert, such as 4 2 1 1; repeated for further experts.</source>
        <translation>每个专家的相对负载，例如 4 2 1 1；后面的专家循环使用。</translation>
    </message>
    <message>
        <source>Weights on host</source>
        <translation>权重放主机</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Share of the weights that lives in host memory, 0 to 1.</source>
        <translation>放在主机内存中的权重占比，0 到 1。</translation>
    </message>
    <message>
        <source>Activations on host</source>
        <translation>激活放主机</translation>
    </message>
    <message>
        <source>Share of the activations that lives in host memory between forward and backward, 0 to 1.</source>
        <translation>在前向与反向之间放在主机内存中的激活占比，0 到 1。</translation>
    </message>
    <message>
        <source>Optimizer on host</source>
        <translation>优化器放主机</translation>
    </message>
    <message>
        <source>Share of the optimizer&apos;s states that lives in host memory, where their step then runs, 0 to 1.</source>
        <translation>放在主机内存中的优化器状态占比，更新步也在那里执行，0 到 1。</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>Kernels and hosts that vary: all wait for the slowest, and the more there are the longer.</source>
        <translation>时快时慢的 kernel 和主机：大家都等最慢的，数量越多等得越久。</translation>
    </message>
    <message>
        <source>expected</source>
        <translation>期望值</translation>
    </message>
    <message>
        <source>The expected slowest of those that wait for each other.</source>
        <translation>互相等待者中最慢者的期望。</translation>
    </message>
    <message>
        <source>drawn by seed</source>
        <translation>按种子抽样</translation>
    </message>
    <message>
        <source>One iteration after the other drawn at random, always the same by one seed.</source>
        <translation>逐次迭代随机抽样，同一种子结果总是相同。</translation>
    </message>
    <message>
        <source>Kernels vary</source>
        <translation>kernel 波动</translation>
    </message>
    <message>
        <source>sigma</source>
        <translation>σ</translation>
    </message>
    <message>
        <source>Standard deviation of the logarithm of a kernel&apos;s time: 0.02 is about 2 %.</source>
        <translation>kernel 时间对数的标准差：0.02 约为 2 %。</translation>
    </message>
    <message>
        <source>Collectives vary</source>
        <translation>集合通信波动</translation>
    </message>
    <message>
        <source>The same for collectives and sends, where it differs.</source>
        <translation>集合通信和点对点发送的同一数值，如与 kernel 不同时给出。</translation>
    </message>
    <message>
        <source>Hosts vary</source>
        <translation>主机波动</translation>
    </message>
    <message>
        <source>Standard deviation of the logarithm of a factor that each host has as long as the job runs.</source>
        <translation>每台主机在整个作业期间各有一个系数，这里是该系数对数的标准差。</translation>
    </message>
    <message>
        <source>Slow hosts</source>
        <translation>慢主机</translation>
    </message>
    <message>
        <source>Share of the hosts that are slow as long as the job runs, 0 to 1.</source>
        <translation>整个作业期间偏慢的主机占比，0 到 1。</translation>
    </message>
    <message>
        <source>Slow by</source>
        <translation>慢多少</translation>
    </message>
    <message>
        <source>times</source>
        <translation>倍</translation>
    </message>
    <message>
        <source>How many times as long a slow host takes for all that it computes.</source>
        <translation>慢主机的所有计算所用时间的倍数。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Another seed, other draws.</source>
        <translation>换一个种子，抽样就不同。</translation>
    </message>
    <message>
        <source>chunked loss</source>
        <translation>分块损失</translation>
    </message>
    <message>
        <source>Makes logits, loss and their gradients for a part of the tokens at a time.</source>
        <translation>每次只为一部分 token 计算 logits、损失及其梯度。</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Gives the layers&apos; products 8- or 4-bit operands and casts what comes in.</source>
        <translation>给各层的矩阵乘换上 8 位或 4 位操作数，并对输入做类型转换。</translation>
    </message>
    <message>
        <source>fusion</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>Replaces kernels that follow each other by fused ones.</source>
        <translation>用融合 kernel 代替前后相继的 kernel。</translation>
    </message>
    <message>
        <source>Shares weights, heads and vocabulary out over the tensor ranks and adds its collectives.</source>
        <translation>把权重、注意力头和词表分摊到张量 rank，并加入相应的集合通信。</translation>
    </message>
    <message>
        <source>sequence</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Shares the tokens of what tensor parallelism leaves whole.</source>
        <translation>把张量并行未切分的 token 再分摊。</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Shares every sequence out over the context ranks.</source>
        <translation>把每条序列分摊到上下文 rank。</translation>
    </message>
    <message>
        <source>Shares experts out and sends tokens to them and back.</source>
        <translation>分摊专家，并把 token 送到专家再送回。</translation>
    </message>
    <message>
        <source>expert tensor</source>
        <translation>专家张量</translation>
    </message>
    <message>
        <source>Shares each expert&apos;s matrices out.</source>
        <translation>分摊每个专家的矩阵。</translation>
    </message>
    <message>
        <source>Freezes the weights and trains thin matrices beside them.</source>
        <translation>冻结权重，训练旁边的低秩矩阵。</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Runs forward work again in backward instead of keeping what it made.</source>
        <translation>在反向中重跑前向计算，而不保存其结果。</translation>
    </message>
    <message>
        <source>offload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Moves weights, activations or optimizer states to host memory and back.</source>
        <translation>把权重、激活或优化器状态移到主机内存再取回。</translation>
    </message>
    <message>
        <source>Splits the layers over stages and sends activations and gradients between them.</source>
        <translation>把各层切分到流水级，并在级间传递激活和梯度。</translation>
    </message>
    <message>
        <source>Trains replicas on parts of the batch and adds up their gradients.</source>
        <translation>用批次的不同部分训练各副本，并累加它们的梯度。</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>Shares optimizer states, gradients or weights out over the replicas.</source>
        <translation>在副本之间分摊优化器状态、梯度或权重。</translation>
    </message>
    <message>
        <source>HSDP</source>
        <translation>HSDP</translation>
    </message>
    <message>
        <source>Shards within groups of replicas and adds up gradients between the groups.</source>
        <translation>在副本组内切分，在组间累加梯度。</translation>
    </message>
    <message>
        <source>overlap</source>
        <translation>重叠</translation>
    </message>
    <message>
        <source>Lets communication run beside computation where the execution allows it.</source>
        <translation>在执行允许的地方让通信与计算同时进行。</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>价格</translation>
    </message>
    <message>
        <source>$ per hour</source>
        <translation>美元/小时</translation>
    </message>
    <message>
        <source>Price of one accelerator for one hour.</source>
        <translation>一张加速卡一小时的价格。</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>W</source>
        <translation>W</translation>
    </message>
    <message>
        <source>Power that one accelerator draws, its share of the node included.</source>
        <translation>一张加速卡的功率，含其分摊的节点功率。</translation>
    </message>
    <message>
        <source>Total tokens</source>
        <translation>总 token 数</translation>
    </message>
    <message>
        <source>Tokens of the whole training run; 15T and 1.5e13 are understood.</source>
        <translation>整个训练的 token 数；可写 15T 或 1.5e13。</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Parallelism</source>
        <translation>并行</translation>
    </message>
    <message>
        <source>Execution</source>
        <translation>执行</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>图 Pass</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>成本</translation>
    </message>
</context>
<context>
    <name>FieldText</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Assumed: %1</source>
        <translation>假定：%1</translation>
    </message>
    <message>
        <source>Assumed: %1. %2</source>
        <translation>假定：%1。%2</translation>
    </message>
    <message>
        <source>Use the default</source>
        <translation>使用默认值</translation>
    </message>
</context>
<context>
    <name>FigureMaker</name>
    <message>
        <source>± %1 %</source>
        <translation>± %1 %</translation>
    </message>
    <message>
        <source>−%1 to +%2 %</source>
        <translation>−%1 至 +%2 %</translation>
    </message>
    <message>
        <source> 9 of 10 such runs lie within %1: %2.</source>
        <translation> 每 10 次这样的运行有 9 次落在 %1 之内：%2。</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 ± %2 %</source>
        <translation>%1 ± %2 %</translation>
    </message>
    <message>
        <source>9 of 10 such differences lie between %1 and %2 %: %3.</source>
        <translation>每 10 个这样的差值有 9 个落在 %1 与 %2 % 之间：%3。</translation>
    </message>
    <message>
        <source>That may be no difference at all.</source>
        <translation>这可能根本算不上差异。</translation>
    </message>
    <message>
        <source>%1 pp</source>
        <translation>%1 个百分点</translation>
    </message>
    <message>
        <source>±0</source>
        <translation>±0</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>显存峰值</translation>
    </message>
    <message>
        <source>The most that any accelerator holds at one moment, as the device would report it.</source>
        <translation>任一加速卡在某一时刻持有的最大显存，与设备报告的口径一致。</translation>
    </message>
    <message>
        <source>Peak memory, stage %1</source>
        <translation>显存峰值，流水级 %1</translation>
    </message>
    <message>
        <source>of %1 GiB</source>
        <translation>共 %1 GiB</translation>
    </message>
    <message>
        <source>%1 to %2 GiB</source>
        <translation>%1 至 %2 GiB</translation>
    </message>
    <message>
        <source>fits · %1 GiB left</source>
        <translation>放得下 · 剩余 %1 GiB</translation>
    </message>
    <message>
        <source>does not fit · %1 GiB over</source>
        <translation>放不下 · 超出 %1 GiB</translation>
    </message>
    <message>
        <source>set a price per hour</source>
        <translation>请设置每小时价格</translation>
    </message>
    <message>
        <source>$ %1</source>
        <translation>$ %1</translation>
    </message>
    <message>
        <source>at $ %1 per hour</source>
        <translation>按每小时 $ %1</translation>
    </message>
    <message>
        <source> About so much by estimate: the simulation is under way, and gives the number itself.</source>
        <translation> 这是估算的大致数值：仿真正在进行，随后给出确切的数。</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首 token 延迟</translation>
    </message>
    <message>
        <source>From the prompts to the first token of every sequence of the batch.</source>
        <translation>从提示词到批次中每条序列的第一个 token。</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>每 token 输出时间</translation>
    </message>
    <message>
        <source>Mean time between two tokens of a sequence after its first.</source>
        <translation>序列第一个 token 之后，相邻两个 token 的平均间隔。</translation>
    </message>
    <message>
        <source>Request latency</source>
        <translation>请求延迟</translation>
    </message>
    <message>
        <source>From the prompts to the last token.</source>
        <translation>从提示词到最后一个 token。</translation>
    </message>
    <message>
        <source>Cost per million tokens</source>
        <translation>每百万 token 成本</translation>
    </message>
    <message>
        <source>Accelerator-hours for 10⁶ generated tokens at the price of the scenario.</source>
        <translation>按场景价格计算的 10⁶ 个生成 token 的卡时费用。</translation>
    </message>
    <message>
        <source>%1 prompt tokens × %2</source>
        <translation>%1 个提示 token × %2</translation>
    </message>
    <message>
        <source>%1 tokens out</source>
        <translation>输出 %1 个 token</translation>
    </message>
    <message>
        <source>%1 tokens/s for one user</source>
        <translation>单用户 %1 token/s</translation>
    </message>
    <message>
        <source>Tokens/s per accelerator</source>
        <translation>每卡 token/s</translation>
    </message>
    <message>
        <source>Generated tokens a second, divided by the accelerators of an instance.</source>
        <translation>每秒生成的 token 数，除以一个实例的加速卡数。</translation>
    </message>
    <message>
        <source>%1 of an instance</source>
        <translation>每个实例 %1</translation>
    </message>
    <message>
        <source>Key-value cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Keys and values of the whole batch when its last token is made, on the fullest accelerator.</source>
        <translation>生成最后一个 token 时，最满的加速卡上整个批次的键和值。</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>Time to first token, median</source>
        <translation>首 token 延迟，中位数</translation>
    </message>
    <message>
        <source>From a request&apos;s arrival to its first token.</source>
        <translation>从请求到达到它的第一个 token。</translation>
    </message>
    <message>
        <source>Time per output token, median</source>
        <translation>每 token 输出时间，中位数</translation>
    </message>
    <message>
        <source>Mean time between two tokens of a request after its first.</source>
        <translation>请求第一个 token 之后，相邻两个 token 的平均间隔。</translation>
    </message>
    <message>
        <source>99 % within %1</source>
        <translation>99 % 在 %1 以内</translation>
    </message>
    <message>
        <source>all requests rejected</source>
        <translation>所有请求都被拒绝</translation>
    </message>
    <message>
        <source>nothing is served</source>
        <translation>没有提供任何服务</translation>
    </message>
    <message>
        <source>Generated tokens a second from the first arrival to the last token, divided by the accelerators in use.</source>
        <translation>从第一个请求到达到最后一个 token，每秒生成的 token 数，除以使用的加速卡数。</translation>
    </message>
    <message>
        <source>%1 in all</source>
        <translation>共 %1</translation>
    </message>
    <message>
        <source>Queue, median</source>
        <translation>排队时间，中位数</translation>
    </message>
    <message>
        <source>How long a request waits for a place before its prompt runs.</source>
        <translation>提示词开始计算之前，请求等待名额的时间。</translation>
    </message>
    <message>
        <source>%1 of %2 rejected</source>
        <translation>%2 个中拒绝 %1 个</translation>
    </message>
    <message>
        <source>Cache in use</source>
        <translation>缓存占用</translation>
    </message>
    <message>
        <source>Share of the key-value cache&apos;s blocks that hold something, mean over the time of steps.</source>
        <translation>KV 缓存中存有内容的块所占比例，按各步时间平均。</translation>
    </message>
    <message>
        <source>%1 preemptions</source>
        <translation>抢占 %1 次</translation>
    </message>
    <message>
        <source>%1 blocks of %2 tokens</source>
        <translation>%1 个块，每块 %2 个 token</translation>
    </message>
    <message>
        <source>Cost per billion tokens</source>
        <translation>每十亿 token 成本</translation>
    </message>
    <message>
        <source>Accelerator-hours for 10⁹ trained tokens at the price of the scenario.</source>
        <translation>按场景价格计算的 10⁹ 个训练 token 的卡时费用。</translation>
    </message>
    <message>
        <source>nothing simulated yet</source>
        <translation>尚未仿真</translation>
    </message>
    <message>
        <source>Iteration time</source>
        <translation>迭代时间</translation>
    </message>
    <message>
        <source>Wall clock of one training step.</source>
        <translation>一个训练步的墙钟时间。</translation>
    </message>
    <message>
        <source>against %1</source>
        <translation>对比 %1</translation>
    </message>
    <message>
        <source>1 micro-batch</source>
        <translation>1 个微批次</translation>
    </message>
    <message>
        <source>%1 micro-batches</source>
        <translation>%1 个微批次</translation>
    </message>
    <message>
        <source>Trained tokens a second, divided by the accelerators in use.</source>
        <translation>每秒训练的 token 数，除以使用的加速卡数。</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Model FLOP utilisation</source>
        <translation>模型 FLOP 利用率</translation>
    </message>
    <message>
        <source>Arithmetic that the model needs, over what the accelerators could do at their dense peak. Recomputation does not count.</source>
        <translation>模型所需的计算量，除以加速卡以稠密峰值所能完成的计算量。重计算不计入。</translation>
    </message>
    <message>
        <source>a toy has times and no FLOPs</source>
        <translation>玩具模型只有时间，没有 FLOP</translation>
    </message>
    <message>
        <source>%1 of %2 TFLOP/s · %3</source>
        <translation>%1，峰值 %2 TFLOP/s · %3</translation>
    </message>
    <message>
        <source>%1 TFLOP/s</source>
        <translation>%1 TFLOP/s</translation>
    </message>
    <message>
        <source>Pipeline bubble</source>
        <translation>流水线气泡</translation>
    </message>
    <message>
        <source>Share of the time between first forward and last backward that a stage waits, mean over the stages.</source>
        <translation>从第一个前向到最后一个反向之间，流水级等待的时间占比，按各流水级平均。</translation>
    </message>
    <message>
        <source>%1 mean · %2 last</source>
        <translation>平均 %1 · 末级 %2</translation>
    </message>
    <message>
        <source> The stage that ends the iteration waits %1, %2 of it.</source>
        <translation> 结束迭代的那个流水级等待 %1，占其 %2。</translation>
    </message>
    <message>
        <source>Exposed communication</source>
        <translation>未掩盖通信</translation>
    </message>
    <message>
        <source>Share of the iteration spent on communication that no computation hides.</source>
        <translation>没有被计算掩盖的通信占迭代时间的比例。</translation>
    </message>
    <message>
        <source>tensor %1</source>
        <translation>张量 %1</translation>
    </message>
    <message>
        <source>expert %1</source>
        <translation>专家 %1</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>上下文 %1</translation>
    </message>
    <message>
        <source>data %1</source>
        <translation>数据 %1</translation>
    </message>
    <message>
        <source>pipeline %1</source>
        <translation>流水线 %1</translation>
    </message>
    <message>
        <source>Answers/s</source>
        <translation>回答/秒</translation>
    </message>
    <message>
        <source>Answers of a step over its time.</source>
        <translation>一步的回答数除以其用时。</translation>
    </message>
    <message>
        <source>Output tokens/s</source>
        <translation>输出 token/秒</translation>
    </message>
    <message>
        <source>Generated tokens of a step over its time.</source>
        <translation>一步生成的 token 数除以其用时。</translation>
    </message>
    <message>
        <source>Rollout</source>
        <translation>Rollout</translation>
    </message>
    <message>
        <source>From a step&apos;s first prompt to its last answer.</source>
        <translation>从一步的第一个提示词到最后一个回答。</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>The iterations on a step&apos;s answers.</source>
        <translation>用一步的回答进行的训练迭代。</translation>
    </message>
    <message>
        <source>New weights</source>
        <translation>新权重</translation>
    </message>
    <message>
        <source>How long the new weights take to the engines.</source>
        <translation>新权重送达推理引擎所需的时间。</translation>
    </message>
    <message>
        <source>not every prompt is answered</source>
        <translation>并非每个提示词都得到回答</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>One step of the loop: all that it waits for.</source>
        <translation>循环的一步：它所等待的全部时间。</translation>
    </message>
    <message>
        <source>nobody waits</source>
        <translation>无人等待</translation>
    </message>
    <message>
        <source>idle: rollout %1, training %2</source>
        <translation>空闲：rollout %1，训练 %2</translation>
    </message>
    <message>
        <source>%1 of the step</source>
        <translation>占该步的 %1</translation>
    </message>
    <message>
        <source>beside what takes longer</source>
        <translation>与更耗时的部分并行</translation>
    </message>
</context>
<context>
    <name>Findings</name>
    <message>
        <source>Stands in the way</source>
        <translation>阻碍仿真</translation>
    </message>
    <message>
        <source>To be mended in the scenario</source>
        <translation>需在场景中修复</translation>
    </message>
    <message>
        <source>Not understood</source>
        <translation>未能识别</translation>
    </message>
    <message>
        <source>Left open by the text</source>
        <translation>文本未说明</translation>
    </message>
    <message>
        <source>Said besides</source>
        <translation>另有提示</translation>
    </message>
    <message>
        <source>Assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>Not needed for a simulation</source>
        <translation>仿真不需要</translation>
    </message>
    <message>
        <source>line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
</context>
<context>
    <name>GeneratorDialog</name>
    <message>
        <source>Number of hosts</source>
        <translation>主机数量</translation>
    </message>
    <message>
        <source>Number of racks</source>
        <translation>机架数量</translation>
    </message>
    <message>
        <source>Hosts of a scalable unit</source>
        <translation>每个可扩展单元的主机数</translation>
    </message>
    <message>
        <source>They share the leaves, one for each rail</source>
        <translation>它们共享叶交换机，每条轨道一台</translation>
    </message>
    <message>
        <source>Ports of a switch</source>
        <translation>交换机端口数</translation>
    </message>
    <message>
        <source>Decides how many spines there are, and whether a third level</source>
        <translation>决定脊交换机数量，以及是否需要第三层</translation>
    </message>
    <message>
        <source>Oversubscription</source>
        <translation>收敛比</translation>
    </message>
    <message>
        <source>r: the links up from a leaf carry 1/r of those down; 1 is full bandwidth</source>
        <translation>r：叶交换机上行链路带宽是下行的 1/r；1 为无收敛</translation>
    </message>
    <message>
        <source>Draw equal hosts as one card</source>
        <translation>把相同的主机画成一张卡片</translation>
    </message>
    <message>
        <source>The network is the same</source>
        <translation>网络不变</translation>
    </message>
    <message>
        <source>Hosts on a leaf</source>
        <translation>每台叶交换机的主机数</translation>
    </message>
    <message>
        <source>Spines</source>
        <translation>脊交换机数</translation>
    </message>
    <message>
        <source>as many as suit</source>
        <translation>按需而定</translation>
    </message>
    <message>
        <source>Ports of a switch (k)</source>
        <translation>交换机端口数（k）</translation>
    </message>
    <message>
        <source>k pods; k³/4 hosts and 5k²/4 switches. Even</source>
        <translation>k 个 Pod；k³/4 台主机和 5k²/4 台交换机。须为偶数</translation>
    </message>
    <message>
        <source>Each interface on an edge switch of its own</source>
        <translation>每个网口接到各自的边缘交换机</translation>
    </message>
    <message>
        <source>Rail-optimised: interface i of a host on edge switch i</source>
        <translation>轨道优化：主机的第 i 个网口接到第 i 台边缘交换机</translation>
    </message>
    <message>
        <source>Hosts on a router (p)</source>
        <translation>每个路由器的主机数（p）</translation>
    </message>
    <message>
        <source>Routers in a group (a)</source>
        <translation>每组的路由器数（a）</translation>
    </message>
    <message>
        <source>All joined to one another. Balanced at a = 2p = 2h</source>
        <translation>组内两两相连。a = 2p = 2h 时均衡</translation>
    </message>
    <message>
        <source>Global links of a router (h)</source>
        <translation>每个路由器的全局链路数（h）</translation>
    </message>
    <message>
        <source>They lead to other groups</source>
        <translation>通往其他组</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>组数</translation>
    </message>
    <message>
        <source>Up to a·h + 1, each joined to every other</source>
        <translation>最多 a·h + 1 组，每组与其他各组相连</translation>
    </message>
    <message>
        <source>all a·h + 1</source>
        <translation>全部 a·h + 1 组</translation>
    </message>
    <message>
        <source>Route by way of a third group</source>
        <translation>绕经第三个组路由</translation>
    </message>
    <message>
        <source>Valiant: evens out traffic that would crowd one link</source>
        <translation>Valiant：分散会挤在一条链路上的流量</translation>
    </message>
    <message>
        <source>Along %1</source>
        <translation>沿 %1</translation>
    </message>
    <message>
        <source>Cables to a neighbour</source>
        <translation>通往每个邻居的线缆数</translation>
    </message>
    <message>
        <source>all interfaces shared out</source>
        <translation>所有网口均分</translation>
    </message>
    <message>
        <source>Join the last to the first</source>
        <translation>首尾相连</translation>
    </message>
    <message>
        <source>A torus; without, a mesh</source>
        <translation>相连为环面；不相连为网格</translation>
    </message>
    <message>
        <source>Interconnect of a chip</source>
        <translation>每芯片互连带宽</translation>
    </message>
    <message>
        <source>Each direction, over its six links together</source>
        <translation>单向，六条链路合计</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>Scalable units whose hosts have interface i on leaf i, spines above, and a third level where one pod can&apos;t hold all.</source>
        <translation>由可扩展单元组成：主机的第 i 个网口接第 i 台叶交换机，上层为脊交换机；一个 Pod 容纳不下时再加第三层。</translation>
    </message>
    <message>
        <source>Racks whose hosts share one scale-up fabric, each with a leaf for every rail, and spines above.</source>
        <translation>每个机架内的主机共享一个 Scale-up 互连，每条轨道一台叶交换机，上层为脊交换机。</translation>
    </message>
    <message>
        <source>All interfaces of a host on one leaf, every leaf joined to every spine.</source>
        <translation>一台主机的所有网口接同一台叶交换机，每台叶交换机与每台脊交换机相连。</translation>
    </message>
    <message>
        <source>Three levels of switches with k ports: edge, aggregation, core.</source>
        <translation>由 k 端口交换机组成的三层：边缘、汇聚、核心。</translation>
    </message>
    <message>
        <source>A three-level fat tree for a number of hosts.</source>
        <translation>按主机数量生成的三层胖树。</translation>
    </message>
    <message>
        <source>Groups of routers that are all joined to one another, with a link between any two groups.</source>
        <translation>组内路由器两两相连，任意两组之间有链路。</translation>
    </message>
    <message>
        <source>Hosts joined to their neighbours in each dimension, without switches.</source>
        <translation>各维度上主机与邻居直接相连，没有交换机。</translation>
    </message>
    <message>
        <source>Chips in a 3D torus, four to a host. Dimensions are in chips; multiples of 4 close to a ring.</source>
        <translation>三维环面中的芯片，每台主机四个。各维度以芯片计；4 的倍数可以闭合成环。</translation>
    </message>
</context>
<context>
    <name>Holders</name>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>嵌入层</translation>
    </message>
    <message>
        <source>head</source>
        <translation>输出头</translation>
    </message>
    <message>
        <source>next-token module</source>
        <translation>下一 token 预测模块</translation>
    </message>
    <message>
        <source>micro-batch %1</source>
        <translation>微批次 %1</translation>
    </message>
</context>
<context>
    <name>KeyWords</name>
    <message>
        <source>accelerator</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>accelerators</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>accelerators per node</source>
        <translation>每节点加速卡数</translation>
    </message>
    <message>
        <source>accelerators per pcie switch</source>
        <translation>每个 PCIe 交换机的加速卡数</translation>
    </message>
    <message>
        <source>acceptance</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>activation scales</source>
        <translation>激活缩放因子</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>active parameters</source>
        <translation>激活参数量</translation>
    </message>
    <message>
        <source>added latency</source>
        <translation>附加延迟</translation>
    </message>
    <message>
        <source>admission</source>
        <translation>准入</translation>
    </message>
    <message>
        <source>all gather</source>
        <translation>all-gather</translation>
    </message>
    <message>
        <source>all reduce</source>
        <translation>all-reduce</translation>
    </message>
    <message>
        <source>allocated peak</source>
        <translation>分配峰值</translation>
    </message>
    <message>
        <source>anchor</source>
        <translation>锚点</translation>
    </message>
    <message>
        <source>arrival</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>async scheduling</source>
        <translation>异步调度</translation>
    </message>
    <message>
        <source>asynchronous matrix units</source>
        <translation>异步矩阵单元</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>attention data</source>
        <translation>注意力数据并行</translation>
    </message>
    <message>
        <source>attention precision</source>
        <translation>注意力精度</translation>
    </message>
    <message>
        <source>attention rate of peak</source>
        <translation>注意力速率占峰值</translation>
    </message>
    <message>
        <source>attention share</source>
        <translation>注意力占比</translation>
    </message>
    <message>
        <source>autoscale</source>
        <translation>自动伸缩</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>before collective</source>
        <translation>集合通信之前</translation>
    </message>
    <message>
        <source>beside</source>
        <translation>并行的作业</translation>
    </message>
    <message>
        <source>between replicas</source>
        <translation>副本之间</translation>
    </message>
    <message>
        <source>between stages</source>
        <translation>流水级之间</translation>
    </message>
    <message>
        <source>block size</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>块数</translation>
    </message>
    <message>
        <source>boost clock mhz</source>
        <translation>加速频率 MHz</translation>
    </message>
    <message>
        <source>bottleneck</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>branch turns</source>
        <translation>分支轮数</translation>
    </message>
    <message>
        <source>branches</source>
        <translation>分支数</translation>
    </message>
    <message>
        <source>broadcast</source>
        <translation>broadcast</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>bubble fraction</source>
        <translation>气泡占比</translation>
    </message>
    <message>
        <source>bubble over ideal</source>
        <translation>气泡与理想值之比</translation>
    </message>
    <message>
        <source>burstiness</source>
        <translation>突发度</translation>
    </message>
    <message>
        <source>bytes per token</source>
        <translation>每 token 字节数</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>calibration</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>capacity gb</source>
        <translation>容量 GB</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>checkpoint interval</source>
        <translation>检查点间隔</translation>
    </message>
    <message>
        <source>checkpoint interval s</source>
        <translation>检查点间隔 s</translation>
    </message>
    <message>
        <source>checkpoint s</source>
        <translation>检查点 s</translation>
    </message>
    <message>
        <source>classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>compile</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>concurrency</source>
        <translation>并发数</translation>
    </message>
    <message>
        <source>config</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>config file</source>
        <translation>配置文件</translation>
    </message>
    <message>
        <source>constraints</source>
        <translation>约束</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文并行</translation>
    </message>
    <message>
        <source>context exposed</source>
        <translation>等待上下文组</translation>
    </message>
    <message>
        <source>context method</source>
        <translation>上下文方式</translation>
    </message>
    <message>
        <source>coordinates</source>
        <translation>坐标</translation>
    </message>
    <message>
        <source>core area</source>
        <translation>核心面积</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>成本</translation>
    </message>
    <message>
        <source>cost per million output tokens</source>
        <translation>每百万输出 token 成本</translation>
    </message>
    <message>
        <source>count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>curve</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据并行</translation>
    </message>
    <message>
        <source>data exposed</source>
        <translation>等待梯度和参数</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>decode attention</source>
        <translation>解码注意力</translation>
    </message>
    <message>
        <source>decode collectives</source>
        <translation>解码集合通信</translation>
    </message>
    <message>
        <source>decode elementwise</source>
        <translation>解码逐元素</translation>
    </message>
    <message>
        <source>decode host</source>
        <translation>解码主机</translation>
    </message>
    <message>
        <source>decode launch</source>
        <translation>解码启动</translation>
    </message>
    <message>
        <source>decode others</source>
        <translation>解码，他人的工作</translation>
    </message>
    <message>
        <source>decode pipeline</source>
        <translation>解码流水线</translation>
    </message>
    <message>
        <source>decode products</source>
        <translation>解码矩阵乘</translation>
    </message>
    <message>
        <source>decode shared links</source>
        <translation>解码共享链路</translation>
    </message>
    <message>
        <source>decode weights</source>
        <translation>解码权重</translation>
    </message>
    <message>
        <source>defaults</source>
        <translation>默认值</translation>
    </message>
    <message>
        <source>degraded links</source>
        <translation>降速链路</translation>
    </message>
    <message>
        <source>delays</source>
        <translation>延迟项</translation>
    </message>
    <message>
        <source>die mm2</source>
        <translation>裸片面积 mm²</translation>
    </message>
    <message>
        <source>dies</source>
        <translation>裸片数</translation>
    </message>
    <message>
        <source>disaggregation</source>
        <translation>预填充、解码分离</translation>
    </message>
    <message>
        <source>document length</source>
        <translation>文档长度</translation>
    </message>
    <message>
        <source>domain</source>
        <translation>域</translation>
    </message>
    <message>
        <source>domain size</source>
        <translation>域大小</translation>
    </message>
    <message>
        <source>down</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>dram</source>
        <translation>DRAM</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>e2e s</source>
        <translation>E2E s</translation>
    </message>
    <message>
        <source>economics</source>
        <translation>经济性</translation>
    </message>
    <message>
        <source>elementwise</source>
        <translation>逐元素</translation>
    </message>
    <message>
        <source>elementwise traffic</source>
        <translation>逐元素访存量</translation>
    </message>
    <message>
        <source>enable chunked prefill</source>
        <translation>启用分块预填充</translation>
    </message>
    <message>
        <source>enable prefix caching</source>
        <translation>启用前缀缓存</translation>
    </message>
    <message>
        <source>enabled fraction</source>
        <translation>启用比例</translation>
    </message>
    <message>
        <source>energy j per output token</source>
        <translation>每输出 token 能耗 J</translation>
    </message>
    <message>
        <source>energy kwh</source>
        <translation>能耗 kWh</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>errors</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>execution</source>
        <translation>执行</translation>
    </message>
    <message>
        <source>expert</source>
        <translation>专家并行</translation>
    </message>
    <message>
        <source>expert exposed</source>
        <translation>等待专家组</translation>
    </message>
    <message>
        <source>expert load</source>
        <translation>专家负载</translation>
    </message>
    <message>
        <source>expert slots</source>
        <translation>专家槽位</translation>
    </message>
    <message>
        <source>expert tensor</source>
        <translation>专家张量并行</translation>
    </message>
    <message>
        <source>exponent</source>
        <translation>指数</translation>
    </message>
    <message>
        <source>factor</source>
        <translation>系数</translation>
    </message>
    <message>
        <source>failures</source>
        <translation>故障次数</translation>
    </message>
    <message>
        <source>figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>首 token</translation>
    </message>
    <message>
        <source>fits probability</source>
        <translation>放得下的概率</translation>
    </message>
    <message>
        <source>fitted to</source>
        <translation>拟合所用</translation>
    </message>
    <message>
        <source>fleet</source>
        <translation>副本群</translation>
    </message>
    <message>
        <source>fleet full</source>
        <translation>副本群已满</translation>
    </message>
    <message>
        <source>flops per core clock</source>
        <translation>每核心每周期 FLOP 数</translation>
    </message>
    <message>
        <source>form</source>
        <translation>形式</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>fp8 recipe</source>
        <translation>FP8 缩放</translation>
    </message>
    <message>
        <source>framework</source>
        <translation>框架</translation>
    </message>
    <message>
        <source>framework version</source>
        <translation>框架版本</translation>
    </message>
    <message>
        <source>from</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>from memory</source>
        <translation>来自内存</translation>
    </message>
    <message>
        <source>front end</source>
        <translation>前端</translation>
    </message>
    <message>
        <source>fused experts</source>
        <translation>融合专家</translation>
    </message>
    <message>
        <source>gb per s bidirectional</source>
        <translation>双向 GB/s</translation>
    </message>
    <message>
        <source>gb per s per direction</source>
        <translation>单向 GB/s</translation>
    </message>
    <message>
        <source>gemm block fp8 rate of peak</source>
        <translation>GEMM 块 FP8 速率占峰值</translation>
    </message>
    <message>
        <source>gemm fp4 rate of peak</source>
        <translation>GEMM FP4 速率占峰值</translation>
    </message>
    <message>
        <source>gemm fp8 rate of peak</source>
        <translation>GEMM FP8 速率占峰值</translation>
    </message>
    <message>
        <source>generation</source>
        <translation>代次</translation>
    </message>
    <message>
        <source>global batch size</source>
        <translation>全局批次大小</translation>
    </message>
    <message>
        <source>goodput requests/s</source>
        <translation>有效吞吐，请求/s</translation>
    </message>
    <message>
        <source>gpu memory utilization</source>
        <translation>GPU 显存利用率</translation>
    </message>
    <message>
        <source>gradient precision</source>
        <translation>梯度精度</translation>
    </message>
    <message>
        <source>gradient reduce precision</source>
        <translation>梯度规约精度</translation>
    </message>
    <message>
        <source>graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>graph file</source>
        <translation>计算图文件</translation>
    </message>
    <message>
        <source>group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>hash block size</source>
        <translation>哈希块大小</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>host link</source>
        <translation>主机链路</translation>
    </message>
    <message>
        <source>hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>hybrid</source>
        <translation>混合回放</translation>
    </message>
    <message>
        <source>images</source>
        <translation>图像</translation>
    </message>
    <message>
        <source>in layers</source>
        <translation>层内</translation>
    </message>
    <message>
        <source>inline ecc</source>
        <translation>行内 ECC</translation>
    </message>
    <message>
        <source>input tokens</source>
        <translation>输入 token</translation>
    </message>
    <message>
        <source>instances</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>interference</source>
        <translation>相互干扰</translation>
    </message>
    <message>
        <source>interval</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>interval s</source>
        <translation>间隔 s</translation>
    </message>
    <message>
        <source>iteration time</source>
        <translation>迭代时间</translation>
    </message>
    <message>
        <source>jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>kv cache dtype</source>
        <translation>KV 缓存精度</translation>
    </message>
    <message>
        <source>kv cache free gpu memory fraction</source>
        <translation>KV 缓存占空闲显存比例</translation>
    </message>
    <message>
        <source>kv cache precision</source>
        <translation>KV 缓存精度</translation>
    </message>
    <message>
        <source>KV cache utilisation</source>
        <translation>KV 缓存利用率</translation>
    </message>
    <message>
        <source>kv tiers</source>
        <translation>KV 缓存层级</translation>
    </message>
    <message>
        <source>KV transfer</source>
        <translation>KV 传输</translation>
    </message>
    <message>
        <source>l2 gb per s</source>
        <translation>L2 GB/s</translation>
    </message>
    <message>
        <source>l2 mb</source>
        <translation>L2 MB</translation>
    </message>
    <message>
        <source>label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>like</source>
        <translation>仿照</translation>
    </message>
    <message>
        <source>line</source>
        <translation>系列</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>lora targets</source>
        <translation>LoRA 目标</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>max model len</source>
        <translation>最大模型长度</translation>
    </message>
    <message>
        <source>max num batched tokens</source>
        <translation>单步最大 token 数</translation>
    </message>
    <message>
        <source>max num seqs</source>
        <translation>单步最大请求数</translation>
    </message>
    <message>
        <source>max per replica</source>
        <translation>每副本上限</translation>
    </message>
    <message>
        <source>max waiting</source>
        <translation>最多等待</translation>
    </message>
    <message>
        <source>maximize</source>
        <translation>最大化</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>mean replicas</source>
        <translation>平均副本数</translation>
    </message>
    <message>
        <source>measures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>memory bytes range</source>
        <translation>显存字节范围</translation>
    </message>
    <message>
        <source>memory bytes source</source>
        <translation>显存字节来源</translation>
    </message>
    <message>
        <source>memory gb</source>
        <translation>显存 GB</translation>
    </message>
    <message>
        <source>memory rate of peak</source>
        <translation>显存速率占峰值</translation>
    </message>
    <message>
        <source>method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>MFU causal</source>
        <translation>MFU（因果）</translation>
    </message>
    <message>
        <source>micro batch size</source>
        <translation>微批次大小</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>minimize</source>
        <translation>最小化</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>model tflops per accelerator</source>
        <translation>每卡模型 TFLOP/s</translation>
    </message>
    <message>
        <source>most replicas</source>
        <translation>最多副本数</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>转移</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>node nm</source>
        <translation>工艺 nm</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>notes</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>objective</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>offload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>optimizer precision</source>
        <translation>优化器精度</translation>
    </message>
    <message>
        <source>order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>output tokens</source>
        <translation>输出 token</translation>
    </message>
    <message>
        <source>output tokens/s</source>
        <translation>输出 token/s</translation>
    </message>
    <message>
        <source>output tokens/s per accelerator</source>
        <translation>每卡输出 token/s</translation>
    </message>
    <message>
        <source>output tokens/s per user</source>
        <translation>每用户输出 token/s</translation>
    </message>
    <message>
        <source>overhead</source>
        <translation>开销</translation>
    </message>
    <message>
        <source>overlap</source>
        <translation>重叠</translation>
    </message>
    <message>
        <source>oversubscription</source>
        <translation>收敛比</translation>
    </message>
    <message>
        <source>parallelism</source>
        <translation>并行</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>pareto</source>
        <translation>帕累托前沿</translation>
    </message>
    <message>
        <source>parts</source>
        <translation>各部分</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>图 Pass</translation>
    </message>
    <message>
        <source>pcie bandwidth</source>
        <translation>PCIe 带宽</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>period</source>
        <translation>周期</translation>
    </message>
    <message>
        <source>period s</source>
        <translation>周期 s</translation>
    </message>
    <message>
        <source>pin gbps</source>
        <translation>引脚 Gb/s</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>流水线并行</translation>
    </message>
    <message>
        <source>pipeline exposed</source>
        <translation>等待其他流水级</translation>
    </message>
    <message>
        <source>pipeline layout</source>
        <translation>流水线布局</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>preempted</source>
        <translation>被抢占</translation>
    </message>
    <message>
        <source>preemptions</source>
        <translation>抢占次数</translation>
    </message>
    <message>
        <source>prefetch</source>
        <translation>预取</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>prefill attention</source>
        <translation>预填充注意力</translation>
    </message>
    <message>
        <source>prefill collectives</source>
        <translation>预填充集合通信</translation>
    </message>
    <message>
        <source>prefill elementwise</source>
        <translation>预填充逐元素</translation>
    </message>
    <message>
        <source>prefill host</source>
        <translation>预填充主机</translation>
    </message>
    <message>
        <source>prefill launch</source>
        <translation>预填充启动</translation>
    </message>
    <message>
        <source>prefill others</source>
        <translation>预填充，他人的工作</translation>
    </message>
    <message>
        <source>prefill pipeline</source>
        <translation>预填充流水线</translation>
    </message>
    <message>
        <source>prefill products</source>
        <translation>预填充矩阵乘</translation>
    </message>
    <message>
        <source>prefill shared links</source>
        <translation>预填充共享链路</translation>
    </message>
    <message>
        <source>prefill weights</source>
        <translation>预填充权重</translation>
    </message>
    <message>
        <source>prefix hit rate</source>
        <translation>前缀命中率</translation>
    </message>
    <message>
        <source>preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>price per accelerator hour</source>
        <translation>每卡时价格</translation>
    </message>
    <message>
        <source>process node</source>
        <translation>工艺节点</translation>
    </message>
    <message>
        <source>profile</source>
        <translation>软件配置</translation>
    </message>
    <message>
        <source>protocol</source>
        <translation>协议</translation>
    </message>
    <message>
        <source>prune</source>
        <translation>剪枝</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>queue cache</source>
        <translation>排队，等待缓存</translation>
    </message>
    <message>
        <source>queue sequences</source>
        <translation>排队，等待名额</translation>
    </message>
    <message>
        <source>queue step</source>
        <translation>排队，等待当前步</translation>
    </message>
    <message>
        <source>queue tokens</source>
        <translation>排队，等待单步空间</translation>
    </message>
    <message>
        <source>ramp</source>
        <translation>起步</translation>
    </message>
    <message>
        <source>ramp s</source>
        <translation>起步 s</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>rate per s</source>
        <translation>每秒速率</translation>
    </message>
    <message>
        <source>rate/s</source>
        <translation>速率/s</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>reduce scatter</source>
        <translation>reduce-scatter</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>拒收</translation>
    </message>
    <message>
        <source>register file kb per sm</source>
        <translation>每 SM 寄存器堆 KB</translation>
    </message>
    <message>
        <source>rejected</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>release year</source>
        <translation>发布年份</translation>
    </message>
    <message>
        <source>releases</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>reliability</source>
        <translation>可靠性</translation>
    </message>
    <message>
        <source>repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>repair s</source>
        <translation>修复 s</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>replica hours</source>
        <translation>副本小时</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>request latency</source>
        <translation>请求延迟</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>reserved peak</source>
        <translation>保留峰值</translation>
    </message>
    <message>
        <source>restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>restart s</source>
        <translation>重启 s</translation>
    </message>
    <message>
        <source>router</source>
        <translation>路由器</translation>
    </message>
    <message>
        <source>routing</source>
        <translation>路由</translation>
    </message>
    <message>
        <source>scale kernels</source>
        <translation>缩放 kernel</translation>
    </message>
    <message>
        <source>scale out</source>
        <translation>Scale-out</translation>
    </message>
    <message>
        <source>scale up</source>
        <translation>Scale-up</translation>
    </message>
    <message>
        <source>scale up domain size</source>
        <translation>Scale-up 域大小</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>scheduler policy</source>
        <translation>调度策略</translation>
    </message>
    <message>
        <source>scheduler recv interval</source>
        <translation>查看请求间隔</translation>
    </message>
    <message>
        <source>scheduling policy</source>
        <translation>排队策略</translation>
    </message>
    <message>
        <source>search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>sequence</source>
        <translation>序列并行</translation>
    </message>
    <message>
        <source>sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>名额</translation>
    </message>
    <message>
        <source>sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>set</source>
        <translation>集合</translation>
    </message>
    <message>
        <source>shard group</source>
        <translation>分片组</translation>
    </message>
    <message>
        <source>shared mem kb per sm</source>
        <translation>每 SM 共享内存 KB</translation>
    </message>
    <message>
        <source>shared prefix tokens</source>
        <translation>公共前缀 token</translation>
    </message>
    <message>
        <source>sigma</source>
        <translation>σ</translation>
    </message>
    <message>
        <source>slow share</source>
        <translation>慢主机占比</translation>
    </message>
    <message>
        <source>slowdown</source>
        <translation>变慢倍数</translation>
    </message>
    <message>
        <source>slowest host</source>
        <translation>最慢的主机</translation>
    </message>
    <message>
        <source>sm or cu count</source>
        <translation>SM 或 CU 数</translation>
    </message>
    <message>
        <source>source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>source url</source>
        <translation>来源网址</translation>
    </message>
    <message>
        <source>spares</source>
        <translation>备用</translation>
    </message>
    <message>
        <source>speculative</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>sram mb</source>
        <translation>SRAM MB</translation>
    </message>
    <message>
        <source>stacks</source>
        <translation>堆叠</translation>
    </message>
    <message>
        <source>start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>start s</source>
        <translation>开始 s</translation>
    </message>
    <message>
        <source>started</source>
        <translation>启动数</translation>
    </message>
    <message>
        <source>std</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>step</source>
        <translation>当前步</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>停止数</translation>
    </message>
    <message>
        <source>stops</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>stored activations</source>
        <translation>保存的激活</translation>
    </message>
    <message>
        <source>stragglers</source>
        <translation>慢节点</translation>
    </message>
    <message>
        <source>stream interval</source>
        <translation>送出间隔</translation>
    </message>
    <message>
        <source>sustained fp4 share of burst</source>
        <translation>持续 FP4 占突发比例</translation>
    </message>
    <message>
        <source>target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>tdp</source>
        <translation>TDP</translation>
    </message>
    <message>
        <source>technology</source>
        <translation>技术</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量并行</translation>
    </message>
    <message>
        <source>tensor exposed</source>
        <translation>等待张量组</translation>
    </message>
    <message>
        <source>thread block cluster</source>
        <translation>线程块簇</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>time breakdown</source>
        <translation>时间分解</translation>
    </message>
    <message>
        <source>timeout</source>
        <translation>超时</translation>
    </message>
    <message>
        <source>timeout s</source>
        <translation>超时 s</translation>
    </message>
    <message>
        <source>timing</source>
        <translation>计时</translation>
    </message>
    <message>
        <source>to</source>
        <translation>终点</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>tokens total</source>
        <translation>总 token 数</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>tokens/s per accelerator</source>
        <translation>每卡 token/s</translation>
    </message>
    <message>
        <source>tool wait s</source>
        <translation>工具等待 s</translation>
    </message>
    <message>
        <source>topology</source>
        <translation>拓扑</translation>
    </message>
    <message>
        <source>total tokens/s</source>
        <translation>总 token/s</translation>
    </message>
    <message>
        <source>toy</source>
        <translation>玩具模型</translation>
    </message>
    <message>
        <source>TPOT breakdown</source>
        <translation>TPOT 分解</translation>
    </message>
    <message>
        <source>tpot s</source>
        <translation>TPOT s</translation>
    </message>
    <message>
        <source>traffic</source>
        <translation>流量</translation>
    </message>
    <message>
        <source>transfers</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>TTFT breakdown</source>
        <translation>TTFT 分解</translation>
    </message>
    <message>
        <source>ttft s</source>
        <translation>TTFT s</translation>
    </message>
    <message>
        <source>turn input tokens</source>
        <translation>每轮输入 token</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>typical nic gbps per accelerator</source>
        <translation>每卡典型网卡 Gb/s</translation>
    </message>
    <message>
        <source>use</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>variants</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>vector</source>
        <translation>向量</translation>
    </message>
    <message>
        <source>vendor</source>
        <translation>厂商</translation>
    </message>
    <message>
        <source>view</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>virtual pipeline</source>
        <translation>虚拟流水线</translation>
    </message>
    <message>
        <source>vram</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>waited too long</source>
        <translation>等待太久</translation>
    </message>
    <message>
        <source>weight precision</source>
        <translation>权重精度</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>without</source>
        <translation>无抖动</translation>
    </message>
    <message>
        <source>workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>year</source>
        <translation>年份</translation>
    </message>
    <message>
        <source>inference</source>
        <translation>推理</translation>
    </message>
    <message>
        <source>serving</source>
        <translation>在线服务</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>days</source>
        <translation>天数</translation>
    </message>
    <message>
        <source>distribution</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>kv transfer</source>
        <translation>KV 传输</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>zipf</source>
        <translation>Zipf</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>answers per</source>
        <translation>每秒回答</translation>
    </message>
    <message>
        <source>colocated</source>
        <translation>同卡</translation>
    </message>
    <message>
        <source>cost per billion tokens</source>
        <translation>每十亿 token 成本</translation>
    </message>
    <message>
        <source>encode</source>
        <translation>编码</translation>
    </message>
    <message>
        <source>experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>gather</source>
        <translation>收集</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>offload training</source>
        <translation>暂存训练器</translation>
    </message>
    <message>
        <source>output token breakdown</source>
        <translation>输出 token 时间分解</translation>
    </message>
    <message>
        <source>per output token</source>
        <translation>每输出 token</translation>
    </message>
    <message>
        <source>prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>reward</source>
        <translation>奖励</translation>
    </message>
    <message>
        <source>rollout</source>
        <translation>rollout</translation>
    </message>
    <message>
        <source>rollout asleep</source>
        <translation>休眠的 rollout</translation>
    </message>
    <message>
        <source>seconds per output token</source>
        <translation>每输出 token 秒数</translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation>共享显存</translation>
    </message>
    <message>
        <source>staleness</source>
        <translation>滞后步数</translation>
    </message>
    <message>
        <source>sync</source>
        <translation>同步</translation>
    </message>
    <message>
        <source>training iterations</source>
        <translation>训练迭代数</translation>
    </message>
    <message>
        <source>training kept</source>
        <translation>训练器保留</translation>
    </message>
    <message>
        <source>training parked</source>
        <translation>暂存的训练状态</translation>
    </message>
</context>
<context>
    <name>LanguageNames</name>
    <message>
        <source>&amp;Follow the system</source>
        <translation>跟随系统(&amp;F)</translation>
    </message>
</context>
<context>
    <name>LessonText</name>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>You said %1 first, then %2.</source>
        <translation>您先说 %1，后说 %2。</translation>
    </message>
    <message>
        <source>You said %1 first, then %2; it is %3.</source>
        <translation>您先说 %1，后说 %2；答案是 %3。</translation>
    </message>
    <message>
        <source>You said %1.</source>
        <translation>您说 %1。</translation>
    </message>
    <message>
        <source>You said %1; it is %2.</source>
        <translation>您说 %1；答案是 %2。</translation>
    </message>
</context>
<context>
    <name>LinkText</name>
    <message>
        <source>%1 · scale-up</source>
        <translation>%1 · Scale-up</translation>
    </message>
    <message>
        <source>%1 · PCIe</source>
        <translation>%1 · PCIe</translation>
    </message>
    <message>
        <source>into the accelerators</source>
        <translation>进入加速卡</translation>
    </message>
    <message>
        <source>out of the accelerators</source>
        <translation>离开加速卡</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>另有 %1 项</translation>
    </message>
</context>
<context>
    <name>Load</name>
    <message>
        <source>requests wait for blocks of a full KV cache</source>
        <translation>KV 缓存已满，请求在等待空闲块</translation>
    </message>
    <message>
        <source>requests wait for a place in the batch (max_num_seqs)</source>
        <translation>请求在等待批次中的名额（max_num_seqs）</translation>
    </message>
    <message>
        <source>prompts wait for room in a step (max_num_batched_tokens)</source>
        <translation>提示词在等待单步中的空间（max_num_batched_tokens）</translation>
    </message>
    <message>
        <source>requests wait for the step under way</source>
        <translation>请求在等待当前步结束</translation>
    </message>
    <message>
        <source>p99 of %1 is %2, the SLO %3</source>
        <translation>%1 的 p99 为 %2，SLO 为 %3</translation>
    </message>
    <message>
        <source>%1 requests/s</source>
        <translation>%1 请求/s</translation>
    </message>
    <message>
        <source>1 user</source>
        <translation>1 个用户</translation>
    </message>
    <message>
        <source>%1 users</source>
        <translation>%1 个用户</translation>
    </message>
    <message>
        <source>No knee up to %1</source>
        <translation>直到 %1 没有拐点</translation>
    </message>
    <message>
        <source>Too much already at %1</source>
        <translation>在 %1 时已经过载</translation>
    </message>
    <message>
        <source>Knee at %1</source>
        <translation>拐点在 %1</translation>
    </message>
    <message>
        <source>the KV cache is full, %1 preemptions</source>
        <translation>KV 缓存已满，抢占 %1 次</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>the steps of the prompts take most of it</source>
        <translation>处理提示词的步占去大部分时间</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>more requests share each step</source>
        <translation>更多请求分摊每一步</translation>
    </message>
    <message>
        <source>whole requests</source>
        <translation>完整请求</translation>
    </message>
    <message>
        <source>the KV cache is full, half of the requests wait for blocks and none runs faster</source>
        <translation>KV 缓存已满，一半请求在等待空闲块，没有请求变快</translation>
    </message>
    <message>
        <source>half of the requests wait longer than they are worked on</source>
        <translation>一半请求的等待时间超过处理时间</translation>
    </message>
    <message>
        <source>%1, at most %2</source>
        <translation>%1，至多 %2</translation>
    </message>
    <message>
        <source>p50 %1, p99 %2</source>
        <translation>p50 %1，p99 %2</translation>
    </message>
    <message>
        <source>%1 output tokens/s per accelerator</source>
        <translation>每卡输出 %1 token/s</translation>
    </message>
    <message>
        <source>TTFT %1</source>
        <translation>TTFT %1</translation>
    </message>
    <message>
        <source>TPOT %1</source>
        <translation>TPOT %1</translation>
    </message>
    <message>
        <source>KV cache %1</source>
        <translation>KV 缓存 %1</translation>
    </message>
    <message>
        <source>%1 requests/s within the SLO</source>
        <translation>满足 SLO 的 %1 请求/s</translation>
    </message>
    <message>
        <source>%1 preemptions</source>
        <translation>抢占 %1 次</translation>
    </message>
</context>
<context>
    <name>MemoryKindText</name>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>temporary</source>
        <translation>临时</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>fragmentation</source>
        <translation>碎片</translation>
    </message>
    <message>
        <source>framework</source>
        <translation>框架</translation>
    </message>
    <message>
        <source>Parameters in the precision the matrix products read.</source>
        <translation>参数，采用矩阵乘读取时的精度。</translation>
    </message>
    <message>
        <source>Gradients that the optimizer will read.</source>
        <translation>优化器将要读取的梯度。</translation>
    </message>
    <message>
        <source>Master weights and moments that the optimizer keeps.</source>
        <translation>优化器保存的主权重和动量。</translation>
    </message>
    <message>
        <source>What forward saved for backward, of every micro-batch in flight.</source>
        <translation>前向为反向保存的内容，含所有在途微批次。</translation>
    </message>
    <message>
        <source>Keys and values of the tokens so far.</source>
        <translation>到目前为止所有 token 的键和值。</translation>
    </message>
    <message>
        <source>In use only inside the operator or layer that runs.</source>
        <translation>仅在正在运行的算子或层内部使用。</translation>
    </message>
    <message>
        <source>Buffers that the communicators of every process group hold.</source>
        <translation>各进程组的通信器持有的缓冲区。</translation>
    </message>
    <message>
        <source>Reserved by the allocator beside what is in use.</source>
        <translation>分配器在实际使用之外保留的显存。</translation>
    </message>
    <message>
        <source>Device context, libraries and workspaces.</source>
        <translation>设备上下文、库和工作区。</translation>
    </message>
</context>
<context>
    <name>Notes</name>
    <message>
        <source>embedding</source>
        <translation>嵌入层</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>next-token module</source>
        <translation>下一 token 预测模块</translation>
    </message>
    <message>
        <source>head</source>
        <translation>输出头</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>迭代</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>另有 %1 项</translation>
    </message>
    <message>
        <source>sent: %1</source>
        <translation>发送：%1</translation>
    </message>
    <message>
        <source>kept for backward: %1</source>
        <translation>为反向保留：%1</translation>
    </message>
    <message>
        <source>%1 (× %2)</source>
        <translation>%1（× %2）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Without it: %1</source>
        <translation>若没有它：%1</translation>
    </message>
    <message>
        <source>It does nothing here: %1</source>
        <translation>它在这里不起作用：%1</translation>
    </message>
    <message>
        <source>Kinds of operators added (+), removed (−) and changed (~):</source>
        <translation>增加 (+)、移除 (−) 和改变 (~) 的算子种类：</translation>
    </message>
</context>
<context>
    <name>OperatorText</name>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>访存</translation>
    </message>
    <message>
        <source>network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>given</source>
        <translation>给定</translation>
    </message>
    <message>
        <source>derived</source>
        <translation>推导</translation>
    </message>
</context>
<context>
    <name>PlatformChange</name>
    <message>
        <source>accelerators per host</source>
        <translation>每台主机的加速卡数</translation>
    </message>
    <message>
        <source>scale-up bandwidth</source>
        <translation>Scale-up 带宽</translation>
    </message>
    <message>
        <source>scale-up latency</source>
        <translation>Scale-up 延迟</translation>
    </message>
    <message>
        <source>scale-up domain</source>
        <translation>Scale-up 域</translation>
    </message>
    <message>
        <source>network speed</source>
        <translation>网络速度</translation>
    </message>
    <message>
        <source>scale-out latency</source>
        <translation>Scale-out 延迟</translation>
    </message>
    <message>
        <source>1 cable</source>
        <translation>1 根线缆</translation>
    </message>
    <message>
        <source>%1 cables</source>
        <translation>%1 根线缆</translation>
    </message>
</context>
<context>
    <name>PlotText</name>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 项</translation>
    </message>
    <message>
        <source>%1: %2 bars</source>
        <translation>%1：%2 个条形</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 from %2 to %3</source>
        <translation>%1，从 %2 到 %3</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1，随 %2</translation>
    </message>
    <message>
        <source>%1. %2: %3.</source>
        <translation>%1。%2：%3。</translation>
    </message>
</context>
<context>
    <name>PropertyField</name>
    <message>
        <source>A whole number from %1 to %2.</source>
        <translation>%1 到 %2 的整数。</translation>
    </message>
    <message>
        <source>A number from %1 to %2.</source>
        <translation>%1 到 %2 的数。</translation>
    </message>
    <message>
        <source>A number above 0, up to %1.</source>
        <translation>大于 0、不超过 %1 的数。</translation>
    </message>
</context>
<context>
    <name>RecordPanel</name>
    <message>
        <source>Collective %1 never ends: %2 ranks wait for rank %3.</source>
        <translation>集合通信 %1 永远不会结束：%2 个 rank 在等待 rank %3。</translation>
    </message>
    <message>
        <source>%1 more ranks wait for these.</source>
        <translation>还有 %1 个 rank 在等待它们。</translation>
    </message>
    <message>
        <source>Rank %1 goes beyond the memory at its event %2, with %3%4.</source>
        <translation>rank %1 在第 %2 个事件处超出显存，%3%4。</translation>
    </message>
    <message>
        <source> in %1</source>
        <comment>operator</comment>
        <translation> 位于 %1</translation>
    </message>
    <message>
        <source>Left out, because it reaches no recorded rank: %1 tasks, %2 ranks whole.</source>
        <translation>已略去，因为没有触及任何采集到的 rank：%1 个任务，%2 个完整的 rank。</translation>
    </message>
    <message>
        <source>hybrid replay from recorded traces: %1 of %2 ranks recorded</source>
        <translation>基于采集 trace 的混合回放：%2 个 rank 中采集了 %1 个</translation>
    </message>
    <message>
        <source>%1 an iteration</source>
        <translation>每次迭代 %1</translation>
    </message>
    <message>
        <source>one file</source>
        <translation>1 个文件</translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation>%1 个文件</translation>
    </message>
    <message>
        <source>%1 of %2 ranks</source>
        <translation>%2 个 rank 中的 %1 个</translation>
    </message>
    <message>
        <source>one rank</source>
        <translation>1 个 rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 recorded</source>
        <translation>采集 %1</translation>
    </message>
    <message>
        <source>%1 replayed</source>
        <translation>回放 %1</translation>
    </message>
    <message>
        <source>between collectives %1</source>
        <translation>集合通信之间 %1</translation>
    </message>
    <message>
        <source>waiting for other ranks %1</source>
        <translation>等待其他 rank %1</translation>
    </message>
    <message>
        <source>collectives under way %1</source>
        <translation>集合通信进行中 %1</translation>
    </message>
    <message>
        <source>kernels %1</source>
        <translation>kernel %1</translation>
    </message>
    <message>
        <source>kernels beside communication %1</source>
        <translation>与通信并行的 kernel %1</translation>
    </message>
    <message>
        <source>communication alone %1</source>
        <translation>仅通信 %1</translation>
    </message>
    <message>
        <source>copies alone %1</source>
        <translation>仅拷贝 %1</translation>
    </message>
    <message>
        <source>devices idle %1</source>
        <translation>设备空闲 %1</translation>
    </message>
    <message>
        <source>The iteration was run over the scenario&apos;s plan: what each rank waited and sent is in “Ranks”.</source>
        <translation>该迭代按场景的并行方案运行：各 rank 的等待与发送见“Rank”。</translation>
    </message>
    <message>
        <source>%1 of %2 ranks are drawn; “Ranks” lists all.</source>
        <translation>共 %2 个 rank，画出 %1 个；“Rank”中列出全部。</translation>
    </message>
    <message>
        <source>Extrapolated: the records are of a job of another size.</source>
        <translation>外推：采集记录来自另一规模的作业。</translation>
    </message>
    <message>
        <source>What counts as communication is told by the scenario&apos;s own rules (hybrid.communication).</source>
        <translation>哪些算通信由场景自己的规则（hybrid.communication）决定。</translation>
    </message>
    <message>
        <source>A memory snapshot: it has no kernels, only what was allocated when.</source>
        <translation>显存快照：其中没有 kernel，只有何时分配了什么。</translation>
    </message>
    <message>
        <source>No work of a device was recorded, only calls of the host: there is nothing to say of streams, communication and waiting.</source>
        <translation>没有采集到设备上的工作，只有主机调用：关于流、通信和等待无从说起。</translation>
    </message>
    <message>
        <source>Only a list of kernels: no call of the host was recorded, so that launches, threads and why a device is idle can&apos;t be shown.</source>
        <translation>只有一份 kernel 列表：没有采集到主机调用，因此无法显示启动、线程以及设备空闲的原因。</translation>
    </message>
    <message>
        <source>No call of the runtime was recorded, so that launches can&apos;t be shown.</source>
        <translation>没有采集到运行时调用，因此无法显示启动。</translation>
    </message>
    <message>
        <source>No operator of the framework was recorded.</source>
        <translation>没有采集到框架的算子。</translation>
    </message>
    <message>
        <source>What counts as communication is told by rules of your own (Records ▸ What counts as communication).</source>
        <translation>哪些算通信由您自己的规则决定（采集记录 ▸ 哪些算通信）。</translation>
    </message>
    <message>
        <source>No memory was recorded.</source>
        <translation>没有采集到显存。</translation>
    </message>
    <message>
        <source>The ranks are shown side by side, but not taken together: %1</source>
        <translation>这些 rank 并排显示，但没有合并：%1</translation>
    </message>
    <message>
        <source>The file does not say its rank: double-click it in “Ranks” to say it.</source>
        <translation>文件没有说明它是哪个 rank：在“Rank”中双击它来指定。</translation>
    </message>
    <message>
        <source>%1 of the files do not say their rank: double-click one in “Ranks” to say it.</source>
        <translation>有 %1 个文件没有说明是哪个 rank：在“Rank”中双击来指定。</translation>
    </message>
    <message>
        <source>%1 calls of the host lie too deep, or on too many threads, to be drawn.</source>
        <translation>有 %1 个主机调用嵌套太深或线程太多，无法画出。</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>Stream or thread</source>
        <translation>流或线程</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>kernel</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Both at once</source>
        <translation>两者同时</translation>
    </message>
    <message>
        <source>Communication alone</source>
        <translation>仅通信</translation>
    </message>
    <message>
        <source>Copies alone</source>
        <translation>仅拷贝</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Idle share</source>
        <translation>空闲占比</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>采集</translation>
    </message>
    <message>
        <source>in the likeness of rank %1</source>
        <translation>仿照 rank %1</translation>
    </message>
    <message>
        <source>simulated, after the records of its class</source>
        <translation>仿真，依照同类的采集记录</translation>
    </message>
    <message>
        <source>in the likeness of %1</source>
        <translation>仿照 %1</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Transit</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Peak reserved</source>
        <translation>保留峰值</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Clock ahead</source>
        <translation>时钟超前</translation>
    </message>
    <message>
        <source>Peak allocated</source>
        <translation>分配峰值</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>未说明</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 个 rank</translation>
    </message>
    <message>
        <source>Class of operators</source>
        <translation>算子类别</translation>
    </message>
    <message>
        <source>Recorded</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>仿真</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>Kernels recorded</source>
        <translation>实测 kernel</translation>
    </message>
    <message>
        <source>Kernels simulated</source>
        <translation>仿真 kernel</translation>
    </message>
    <message>
        <source>Stage %1: %2 recorded, %3 simulated (%4%5)</source>
        <translation>流水级 %1：实测 %2，仿真 %3（%4%5）</translation>
    </message>
    <message>
        <source>Another job: %1 Nothing of it calibrates this scenario.</source>
        <translation>另一个作业：%1 其中没有可用于校准本场景的内容。</translation>
    </message>
    <message>
        <source>the record holds %1 steps, its times are of one</source>
        <translation>采集记录含 %1 步，时间按一步计</translation>
    </message>
    <message>
        <source>On the path</source>
        <translation>在路径上</translation>
    </message>
    <message>
        <source>calls of the host</source>
        <translation>主机调用</translation>
    </message>
    <message>
        <source>between the steps: launch and start</source>
        <translation>步与步之间：启动和准备</translation>
    </message>
    <message>
        <source>nothing recorded</source>
        <translation>没有采集</translation>
    </message>
    <message>
        <source>%1, over %2</source>
        <comment>length of the critical path, ranks</comment>
        <translation>%1，经过 %2</translation>
    </message>
</context>
<context>
    <name>Render</name>
    <message>
        <source>“%1” is no size; write for example 1200x700 (200x150 to 20000x20000).</source>
        <translation>“%1”不是尺寸；请写成例如 1200x700（200x150 到 20000x20000）。</translation>
    </message>
    <message>
        <source>“%1” is no %2; write for example 3.5in, 89mm, 252pt or 1200px (0.5in to 200in).</source>
        <translation>“%1”不是%2；请写成例如 3.5in、89mm、252pt 或 1200px（0.5in 到 200in）。</translation>
    </message>
    <message>
        <source>“%1” is no size of letters; write points from 4 to 72, for example 7.5.</source>
        <translation>“%1”不是字号；请写 4 到 72 磅，例如 7.5。</translation>
    </message>
    <message>
        <source>“%1” is no resolution; write dots per inch from 36 to 2400, for example 300.</source>
        <translation>“%1”不是分辨率；请写每英寸 36 到 2400 点，例如 300。</translation>
    </message>
    <message>
        <source>Name the one document that orrery-cli %1 printed with --json%2.</source>
        <translation>请给出 orrery-cli %1 加 --json 打印的那一个文档%2。</translation>
    </message>
    <message>
        <source>, or two scenarios</source>
        <translation>，或两个场景</translation>
    </message>
    <message>
        <source>%1 is no document that --%2 draws. Give what orrery-cli %3 printed with --json.</source>
        <translation>%1 不是 --%2 能画的文档。请给出 orrery-cli %3 加 --json 打印的结果。</translation>
    </message>
    <message>
        <source>The timeline of one iteration, a batch or served requests.</source>
        <translation>一次迭代、一个批次或在线请求的时间线。</translation>
    </message>
    <message>
        <source>Memory by stage, at its peak.</source>
        <translation>各流水级的显存峰值。</translation>
    </message>
    <message>
        <source>Memory of the fullest stage, or of an engine&apos;s instance, over time.</source>
        <translation>最满的流水级或引擎实例的显存随时间的变化。</translation>
    </message>
    <message>
        <source>What holds the fullest stage&apos;s memory at its peak, down to the tensor.</source>
        <translation>最满的流水级在峰值时显存由什么占用，细到张量。</translation>
    </message>
    <message>
        <source>Every operator under the accelerator&apos;s ceilings.</source>
        <translation>加速卡性能上限下的每个算子。</translation>
    </message>
    <message>
        <source>What jitter costs, by the number of accelerators; the scenario&apos;s jitter is “expected”.</source>
        <translation>抖动的代价随加速卡数的变化；场景的抖动须为“expected”。</translation>
    </message>
    <message>
        <source>Latency of served requests: which share within which time.</source>
        <translation>在线请求的延迟：多长时间内完成多少比例。</translation>
    </message>
    <message>
        <source>Requests that run and wait, and blocks of the cache in use, over time.</source>
        <translation>运行和等待的请求以及占用的缓存块随时间的变化。</translation>
    </message>
    <message>
        <source>The links by load.</source>
        <translation>按负载排列的链路。</translation>
    </message>
    <message>
        <source>The drawn cluster.</source>
        <translation>绘制的集群。</translation>
    </message>
    <message>
        <source>Draws a scenario&apos;s charts as files: .svg, .pdf, .png, .csv, .tex (PGFPlots), .vl.json (Vega-Lite) or .py (matplotlib) by ending.</source>
        <translation>把场景的图表画成文件：按扩展名为 .svg、.pdf、.png、.csv、.tex（PGFPlots）、.vl.json（Vega-Lite）或 .py（matplotlib）。</translation>
    </message>
    <message>
        <source>An .orrery.json file.</source>
        <translation>一个 .orrery.json 文件。</translation>
    </message>
    <message>
        <source>Where a difference comes from: of two scenarios or results, or of what orrery-cli compare --json printed.</source>
        <translation>差异来自哪里：两个场景或结果，或 orrery-cli compare --json 打印的结果。</translation>
    </message>
    <message>
        <source>The plans that no other beats: of what orrery-cli search --json printed.</source>
        <translation>没有其他方案能胜过的方案：orrery-cli search --json 打印的结果。</translation>
    </message>
    <message>
        <source>A figure over a key: of what orrery-cli sweep --json printed.</source>
        <translation>指标随某个键的变化：orrery-cli sweep --json 打印的结果。</translation>
    </message>
    <message>
        <source>What a figure hangs on: of what orrery-cli sensitivity --json printed.</source>
        <translation>指标取决于什么：orrery-cli sensitivity --json 打印的结果。</translation>
    </message>
    <message>
        <source>The figures, charts, assumptions and sources as one document: .pdf, .html or .md by ending.</source>
        <translation>把指标、图表、假定和来源写成一份文档：按扩展名为 .pdf、.html 或 .md。</translation>
    </message>
    <message>
        <source>Every chart that has something to show, into this folder.</source>
        <translation>把所有有内容可显示的图表写入该文件夹。</translation>
    </message>
    <message>
        <source>Kind of the files of --all: svg (default), pdf, png, csv, tex, vl.json or py.</source>
        <translation>--all 所写文件的类型：svg（默认）、pdf、png、csv、tex、vl.json 或 py。</translation>
    </message>
    <message>
        <source>light (default), dark, high-contrast or colour-safe.</source>
        <translation>light（默认）、dark、high-contrast 或 colour-safe。</translation>
    </message>
    <message>
        <source>Width and height in pixels of 1/96 inch (default 1200x700).</source>
        <translation>宽和高，单位为 1/96 英寸的像素（默认 1200x700）。</translation>
    </message>
    <message>
        <source>Width on paper, for example 3.5in, 89mm, 252pt; the height follows unless given.</source>
        <translation>纸上的宽度，例如 3.5in、89mm、252pt；未给出高度时按比例确定。</translation>
    </message>
    <message>
        <source>Height on paper.</source>
        <translation>纸上的高度。</translation>
    </message>
    <message>
        <source>Size of the axes&apos; labels on paper, in points (default 7.8).</source>
        <translation>纸上坐标轴标签的字号，单位磅（默认 7.8）。</translation>
    </message>
    <message>
        <source>Title in place of the chart&apos;s own; an empty one takes the line away.</source>
        <translation>代替图表自身标题的标题；给空标题则去掉这一行。</translation>
    </message>
    <message>
        <source>Dots per inch of a .png (default 192).</source>
        <translation>.png 的每英寸点数（默认 192）。</translation>
    </message>
    <message>
        <source>Name one scenario file. “orrery render --help” says more.</source>
        <translation>请给出一个场景文件。“orrery render --help”有更多说明。</translation>
    </message>
    <message>
        <source>Name at least one chart, for example --gantt gantt.svg.</source>
        <translation>请至少指定一张图表，例如 --gantt gantt.svg。</translation>
    </message>
    <message>
        <source>There is no theme “%1”; use light, dark, high-contrast or colour-safe.</source>
        <translation>没有名为“%1”的主题；请用 light、dark、high-contrast 或 colour-safe。</translation>
    </message>
    <message>
        <source>There is no kind of file “%1”; use svg, pdf, png, csv, tex, vl.json or py.</source>
        <translation>没有“%1”这种文件类型；请用 svg、pdf、png、csv、tex、vl.json 或 py。</translation>
    </message>
    <message>
        <source>“%1” is no folder. Make it first, or name another.</source>
        <translation>“%1”不是文件夹。请先创建，或指定另一个。</translation>
    </message>
    <message>
        <source>--%1 draws another document than the other charts; ask for it by itself.</source>
        <translation>--%1 画的是与其他图表不同的文档；请单独使用它。</translation>
    </message>
    <message>
        <source>The scenario doesn&apos;t fit the memory; the charts show what it would need.</source>
        <translation>该场景放不下显存；图表显示它需要多少。</translation>
    </message>
</context>
<context>
    <name>ReportText</name>
    <message>
        <source>tensor %1</source>
        <translation>张量 %1</translation>
    </message>
    <message>
        <source>pipeline %1</source>
        <translation>流水线 %1</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>上下文 %1</translation>
    </message>
    <message>
        <source>expert %1</source>
        <translation>专家 %1</translation>
    </message>
    <message>
        <source>data %1</source>
        <translation>数据 %1</translation>
    </message>
    <message>
        <source>%1 (%2 parameters) on %3 × %4: %5</source>
        <translation>%1（%2 参数），运行于 %3 × %4：%5</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Beside it</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Fits with: %1 (%2, %3).</source>
        <translation>可以放下的办法：%1（%2，%3）。</translation>
    </message>
    <message>
        <source>Why this long?</source>
        <translation>为什么这么久？</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>To try</source>
        <translation>可以尝试</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>时间花在哪里</translation>
    </message>
    <message>
        <source>The wall clock of the stage whose end closes the iteration; the parts sum to it.</source>
        <translation>结束迭代的那个流水级的墙钟时间；各部分之和即为它。</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>%1 of %2 requests were completed, %3 rejected.</source>
        <translation>%2 个请求完成 %1 个，拒绝 %3 个。</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>to first token</source>
        <translation>到第一个 token</translation>
    </message>
    <message>
        <source>per output token</source>
        <translation>每输出 token</translation>
    </message>
    <message>
        <source>between tokens</source>
        <translation>token 之间</translation>
    </message>
    <message>
        <source>whole request</source>
        <translation>完整请求</translation>
    </message>
    <message>
        <source>waiting for a place</source>
        <translation>等待名额</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>The fullest moment of each stage: %1 at most, of %2.</source>
        <translation>各流水级最满的时刻：最多 %1，共 %2。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>The %1 fullest of %2 stages.</source>
        <translation>%2 个流水级中最满的 %1 个。</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Bound by</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>Its time is</source>
        <translation>时间来源</translation>
    </message>
    <message>
        <source>The %1 longest of %2; means per accelerator, before overlap.</source>
        <translation>%2 个中最长的 %1 个；按每卡平均，未计重叠。</translation>
    </message>
    <message>
        <source>Assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>How sure</source>
        <translation>把握有多大</translation>
    </message>
    <message>
        <source>Measured run</source>
        <translation>实测运行</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>9 of 10 such runs lie between −%1 and +%2: %3</source>
        <translation>每 10 次这样的运行有 9 次落在 −%1 与 +%2 之间：%3</translation>
    </message>
    <message>
        <source>Where the figures come from</source>
        <translation>数字从哪里来</translation>
    </message>
    <message>
        <source>A simulated scenario</source>
        <translation>仿真的场景</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>The scenario</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>Orrery %1 gives the same figures from this file.</source>
        <translation>用 Orrery %1 运行该文件会得到同样的数字。</translation>
    </message>
</context>
<context>
    <name>RlFields</name>
    <message>
        <source>Staleness</source>
        <translation>滞后步数</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Steps by which the weights of an answer may lag behind those that it trains; 0: rollout and training take turns.</source>
        <translation>生成回答的权重最多可落后于所训练权重的步数；0：rollout 与训练轮流进行。</translation>
    </message>
    <message>
        <source>Rewards</source>
        <translation>奖励</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>Time from a step&apos;s last answer until all answers are judged.</source>
        <translation>从一步的最后一个回答到全部回答评分完成的时间。</translation>
    </message>
    <message>
        <source>Park the trainer</source>
        <translation>暂存训练器</translation>
    </message>
    <message>
        <source>On the same accelerators: the trainer&apos;s states lie in host memory while engines answer.</source>
        <translation>在相同的加速卡上：引擎生成回答时，训练器的状态放在主机内存中。</translation>
    </message>
    <message>
        <source>Rollout hosts</source>
        <translation>Rollout 主机</translation>
    </message>
    <message>
        <source>Hosts of the engines, next in file order; where neither half has hosts, both take turns on all.</source>
        <translation>推理引擎的主机，按文件顺序取；若两部分都未指定主机，则两者在全部主机上轮流运行。</translation>
    </message>
    <message>
        <source>Rollout tensor</source>
        <translation>Rollout 张量</translation>
    </message>
    <message>
        <source>Tensor ranks of an engine instance.</source>
        <translation>一个引擎实例的张量 rank 数。</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>a step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>Answers of a step: prompts times answers to each.</source>
        <translation>一步的回答数：提示词数乘以每个提示词的回答数。</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Tokens of each prompt.</source>
        <translation>每个提示词的 token 数。</translation>
    </message>
    <message>
        <source>At a time</source>
        <translation>同时处理</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Most requests of one step in an instance (max_num_seqs).</source>
        <translation>一个实例单步最多处理的请求数（max_num_seqs）。</translation>
    </message>
    <message>
        <source>Memory taken</source>
        <translation>占用显存</translation>
    </message>
    <message>
        <source>share</source>
        <translation>比例</translation>
    </message>
    <message>
        <source>Share of the memory that the engine takes, 0 to 1.</source>
        <translation>引擎占用的显存比例，0 到 1。</translation>
    </message>
    <message>
        <source>Training hosts</source>
        <translation>训练主机</translation>
    </message>
    <message>
        <source>Hosts of the trainer, next in file order.</source>
        <translation>训练器的主机，按文件顺序取。</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Tokens of a trained sequence: prompt and answer, padded or packed.</source>
        <translation>一条训练序列的 token 数：提示词加回答，填充或打包。</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>全局批次</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Answers of one iteration; a step trains on all of its answers.</source>
        <translation>一次迭代使用的回答数；一步会用完它的全部回答。</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Sequences that a rank works on at a time.</source>
        <translation>一个 rank 一次处理的序列数。</translation>
    </message>
</context>
<context>
    <name>ServedFields</name>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>What runs. Another kind brings values of its own; what was there comes back with its kind.</source>
        <translation>运行什么。换一类会带来它自己的数值；换回来时原来的数值也会恢复。</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Iterations of training.</source>
        <translation>训练的迭代。</translation>
    </message>
    <message>
        <source>inference</source>
        <translation>推理</translation>
    </message>
    <message>
        <source>One static batch: all prompts at once, then a token of each a step.</source>
        <translation>一个静态批次：所有提示词一起处理，然后每步各生成一个 token。</translation>
    </message>
    <message>
        <source>serving</source>
        <translation>在线服务</translation>
    </message>
    <message>
        <source>Requests that come and go.</source>
        <translation>请求有来有去。</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>条序列</translation>
    </message>
    <message>
        <source>Sequences of one static batch in each instance.</source>
        <translation>每个实例中一个静态批次的序列数。</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Tokens of each prompt.</source>
        <translation>每个提示词的 token 数。</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Tokens generated for each prompt, the first one included.</source>
        <translation>每个提示词生成的 token 数，包括第一个。</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Number format of the cached keys and values.</source>
        <translation>缓存的键和值的数值格式。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Recorded requests, a .jsonl beside the scenario; emptied, requests are generated again.</source>
        <translation>录制的请求，与场景放在一起的 .jsonl；清空则重新生成请求。</translation>
    </message>
    <message>
        <source>generated</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>How many requests come.</source>
        <translation>到来的请求总数。</translation>
    </message>
    <message>
        <source>Arrivals</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>How requests arrive.</source>
        <translation>请求如何到达。</translation>
    </message>
    <message>
        <source>Poisson</source>
        <translation>泊松</translation>
    </message>
    <message>
        <source>By chance, at a mean rate.</source>
        <translation>随机到达，平均速率给定。</translation>
    </message>
    <message>
        <source>even</source>
        <translation>均匀</translation>
    </message>
    <message>
        <source>At equal gaps.</source>
        <translation>间隔相等。</translation>
    </message>
    <message>
        <source>gamma</source>
        <translation>伽马</translation>
    </message>
    <message>
        <source>By chance, in bursts.</source>
        <translation>随机到达，成簇突发。</translation>
    </message>
    <message>
        <source>closed loop</source>
        <translation>闭环</translation>
    </message>
    <message>
        <source>So many are always under way.</source>
        <translation>始终有这么多请求在途。</translation>
    </message>
    <message>
        <source>all at once</source>
        <translation>同时全部</translation>
    </message>
    <message>
        <source>All at the beginning.</source>
        <translation>全部在开始时到达。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>per second</source>
        <translation>每秒</translation>
    </message>
    <message>
        <source>Mean arrivals per second.</source>
        <translation>平均每秒到达的请求数。</translation>
    </message>
    <message>
        <source>Under way</source>
        <translation>在途</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>个请求</translation>
    </message>
    <message>
        <source>Requests under way at any time.</source>
        <translation>任何时刻在途的请求数。</translation>
    </message>
    <message>
        <source>Begin over</source>
        <translation>起步历时</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>Time over which the users of a closed loop begin, one after the other.</source>
        <translation>闭环的用户逐个开始，全部开始所用的时间。</translation>
    </message>
    <message>
        <source>even chances</source>
        <translation>等概率</translation>
    </message>
    <message>
        <source>Any length between the least and the most.</source>
        <translation>最小到最大之间任意长度。</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>正态</translation>
    </message>
    <message>
        <source>lognormal</source>
        <translation>对数正态</translation>
    </message>
    <message>
        <source>Most are short, some much longer.</source>
        <translation>多数较短，少数长得多。</translation>
    </message>
    <message>
        <source>exponential</source>
        <translation>指数</translation>
    </message>
    <message>
        <source>Zipf</source>
        <translation>Zipf</translation>
    </message>
    <message>
        <source>The shortest most often, longer ones ever less.</source>
        <translation>最短的最常见，越长越少。</translation>
    </message>
    <message>
        <source>constant</source>
        <translation>常数</translation>
    </message>
    <message>
        <source>all alike</source>
        <translation>全部相同</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>mean length.</source>
        <translation>平均长度。</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>离散度</translation>
    </message>
    <message>
        <source>standard deviation of the lengths.</source>
        <translation>长度的标准差。</translation>
    </message>
    <message>
        <source>Least</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>no length is below.</source>
        <translation>没有长度低于它。</translation>
    </message>
    <message>
        <source>Most</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>no length is above.</source>
        <translation>没有长度高于它。</translation>
    </message>
    <message>
        <source>Exponent</source>
        <translation>指数</translation>
    </message>
    <message>
        <source>How steeply chances fall from the least length on.</source>
        <translation>从最小长度起概率下降得多快。</translation>
    </message>
    <message>
        <source>Each prompt</source>
        <translation>每个提示词</translation>
    </message>
    <message>
        <source>Each answer</source>
        <translation>每个回答</translation>
    </message>
    <message>
        <source>Tokens generated for each request.</source>
        <translation>每个请求生成的 token 数。</translation>
    </message>
    <message>
        <source>Common beginning</source>
        <translation>公共前缀</translation>
    </message>
    <message>
        <source>First tokens that all prompts have in common.</source>
        <translation>所有提示词共有的开头 token 数。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Another seed, other requests.</source>
        <translation>换一个种子，请求就不同。</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>调度器</translation>
    </message>
    <message>
        <source>Whose rules say which requests run in a step.</source>
        <translation>由谁的规则决定哪些请求在一步中运行。</translation>
    </message>
    <message>
        <source>At a time</source>
        <translation>同时运行</translation>
    </message>
    <message>
        <source>Most requests of one step in an instance (max_num_seqs).</source>
        <translation>一个实例单步中最多的请求数（max_num_seqs）。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>Most tokens of one step in an instance (max_num_batched_tokens).</source>
        <translation>一个实例单步中最多的 token 数（max_num_batched_tokens）。</translation>
    </message>
    <message>
        <source>Longest request</source>
        <translation>最长请求</translation>
    </message>
    <message>
        <source>Most tokens of prompt and answer together (max_model_len).</source>
        <translation>提示词加回答最多的 token 数（max_model_len）。</translation>
    </message>
    <message>
        <source>Chunked prefill</source>
        <translation>分块预填充</translation>
    </message>
    <message>
        <source>Prompts are split over steps, so that answers go on beside them.</source>
        <translation>把提示词拆到多步，让回答同时继续生成。</translation>
    </message>
    <message>
        <source>Prefix caching</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Common beginnings of prompts are computed once.</source>
        <translation>提示词的公共前缀只计算一次。</translation>
    </message>
    <message>
        <source>Async scheduling</source>
        <translation>异步调度</translation>
    </message>
    <message>
        <source>The next step is scheduled while one runs.</source>
        <translation>一步运行时就调度下一步。</translation>
    </message>
    <message>
        <source>Looks for requests</source>
        <translation>查看请求</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>New requests are taken in before every n-th step of decodes (SGLang&apos;s scheduler_recv_interval).</source>
        <translation>每 n 步解码之前接纳新请求（SGLang 的 scheduler_recv_interval）。</translation>
    </message>
    <message>
        <source>Tokens leave by</source>
        <translation>token 成批送出</translation>
    </message>
    <message>
        <source>After a request&apos;s first token, how many tokens leave together (stream_interval).</source>
        <translation>请求的第一个 token 之后，每次一起送出多少 token（stream_interval）。</translation>
    </message>
    <message>
        <source>Expert slots</source>
        <translation>专家槽位</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>个槽位</translation>
    </message>
    <message>
        <source>Places for experts over all expert ranks: more than the model has experts hold copies of busy ones.</source>
        <translation>所有专家 rank 上放置专家的位置数：多于模型的专家数时，存放繁忙专家的副本。</translation>
    </message>
    <message>
        <source>Way from the client</source>
        <translation>客户端路程</translation>
    </message>
    <message>
        <source>Whether the way from client to engine and back counts in the latencies.</source>
        <translation>客户端与引擎之间的往返是否计入延迟。</translation>
    </message>
    <message>
        <source>Cache block</source>
        <translation>缓存块</translation>
    </message>
    <message>
        <source>Tokens of one block of the cache.</source>
        <translation>每个缓存块的 token 数。</translation>
    </message>
    <message>
        <source>Memory taken</source>
        <translation>显存占用</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Share of the memory that the engine takes, 0 to 1.</source>
        <translation>引擎占用的显存比例，0 到 1。</translation>
    </message>
    <message>
        <source>Of what is free</source>
        <translation>占空闲部分</translation>
    </message>
    <message>
        <source>Share of what the loaded model leaves that keys and values get, 0 to 1, as TensorRT-LLM counts.</source>
        <translation>模型加载后剩余显存中分给键和值的比例，0 到 1，按 TensorRT-LLM 的算法。</translation>
    </message>
    <message>
        <source>Scales of inputs</source>
        <translation>输入缩放因子</translation>
    </message>
    <message>
        <source>Whence the scales of 8-bit products&apos; inputs are.</source>
        <translation>8 位矩阵乘输入的缩放因子从哪里来。</translation>
    </message>
    <message>
        <source>the checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Known beforehand: what writes an input quantises it.</source>
        <translation>事先已知：写出输入的 kernel 顺便量化它。</translation>
    </message>
    <message>
        <source>the inputs</source>
        <translation>输入本身</translation>
    </message>
    <message>
        <source>Found at run time: each input is looked at once more.</source>
        <translation>运行时得出：每个输入要多读一遍。</translation>
    </message>
    <message>
        <source>Next request</source>
        <translation>下一个请求</translation>
    </message>
    <message>
        <source>Which waiting request is the next.</source>
        <translation>等待中的哪个请求排在下一个。</translation>
    </message>
    <message>
        <source>the first</source>
        <translation>先到先得</translation>
    </message>
    <message>
        <source>by priority</source>
        <translation>按优先级</translation>
    </message>
    <message>
        <source>Router</source>
        <translation>路由器</translation>
    </message>
    <message>
        <source>Which instance a request goes to.</source>
        <translation>请求送到哪个实例。</translation>
    </message>
    <message>
        <source>in turn</source>
        <translation>轮流</translation>
    </message>
    <message>
        <source>least loaded</source>
        <translation>负载最低</translation>
    </message>
    <message>
        <source>by beginning</source>
        <translation>按前缀</translation>
    </message>
    <message>
        <source>The one that was sent most of its beginning.</source>
        <translation>收到过其前缀最多部分的实例。</translation>
    </message>
    <message>
        <source>by session</source>
        <translation>按会话</translation>
    </message>
    <message>
        <source>Where the first request of its session went.</source>
        <translation>其会话的第一个请求所去的实例。</translation>
    </message>
    <message>
        <source>better of two</source>
        <translation>二选一</translation>
    </message>
    <message>
        <source>Two are drawn; the less loaded gets it.</source>
        <translation>随机抽两个；负载较低者得到它。</translation>
    </message>
    <message>
        <source>First token within</source>
        <translation>首 token 不超过</translation>
    </message>
    <message>
        <source>Limit for goodput: time to the first token.</source>
        <translation>有效吞吐的限值：首 token 延迟。</translation>
    </message>
    <message>
        <source>Each token within</source>
        <translation>每 token 不超过</translation>
    </message>
    <message>
        <source>Limit for goodput: time per output token.</source>
        <translation>有效吞吐的限值：每 token 输出时间。</translation>
    </message>
    <message>
        <source>Request within</source>
        <translation>请求不超过</translation>
    </message>
    <message>
        <source>Limit for goodput: the whole request.</source>
        <translation>有效吞吐的限值：完整请求。</translation>
    </message>
    <message>
        <source>Drafts</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>Where tokens come from that the model only checks.</source>
        <translation>由谁先给出 token，模型只做校验。</translation>
    </message>
    <message>
        <source>from the prompt</source>
        <translation>来自提示词</translation>
    </message>
    <message>
        <source>What followed the same words before (n-gram).</source>
        <translation>以前跟在同样词后面的内容（n-gram）。</translation>
    </message>
    <message>
        <source>a smaller model</source>
        <translation>小模型</translation>
    </message>
    <message>
        <source>its own heads (MTP)</source>
        <translation>自带的头（MTP）</translation>
    </message>
    <message>
        <source>EAGLE</source>
        <translation>EAGLE</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Drafted</source>
        <translation>草稿 token</translation>
    </message>
    <message>
        <source>Tokens drafted a step.</source>
        <translation>每步起草的 token 数。</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Chance that the next draft token is accepted, 0 to 1.</source>
        <translation>下一个草稿 token 被接受的概率，0 到 1。</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>The smaller model that drafts.</source>
        <translation>负责起草的小模型。</translation>
    </message>
    <message>
        <source>Pools</source>
        <translation>实例池</translation>
    </message>
    <message>
        <source>Whether prompts and answers run on instances of their own.</source>
        <translation>提示词和回答是否在各自的实例上运行。</translation>
    </message>
    <message>
        <source>prompts, answers</source>
        <translation>预填充、解码分离</translation>
    </message>
    <message>
        <source>The first token leaves one pool; keys and values go to the other.</source>
        <translation>第一个 token 由一个池给出；键和值送往另一个池。</translation>
    </message>
    <message>
        <source>one for all</source>
        <translation>合用一个</translation>
    </message>
    <message>
        <source>%1 instances</source>
        <translation>%1实例数</translation>
    </message>
    <message>
        <source>Instances of the pool.</source>
        <translation>该池的实例数。</translation>
    </message>
    <message>
        <source>%1 hosts</source>
        <translation>%1主机数</translation>
    </message>
    <message>
        <source>Hosts of the pool, next in file order.</source>
        <translation>该池的主机数，按文件顺序依次取用。</translation>
    </message>
    <message>
        <source>%1 tensor</source>
        <translation>%1张量并行</translation>
    </message>
    <message>
        <source>Tensor ranks of an instance of the pool.</source>
        <translation>该池一个实例的张量 rank 数。</translation>
    </message>
    <message>
        <source>%1 attention</source>
        <translation>%1注意力组</translation>
    </message>
    <message>
        <source>Attention groups of an instance of the pool.</source>
        <translation>该池一个实例的注意力组数。</translation>
    </message>
    <message>
        <source>%1 experts</source>
        <translation>%1专家并行</translation>
    </message>
    <message>
        <source>Ranks of an instance of the pool that share the experts out.</source>
        <translation>该池一个实例中分摊专家的 rank 数。</translation>
    </message>
    <message>
        <source>Attention data</source>
        <translation>注意力数据并行</translation>
    </message>
    <message>
        <source>Groups of tensor ranks of an instance that each run the attention of their own requests.</source>
        <translation>一个实例中各自为自己的请求计算注意力的张量组数。</translation>
    </message>
    <message>
        <source>the model&apos;s 16 bit</source>
        <translation>模型的 16 位</translation>
    </message>
    <message>
        <source>bf16</source>
        <translation>bf16</translation>
    </message>
    <message>
        <source>fp16</source>
        <translation>fp16</translation>
    </message>
    <message>
        <source>fp8</source>
        <translation>fp8</translation>
    </message>
    <message>
        <source>mxfp8</source>
        <translation>mxfp8</translation>
    </message>
    <message>
        <source>nvfp4</source>
        <translation>nvfp4</translation>
    </message>
    <message>
        <source>int8</source>
        <translation>int8</translation>
    </message>
    <message>
        <source>int4</source>
        <translation>int4</translation>
    </message>
    <message>
        <source>mxfp4</source>
        <translation>mxfp4</translation>
    </message>
    <message>
        <source>reinforcement learning</source>
        <translation>强化学习</translation>
    </message>
    <message>
        <source>Engines answer and a trainer learns from the answers, in turn.</source>
        <translation>引擎生成回答，训练器从回答中学习，轮流进行。</translation>
    </message>
</context>
<context>
    <name>Serving</name>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>time to first token</source>
        <translation>首 token 延迟</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>time per output token</source>
        <translation>每 token 输出时间</translation>
    </message>
    <message>
        <source>E2E</source>
        <translation>E2E</translation>
    </message>
    <message>
        <source>whole request</source>
        <translation>完整请求</translation>
    </message>
    <message>
        <source>on the way</source>
        <translation>传输途中</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>KV transfer</source>
        <translation>KV 传输</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>preempted</source>
        <translation>被抢占</translation>
    </message>
</context>
<context>
    <name>SourcesText</name>
    <message>
        <source>GEMM</source>
        <translation>GEMM</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>elementwise</source>
        <translation>逐元素</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>ring model</source>
        <translation>环模型</translation>
    </message>
    <message>
        <source>roofline with efficiencies</source>
        <translation>带效率系数的 Roofline</translation>
    </message>
    <message>
        <source>roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>efficiencies of %1</source>
        <translation>%1 的效率系数</translation>
    </message>
</context>
<context>
    <name>StudyText</name>
    <message>
        <source>arithmetic</source>
        <translation>运算</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>访存</translation>
    </message>
    <message>
        <source>network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>matrix units</source>
        <translation>矩阵单元</translation>
    </message>
    <message>
        <source>vector units</source>
        <translation>向量单元</translation>
    </message>
    <message>
        <source>DRAM</source>
        <translation>DRAM</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>registers</source>
        <translation>寄存器</translation>
    </message>
    <message>
        <source>%1, %2 in all</source>
        <translation>%1，合计 %2</translation>
    </message>
    <message>
        <source>%1 (%2), %3 in all</source>
        <translation>%1（%2），合计 %3</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>Not simulated yet</source>
        <translation>尚未仿真</translation>
    </message>
    <message>
        <source>closed form</source>
        <translation>闭式解</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
</context>
<context>
    <name>Summary</name>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Parallelism</source>
        <translation>并行</translation>
    </message>
    <message>
        <source>Execution</source>
        <translation>执行</translation>
    </message>
</context>
<context>
    <name>ThemeNames</name>
    <message>
        <source>&amp;Follow the system</source>
        <translation>跟随系统(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;High contrast</source>
        <translation>高对比度(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Colour-safe</source>
        <translation>色觉友好(&amp;C)</translation>
    </message>
</context>
<context>
    <name>TimelineView</name>
    <message>
        <source>waits for %1, done in %2</source>
        <translation>等待 %1，还需 %2 完成</translation>
    </message>
    <message>
        <source>waits for %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>waits for the host to launch the next kernel</source>
        <translation>等待主机启动下一个 kernel</translation>
    </message>
    <message>
        <source>a copy from the host</source>
        <translation>等待从主机拷贝</translation>
    </message>
    <message>
        <source>a copy to the host</source>
        <translation>等待拷贝到主机</translation>
    </message>
    <message>
        <source>no request is left</source>
        <translation>没有剩余请求</translation>
    </message>
    <message>
        <source>%1 over the data-parallel ranks</source>
        <comment>gradients</comment>
        <translation>数据并行 rank 之间的 %1</translation>
    </message>
    <message>
        <source>stage %1, which ends later</source>
        <translation>结束更晚的流水级 %1</translation>
    </message>
    <message>
        <source>next is %1</source>
        <translation>接下来是 %1</translation>
    </message>
    <message>
        <source>%1; it %2</source>
        <translation>%1；它%2</translation>
    </message>
    <message>
        <source>%1 of stage %2</source>
        <translation>%1（流水级 %2）</translation>
    </message>
    <message>
        <source>its transfer from stage %1</source>
        <translation>来自流水级 %1 的传输</translation>
    </message>
    <message>
        <source>a transfer between stages</source>
        <translation>流水级之间的传输</translation>
    </message>
    <message>
        <source>%1 — instance %2</source>
        <translation>%1 — 实例 %2</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <comment>time, rank</comment>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>%1 — stage %2</source>
        <translation>%1 — 流水级 %2</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>mixed</source>
        <comment>a step with prefill and decode</comment>
        <translation>混合</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Instance %1</source>
        <translation>实例 %1</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>%1, token %2</source>
        <comment>decode</comment>
        <translation>%1，token %2</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <comment>prefill, decode or mixed</comment>
        <translation>%1，第 %2 步</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>采集</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>仿真</translation>
    </message>
    <message>
        <source>in the likeness of rank %1</source>
        <translation>仿照 rank %1</translation>
    </message>
    <message>
        <source>ranks %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>prefill or decode, ranks</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>to host</source>
        <translation>到主机</translation>
    </message>
    <message>
        <source>from host</source>
        <translation>从主机</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>stream %1</source>
        <translation>流 %1</translation>
    </message>
    <message>
        <source>host %1</source>
        <comment>a thread</comment>
        <translation>主机 %1</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a second lane of the same kind</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>F</source>
        <comment>forward pass, followed by the micro-batch</comment>
        <translation>F</translation>
    </message>
    <message>
        <source>B</source>
        <comment>backward pass, followed by the micro-batch</comment>
        <translation>B</translation>
    </message>
    <message>
        <source>R</source>
        <comment>recomputation, followed by the micro-batch</comment>
        <translation>R</translation>
    </message>
    <message>
        <source>O</source>
        <comment>optimizer, followed by the micro-batch</comment>
        <translation>O</translation>
    </message>
    <message>
        <source>C</source>
        <comment>communication, followed by the micro-batch</comment>
        <translation>C</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>recomputation</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>compute-bound</source>
        <translation>计算受限</translation>
    </message>
    <message>
        <source>memory-bound</source>
        <translation>访存受限</translation>
    </message>
    <message>
        <source>network-bound</source>
        <translation>网络受限</translation>
    </message>
    <message>
        <source>latency-bound</source>
        <translation>延迟受限</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>given</source>
        <translation>给定</translation>
    </message>
    <message>
        <source>derived</source>
        <translation>推导</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>kernel</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>copy or fill</source>
        <translation>拷贝或填充</translation>
    </message>
    <message>
        <source>operator on the host</source>
        <translation>主机上的算子</translation>
    </message>
    <message>
        <source>call of the runtime</source>
        <translation>运行时调用</translation>
    </message>
    <message>
        <source>both at once</source>
        <translation>两者同时</translation>
    </message>
    <message>
        <source>chunk %1</source>
        <translation>块 %1</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>%1, alone %2: slowed by what runs beside it</source>
        <translation>%1，单独运行为 %2：被同时运行的工作拖慢</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>bound, source</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 keys and values in use</source>
        <translation>键和值占用 %1</translation>
    </message>
    <message>
        <source>%1 allocated</source>
        <translation>已分配 %1</translation>
    </message>
    <message>
        <source>%1 reserved</source>
        <translation>已保留 %1</translation>
    </message>
    <message>
        <source>%1 activations</source>
        <translation>激活 %1</translation>
    </message>
    <message>
        <source>%1 temporary</source>
        <translation>临时 %1</translation>
    </message>
    <message>
        <source>%1 in all</source>
        <translation>共 %1</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>%1 idle</source>
        <comment>a lane of the timeline</comment>
        <translation>%1 空闲</translation>
    </message>
    <message>
        <source>bubble of %1: %2 idle</source>
        <comment>time, a lane of the timeline</comment>
        <translation>%1 的气泡：空闲 %2</translation>
    </message>
    <message>
        <source>%1 idle for %2</source>
        <comment>a lane of the timeline</comment>
        <translation>%1 空闲 %2</translation>
    </message>
    <message>
        <source>one rank</source>
        <translation>1 个 rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 bars</source>
        <translation>%1 个条形</translation>
    </message>
    <message>
        <source>one batch</source>
        <translation>一个批次</translation>
    </message>
    <message>
        <source>one instance</source>
        <translation>一个实例</translation>
    </message>
    <message>
        <source>%1 instances</source>
        <translation>%1 个实例</translation>
    </message>
    <message>
        <source>%1 events</source>
        <translation>%1 个事件</translation>
    </message>
    <message>
        <source>one iteration, one class of ranks</source>
        <translation>一次迭代，一类 rank</translation>
    </message>
    <message>
        <source>one iteration, %1 classes of ranks</source>
        <translation>一次迭代，%1 类 rank</translation>
    </message>
    <message>
        <source>time into the iteration</source>
        <translation>迭代开始后的时间</translation>
    </message>
    <message>
        <source>time into the record</source>
        <translation>采集记录开始后的时间</translation>
    </message>
    <message>
        <source>time into the run</source>
        <translation>运行开始后的时间</translation>
    </message>
    <message>
        <source>time after %1</source>
        <translation>%1 之后的时间</translation>
    </message>
    <message>
        <source>F forward</source>
        <translation>F 前向</translation>
    </message>
    <message>
        <source>B backward</source>
        <translation>B 反向</translation>
    </message>
    <message>
        <source>W backward for weights</source>
        <translation>W 权重反向</translation>
    </message>
    <message>
        <source>R recomputation</source>
        <translation>R 重计算</translation>
    </message>
    <message>
        <source>waiting for other ranks</source>
        <translation>等待其他 rank</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>kernels beside communication</source>
        <translation>与通信并行的 kernel</translation>
    </message>
    <message>
        <source>kernels</source>
        <translation>kernel</translation>
    </message>
    <message>
        <source>copies and fills</source>
        <translation>拷贝和填充</translation>
    </message>
    <message>
        <source>prefill, mixed</source>
        <translation>预填充，混合</translation>
    </message>
    <message>
        <source>keys and values</source>
        <translation>键和值</translation>
    </message>
    <message>
        <source>allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>temporary</source>
        <translation>临时</translation>
    </message>
    <message>
        <source>rollout</source>
        <translation>rollout</translation>
    </message>
    <message>
        <source>rewards</source>
        <translation>奖励</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>new weights</source>
        <translation>新权重</translation>
    </message>
    <message>
        <source>parking the trainer</source>
        <translation>暂存训练器</translation>
    </message>
    <message>
        <source>Rollout</source>
        <translation>Rollout</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>one step of the loop</source>
        <translation>循环的一步</translation>
    </message>
</context>
<context>
    <name>ValueText</name>
    <message>
        <source>“%1” is not a whole number.</source>
        <translation>“%1”不是整数。</translation>
    </message>
    <message>
        <source>“%1” is not a number.</source>
        <translation>“%1”不是数字。</translation>
    </message>
    <message>
        <source>“%1” is not a rate such as 50 GB/s or 400 Gb/s.</source>
        <translation>“%1”不是速率，应如 50 GB/s 或 400 Gb/s。</translation>
    </message>
    <message>
        <source>“%1” is not a list of whole numbers such as 39, 41.</source>
        <translation>“%1”不是整数列表，应如 39, 41。</translation>
    </message>
    <message>
        <source>“%1” is not a list of numbers such as 4 2 1.</source>
        <translation>“%1”不是数字列表，应如 4 2 1。</translation>
    </message>
</context>
<context>
    <name>VariantList</name>
    <message>
        <source>variant %1</source>
        <translation>变体 %1</translation>
    </message>
    <message>
        <source>%1 copy</source>
        <translation>%1 副本</translation>
    </message>
    <message>
        <source>New variant %1</source>
        <translation>新建变体 %1</translation>
    </message>
    <message>
        <source>Keep %1 as a variant</source>
        <translation>把 %1 保留为变体</translation>
    </message>
    <message>
        <source>Rename %1</source>
        <translation>重命名 %1</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>移动 %1</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>删除 %1</translation>
    </message>
</context>
<context>
    <name>WhatIfText</name>
    <message>
        <source>%1 down</source>
        <translation>停用 %1</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 降到 %2</translation>
    </message>
    <message>
        <source>, NIC %1</source>
        <translation>，网卡 %1</translation>
    </message>
    <message>
        <source>, number %1</source>
        <translation>，第 %1 台</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>%1 takes %2 × as long</source>
        <translation>%1 用时为 %2 倍</translation>
    </message>
    <message>
        <source>another job</source>
        <translation>另一个作业</translation>
    </message>
    <message>
        <source>%1: %2 → %3, %4 GB/s</source>
        <translation>%1：%2 → %3，%4 GB/s</translation>
    </message>
    <message>
        <source>times vary by %1</source>
        <translation>时间波动 %1</translation>
    </message>
    <message>
        <source>hosts vary</source>
        <translation>主机波动</translation>
    </message>
    <message>
        <source>times vary by operator</source>
        <translation>时间波动因算子而异</translation>
    </message>
</context>
<context>
    <name>Workspaces</name>
    <message>
        <source>Overv&amp;iew</source>
        <translation>总览(&amp;I)</translation>
    </message>
    <message>
        <source>The scenario, its cluster and everything that follows from it</source>
        <translation>场景、它的集群，以及由此得出的一切</translation>
    </message>
    <message>
        <source>Dra&amp;w</source>
        <translation>绘制(&amp;W)</translation>
    </message>
    <message>
        <source>Place hosts and switches, connect them, and change what is marked</source>
        <translation>放置主机和交换机，连接它们，修改选中的部分</translation>
    </message>
    <message>
        <source>&amp;Timeline</source>
        <translation>时间线(&amp;T)</translation>
    </message>
    <message>
        <source>What runs when, stage by stage or instance by instance, with the operators below</source>
        <translation>什么在何时运行，按流水级或实例排列，下方是算子</translation>
    </message>
    <message>
        <source>&amp;Memory</source>
        <translation>显存(&amp;M)</translation>
    </message>
    <message>
        <source>What fills the memory, by stage, over time and down to the tensor</source>
        <translation>显存由什么占满：按流水级、随时间、细到张量</translation>
    </message>
    <message>
        <source>Se&amp;rve</source>
        <translation>服务(&amp;R)</translation>
    </message>
    <message>
        <source>What the engine can serve, and every request with its waiting and its latency</source>
        <translation>引擎能服务多少，以及每个请求的等待与延迟</translation>
    </message>
    <message>
        <source>E&amp;xplore</source>
        <translation>探索(&amp;X)</translation>
    </message>
    <message>
        <source>What if: sweep a field, search for the best plan, ask which value reaches a figure, and what it hangs on</source>
        <translation>假设推演：扫描字段，搜索最佳方案，反求达到指标的取值，看指标取决于什么</translation>
    </message>
    <message>
        <source>Rec&amp;orded</source>
        <translation>采集记录(&amp;O)</translation>
    </message>
    <message>
        <source>What a profiler recorded: ranks of a real job, who waits for whom, and the scenario beside them</source>
        <translation>性能分析器采集的内容：真实作业的各个 rank、谁在等谁，以及与之对照的场景</translation>
    </message>
    <message>
        <source>Com&amp;pare</source>
        <translation>对比(&amp;P)</translation>
    </message>
    <message>
        <source>The scenario and its variants side by side: what differs, and where the difference comes from</source>
        <translation>场景与它的变体并排：哪里不同，差异来自哪里</translation>
    </message>
    <message>
        <source>Lear&amp;n</source>
        <translation>学习(&amp;N)</translation>
    </message>
    <message>
        <source>Twelve lessons: say what will happen, then see it happen on the scenario</source>
        <translation>十二课：先说会发生什么，再在场景上看它发生</translation>
    </message>
</context>
<context>
    <name>WriteText</name>
    <message>
        <source>“%1” could not be written: %2. What was there before is unchanged.</source>
        <translation>“%1”无法写出：%2。原来的内容未变。</translation>
    </message>
    <message>
        <source>“%1” does not end in a kind of file a report can be written as. End its name in .pdf, .html or .md.</source>
        <translation>“%1”的扩展名不是报告能写成的类型。请让名称以 .pdf、.html 或 .md 结尾。</translation>
    </message>
    <message>
        <source>en</source>
        <comment>the language of the translation as HTML names it</comment>
        <translation>zh-CN</translation>
    </message>
</context>
<context>
    <name>orrery::AboutDialog</name>
    <message>
        <source>About Orrery</source>
        <translation>关于 Orrery</translation>
    </message>
    <message>
        <source>Simulates clusters that train and serve large language models: how long an iteration or a request takes, what it needs, and why.&lt;br&gt;&lt;br&gt;Free software under the GNU General Public License, version 3 or later. It comes with no warranty.&lt;br&gt;&lt;br&gt;It stands on Qt %1 (LGPL 3; Qt Charts GPL 3), QCustomPlot (GPL 3), nlohmann/json and CLI11 (MIT, BSD 3-clause). The sources of every number in the catalogues are listed with “orrery-cli list”.</source>
        <translation>仿真训练和服务大语言模型的集群：一次迭代或一个请求需要多久、需要什么、原因何在。&lt;br&gt;&lt;br&gt;本程序是自由软件，采用 GNU 通用公共许可证第 3 版或更新版本。不提供任何担保。&lt;br&gt;&lt;br&gt;它基于 Qt %1（LGPL 3；Qt Charts 为 GPL 3）、QCustomPlot（GPL 3）、nlohmann/json 和 CLI11（MIT、BSD 3-clause）。目录中每个数字的来源可用“orrery-cli list”列出。</translation>
    </message>
</context>
<context>
    <name>orrery::AccuracyPage</name>
    <message>
        <source>Accuracy</source>
        <translation>准确性</translation>
    </message>
    <message>
        <source>Open as scenario</source>
        <translation>作为场景打开</translation>
    </message>
    <message>
        <source>By %1</source>
        <translation>按%1</translation>
    </message>
    <message>
        <source>What the runs are put together by</source>
        <translation>按什么对运行分组</translation>
    </message>
    <message>
        <source>What the errors are of</source>
        <translation>误差针对什么</translation>
    </message>
    <message>
        <source>Errors by group</source>
        <translation>分组误差</translation>
    </message>
    <message>
        <source>Measured runs</source>
        <translation>实测运行</translation>
    </message>
    <message>
        <source>The measured runs behind a number, worst first.</source>
        <translation>数字背后的实测运行，误差最大的在前。</translation>
    </message>
    <message>
        <source>Nobody measured one of these: choose another row, or clear the filter.</source>
        <translation>没有人实测过这样的运行：请选择另一行，或清除筛选。</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Shows the runs that contain this text</source>
        <translation>显示包含该文字的运行</translation>
    </message>
    <message>
        <source>Opens the chosen run in the main window (Enter)</source>
        <translation>在主窗口中打开所选运行（Enter）</translation>
    </message>
    <message>
        <source>%1 measured runs from %2 sources</source>
        <translation>%1 次实测运行，来自 %2 个来源</translation>
    </message>
    <message>
        <source> · never fitted to: %1</source>
        <translation> · 从未用于拟合：%1</translation>
    </message>
    <message>
        <source>Never fitted to: the mean over the collections of runs of each one&apos;s mean error of times, by constants fitted without it. What a stack or machine without constants of its own has to expect.</source>
        <translation>从未用于拟合：对每个数据集，用不含它拟合出的常数计算时间的平均误差，再对各数据集取平均。自身没有拟合常数的软件栈或机器应预期这样的误差。</translation>
    </message>
    <message>
        <source>all runs</source>
        <translation>全部运行</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>全部运行</translation>
    </message>
    <message>
        <source>%1: no measured run</source>
        <translation>%1：没有实测运行</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n measured run(s)</source>
        <translation>
            <numerusform>%1：%n 次实测运行</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>orrery::AccuracyWindow</name>
    <message>
        <source>Accuracy — Orrery</source>
        <translation>准确性 — Orrery</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Report as &amp;HTML…</source>
        <translation>报告为 HTML(&amp;H)…</translation>
    </message>
    <message>
        <source>&amp;Errors as CSV…</source>
        <translation>误差为 CSV(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Runs shown as CSV…</source>
        <translation>显示的运行为 CSV(&amp;R)…</translation>
    </message>
    <message>
        <source>Chart as &amp;SVG…</source>
        <translation>图表为 SVG(&amp;S)…</translation>
    </message>
    <message>
        <source>Chart as P&amp;DF…</source>
        <translation>图表为 PDF(&amp;D)…</translation>
    </message>
    <message>
        <source>Chart as &amp;PNG…</source>
        <translation>图表为 PNG(&amp;P)…</translation>
    </message>
    <message>
        <source>Export the accuracy page</source>
        <translation>导出准确性页面</translation>
    </message>
    <message>
        <source>%1 files (*.%2)</source>
        <translation>%1 文件 (*.%2)</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>已导出到 %1</translation>
    </message>
    <message>
        <source>Nothing was exported: %1</source>
        <translation>未导出任何内容：%1</translation>
    </message>
</context>
<context>
    <name>orrery::AssumedList</name>
    <message>
        <source>Assumed values</source>
        <translation>假定值</translation>
    </message>
    <message>
        <source>Nothing assumed.</source>
        <translation>没有假定值。</translation>
    </message>
    <message>
        <source>Values that a scenario leaves out are listed here, with what was taken and why.</source>
        <translation>这里列出场景未给出的值，以及采用了什么、为什么。</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>设置 %1</translation>
    </message>
</context>
<context>
    <name>orrery::AssumedModel</name>
    <message>
        <source>Writes this value into the scenario, so that it stays when defaults change</source>
        <translation>把该值写入场景，这样默认值改变时它仍保持不变</translation>
    </message>
    <message>
        <source>set explicitly</source>
        <translation>显式设置</translation>
    </message>
    <message>
        <source>where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>why</source>
        <translation>理由</translation>
    </message>
</context>
<context>
    <name>orrery::BackgroundTask</name>
    <message>
        <source>Give up</source>
        <translation>放弃</translation>
    </message>
</context>
<context>
    <name>orrery::Banner</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>orrery::CanvasLegend</name>
    <message>
        <source>link load %1</source>
        <translation>链路负载 %1</translation>
    </message>
    <message>
        <source>Instance</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>Instances</source>
        <translation>实例</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>流水级</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>流水级</translation>
    </message>
    <message>
        <source>%1–%2</source>
        <translation>%1–%2</translation>
    </message>
    <message>
        <source>beside: %1</source>
        <translation>旁边：%1</translation>
    </message>
</context>
<context>
    <name>orrery::CheckList</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>orrery::ChoiceBox</name>
    <message>
        <source>default (%1)</source>
        <translation>默认（%1）</translation>
    </message>
    <message>
        <source>Not simulated yet</source>
        <translation>尚未仿真</translation>
    </message>
    <message>
        <source>%1 · not simulated yet</source>
        <translation>%1 · 尚未仿真</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>%1 Assumed: %2</source>
        <translation>%1 假定：%2</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
</context>
<context>
    <name>orrery::ClusterCanvas</name>
    <message>
        <source>Cluster drawing</source>
        <translation>集群图</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Connect nodes: drag from one to the other, or click both; marked nodes are connected together</source>
        <translation>连接节点：从一个拖到另一个，或依次点击两个；选中的节点会一起连接</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适应</translation>
    </message>
    <message>
        <source>Show the whole cluster</source>
        <translation>显示整个集群</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>创建副本</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>The cluster: its hosts, its switches, and how they are connected</source>
        <translation>集群：它的主机、交换机以及连接方式</translation>
    </message>
    <message>
        <source>Place a host from the palette, or drop a platform</source>
        <translation>从元件栏放置主机，或拖入一个平台</translation>
    </message>
    <message>
        <source>The cluster is empty: place a host from the palette, or drop a platform.</source>
        <translation>集群是空的：请从元件栏放置主机，或拖入一个平台。</translation>
    </message>
    <message>
        <source>The cluster is empty</source>
        <translation>集群是空的</translation>
    </message>
    <message>
        <source>Tab, Shift+Tab</source>
        <translation>Tab, Shift+Tab</translation>
    </message>
    <message>
        <source>Next host or switch, the one before</source>
        <translation>下一台、上一台主机或交换机</translation>
    </message>
    <message>
        <source>Arrows, with Shift further</source>
        <translation>方向键，按 Shift 移得更远</translation>
    </message>
    <message>
        <source>Move what is marked</source>
        <translation>移动选中的部分</translation>
    </message>
    <message>
        <source>Space and drag</source>
        <translation>空格加拖动</translation>
    </message>
    <message>
        <source>Move the view</source>
        <translation>移动视图</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Put the tool down, mark nothing</source>
        <translation>放下工具，取消选中</translation>
    </message>
</context>
<context>
    <name>orrery::ClusterDescription</name>
    <message>
        <source>PCIe, %1</source>
        <translation>PCIe，%1</translation>
    </message>
    <message>
        <source>scale-up, %1</source>
        <translation>Scale-up，%1</translation>
    </message>
    <message>
        <source>%1: idle</source>
        <translation>%1：空闲</translation>
    </message>
    <message>
        <source>%1: %2, %3 of the bandwidth</source>
        <translation>%1：%2，占带宽的 %3</translation>
    </message>
    <message>
        <source>, busiest %1</source>
        <translation>，最忙时 %1</translation>
    </message>
    <message>
        <source>, %1 identical hosts</source>
        <translation>，%1 台相同的主机</translation>
    </message>
    <message>
        <source>ranks %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>scale-up domain %1</source>
        <translation>Scale-up 域 %1</translation>
    </message>
    <message>
        <source>switch</source>
        <translation>交换机</translation>
    </message>
    <message>
        <source>%1 cables, %2 GB/s each way</source>
        <translation>%1 根线缆，每方向 %2 GB/s</translation>
    </message>
    <message>
        <source>not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>%1%2 GB/s each way (%3), %4 µs</source>
        <translation>%1每方向 %2 GB/s（%3），%4 µs</translation>
    </message>
    <message>
        <source>What-if: %1</source>
        <translation>假设：%1</translation>
    </message>
</context>
<context>
    <name>orrery::ClusterEditing</name>
    <message>
        <source>Nothing to paste: the clipboard holds no piece of a cluster</source>
        <translation>没有可粘贴的内容：剪贴板里没有集群的部件</translation>
    </message>
    <message>
        <source>Paste %1</source>
        <translation>粘贴 %1</translation>
    </message>
    <message>
        <source>Paste %1 nodes</source>
        <translation>粘贴 %1 个节点</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>Delete %1 nodes</source>
        <translation>删除 %1 个节点</translation>
    </message>
    <message>
        <source>Delete a link</source>
        <translation>删除链路</translation>
    </message>
    <message>
        <source>Delete %1 links</source>
        <translation>删除 %1 条链路</translation>
    </message>
    <message>
        <source>No host is left: place one from the palette, or undo</source>
        <translation>没有主机了：请从元件栏放置一台，或撤销</translation>
    </message>
    <message>
        <source>Duplicate as %1</source>
        <translation>复制为 %1</translation>
    </message>
    <message>
        <source>Duplicate %1 nodes</source>
        <translation>复制 %1 个节点</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>添加 %1</translation>
    </message>
    <message>
        <source>%1 and %2 are connected already: set the number of cables in the properties</source>
        <translation>%1 和 %2 已经连接：请在属性中设置线缆数</translation>
    </message>
    <message>
        <source>Connect %1 and %2</source>
        <translation>连接 %1 和 %2</translation>
    </message>
    <message>
        <source>All of these are connected to %1 already</source>
        <translation>它们都已连接到 %1</translation>
    </message>
    <message>
        <source>Connect %1 nodes and %2</source>
        <translation>连接 %1 个节点与 %2</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>移动 %1</translation>
    </message>
    <message>
        <source>Move %1 nodes</source>
        <translation>移动 %1 个节点</translation>
    </message>
    <message>
        <source>Serves</source>
        <translation>服务于</translation>
    </message>
    <message>
        <source>Prompts (prefill)</source>
        <translation>提示词（预填充）</translation>
    </message>
    <message>
        <source>Answers (decode)</source>
        <translation>回答（解码）</translation>
    </message>
    <message>
        <source>Both, on one engine</source>
        <translation>两者，同一引擎</translation>
    </message>
    <message>
        <source>Serve: %1</source>
        <translation>服务于：%1</translation>
    </message>
    <message>
        <source>Without the job beside</source>
        <translation>没有并行的作业</translation>
    </message>
    <message>
        <source>Take the job beside off</source>
        <translation>移除并行的作业</translation>
    </message>
    <message>
        <source>Replace by</source>
        <translation>替换为</translation>
    </message>
    <message>
        <source>Replace by %1</source>
        <translation>替换为 %1</translation>
    </message>
</context>
<context>
    <name>orrery::ClusterPalette</name>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Switches</source>
        <translation>交换机</translation>
    </message>
    <message>
        <source>Platforms</source>
        <translation>平台</translation>
    </message>
    <message>
        <source>how many</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Fewer hosts</source>
        <translation>减少主机</translation>
    </message>
    <message>
        <source>More hosts…</source>
        <translation>更多主机…</translation>
    </message>
</context>
<context>
    <name>orrery::ClusterProperties</name>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Nothing is drawn yet. Place a host from the palette, or drop a platform.</source>
        <translation>还没有绘制任何内容。请从元件栏放置主机，或拖入一个平台。</translation>
    </message>
    <message>
        <source>Take back: %1</source>
        <translation>撤回：%1</translation>
    </message>
    <message>
        <source>Restore everything</source>
        <translation>全部恢复</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>平台</translation>
    </message>
    <message>
        <source>Replace by %1</source>
        <translation>替换为 %1</translation>
    </message>
    <message>
        <source>Accelerator</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改%1</translation>
    </message>
    <message>
        <source>Change accelerator</source>
        <translation>更改加速卡</translation>
    </message>
    <message>
        <source>Per node</source>
        <translation>每节点</translation>
    </message>
    <message>
        <source>accelerators</source>
        <translation>张加速卡</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Scale-up</source>
        <translation>Scale-up</translation>
    </message>
    <message>
        <source>inside a node or rack</source>
        <translation>节点或机架内部</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>µs</source>
        <translation>µs</translation>
    </message>
    <message>
        <source>Domain</source>
        <translation>域</translation>
    </message>
    <message>
        <source>Scale-out</source>
        <translation>Scale-out</translation>
    </message>
    <message>
        <source>per accelerator</source>
        <translation>每卡</translation>
    </message>
    <message>
        <source>Oversubscription</source>
        <translation>收敛比</translation>
    </message>
    <message>
        <source>: 1</source>
        <translation>: 1</translation>
    </message>
    <message>
        <source>Edit as a drawing</source>
        <translation>作为图编辑</translation>
    </message>
    <message>
        <source>Writes the hosts, switches and links that these numbers stand for, so that each can be changed</source>
        <translation>写出这些数字所代表的主机、交换机和链路，以便逐个修改</translation>
    </message>
    <message>
        <source>Draw the cluster</source>
        <translation>绘制集群</translation>
    </message>
    <message>
        <source>inside a host or domain</source>
        <translation>主机或域内部</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Switch</source>
        <translation>交换机</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>A node needs a name: links refer to it.</source>
        <translation>节点需要名称：链路要引用它。</translation>
    </message>
    <message>
        <source>Another node is called %1. Use %2.</source>
        <translation>另一个节点已名为 %1。请用 %2。</translation>
    </message>
    <message>
        <source>Rename %1</source>
        <translation>重命名 %1</translation>
    </message>
    <message>
        <source>Accelerators</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>per host</source>
        <translation>每台主机</translation>
    </message>
    <message>
        <source>Change accelerators per host</source>
        <translation>更改每台主机的加速卡数</translation>
    </message>
    <message>
        <source>Identical hosts</source>
        <translation>相同的主机</translation>
    </message>
    <message>
        <source>Change number of hosts</source>
        <translation>更改主机数量</translation>
    </message>
    <message>
        <source>its own</source>
        <translation>自成一域</translation>
    </message>
    <message>
        <source>Hosts with the same text share one scale-up fabric</source>
        <translation>文字相同的主机共享一个 Scale-up 互连</translation>
    </message>
    <message>
        <source>Change scale-up domain</source>
        <translation>更改 Scale-up 域</translation>
    </message>
    <message>
        <source>Serves</source>
        <translation>服务于</translation>
    </message>
    <message>
        <source>both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Prompts and answers on hosts of their own, with keys and values sent from one to the other; or both on one engine</source>
        <translation>提示词和回答各用自己的主机，键和值从一方送到另一方；或两者用同一引擎</translation>
    </message>
    <message>
        <source>Serve both on one engine</source>
        <translation>两者用同一引擎服务</translation>
    </message>
    <message>
        <source>Serve prompts here</source>
        <translation>在此服务提示词</translation>
    </message>
    <message>
        <source>Serve answers here</source>
        <translation>在此服务回答</translation>
    </message>
    <message>
        <source>Job beside</source>
        <translation>并行的作业</translation>
    </message>
    <message>
        <source>none; a scenario file</source>
        <translation>无；或一个场景文件</translation>
    </message>
    <message>
        <source>A training scenario, relative to this one, that runs on these hosts at the same time and shares the network</source>
        <translation>一个训练场景，路径相对于本场景，它同时在这些主机上运行并共享网络</translation>
    </message>
    <message>
        <source>Take the job beside off</source>
        <translation>移除并行的作业</translation>
    </message>
    <message>
        <source>Run %1 beside</source>
        <translation>同时运行 %1</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>A number above 0; “400 Gb/s” is understood too.</source>
        <translation>大于 0 的数；也可写“400 Gb/s”。</translation>
    </message>
    <message>
        <source>Change bandwidth</source>
        <translation>更改带宽</translation>
    </message>
    <message>
        <source>the platform&apos;s</source>
        <translation>平台的</translation>
    </message>
    <message>
        <source>Change latency</source>
        <translation>更改延迟</translation>
    </message>
    <message>
        <source>Cables</source>
        <translation>线缆</translation>
    </message>
    <message>
        <source>Change number of cables</source>
        <translation>更改线缆数</translation>
    </message>
    <message>
        <source>%1
%2 accelerators</source>
        <translation>%1
%2 张加速卡</translation>
    </message>
    <message>
        <source>1 host</source>
        <translation>1 台主机</translation>
    </message>
    <message>
        <source>%1 hosts</source>
        <translation>%1 台主机</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>ranks %1–%2</source>
        <translation>rank %1–%2</translation>
    </message>
    <message>
        <source>%1 accelerators</source>
        <translation>%1 张加速卡</translation>
    </message>
    <message>
        <source>1 switch</source>
        <translation>1 台交换机</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 台交换机</translation>
    </message>
    <message>
        <source>not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>%1 cables, %2 GB/s each way</source>
        <translation>%1 根线缆，每方向 %2 GB/s</translation>
    </message>
    <message>
        <source>%1 GB/s each way in all</source>
        <translation>合计每方向 %1 GB/s</translation>
    </message>
    <message>
        <source>%1 – %2
%3</source>
        <translation>%1 – %2
%3</translation>
    </message>
    <message>
        <source>%1 links
%2</source>
        <translation>%1 条链路
%2</translation>
    </message>
</context>
<context>
    <name>orrery::CommandPalette</name>
    <message>
        <source>Type a command</source>
        <translation>输入命令</translation>
    </message>
    <message>
        <source>No command has “%1” in its name</source>
        <translation>没有名称含“%1”的命令</translation>
    </message>
</context>
<context>
    <name>orrery::CommunicationDialog</name>
    <message>
        <source>A part of the kernel&apos;s name</source>
        <translation>kernel 名称的一部分</translation>
    </message>
    <message>
        <source>(every name)</source>
        <translation>（所有名称）</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>computation</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>&amp;Add</source>
        <translation>添加(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>Move &amp;up</source>
        <translation>上移(&amp;U)</translation>
    </message>
    <message>
        <source>Move &amp;down</source>
        <translation>下移(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Shipped rules</source>
        <translation>内置规则(&amp;S)</translation>
    </message>
    <message>
        <source>Kernels of the open records</source>
        <translation>打开的采集记录中的 kernel</translation>
    </message>
    <message>
        <source>The kernels of the open records, as these rules sort them</source>
        <translation>打开的采集记录中的 kernel，按这些规则归类</translation>
    </message>
    <message>
        <source>Open recorded traces to see them here. A scenario&apos;s “hybrid” has rules of its own: its key “communication”.</source>
        <translation>打开采集的 trace 后这里会列出。场景的“hybrid”有自己的规则：它的键“communication”。</translation>
    </message>
    <message>
        <source>What counts as communication</source>
        <translation>哪些算通信</translation>
    </message>
    <message>
        <source>The first rule whose text is a part of a kernel&apos;s name decides what the kernel counts as; one that no rule matches is computation. Upper and lower case are alike, and _? is an underscore or none.</source>
        <translation>第一条文字是 kernel 名称一部分的规则决定该 kernel 算什么；没有规则匹配的算计算。不区分大小写，_? 表示有或没有一个下划线。</translation>
    </message>
    <message>
        <source>Rules, the first that matches decides</source>
        <translation>规则，由第一条匹配的决定</translation>
    </message>
    <message>
        <source>Counts as</source>
        <translation>算作</translation>
    </message>
    <message>
        <source>Names it decides</source>
        <translation>它决定的名称</translation>
    </message>
    <message>
        <source>F2 or a letter edits the text, Space turns a rule over, Del removes it, Alt+Up and Alt+Down move it</source>
        <translation>F2 或字母键编辑文字，空格键翻转规则，Del 删除，Alt+上 和 Alt+下 移动</translation>
    </message>
    <message>
        <source>Puts a rule on top, for the kernel that is chosen below where one is</source>
        <translation>在最上面加一条规则；若下面选中了 kernel，则针对它</translation>
    </message>
    <message>
        <source>Puts the rules back that Orrery comes with</source>
        <translation>恢复 Orrery 自带的规则</translation>
    </message>
    <message>
        <source>part of a name</source>
        <translation>名称的一部分</translation>
    </message>
    <message>
        <source>The rules that Orrery comes with</source>
        <translation>Orrery 自带的规则</translation>
    </message>
    <message>
        <source>Rules of your own</source>
        <translation>您自己的规则</translation>
    </message>
    <message>
        <source>communication, before computation</source>
        <translation>通信，原为计算</translation>
    </message>
    <message>
        <source>computation, before communication</source>
        <translation>计算，原为通信</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>kernel</translation>
    </message>
    <message>
        <source>By rule</source>
        <translation>所依规则</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>kernel</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>%1 of %2 names communicate: %3 kernels, %4 of %5</source>
        <translation>%2 个名称中 %1 个是通信：%3 个 kernel，%5 中的 %4</translation>
    </message>
</context>
<context>
    <name>orrery::CompareLayers</name>
    <message>
        <source>Memory by layer</source>
        <translation>各层显存</translation>
    </message>
    <message>
        <source>Choose a scenario that has a result.</source>
        <translation>请选择一个有结果的场景。</translation>
    </message>
    <message>
        <source>Layers are told apart in planned training. An engine keeps one account for all of them.</source>
        <translation>只有规划的训练才区分各层。引擎对所有层只记一本总账。</translation>
    </message>
    <message>
        <source>%1; outlines: %2</source>
        <translation>%1；轮廓线：%2</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>%1, stage %2: %3</source>
        <translation>%1，流水级 %2：%3</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1: not in %2</source>
        <translation>%1：%2 中没有</translation>
    </message>
    <message>
        <source>difference %1</source>
        <translation>相差 %1</translation>
    </message>
    <message>
        <source>No layers to compare.</source>
        <translation>没有可对比的层。</translation>
    </message>
    <message>
        <source>layer; outline: %1</source>
        <translation>层；轮廓线：%1</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
</context>
<context>
    <name>orrery::CompareMemory</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Memory side by side</source>
        <translation>显存并排对比</translation>
    </message>
    <message>
        <source>No memory to compare yet.</source>
        <translation>还没有可对比的显存。</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>容量 %1</translation>
    </message>
</context>
<context>
    <name>orrery::ComparePanel</name>
    <message>
        <source>%1 of %2</source>
        <comment>figure, scenario</comment>
        <translation>%2 的%1</translation>
    </message>
    <message>
        <source>Inputs that differ</source>
        <translation>不同的输入</translation>
    </message>
    <message>
        <source>Where the difference comes from</source>
        <translation>差异来自哪里</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>green is better</source>
        <translation>绿色为更好</translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>on one axis from the start</source>
        <translation>同一时间轴，从头开始</translation>
    </message>
    <message>
        <source>Stage of the timelines</source>
        <translation>时间线的流水级</translation>
    </message>
    <message>
        <source>A scenario with fewer stages shows its last</source>
        <translation>流水级较少的场景显示其最后一级</translation>
    </message>
    <message>
        <source>Figure whose difference is divided</source>
        <translation>分解差异的指标</translation>
    </message>
    <message>
        <source>The figure whose difference is divided into its parts</source>
        <translation>其差异被分解成各部分的指标</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>matched by name, mean of one</source>
        <translation>按名称匹配，取单次平均</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Under the ceilings of the accelerator; rings are the baseline</source>
        <translation>在加速卡的性能上限之下；圆圈是基线</translation>
    </message>
    <message>
        <source>By kind</source>
        <translation>按类型</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>按层</translation>
    </message>
    <message>
        <source>What each layer holds when its stage holds most; outlines are the baseline</source>
        <translation>所在流水级占用最多时每层的占用；轮廓线是基线</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>Tick two scenarios or more in the row above. A new variant begins as a copy of what is open.</source>
        <translation>请在上面一行勾选两个或更多场景。新变体开始时是当前打开内容的副本。</translation>
    </message>
    <message>
        <source>%1 and %2 are of different kinds of workload: their figures can&apos;t be compared.</source>
        <translation>%1 与 %2 的负载类型不同：它们的指标无法对比。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>fullest stage, at its peak</source>
        <translation>最满的流水级，峰值时</translation>
    </message>
    <message>
        <source> · %1 is better in %2 % of such comparisons</source>
        <translation> · 在 %2 % 的此类对比中 %1 更好</translation>
    </message>
</context>
<context>
    <name>orrery::CompareTable</name>
    <message>
        <source>±0 pp</source>
        <translation>±0 个百分点</translation>
    </message>
    <message>
        <source>%1 pp</source>
        <translation>%1 个百分点</translation>
    </message>
</context>
<context>
    <name>orrery::CompareTimelines</name>
    <message>
        <source>Timelines on one axis</source>
        <translation>同一时间轴上的时间线</translation>
    </message>
    <message>
        <source>No timeline yet.</source>
        <translation>还没有时间线。</translation>
    </message>
    <message>
        <source>Choose scenarios that run.</source>
        <translation>请选择能够运行的场景。</translation>
    </message>
    <message>
        <source>Point at an operator to find it in the others; the wheel zooms, dragging moves.</source>
        <translation>指向一个算子即可在其他时间线中找到它；滚轮缩放，拖动平移。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 has none</source>
        <translation>%1 没有</translation>
    </message>
    <message>
        <source> (%1 × as fast)</source>
        <translation> （速度为 %1 倍）</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1，%2：%3</translation>
    </message>
</context>
<context>
    <name>orrery::CounterChart</name>
    <message>
        <source>Engine over time</source>
        <translation>引擎随时间变化</translation>
    </message>
    <message>
        <source>at most %1 running, %2 waiting</source>
        <translation>最多 %1 个运行，%2 个等待</translation>
    </message>
    <message>
        <source>The engine ran no step.</source>
        <translation>引擎没有运行任何一步。</translation>
    </message>
    <message>
        <source>Choose “serving” as the kind of workload.</source>
        <translation>请把负载类型选为“在线服务”。</translation>
    </message>
    <message>
        <source>Requests that run and wait, and blocks of the cache in use, over the run.</source>
        <translation>整个运行中运行和等待的请求，以及占用的缓存块。</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>最多 %1</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>KV blocks</source>
        <translation>KV 块</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>上限 %1</translation>
    </message>
    <message>
        <source>≤ %1 of %2</source>
        <translation>≤ %1，上限 %2</translation>
    </message>
    <message>
        <source>%1: %2 running, %3 waiting, %4 of %5 blocks</source>
        <translation>%1：%2 个运行，%3 个等待，占用 %4 / %5 个块</translation>
    </message>
    <message>
        <source>time in s</source>
        <translation>时间（s）</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
</context>
<context>
    <name>orrery::DerivationView</name>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>given</source>
        <translation>给定</translation>
    </message>
    <message>
        <source>derived</source>
        <translation>推导</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
</context>
<context>
    <name>orrery::Dialogs</name>
    <message>
        <source>Save the changes to %1?</source>
        <translation>要保存对 %1 的更改吗？</translation>
    </message>
    <message>
        <source>They are lost otherwise.</source>
        <translation>否则更改会丢失。</translation>
    </message>
    <message>
        <source>%1 was changed by someone else.</source>
        <translation>%1 已被他人更改。</translation>
    </message>
    <message>
        <source>Saving puts this window&apos;s scenario in its place; what was changed there is lost then.</source>
        <translation>保存会用本窗口的场景替换它；那里的更改将会丢失。</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>覆盖</translation>
    </message>
    <message>
        <source>Save elsewhere…</source>
        <translation>另存到别处…</translation>
    </message>
    <message>
        <source>This scenario names files outside its own folder. Read them?</source>
        <translation>该场景引用了它所在文件夹之外的文件。要读取吗？</translation>
    </message>
    <message>
        <source>Read them</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Don&apos;t read</source>
        <translation>不读取</translation>
    </message>
</context>
<context>
    <name>orrery::DifferenceBars</name>
    <message>
        <source>waiting for %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>%1, others&apos; work</source>
        <translation>%1，他人的工作</translation>
    </message>
    <message>
        <source>bubble, last stage</source>
        <translation>气泡，末级</translation>
    </message>
    <message>
        <source>Parts of the difference</source>
        <translation>差异的各部分</translation>
    </message>
</context>
<context>
    <name>orrery::ErrorBarSummary</name>
    <message>
        <source>This scenario&apos;s error bar follows its first result.</source>
        <translation>本场景的误差范围在首次得到结果后给出。</translation>
    </message>
    <message>
        <source>This scenario does not train.</source>
        <translation>本场景不做训练。</translation>
    </message>
    <message>
        <source>This scenario does not serve.</source>
        <translation>本场景不提供服务。</translation>
    </message>
    <message>
        <source>Too few runs were measured to give this scenario an error bar.</source>
        <translation>实测运行太少，无法给出本场景的误差范围。</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>This scenario: %1 %2, between %3 and %4</source>
        <translation>本场景：%1 %2，在 %3 与 %4 之间</translation>
    </message>
    <message>
        <source>in 9 of 10 such cases</source>
        <translation>每 10 例中有 9 例</translation>
    </message>
    <message>
        <source>Most alike:</source>
        <translation>最相似的：</translation>
    </message>
</context>
<context>
    <name>orrery::ErrorCasesModel</name>
    <message>
        <source>can&apos;t run</source>
        <translation>无法运行</translation>
    </message>
    <message>
        <source>%1 (%2)
%3%4
Enter or a double click opens it as a scenario.</source>
        <translation>%1（%2）
%3%4
按 Enter 或双击可将其作为场景打开。</translation>
    </message>
    <message>
        <source>With the shipped constants; + is predicted too slow or too big.</source>
        <translation>使用内置常数；+ 表示预测得过慢或过大。</translation>
    </message>
    <message>
        <source>With constants fitted without the run&apos;s collection.</source>
        <translation>使用不含该运行所属数据集拟合出的常数。</translation>
    </message>
    <message>
        <source>measured run</source>
        <translation>实测运行</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>accelerator</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>framework</source>
        <translation>框架</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>留出法</translation>
    </message>
    <message>
        <source>source</source>
        <translation>来源</translation>
    </message>
</context>
<context>
    <name>orrery::ErrorGroupsModel</name>
    <message>
        <source>All runs</source>
        <translation>全部运行</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>No run was measured with this %1: its error bars come from other ones.</source>
        <translation>没有在该%1上实测的运行：其误差范围借自其他运行。</translation>
    </message>
    <message>
        <source>%1 of %2 runs could be predicted; the worst is %3 off. Choose the row to see them.</source>
        <translation>%2 次运行中能预测 %1 次；误差最大的偏差 %3。选择该行可查看它们。</translation>
    </message>
    <message>
        <source>Mean error with its sign: + is predicted too slow or too big.</source>
        <translation>带符号的平均误差：+ 表示预测得过慢或过大。</translation>
    </message>
    <message>
        <source>Errors with constants fitted without the run&apos;s collection: what to expect where nothing of the kind was fitted to.</source>
        <translation>使用不含该运行所属数据集拟合出的常数时的误差：在没有拟合过同类数据的地方应预期的误差。</translation>
    </message>
    <message>
        <source>Absolute errors with the shipped constants.</source>
        <translation>使用内置常数的绝对误差。</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>运行数</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>90 % below</source>
        <translation>90 % 低于</translation>
    </message>
    <message>
        <source>bias</source>
        <translation>偏差</translation>
    </message>
    <message>
        <source>left out: median</source>
        <translation>留出法：中位数</translation>
    </message>
</context>
<context>
    <name>orrery::ErrorHistogram</name>
    <message>
        <source>Runs by error</source>
        <translation>按误差统计运行</translation>
    </message>
    <message>
        <source>%1: %2 runs</source>
        <translation>%1：%2 次运行</translation>
    </message>
    <message>
        <source>Measured runs by how far off their prediction is.</source>
        <translation>按预测偏差大小统计的实测运行。</translation>
    </message>
    <message>
        <source>No run has measured this.</source>
        <translation>没有运行测过它。</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>运行数</translation>
    </message>
    <message>
        <source>error of the prediction in percent, + is too slow or too big</source>
        <translation>预测误差（百分比），+ 表示过慢或过大</translation>
    </message>
    <message>
        <source>all runs</source>
        <translation>全部运行</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>留出法</translation>
    </message>
    <message>
        <source>%1 to %2: %3 of %4 runs</source>
        <translation>%1 至 %2：%4 次运行中的 %3 次</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确性</translation>
    </message>
    <message>
        <source>error in %, from</source>
        <translation>误差（%），下限</translation>
    </message>
</context>
<context>
    <name>orrery::Examples</name>
    <message>
        <source>New scenario</source>
        <translation>新场景</translation>
    </message>
</context>
<context>
    <name>orrery::ExploreContext</name>
    <message>
        <source>Keep %1 as a variant</source>
        <translation>把 %1 保留为变体</translation>
    </message>
    <message>
        <source>Tables (*.xlsx *.csv)</source>
        <translation>表格 (*.xlsx *.csv)</translation>
    </message>
    <message>
        <source>Nothing was saved: let the name end in .xlsx or .csv.</source>
        <translation>未保存任何内容：文件名须以 .xlsx 或 .csv 结尾。</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
</context>
<context>
    <name>orrery::ExplorePanel</name>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Solve</source>
        <translation>求解</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>敏感性</translation>
    </message>
    <message>
        <source>What a figure becomes when one or two keys take other values</source>
        <translation>一两个键取其他值时，指标会变成多少</translation>
    </message>
    <message>
        <source>The best plans of a space</source>
        <translation>一个空间中的最佳方案</translation>
    </message>
    <message>
        <source>Which value of a key makes a figure what it should be</source>
        <translation>键取哪个值，指标才会达到要求</translation>
    </message>
    <message>
        <source>What a figure hangs on</source>
        <translation>指标取决于什么</translation>
    </message>
</context>
<context>
    <name>orrery::ExploreWorker</name>
    <message>
        <source>Orrery itself failed: %1</source>
        <translation>Orrery 自身出错：%1</translation>
    </message>
</context>
<context>
    <name>orrery::ExportDialog</name>
    <message>
        <source>Column of a paper, 3.33 in</source>
        <translation>论文单栏，3.33 in</translation>
    </message>
    <message>
        <source>Column of a paper, 3.5 in</source>
        <translation>论文单栏，3.5 in</translation>
    </message>
    <message>
        <source>Page of a paper, 7 in</source>
        <translation>论文通栏，7 in</translation>
    </message>
    <message>
        <source>Slide, 13.33 × 7.5 in</source>
        <translation>幻灯片，13.33 × 7.5 in</translation>
    </message>
    <message>
        <source>Screen, 1200 × 700 px</source>
        <translation>屏幕，1200 × 700 px</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>&amp;Save…</source>
        <translation>保存(&amp;S)…</translation>
    </message>
    <message>
        <source>Save &amp;all…</source>
        <translation>全部保存(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Export charts</source>
        <translation>导出图表</translation>
    </message>
    <message>
        <source>CSV, the data</source>
        <translation>CSV，数据</translation>
    </message>
    <message>
        <source>TeX, for PGFPlots</source>
        <translation>TeX，用于 PGFPlots</translation>
    </message>
    <message>
        <source>Vega-Lite</source>
        <translation>Vega-Lite</translation>
    </message>
    <message>
        <source>Python, for matplotlib</source>
        <translation>Python，用于 matplotlib</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> 磅</translation>
    </message>
    <message>
        <source> dots/in</source>
        <translation> 点/英寸</translation>
    </message>
    <message>
        <source>Like the window</source>
        <translation>与窗口相同</translation>
    </message>
    <message>
        <source>The chart&apos;s own</source>
        <translation>图表自带</translation>
    </message>
    <message>
        <source>Another</source>
        <translation>另写</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Kind of file</source>
        <translation>文件类型</translation>
    </message>
    <message>
        <source>Made for</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高度</translation>
    </message>
    <message>
        <source>Unit of the lengths</source>
        <translation>长度单位</translation>
    </message>
    <message>
        <source>Letters</source>
        <translation>字号</translation>
    </message>
    <message>
        <source>Resolution of a PNG</source>
        <translation>PNG 分辨率</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>What comes out</source>
        <translation>输出预览</translation>
    </message>
    <message>
        <source>Size of the axes&apos; labels on paper, whatever the figure&apos;s width</source>
        <translation>坐标轴标签在纸上的字号，与图宽无关</translation>
    </message>
    <message>
        <source>Puts the chart into the clipboard as a picture and as vectors</source>
        <translation>把图表同时以图片和矢量放入剪贴板</translation>
    </message>
    <message>
        <source>Writes every chart that has something to show into one folder</source>
        <translation>把所有有内容可显示的图表写入一个文件夹</translation>
    </message>
    <message>
        <source>C&amp;hart</source>
        <translation>图表(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Kind of file</source>
        <translation>文件类型(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Made for</source>
        <translation>用途(&amp;M)</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>尺寸(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;Letters</source>
        <translation>字号(&amp;L)</translation>
    </message>
    <message>
        <source>Colou&amp;rs</source>
        <translation>颜色(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Title</source>
        <translation>标题(&amp;T)</translation>
    </message>
    <message>
        <source>Resol&amp;ution</source>
        <translation>分辨率(&amp;U)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>导出 %1</translation>
    </message>
    <message>
        <source>%1 files (*.%2)</source>
        <translation>%1 文件 (*.%2)</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>已导出到 %1</translation>
    </message>
    <message>
        <source>Export all charts into a folder</source>
        <translation>把所有图表导出到一个文件夹</translation>
    </message>
    <message>
        <source>1 chart exported to %1</source>
        <translation>已导出 1 张图表到 %1</translation>
    </message>
    <message>
        <source>%1 charts exported to %2</source>
        <translation>已导出 %1 张图表到 %2</translation>
    </message>
    <message>
        <source>; %1 have nothing to show</source>
        <translation>；%1 张没有内容可显示</translation>
    </message>
    <message>
        <source>Copied: paste it into a document</source>
        <translation>已复制：可粘贴到文档中</translation>
    </message>
</context>
<context>
    <name>orrery::FiguresTable</name>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
</context>
<context>
    <name>orrery::FirstRunCard</name>
    <message>
        <source>What would you like to do?</source>
        <translation>您想做什么？</translation>
    </message>
    <message>
        <source>&amp;Find a plan</source>
        <translation>寻找方案(&amp;F)</translation>
    </message>
    <message>
        <source>Try all plans of a space for this model and machine, and see the best</source>
        <translation>为该模型和机器试遍一个空间的所有方案，看哪个最好</translation>
    </message>
    <message>
        <source>Open a &amp;record</source>
        <translation>打开采集记录(&amp;R)</translation>
    </message>
    <message>
        <source>Traces of PyTorch&apos;s profiler or Nsight Systems: who waits for whom, and why</source>
        <translation>PyTorch 性能分析器或 Nsight Systems 的 trace：谁在等谁，为什么</translation>
    </message>
    <message>
        <source>Take a &amp;lesson</source>
        <translation>学一课(&amp;L)</translation>
    </message>
    <message>
        <source>Say what will happen, then see it happen: twelve lessons, the first takes five minutes</source>
        <translation>先说会发生什么，再看它发生：十二课，第一课只需五分钟</translation>
    </message>
    <message>
        <source>Look at the &amp;example behind</source>
        <translation>看看后面的示例(&amp;E)</translation>
    </message>
</context>
<context>
    <name>orrery::FitBanner</name>
    <message>
        <source>What holds it</source>
        <translation>由什么占用</translation>
    </message>
    <message>
        <source>Stop trying</source>
        <translation>停止尝试</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>Shows what holds the stage&apos;s memory at its peak, down to the tensor</source>
        <translation>显示该流水级在峰值时显存由什么占用，细到张量</translation>
    </message>
    <message>
        <source>Leaves the plan as it is, without changes on offer</source>
        <translation>保持方案不变，不再提供修改建议</translation>
    </message>
    <message>
        <source>The row at the bottom still says that it does not fit</source>
        <translation>底部一行仍会提示放不下</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>an accelerator</source>
        <translation>一张加速卡</translation>
    </message>
    <message>
        <source>Does not fit: %1 needs %2, %3 more than the %4 that the engine may take.</source>
        <translation>放不下：%1 需要 %2，比引擎可用的 %4 多 %3。</translation>
    </message>
    <message>
        <source>Does not fit: %1 needs %2, %3 more than the %4 there are.</source>
        <translation>放不下：%1 需要 %2，比现有的 %4 多 %3。</translation>
    </message>
    <message>
        <source>Trying what would make it fit…</source>
        <translation>正在尝试怎样才能放下…</translation>
    </message>
    <message>
        <source>%1, as fast</source>
        <translation>%1，一样快</translation>
    </message>
    <message>
        <source>%1, %2 longer</source>
        <translation>%1，慢 %2</translation>
    </message>
    <message>
        <source>%1, %2 shorter</source>
        <translation>%1，快 %2</translation>
    </message>
    <message>
        <source>Trying what would make it fit… %1 %</source>
        <translation>正在尝试怎样才能放下… %1 %</translation>
    </message>
    <message>
        <source>Stopped before anything that fits was found.</source>
        <translation>在找到能放下的办法之前停止了。</translation>
    </message>
    <message>
        <source>Nothing that was tried makes it fit: it takes more accelerators, or a smaller model.</source>
        <translation>试过的办法都放不下：需要更多加速卡，或更小的模型。</translation>
    </message>
    <message>
        <source>Try %1: %2</source>
        <translation>试用 %1：%2</translation>
    </message>
    <message>
        <source>Applies it as one step that undo takes back; it was simulated and takes %1 an iteration</source>
        <translation>作为一步应用，可以撤销；已经仿真过，每次迭代 %1</translation>
    </message>
    <message>
        <source>Applies it as one step that undo takes back; it was simulated and takes %1 a request</source>
        <translation>作为一步应用，可以撤销；已经仿真过，每个请求 %1</translation>
    </message>
    <message>
        <source>Applies it as one step that undo takes back; by estimate it takes %1 an iteration</source>
        <translation>作为一步应用，可以撤销；估算每次迭代 %1</translation>
    </message>
    <message>
        <source>Applies it as one step that undo takes back; by its first requests it takes %1 a request</source>
        <translation>作为一步应用，可以撤销；按最初的请求估计，每个请求 %1</translation>
    </message>
    <message>
        <source>Try %1</source>
        <translation>试用 %1</translation>
    </message>
    <message>
        <source>Take one of the changes that were tried, or more accelerators.</source>
        <translation>请采用一项试过的修改，或使用更多加速卡。</translation>
    </message>
</context>
<context>
    <name>orrery::FrontChart</name>
    <message>
        <source>Plans by two figures</source>
        <translation>按两个指标看方案</translation>
    </message>
    <message>
        <source>Plans by two figures, with those that no other beats in both. Run a search.</source>
        <translation>按两个指标看方案，标出两方面都没有被超过的方案。请运行一次搜索。</translation>
    </message>
    <message>
        <source>Plans by %1 and %2</source>
        <translation>按 %1 和 %2 看方案</translation>
    </message>
    <message>
        <source>Plans by two figures, with those that no other beats in both.</source>
        <translation>按两个指标看方案，标出两方面都没有被超过的方案。</translation>
    </message>
    <message>
        <source>Look at the space, then search.</source>
        <translation>查看空间，然后搜索。</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 (more is better)</source>
        <translation>%1（越大越好）</translation>
    </message>
    <message>
        <source>%1 (less is better)</source>
        <translation>%1（越小越好）</translation>
    </message>
    <message>
        <source>○ does not fit, or breaks a constraint</source>
        <translation>○ 放不下，或违反约束</translation>
    </message>
    <message>
        <source>%1: %2 %3, %4 %5</source>
        <translation>%1：%2 %3，%4 %5</translation>
    </message>
    <message>
        <source>; does not fit, or breaks a constraint</source>
        <translation>；放不下，或违反约束</translation>
    </message>
</context>
<context>
    <name>orrery::GeneratorDialog</name>
    <message>
        <source>Place</source>
        <translation>放置</translation>
    </message>
    <message>
        <source>Then click on the drawing</source>
        <translation>然后在图上点击</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>Interfaces of a host</source>
        <translation>每台主机的网口数</translation>
    </message>
    <message>
        <source>Bandwidth of one</source>
        <translation>单个带宽</translation>
    </message>
    <message>
        <source>%1 accelerators in %2 hosts
%3 switches, %4 cables
%5 cards and %6 links to draw</source>
        <translation>%2 台主机中的 %1 张加速卡
%3 台交换机，%4 根线缆
要画 %5 张卡片和 %6 条链路</translation>
    </message>
    <message>
        <source>Something is not possible yet.</source>
        <translation>有些地方还无法实现。</translation>
    </message>
</context>
<context>
    <name>orrery::HeadlineStrip</name>
    <message>
        <source>From before the last change: the scenario cannot run now.</source>
        <translation>是上次更改之前的数值：场景现在无法运行。</translation>
    </message>
    <message>
        <source>%1 against %2</source>
        <translation>%1，对比 %2</translation>
    </message>
    <message>
        <source>Click for its inputs and where they come from.</source>
        <translation>点击查看它的输入以及来源。</translation>
    </message>
</context>
<context>
    <name>orrery::HeatMap</name>
    <message>
        <source>Figure over the values of two keys</source>
        <translation>指标随两个键的取值变化</translation>
    </message>
    <message>
        <source>A figure over the values of two keys. Name both keys and run the sweep.</source>
        <translation>指标随两个键的取值变化。请指定两个键并运行扫描。</translation>
    </message>
    <message>
        <source>%1 over %2 and %3</source>
        <translation>%1 随 %2 和 %3</translation>
    </message>
    <message>
        <source>A figure over the values of two keys.</source>
        <translation>指标随两个键的取值变化。</translation>
    </message>
    <message>
        <source>Name both keys and run the sweep.</source>
        <translation>请指定两个键并运行扫描。</translation>
    </message>
    <message>
        <source>%1, by %2 from top to bottom</source>
        <translation>%1，自上而下为 %2</translation>
    </message>
    <message>
        <source>%1, %2 from top</source>
        <translation>%1，自上而下为 %2</translation>
    </message>
    <message>
        <source>framed: best that fits</source>
        <translation>加框：放得下的最佳</translation>
    </message>
    <message>
        <source>hatched: does not fit</source>
        <translation>斜线：放不下</translation>
    </message>
    <message>
        <source>–: no such plan</source>
        <translation>–：没有这样的方案</translation>
    </message>
    <message>
        <source>%1 = %2, %3 = %4</source>
        <translation>%1 = %2，%3 = %4</translation>
    </message>
    <message>
        <source>not tried yet</source>
        <translation>尚未尝试</translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1：%2 %3</translation>
    </message>
    <message>
        <source>; does not fit</source>
        <translation>；放不下</translation>
    </message>
</context>
<context>
    <name>orrery::HelpWindow</name>
    <message>
        <source>Orrery: the manual</source>
        <translation>Orrery：手册</translation>
    </message>
</context>
<context>
    <name>orrery::HolderModel</name>
    <message>
        <source>from the beginning</source>
        <translation>从开始</translation>
    </message>
    <message>
        <source>to the end</source>
        <translation>到结束</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Tensors of this name, layer and micro-batch</source>
        <translation>具有该名称、层和微批次的张量数</translation>
    </message>
    <message>
        <source>Share of what the stage holds at this moment</source>
        <translation>占该流水级此刻占用的比例</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>in</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>written by</source>
        <translation>写入者</translation>
    </message>
    <message>
        <source>needed last by</source>
        <translation>最后使用者</translation>
    </message>
</context>
<context>
    <name>orrery::HolderTable</name>
    <message>
        <source>What holds a stage&apos;s memory at one moment, down to the tensor.</source>
        <translation>流水级的显存在某一时刻由什么占用，细到张量。</translation>
    </message>
    <message>
        <source>Choose a model and a cluster; then click on a moment of the memory over time.</source>
        <translation>请选择模型和集群；然后在显存随时间变化图上点击一个时刻。</translation>
    </message>
    <message>
        <source>What holds the memory</source>
        <translation>显存由什么占用</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Shows all that the stage holds, not only what is chosen</source>
        <translation>显示该流水级的全部占用，而不只是所选的</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Shows the rows that contain this text</source>
        <translation>显示包含该文字的行</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Memory of %1: %2</source>
        <translation>%1，显存 %2</translation>
    </message>
    <message>
        <source>, of it %1 in %2</source>
        <translation>，其中 %2 占 %1</translation>
    </message>
    <message>
        <source>An engine keeps one account of each kind: “By stage” shows them.</source>
        <translation>引擎对每一类只记一本总账：见“按流水级”。</translation>
    </message>
</context>
<context>
    <name>orrery::ImportDialog</name>
    <message>
        <source>Import a launch command</source>
        <translation>导入启动命令</translation>
    </message>
    <message>
        <source>Launch command, script or configuration</source>
        <translation>启动命令、脚本或配置</translation>
    </message>
    <message>
        <source>Paste a command line of Megatron-LM, torchtitan, DeepSpeed, vLLM, SGLang or TensorRT-LLM, the script that holds it, a torchtitan .toml, a DeepSpeed .json or a server&apos;s .yaml.</source>
        <translation>粘贴 Megatron-LM、torchtitan、DeepSpeed、vLLM、SGLang 或 TensorRT-LLM 的命令行，包含它的脚本，torchtitan 的 .toml，DeepSpeed 的 .json，或服务器的 .yaml。</translation>
    </message>
    <message>
        <source>A command line does not say what it runs on</source>
        <translation>命令行不会说明它在什么机器上运行</translation>
    </message>
    <message>
        <source>For a text that names no model</source>
        <translation>用于没有指明模型的文本</translation>
    </message>
    <message>
        <source>Variables that the script finds in its environment, NAME=VALUE with spaces between</source>
        <translation>脚本所在环境中的变量，NAME=VALUE，以空格分隔</translation>
    </message>
    <message>
        <source>Accelerator</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Variables</source>
        <translation>变量</translation>
    </message>
    <message>
        <source>What was not understood, and what was assumed</source>
        <translation>未能识别的内容，以及所作的假定</translation>
    </message>
    <message>
        <source>&amp;Import</source>
        <translation>导入(&amp;I)</translation>
    </message>
    <message>
        <source>Puts the scenario in the place of the present one, as one step that undo takes back</source>
        <translation>用该场景替换当前场景，作为可撤销的一步</translation>
    </message>
    <message>
        <source>from the text, else H100</source>
        <translation>取自文本，否则为 H100</translation>
    </message>
    <message>
        <source>from the text</source>
        <translation>取自文本</translation>
    </message>
    <message>
        <source>Reading what the text names…</source>
        <translation>正在读取文本所引用的内容…</translation>
    </message>
    <message>
        <source>The scenario appears here as soon as there is a text.</source>
        <translation>有了文本，场景就会显示在这里。</translation>
    </message>
    <message>
        <source>No scenario can be made of this yet.</source>
        <translation>还无法由此得到场景。</translation>
    </message>
    <message>
        <source>A scenario from %1, which has to be mended before it runs</source>
        <translation>来自 %1 的场景，运行前需要修复</translation>
    </message>
    <message>
        <source>A scenario from %1</source>
        <translation>来自 %1 的场景</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Everything was understood.</source>
        <translation>全部内容都已识别。</translation>
    </message>
</context>
<context>
    <name>orrery::InputsTable</name>
    <message>
        <source>Inputs that differ</source>
        <translation>不同的输入</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
</context>
<context>
    <name>orrery::JitterChart</name>
    <message>
        <source>Jitter by the number of accelerators</source>
        <translation>抖动随加速卡数变化</translation>
    </message>
    <message>
        <source>%1 drawn</source>
        <translation>%1 次抽样</translation>
    </message>
    <message>
        <source>closed form</source>
        <translation>闭式解</translation>
    </message>
    <message>
        <source>%1 over none · %2</source>
        <translation>%1，相对无抖动 · %2</translation>
    </message>
    <message>
        <source>accelerators, the same work for each</source>
        <translation>加速卡数，每卡工作量相同</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>5 to 95 %</source>
        <translation>5 至 95 %</translation>
    </message>
    <message>
        <source>all hosts alike</source>
        <translation>所有主机相同</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>Here every rank draws for itself. Under Execution choose how Jitter is taken to see it by the number of accelerators.</source>
        <translation>这里每个 rank 各自抽样。请在“执行”中选择抖动的处理方式，以查看它随加速卡数的变化。</translation>
    </message>
    <message>
        <source>Under Execution set Jitter to “expected”: kernels then vary by 2 %, or by what you say.</source>
        <translation>请在“执行”中把抖动设为“期望值”：kernel 于是按 2 % 或您给定的幅度波动。</translation>
    </message>
    <message>
        <source>What kernels and hosts that vary cost, from 8 to 16,384 accelerators.</source>
        <translation>kernel 和主机波动的代价，从 8 到 16,384 张加速卡。</translation>
    </message>
    <message>
        <source>%1 accelerators</source>
        <translation>%1 张加速卡</translation>
    </message>
    <message>
        <source>mean %1, %2 over %3 without jitter</source>
        <translation>平均 %1，比无抖动的 %3 多 %2</translation>
    </message>
    <message>
        <source>nine in ten between %1 and %2</source>
        <translation>十次中有九次在 %1 与 %2 之间</translation>
    </message>
    <message>
        <source>hosts that differ cost %1 of it</source>
        <translation>其中主机差异占 %1</translation>
    </message>
    <message>
        <source>accelerators</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>iteration time in s</source>
        <translation>迭代时间（s）</translation>
    </message>
</context>
<context>
    <name>orrery::KeyEdit</name>
    <message>
        <source>a field of the form</source>
        <translation>表单中的字段</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>A field of the form by its name, part of which finds it; or a JSON pointer</source>
        <translation>表单字段的名称，输入一部分即可找到；或 JSON 指针</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>A list 1,2,4; a range 1..8; with a step 1..8:2; evenly in the logarithm log:1..64:7</source>
        <translation>列表 1,2,4；范围 1..8；带步长 1..8:2；对数等分 log:1..64:7</translation>
    </message>
    <message>
        <source>Vary this key no longer</source>
        <translation>不再改变该键</translation>
    </message>
</context>
<context>
    <name>orrery::LatencyChart</name>
    <message>
        <source>Latency of requests</source>
        <translation>请求延迟</translation>
    </message>
    <message>
        <source>of no request</source>
        <translation>没有请求</translation>
    </message>
    <message>
        <source>p50 %1 · p90 %2 · p99 %3</source>
        <translation>p50 %1 · p90 %2 · p99 %3</translation>
    </message>
    <message>
        <source>%1 within the SLO of %2</source>
        <translation>%1 满足 %2 的 SLO</translation>
    </message>
    <message>
        <source>p50 %1 · p99 %2</source>
        <translation>p50 %1 · p99 %2</translation>
    </message>
    <message>
        <source>p50 %1</source>
        <translation>p50 %1</translation>
    </message>
    <message>
        <source>%1 within %2</source>
        <translation>%1 在 %2 以内</translation>
    </message>
    <message>
        <source>%1 within</source>
        <translation>%1 以内</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>share of %1 completed requests</source>
        <translation>%1 个完成请求中的占比</translation>
    </message>
    <message>
        <source>No request was completed: the engine rejected them, or its memory holds no cache.</source>
        <translation>没有请求完成：引擎拒绝了它们，或显存放不下任何缓存。</translation>
    </message>
    <message>
        <source>Choose “serving” as the kind of workload.</source>
        <translation>请把负载类型选为“在线服务”。</translation>
    </message>
    <message>
        <source>How long requests take: to the first token, by token and in all.</source>
        <translation>请求需要多久：到首 token、逐 token 和全程。</translation>
    </message>
    <message>
        <source>%1: %2 of the requests within %3</source>
        <translation>%1：%2 的请求在 %3 以内</translation>
    </message>
    <message>
        <source>latency in s</source>
        <translation>延迟（s）</translation>
    </message>
    <message>
        <source>share of requests</source>
        <translation>请求占比</translation>
    </message>
</context>
<context>
    <name>orrery::LessonList</name>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n 步</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %n step(s) done</source>
        <translation>
            <numerusform>全部 %n 步已完成</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 steps done</source>
        <translation>%2 步中完成 %1 步</translation>
    </message>
</context>
<context>
    <name>orrery::LessonPanel</name>
    <message>
        <source>Learn</source>
        <translation>学习</translation>
    </message>
    <message>
        <source>All lessons</source>
        <translation>全部课程</translation>
    </message>
    <message>
        <source>lessons that are played on the scenario</source>
        <translation>在场景上动手的课程</translation>
    </message>
    <message>
        <source>lesson %1 of %2</source>
        <translation>第 %1 课，共 %2 课</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Keep as variant</source>
        <translation>保留为变体</translation>
    </message>
    <message>
        <source>Save answers…</source>
        <translation>保存答案…</translation>
    </message>
</context>
<context>
    <name>orrery::LessonPlayer</name>
    <message>
        <source>Locked: this step of the lesson leaves it as it is.</source>
        <translation>已锁定：这一步课程不改动它。</translation>
    </message>
    <message>
        <source>Locked until your answer is given.</source>
        <translation>已锁定，直到您给出答案。</translation>
    </message>
</context>
<context>
    <name>orrery::LessonStepView</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Look at: %1.</source>
        <translation>请看：%1。</translation>
    </message>
    <message>
        <source>Not yet.</source>
        <translation>还不对。</translation>
    </message>
    <message>
        <source>Measured.</source>
        <translation>已测得。</translation>
    </message>
    <message>
        <source>Your answer: %1</source>
        <translation>您的答案：%1</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>一个数</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Lock my answer and run</source>
        <translation>锁定答案并运行</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>再检查一次</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>nothing runs before</source>
        <translation>在此之前不会运行</translation>
    </message>
    <message>
        <source>What you may touch here</source>
        <translation>这里您可以改动的内容</translation>
    </message>
    <message>
        <source>Nothing: look, and answer.</source>
        <translation>没有：请看，并回答。</translation>
    </message>
    <message>
        <source>After your answer: %1.</source>
        <translation>回答之后：%1。</translation>
    </message>
    <message>
        <source>Shows the field in the form.</source>
        <translation>在表单中显示该字段。</translation>
    </message>
</context>
<context>
    <name>orrery::LineChart</name>
    <message>
        <source>Figure over the values of a key</source>
        <translation>指标随键的取值变化</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1，随 %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>○ does not fit</source>
        <translation>○ 放不下</translation>
    </message>
    <message>
        <source>– – asked for: %1</source>
        <translation>– – 要求：%1</translation>
    </message>
    <message>
        <source>%1 = %2: %3 %4</source>
        <translation>%1 = %2：%3 %4</translation>
    </message>
    <message>
        <source>; does not fit</source>
        <translation>；放不下</translation>
    </message>
</context>
<context>
    <name>orrery::LinkLoadModel</name>
    <message>
        <source>%1 alike, %2 each</source>
        <translation>%1 条相同，每条 %2</translation>
    </message>
    <message>
        <source>idle, %1</source>
        <translation>空闲，%1</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>direction</source>
        <translation>方向</translation>
    </message>
    <message>
        <source>rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>load</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>busiest</source>
        <translation>最忙</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>users</source>
        <translation>使用者</translation>
    </message>
    <message>
        <source>Share of the bandwidth in use: mean over the time and over the cables that are alike.</source>
        <translation>带宽使用占比：对时间和相同的线缆取平均。</translation>
    </message>
    <message>
        <source>The same for the busiest of the cables that are alike.</source>
        <translation>同上，取相同线缆中最忙的一根。</translation>
    </message>
    <message>
        <source>All cables that are alike together, in one direction.</source>
        <translation>所有相同线缆的单向合计。</translation>
    </message>
</context>
<context>
    <name>orrery::LinkLoadTable</name>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 项</translation>
    </message>
    <message>
        <source>Links of the cluster by load: bytes, share of the bandwidth, and who uses them.</source>
        <translation>按负载排列的集群链路：字节数、带宽占比和使用者。</translation>
    </message>
    <message>
        <source>Choose a model and draw a cluster; the cursor or a range in the timeline says when.</source>
        <translation>请选择模型并绘制集群；时间线中的光标或范围决定时间。</translation>
    </message>
    <message>
        <source>Nothing is known to be sent over a network.</source>
        <translation>不知道有什么经由网络发送。</translation>
    </message>
    <message>
        <source>Serving and static batches count their communication in the operators&apos; times. Training: use more than one accelerator: raise the tensor, pipeline or data parallelism, or add hosts.</source>
        <translation>在线服务和静态批次把通信计入算子时间。训练：请使用多于一张加速卡：提高张量、流水线或数据并行度，或增加主机。</translation>
    </message>
    <message>
        <source>No link matches the filter.</source>
        <translation>没有链路符合筛选条件。</translation>
    </message>
    <message>
        <source>Filter by a node&apos;s name, or by who uses the link.</source>
        <translation>请按节点名称或链路使用者筛选。</translation>
    </message>
    <message>
        <source>Links by load</source>
        <translation>按负载排列的链路</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Shows the links whose ends or users contain this text</source>
        <translation>显示两端或使用者包含该文字的链路</translation>
    </message>
    <message>
        <source>Filter links</source>
        <translation>筛选链路</translation>
    </message>
    <message>
        <source>Links, %1</source>
        <translation>链路，%1</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>复制为 CSV</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>load</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Nothing is sent over a network.</source>
        <translation>没有任何数据经由网络发送。</translation>
    </message>
</context>
<context>
    <name>orrery::LoadChart</name>
    <message>
        <source>Throughput and latency</source>
        <translation>吞吐与延迟</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>○ now, %1</source>
        <translation>○ 当前，%1</translation>
    </message>
    <message>
        <source>◇ tried, %1</source>
        <translation>◇ 试过，%1</translation>
    </message>
    <message>
        <source>output tokens/s per accelerator</source>
        <translation>每卡输出 token/s</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>SLO %1</source>
        <translation>SLO %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Choose “serving” as the kind of workload.</source>
        <translation>请把负载类型选为“在线服务”。</translation>
    </message>
    <message>
        <source>Throughput against latency under rising load, and where it is too much.</source>
        <translation>负载上升时吞吐与延迟的关系，以及何处过载。</translation>
    </message>
    <message>
        <source>latency in s</source>
        <translation>延迟（s）</translation>
    </message>
</context>
<context>
    <name>orrery::LoadFigures</name>
    <message>
        <source>Figures of this load</source>
        <translation>该负载下的指标</translation>
    </message>
    <message>
        <source>p50 %1, p99 %2</source>
        <translation>p50 %1，p99 %2</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>%1 requests/s</source>
        <translation>%1 请求/s</translation>
    </message>
    <message>
        <source>KV cache in use</source>
        <translation>KV 缓存占用</translation>
    </message>
    <message>
        <source>Tokens/s per accelerator</source>
        <translation>每卡 token/s</translation>
    </message>
</context>
<context>
    <name>orrery::LoadPanel</name>
    <message>
        <source>Throughput and latency</source>
        <translation>吞吐与延迟</translation>
    </message>
    <message>
        <source>Load to try</source>
        <translation>要试的负载</translation>
    </message>
    <message>
        <source>Drag to see the figures of another load; let go to make it the scenario&apos;s</source>
        <translation>拖动可查看另一负载下的指标；松开后成为场景的负载</translation>
    </message>
    <message>
        <source>The model leaves no room for a cache: nothing is served.</source>
        <translation>模型没有给缓存留下空间：无法提供服务。</translation>
    </message>
    <message>
        <source>These requests were recorded and come when they came then: generate requests to vary their rate.</source>
        <translation>这些请求是录制的，按当时的时间到来：要改变速率，请改为生成请求。</translation>
    </message>
    <message>
        <source>All requests come at once: choose another way to arrive to vary their rate.</source>
        <translation>所有请求同时到来：要改变速率，请选择另一种到达方式。</translation>
    </message>
    <message>
        <source>Other loads are simulated beside the window; the curve grows as they come.</source>
        <translation>其他负载在窗口之外仿真；结果一到，曲线就会延长。</translation>
    </message>
    <message>
        <source>No request is completed under any load.</source>
        <translation>任何负载下都没有请求完成。</translation>
    </message>
    <message>
        <source>simulating other loads, %1 %</source>
        <translation>正在仿真其他负载，%1 %</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>用户数</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Change the users</source>
        <translation>更改用户数</translation>
    </message>
    <message>
        <source>Change the rate</source>
        <translation>更改速率</translation>
    </message>
</context>
<context>
    <name>orrery::Main</name>
    <message>
        <source>Draw a cluster, choose a model and a plan, and watch one training iteration, or requests being served.
“orrery render --help” tells how to draw charts without a window; “orrery-cli” has no window at all.</source>
        <translation>绘制集群，选择模型和并行方案，观察一次训练迭代，或请求如何得到服务。
“orrery render --help”说明如何不开窗口绘制图表；“orrery-cli”完全没有窗口。</translation>
    </message>
    <message>
        <source>A scenario (.orrery.json), a study (.orrery-study.json), a launch script, a model&apos;s config.json, or recorded traces, those of one job together.</source>
        <translation>一个场景（.orrery.json）、专题研究（.orrery-study.json）、启动脚本、模型的 config.json，或同一作业的若干采集 trace。</translation>
    </message>
    <message>
        <source>Tell how long the start took, and quit after the first result.</source>
        <translation>报告启动用时，并在得到第一个结果后退出。</translation>
    </message>
</context>
<context>
    <name>orrery::MainWindow</name>
    <message>
        <source>&amp;Cluster</source>
        <translation>集群(&amp;C)</translation>
    </message>
    <message>
        <source>Place &amp;host</source>
        <translation>放置主机(&amp;H)</translation>
    </message>
    <message>
        <source>Place &amp;switch</source>
        <translation>放置交换机(&amp;S)</translation>
    </message>
    <message>
        <source>Place a whole &amp;platform</source>
        <translation>放置整个平台(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Draw</source>
        <translation>绘制(&amp;D)</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>&amp;Connect</source>
        <translation>连接(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;What if</source>
        <translation>假设分析(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Half the bandwidth of what is selected</source>
        <translation>所选部分带宽减半(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Degrade what is selected…</source>
        <translation>降低所选部分的带宽(&amp;D)…</translation>
    </message>
    <message>
        <source>&amp;Take down what is selected</source>
        <translation>停用所选部分(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Straggler…</source>
        <translation>慢节点(&amp;S)…</translation>
    </message>
    <message>
        <source>Slow &amp;NIC…</source>
        <translation>慢网卡(&amp;N)…</translation>
    </message>
    <message>
        <source>Second job&apos;s traf&amp;fic…</source>
        <translation>第二个作业的流量(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Jitter…</source>
        <translation>抖动(&amp;J)…</translation>
    </message>
    <message>
        <source>&amp;Restore what is selected</source>
        <translation>恢复所选部分(&amp;R)</translation>
    </message>
    <message>
        <source>Restore &amp;everything</source>
        <translation>全部恢复(&amp;E)</translation>
    </message>
    <message>
        <source>“%1” can&apos;t be done to this scenario.</source>
        <translation>无法对该场景执行“%1”。</translation>
    </message>
    <message>
        <source>Another problem stands in its way; mend that first.</source>
        <translation>有另一个问题阻碍；请先修复它。</translation>
    </message>
    <message>
        <source>Change the title</source>
        <translation>更改标题</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>%1[*] — Orrery</source>
        <translation>%1[*] — Orrery</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>the cluster as drawn</source>
        <translation>所绘的集群</translation>
    </message>
    <message>
        <source>Mend</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>All %1</source>
        <translation>全部 %1 个</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>%1: %2 (%3 has %4)</source>
        <translation>%1：%2（%3 为 %4）</translation>
    </message>
    <message>
        <source>Numbers that were typed stay as they are.</source>
        <translation>输入过的数值保留不变。</translation>
    </message>
    <message>
        <source>Use those of %1</source>
        <translation>采用 %1 的数值</translation>
    </message>
    <message>
        <source>Use the numbers of %1</source>
        <translation>采用 %1 的数值</translation>
    </message>
    <message>
        <source>%1, line %2, column %3: </source>
        <translation>%1，第 %2 行，第 %3 列：</translation>
    </message>
    <message>
        <source>Orrery ended unexpectedly. Unsaved work on “%1” from %2 was kept.</source>
        <translation>Orrery 意外退出。“%1”在 %2 的未保存更改已保留。</translation>
    </message>
    <message>
        <source>Restore it</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Discard it</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>打开最近(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>导出(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation>新建(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Recent scenario %1</source>
        <translation>最近的场景 %1</translation>
    </message>
    <message>
        <source>&amp;Forget these</source>
        <translation>清除这些记录(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Model from a config.json…</source>
        <translation>从 config.json 导入模型(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Import a launch script…</source>
        <translation>导入启动脚本(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>C&amp;harts: size, letters, colours, title…</source>
        <translation>图表：尺寸、字号、颜色、标题(&amp;H)…</translation>
    </message>
    <message>
        <source>Timeline for &amp;Perfetto (Chrome JSON)…</source>
        <translation>供 Perfetto 使用的时间线（Chrome JSON）(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Report: figures, charts, sources…</source>
        <translation>报告：指标、图表、来源(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;SVG…</source>
        <translation>SVG(&amp;S)…</translation>
    </message>
    <message>
        <source>P&amp;DF…</source>
        <translation>PDF(&amp;D)…</translation>
    </message>
    <message>
        <source>&amp;PNG…</source>
        <translation>PNG(&amp;P)…</translation>
    </message>
    <message>
        <source>Data as &amp;CSV…</source>
        <translation>数据为 CSV(&amp;C)…</translation>
    </message>
    <message>
        <source>Size, &amp;letters, colours…</source>
        <translation>尺寸、字号、颜色(&amp;L)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Undo: %1</source>
        <translation>撤销(&amp;U)：%1</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Redo: %1</source>
        <translation>重做(&amp;R)：%1</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>Copy the scenario as te&amp;xt</source>
        <translation>把场景复制为文本(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Open a copied scenario text</source>
        <translation>打开复制的场景文本(&amp;O)</translation>
    </message>
    <message>
        <source>Paste a launch co&amp;mmand…</source>
        <translation>粘贴启动命令(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Duplicate</source>
        <translation>创建副本(&amp;D)</translation>
    </message>
    <message>
        <source>De&amp;lete</source>
        <translation>删除(&amp;L)</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>全选(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Workspaces</source>
        <translation>工作区(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>面板(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Command palette</source>
        <translation>命令面板(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Switch light and dark</source>
        <translation>切换浅色和深色(&amp;S)</translation>
    </message>
    <message>
        <source>Maximise the panel &amp;under the mouse</source>
        <translation>最大化鼠标下的面板(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Links in place of operators</source>
        <translation>以链路代替算子(&amp;L)</translation>
    </message>
    <message>
        <source>What holds the memory, &amp;by tensor</source>
        <translation>显存由什么占用，按张量(&amp;B)</translation>
    </message>
    <message>
        <source>Rearran&amp;ge panels</source>
        <translation>重新排列面板(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>重置布局(&amp;R)</translation>
    </message>
    <message>
        <source>Cluster: zoom &amp;in</source>
        <translation>集群：放大(&amp;I)</translation>
    </message>
    <message>
        <source>Cluster: zoom &amp;out</source>
        <translation>集群：缩小(&amp;O)</translation>
    </message>
    <message>
        <source>Cluster: &amp;fit</source>
        <translation>集群：适应(&amp;F)</translation>
    </message>
    <message>
        <source>Timeline: zoom in</source>
        <translation>时间线：放大</translation>
    </message>
    <message>
        <source>Timeline: zoom out</source>
        <translation>时间线：缩小</translation>
    </message>
    <message>
        <source>Timeline: fit</source>
        <translation>时间线：适应</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>全屏(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Simulate</source>
        <translation>仿真(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Run now</source>
        <translation>立即运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Pin as baseline</source>
        <translation>固定为基线(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Pinned as baseline: %1</source>
        <translation>已固定为基线(&amp;P)：%1</translation>
    </message>
    <message>
        <source>S&amp;weep the field that is edited</source>
        <translation>扫描正在编辑的字段(&amp;W)</translation>
    </message>
    <message>
        <source>Search for the &amp;best plan</source>
        <translation>搜索最佳方案(&amp;B)</translation>
    </message>
    <message>
        <source>S&amp;olve: which value reaches a figure</source>
        <translation>求解：哪个值达到指标(&amp;O)</translation>
    </message>
    <message>
        <source>S&amp;ensitivity: what a figure hangs on</source>
        <translation>敏感性：指标取决于什么(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Memory ceiling…</source>
        <translation>内存上限(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Accuracy: measured runs and error bars</source>
        <translation>准确性：实测运行与误差范围(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Show problems and what was assumed</source>
        <translation>显示问题和假定(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Manual: what is under the keyboard</source>
        <translation>手册：键盘焦点处的说明(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Three ways in…</source>
        <translation>三种入门方式(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About Orrery</source>
        <translation>关于 Orrery(&amp;A)</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>导出 %1</translation>
    </message>
    <message>
        <source>%1 files (*.%2)</source>
        <translation>%1 文件 (*.%2)</translation>
    </message>
    <message>
        <source>The chart was not exported: %1</source>
        <translation>图表未导出：%1</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>请选择别的位置。</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>已导出到 %1</translation>
    </message>
    <message>
        <source>Chrome traces (*.json)</source>
        <translation>Chrome trace (*.json)</translation>
    </message>
    <message>
        <source>Open it at ui.perfetto.dev.</source>
        <translation>可在 ui.perfetto.dev 打开它。</translation>
    </message>
    <message>
        <source>Reports (*.pdf *.html *.md)</source>
        <translation>报告 (*.pdf *.html *.md)</translation>
    </message>
    <message>
        <source>The report was not exported: %1</source>
        <translation>报告未导出：%1</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>Study</source>
        <translation>专题研究</translation>
    </message>
    <message>
        <source>&amp;Learn</source>
        <translation>学习(&amp;L)</translation>
    </message>
    <message>
        <source>Lesson %1: %2</source>
        <translation>第 %1 课：%2</translation>
    </message>
    <message>
        <source>Save the answers</source>
        <translation>保存答案</translation>
    </message>
    <message>
        <source>Answer sheets (*.orrery-answers.json)</source>
        <translation>答卷 (*.orrery-answers.json)</translation>
    </message>
    <message>
        <source>Answers saved to %1</source>
        <translation>答案已保存到 %1</translation>
    </message>
    <message>
        <source>A teacher judges them with orrery-cli lesson check %1 FILE --step 0.</source>
        <translation>教师可用 orrery-cli lesson check %1 FILE --step 0 评判。</translation>
    </message>
    <message>
        <source>Laying out…</source>
        <translation>正在排布…</translation>
    </message>
    <message>
        <source>Calibrate from the record</source>
        <translation>按采集记录校准</translation>
    </message>
    <message>
        <source>Running the recorded ranks…</source>
        <translation>正在运行采集的 rank…</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>正在对照…</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>file, what is wrong with it</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>(And %1 more.)</source>
        <translation>（另有 %1 个。）</translation>
    </message>
    <message>
        <source>The other files are shown.</source>
        <translation>其他文件已显示。</translation>
    </message>
    <message>
        <source>Which rank is it?</source>
        <translation>它是哪个 rank？</translation>
    </message>
    <message>
        <source>Rank of the job that %1 is of:</source>
        <translation>%1 在作业中的 rank：</translation>
    </message>
    <message>
        <source>Sorting kernels…</source>
        <translation>正在归类 kernel…</translation>
    </message>
    <message>
        <source>Recor&amp;ds</source>
        <translation>采集记录(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Open recorded traces…</source>
        <translation>打开采集的 trace(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Cancel reading</source>
        <translation>取消读取(&amp;C)</translation>
    </message>
    <message>
        <source>C&amp;lose the records</source>
        <translation>关闭采集记录(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Fold all ranks</source>
        <translation>折叠所有 rank(&amp;F)</translation>
    </message>
    <message>
        <source>Critical &amp;path</source>
        <translation>关键路径(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Beside the scenario</source>
        <translation>与场景对照(&amp;B)</translation>
    </message>
    <message>
        <source>Show &amp;all of the record</source>
        <translation>显示整个采集记录(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;What counts as communication…</source>
        <translation>哪些算通信(&amp;W)…</translation>
    </message>
    <message>
        <source>A variant needs a name.</source>
        <translation>变体需要名称。</translation>
    </message>
    <message>
        <source>Another variant is called “%1”.</source>
        <translation>另一个变体已名为“%1”。</translation>
    </message>
    <message>
        <source>Give it another name.</source>
        <translation>请换一个名称。</translation>
    </message>
    <message>
        <source>Base</source>
        <translation>原始场景</translation>
    </message>
    <message>
        <source>V&amp;ariants</source>
        <translation>变体(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;New variant, a copy of what is open</source>
        <translation>新建变体，即当前打开内容的副本(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Keep what was changed as a variant</source>
        <translation>把改动保留为变体(&amp;K)</translation>
    </message>
    <message>
        <source>N&amp;ext variant</source>
        <translation>下一个变体(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Previous variant</source>
        <translation>上一个变体(&amp;P)</translation>
    </message>
    <message>
        <source>The &amp;scenario itself</source>
        <translation>场景本身(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>重命名(&amp;R)</translation>
    </message>
    <message>
        <source>Move &amp;left</source>
        <translation>左移(&amp;L)</translation>
    </message>
    <message>
        <source>Move r&amp;ight</source>
        <translation>右移(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>删除(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Compare them</source>
        <translation>对比它们(&amp;C)</translation>
    </message>
    <message numerus="yes">
        <source>The scenario is in the clipboard, as one line of %n letters.</source>
        <translation>
            <numerusform>场景已放入剪贴板，是一行 %n 个字符的文本。</numerusform>
        </translation>
    </message>
    <message>
        <source>Files that it names are not in it: send them along.</source>
        <translation>它引用的文件不在其中：请一并发送。</translation>
    </message>
    <message>
        <source>Pasted into another window it opens.</source>
        <translation>粘贴到另一个窗口即可打开。</translation>
    </message>
    <message>
        <source>The language changes when Orrery starts again.</source>
        <translation>语言在 Orrery 下次启动时改变。</translation>
    </message>
    <message>
        <source>La&amp;nguage</source>
        <translation>语言(&amp;N)</translation>
    </message>
    <message>
        <source>The size changes when Orrery starts again.</source>
        <translation>大小将在下次启动 Orrery 时改变。</translation>
    </message>
    <message>
        <source>Si&amp;ze of everything</source>
        <translation>整体大小(&amp;Z)</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
</context>
<context>
    <name>orrery::MatchedOperators</name>
    <message>
        <source>Operators, matched by name</source>
        <translation>按名称匹配的算子</translation>
    </message>
    <message>
        <source>operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>as fast</source>
        <translation>加速比</translation>
    </message>
    <message>
        <source>%1 ×</source>
        <translation>%1 ×</translation>
    </message>
    <message>
        <source>%1, %2; mean of one</source>
        <translation>%1，%2；单次平均</translation>
    </message>
</context>
<context>
    <name>orrery::MeasureBox</name>
    <message>
        <source>A figure of the result, or a pointer to one, such as /memory/peak_bytes</source>
        <translation>结果中的指标，或指向指标的指针，例如 /memory/peak_bytes</translation>
    </message>
</context>
<context>
    <name>orrery::MemoryBars</name>
    <message>
        <source>stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>accelerator</source>
        <translation>加速卡</translation>
    </message>
    <message>
        <source>stage</source>
        <translation>流水级</translation>
    </message>
    <message>
        <source>over by %1</source>
        <translation>超出 %1</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>容量 %1</translation>
    </message>
</context>
<context>
    <name>orrery::MemoryCeiling</name>
    <message>
        <source>Memory ceiling</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>Memory that a simulation may take, GB. One that needs more is refused before it runs.</source>
        <translation>仿真可使用的内存，GB。需要更多内存的仿真会在运行前被拒绝。</translation>
    </message>
</context>
<context>
    <name>orrery::MemoryChart</name>
    <message>
        <source>Memory of every pipeline stage, by kind, under the accelerator&apos;s capacity.</source>
        <translation>每个流水级的显存，按类型，在加速卡容量之下。</translation>
    </message>
    <message>
        <source>Choose a model and a cluster; the chart follows the first run.</source>
        <translation>请选择模型和集群；首次运行后显示图表。</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>over by %1</source>
        <translation>超出 %1</translation>
    </message>
    <message>
        <source>%1 · peak %2 at %3 · %4</source>
        <translation>%1 · %3 时峰值 %2 · %4</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 · %4 of its peak
%5</source>
        <translation>%1 · %2 · %3 · 占峰值的 %4
%5</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>by stage, at its peak</source>
        <translation>各流水级，峰值时</translation>
    </message>
    <message>
        <source>It shows the memory of every pipeline stage. Choose a model and a cluster; the chart follows the first run.</source>
        <translation>显示每个流水级的显存。请选择模型和集群；首次运行后显示图表。</translation>
    </message>
    <message>
        <source>No result yet.</source>
        <translation>还没有结果。</translation>
    </message>
    <message>
        <source>stage</source>
        <translation>流水级</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
</context>
<context>
    <name>orrery::MemoryHolders</name>
    <message>
        <source>the fullest accelerator</source>
        <translation>最满的加速卡</translation>
    </message>
    <message>
        <source>stage %1 at its peak, %2</source>
        <translation>流水级 %1 的峰值，%2</translation>
    </message>
    <message>
        <source>stage %1 at %2</source>
        <translation>流水级 %1，%2 时</translation>
    </message>
</context>
<context>
    <name>orrery::MemoryOverTime</name>
    <message>
        <source>Memory over time</source>
        <translation>显存随时间变化</translation>
    </message>
    <message>
        <source>instance %1</source>
        <translation>实例 %1</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>Memory over time, against the accelerator&apos;s capacity.</source>
        <translation>显存随时间的变化，对照加速卡容量。</translation>
    </message>
    <message>
        <source>A static batch holds its cache from the first token to the last: “By stage” says what of.</source>
        <translation>静态批次从第一个到最后一个 token 都持有其缓存：“按流水级”显示具体内容。</translation>
    </message>
    <message>
        <source>Choose a model and a cluster; the chart follows the first run.</source>
        <translation>请选择模型和集群；首次运行后显示图表。</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>容量 %1</translation>
    </message>
    <message>
        <source>what stays</source>
        <translation>常驻部分</translation>
    </message>
    <message>
        <source>%1 · instance %2 · %3 in use: %4 stays, %5 keys and values</source>
        <translation>%1 · 实例 %2 · 占用 %3：常驻 %4，键和值 %5</translation>
    </message>
    <message>
        <source>%1 · stage %2 · %3 in use: %4 stays, %5 activations, %6 temporary</source>
        <translation>%1 · 流水级 %2 · 占用 %3：常驻 %4，激活 %5，临时 %6</translation>
    </message>
    <message>
        <source>It shows the memory of a stage or an instance over time. Choose a model and a cluster; the chart follows the first run.</source>
        <translation>显示一个流水级或实例的显存随时间的变化。请选择模型和集群；首次运行后显示图表。</translation>
    </message>
    <message>
        <source>time in s</source>
        <translation>时间（s）</translation>
    </message>
</context>
<context>
    <name>orrery::MemoryPanel</name>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>By stage</source>
        <translation>按流水级</translation>
    </message>
    <message>
        <source>Every stage at its peak, by kind</source>
        <translation>每个流水级的峰值，按类型</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>随时间</translation>
    </message>
    <message>
        <source>One stage or instance over time: the chosen one, or the fullest</source>
        <translation>一个流水级或实例随时间的变化：所选的，或最满的</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>What holds the memory at one moment, down to the tensor: where the cursor is, or at the peak</source>
        <translation>某一时刻显存由什么占用，细到张量：光标处，或峰值时</translation>
    </message>
    <message>
        <source>at its peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>orrery::MemoryTreemap</name>
    <message>
        <source>What holds the memory</source>
        <translation>显存由什么占用</translation>
    </message>
    <message>
        <source>What holds a stage&apos;s memory at one moment, down to the tensor.</source>
        <translation>流水级的显存在某一时刻由什么占用，细到张量。</translation>
    </message>
    <message>
        <source>An engine keeps one account of each kind: “By stage” shows them.</source>
        <translation>引擎对每一类只记一本总账：见“按流水级”。</translation>
    </message>
    <message>
        <source>Choose a model and a cluster; then click on a moment in “Over time”.</source>
        <translation>请选择模型和集群；然后在“随时间”中点击一个时刻。</translation>
    </message>
    <message>
        <source>%1
%2, %3 of what stage %4 holds</source>
        <translation>%1
%2，占流水级 %4 所持有的 %3</translation>
    </message>
    <message>
        <source>
%1 of them</source>
        <translation>
共 %1 个</translation>
    </message>
    <message>
        <source>
written by %1</source>
        <translation>
写入者 %1</translation>
    </message>
    <message>
        <source>
needed last by %1</source>
        <translation>
最后使用者 %1</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>It shows what holds a stage&apos;s memory. Choose a model and a cluster; the drawing follows the first run.</source>
        <translation>显示流水级的显存由什么占用。请选择模型和集群；首次运行后显示图形。</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
</context>
<context>
    <name>orrery::NetworkTraffic</name>
    <message>
        <source>at %1</source>
        <translation>%1 时</translation>
    </message>
    <message>
        <source>mean over %1</source>
        <translation>%1 内的平均</translation>
    </message>
    <message>
        <source>whole iteration</source>
        <translation>整个迭代</translation>
    </message>
    <message>
        <source>1 hop</source>
        <translation>1 跳</translation>
    </message>
    <message>
        <source>%1 hops</source>
        <translation>%1 跳</translation>
    </message>
</context>
<context>
    <name>orrery::OperatorRows</name>
    <message>
        <source>%1, %2: %3 over %4, bound by %5, time %6</source>
        <translation>%1，%2：%3 / %4，瓶颈为%5，时间来源%6</translation>
    </message>
    <message>
        <source>Share of the selected time. Streams run side by side, so shares may sum to more than 100 %.</source>
        <translation>占所选时间的比例。各流同时运行，因此合计可能超过 100 %。</translation>
    </message>
    <message>
        <source>How often one accelerator runs it; the mean where stages differ.</source>
        <translation>一张加速卡运行它的次数；各流水级不同时取平均。</translation>
    </message>
    <message>
        <source>Time of one accelerator. Of the whole iteration it is what each takes alone; of a selection what they took there, slowed by what runs beside them.</source>
        <translation>一张加速卡的时间。对整个迭代，是各算子单独运行的时间；对所选范围，是它们在那里实际用去的时间，含同时运行的工作造成的拖慢。</translation>
    </message>
    <message>
        <source>Total by count. A bar of the timeline may be longer than an operator takes alone: communication runs beside it.</source>
        <translation>合计除以次数。时间线中的条形可能比算子单独运行更长：通信与它同时进行。</translation>
    </message>
    <message>
        <source>operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>bound</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
</context>
<context>
    <name>orrery::OperatorTable</name>
    <message>
        <source>Operators by time, bound and source.</source>
        <translation>按时间、瓶颈和来源列出算子。</translation>
    </message>
    <message>
        <source>Choose a model and a cluster; select a range or a stage in the timeline to narrow it down.</source>
        <translation>请选择模型和集群；在时间线中选择范围或流水级可缩小列表。</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Shows the rows that contain this text</source>
        <translation>显示包含该文字的行</translation>
    </message>
    <message>
        <source>each accelerator</source>
        <translation>每张加速卡</translation>
    </message>
    <message>
        <source>instance %1</source>
        <translation>实例 %1</translation>
    </message>
    <message>
        <source>typical steps</source>
        <translation>典型步</translation>
    </message>
    <message>
        <source>Whole batch, %1</source>
        <translation>整个批次，%1</translation>
    </message>
    <message>
        <source>Whole run, %1</source>
        <translation>整个运行，%1</translation>
    </message>
    <message>
        <source>Selection %1, %2</source>
        <translation>选定范围 %1，%2</translation>
    </message>
    <message>
        <source>mean of all instances</source>
        <translation>所有实例平均</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>mean of all stages</source>
        <translation>所有流水级平均</translation>
    </message>
    <message>
        <source>Iteration, %1, alone</source>
        <translation>迭代，%1，单独运行</translation>
    </message>
    <message>
        <source>Selection %1, %2, as they ran</source>
        <translation>选定范围 %1，%2，实际运行</translation>
    </message>
</context>
<context>
    <name>orrery::PaletteRow</name>
    <message>
        <source>%1 · %2
Click, then click on the drawing; Shift keeps it. Or drag it there.</source>
        <translation>%1 · %2
先点击，再在图上点击；按住 Shift 可连续放置。也可以直接拖过去。</translation>
    </message>
    <message>
        <source>Number of %1</source>
        <translation>数量：%1</translation>
    </message>
    <message>
        <source>All parameters of %1</source>
        <translation>%1 的所有参数</translation>
    </message>
</context>
<context>
    <name>orrery::ParallelChart</name>
    <message>
        <source>Plans across all keys and figures</source>
        <translation>方案在所有键和指标上的分布</translation>
    </message>
    <message>
        <source>Plans as lines across all keys and figures. Run a search.</source>
        <translation>把方案画成贯穿所有键和指标的折线。请运行一次搜索。</translation>
    </message>
    <message>
        <source>Plans across keys and figures</source>
        <translation>方案在键和指标上的分布</translation>
    </message>
    <message>
        <source>thick: front · dotted grey: does not fit, or breaks a constraint</source>
        <translation>粗线：前沿 · 灰点线：放不下，或违反约束</translation>
    </message>
    <message>
        <source> · grey: fell by estimate</source>
        <translation> · 灰色：按估算淘汰</translation>
    </message>
    <message>
        <source>Plans as lines across all keys and figures.</source>
        <translation>把方案画成贯穿所有键和指标的折线。</translation>
    </message>
    <message>
        <source>Look at the space, then search.</source>
        <translation>查看空间，然后搜索。</translation>
    </message>
    <message>
        <source>↑ better</source>
        <translation>↑ 更好</translation>
    </message>
    <message>
        <source>↓ better</source>
        <translation>↓ 更好</translation>
    </message>
    <message>
        <source>%1, %2 of %3 plans within all limits</source>
        <translation>%1，%3 个方案中 %2 个在所有限值之内</translation>
    </message>
    <message>
        <source>%1, not simulated: %2</source>
        <comment>plan, why</comment>
        <translation>%1，未仿真：%2</translation>
    </message>
    <message>
        <source>; does not fit, or breaks a constraint</source>
        <translation>；放不下，或违反约束</translation>
    </message>
</context>
<context>
    <name>orrery::PlaceWords</name>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA graphs</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO 级别</translation>
    </message>
    <message>
        <source>FP8 scales</source>
        <translation>FP8 缩放</translation>
    </message>
    <message>
        <source>LoRA rank</source>
        <translation>LoRA 秩</translation>
    </message>
    <message>
        <source>expert dispatch</source>
        <translation>专家分发</translation>
    </message>
    <message>
        <source>expert dispatcher</source>
        <translation>专家分发器</translation>
    </message>
    <message>
        <source>NIC</source>
        <translation>网卡</translation>
    </message>
    <message>
        <source>GEMM rate of peak</source>
        <translation>GEMM 速率占峰值</translation>
    </message>
    <message>
        <source>dense peak</source>
        <translation>稠密峰值</translation>
    </message>
    <message>
        <source>memory bandwidth</source>
        <translation>显存带宽</translation>
    </message>
    <message>
        <source>iteration overhead</source>
        <translation>迭代开销</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>node %1</source>
        <translation>节点 %1</translation>
    </message>
    <message>
        <source>link %1</source>
        <translation>链路 %1</translation>
    </message>
    <message>
        <source>traffic %1</source>
        <translation>流量 %1</translation>
    </message>
    <message>
        <source>degraded link %1</source>
        <translation>降速链路 %1</translation>
    </message>
    <message>
        <source>straggler %1</source>
        <translation>慢节点 %1</translation>
    </message>
</context>
<context>
    <name>orrery::PointsModel</name>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Not tried yet</source>
        <translation>尚未尝试</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>Points</source>
        <translation>各点</translation>
    </message>
    <message>
        <source>place</source>
        <translation>名次</translation>
    </message>
</context>
<context>
    <name>orrery::ProblemList</name>
    <message>
        <source>Go to</source>
        <translation>转到</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Leads to the place of the chosen problem</source>
        <translation>转到所选问题的位置</translation>
    </message>
    <message>
        <source>No problems.</source>
        <translation>没有问题。</translation>
    </message>
    <message>
        <source>What a scenario gets wrong, and what would mend it, is listed here.</source>
        <translation>这里列出场景的错误之处，以及修复办法。</translation>
    </message>
</context>
<context>
    <name>orrery::ProblemModel</name>
    <message>
        <source>Does this edit; undo takes it back</source>
        <translation>执行该修改；可以撤销</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>severity</source>
        <translation>严重程度</translation>
    </message>
    <message>
        <source>where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>mend</source>
        <translation>修复办法</translation>
    </message>
</context>
<context>
    <name>orrery::PropertyField</name>
    <message>
        <source>several</source>
        <translation>多个值</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>orrery::QuantityWords</name>
    <message>
        <source>waits for the tensor group</source>
        <translation>等待张量组</translation>
    </message>
    <message>
        <source>waits for the context group</source>
        <translation>等待上下文组</translation>
    </message>
    <message>
        <source>waits for the expert group</source>
        <translation>等待专家组</translation>
    </message>
    <message>
        <source>waits for other stages</source>
        <translation>等待其他流水级</translation>
    </message>
    <message>
        <source>waits for gradients and parameters</source>
        <translation>等待梯度和参数</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>model FLOP utilisation</source>
        <translation>模型 FLOP 利用率</translation>
    </message>
    <message>
        <source>hardware FLOP utilisation</source>
        <translation>硬件 FLOP 利用率</translation>
    </message>
    <message>
        <source>model FLOP utilisation, causal</source>
        <translation>模型 FLOP 利用率（因果）</translation>
    </message>
    <message>
        <source>bubble beside the ideal one</source>
        <translation>气泡与理想值之比</translation>
    </message>
</context>
<context>
    <name>orrery::RankStages</name>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>beside: %1</source>
        <translation>旁边：%1</translation>
    </message>
    <message>
        <source>beside</source>
        <translation>旁边</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>prefill or decode, instances</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>instance %1</source>
        <translation>实例 %1</translation>
    </message>
    <message>
        <source>instances %1–%2</source>
        <translation>实例 %1–%2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>prefill or decode, instances</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>流水级 %1</translation>
    </message>
    <message>
        <source>stages %1–%2</source>
        <translation>流水级 %1–%2</translation>
    </message>
    <message>
        <source>rollout</source>
        <translation>rollout</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>rollout and training</source>
        <translation>rollout 与训练</translation>
    </message>
</context>
<context>
    <name>orrery::RecordPanel</name>
    <message>
        <source>Recorded ranks</source>
        <translation>采集的 rank</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Open recorded traces…</source>
        <translation>打开采集的 trace…</translation>
    </message>
    <message>
        <source>What a stretch of the record consists of</source>
        <translation>一段采集记录由什么组成</translation>
    </message>
    <message>
        <source>What the selected stretch of the record consists of</source>
        <translation>所选的一段采集记录由什么组成</translation>
    </message>
    <message>
        <source>Drag over the timeline to select one; nothing was recorded in this one.</source>
        <translation>在时间线上拖动以选择一段；这一段没有采集到内容。</translation>
    </message>
    <message>
        <source>The recorded ranks</source>
        <translation>采集的各个 rank</translation>
    </message>
    <message>
        <source>Open traces of several ranks of one job together.</source>
        <translation>请同时打开一个作业中若干 rank 的 trace。</translation>
    </message>
    <message>
        <source>The critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>What the critical path consists of, from the first work to the last</source>
        <translation>关键路径由什么组成，从最初的工作到最后</translation>
    </message>
    <message>
        <source>“Critical path” above the timeline finds it.</source>
        <translation>用时间线上方的“关键路径”找出它。</translation>
    </message>
    <message>
        <source>The scenario beside the record</source>
        <translation>与采集记录对照的场景</translation>
    </message>
    <message>
        <source>What the simulation takes too long or too short for, class by class</source>
        <translation>仿真在哪些地方耗时过长或过短，按类别</translation>
    </message>
    <message>
        <source>“Beside the scenario” above the timeline puts the simulated iteration under the record.</source>
        <translation>时间线上方的“与场景对照”把仿真的迭代放到采集记录下方。</translation>
    </message>
    <message>
        <source>Files without moments</source>
        <translation>没有时刻的文件</translation>
    </message>
    <message>
        <source>What is in files that have no moments to lay on an axis</source>
        <translation>没有时刻可放上时间轴的文件中有什么</translation>
    </message>
    <message>
        <source>Execution traces of PyTorch and Chakra, and pipelines, are listed here.</source>
        <translation>PyTorch 和 Chakra 的执行 trace 以及流水线在这里列出。</translation>
    </message>
    <message>
        <source>Recorded ranks, stream by stream</source>
        <translation>采集的 rank，逐流显示</translation>
    </message>
    <message>
        <source>These files have no moments to lay on an axis; the table below says what is in them.</source>
        <translation>这些文件没有时刻可放上时间轴；下面的表格说明其中有什么。</translation>
    </message>
    <message>
        <source>Fold all</source>
        <translation>全部折叠</translation>
    </message>
    <message>
        <source>One lane a rank: what its device does, over all its streams</source>
        <translation>每个 rank 一条泳道：其设备所有流上的工作</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Underlines what the end of the record waited for, step by step, over to the rank that came last to a collective</source>
        <translation>标出采集记录的终点所等待的内容，一步步追溯，直到最晚加入集合通信的 rank</translation>
    </message>
    <message>
        <source>Beside the scenario</source>
        <translation>与场景对照</translation>
    </message>
    <message>
        <source>Puts the simulated iteration under the record, on one axis, with the error by class of operators. A chosen rank&apos;s record is taken, else the first</source>
        <translation>把仿真的迭代放到采集记录下方，共用时间轴，并按算子类别给出误差。取所选 rank 的记录，否则取第一个</translation>
    </message>
    <message>
        <source>One rank a class</source>
        <translation>每类一个 rank</translation>
    </message>
    <message>
        <source>Shows one rank for all that can&apos;t differ from it: a recorded one where there is one</source>
        <translation>对彼此不可能有差别的 rank 只显示一个：有采集的就用采集的</translation>
    </message>
    <message>
        <source>Recorded traces: what every rank of a real job did, stream by stream</source>
        <translation>采集的 trace：真实作业的每个 rank 做了什么，逐流显示</translation>
    </message>
    <message>
        <source>Kineto JSON of PyTorch&apos;s profiler, exports of Nsight Systems, memory snapshots; plain or packed. Several files together are ranks of one job.</source>
        <translation>PyTorch 性能分析器的 Kineto JSON、Nsight Systems 的导出、显存快照；普通或压缩均可。同时打开的多个文件是同一作业的各个 rank。</translation>
    </message>
    <message>
        <source>by operator</source>
        <translation>按算子</translation>
    </message>
    <message>
        <source>by stream</source>
        <translation>按流</translation>
    </message>
    <message>
        <source>by rank</source>
        <translation>按 rank</translation>
    </message>
    <message>
        <source>Rows of the table</source>
        <translation>表格的行</translation>
    </message>
    <message>
        <source>of devices</source>
        <translation>设备的</translation>
    </message>
    <message>
        <source>of hosts</source>
        <translation>主机的</translation>
    </message>
    <message>
        <source>Events that the table counts</source>
        <translation>表格统计的事件</translation>
    </message>
    <message>
        <source>Selected stretch</source>
        <translation>所选范围</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Who waits for whom</source>
        <translation>谁在等谁</translation>
    </message>
    <message>
        <source>Other files</source>
        <translation>其他文件</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Selection %1</source>
        <translation>选定范围 %1</translation>
    </message>
    <message>
        <source>Whole record, %1</source>
        <translation>整个采集记录，%1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>stretch of time, rank</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Take over %1 of peak for large products</source>
        <translation>采用大矩阵乘峰值的 %1</translation>
    </message>
    <message>
        <source>Writes execution.calibration.gemm_rate_of_peak into the scenario: a run with it leaves matrix products %1%2 off</source>
        <translation>把 execution.calibration.gemm_rate_of_peak 写入场景：这样运行时矩阵乘的偏差为 %1%2</translation>
    </message>
    <message>
        <source>Open the traces of several ranks of one job together.</source>
        <translation>请同时打开一个作业中若干 rank 的 trace。</translation>
    </message>
    <message>
        <source>These records can&apos;t be taken together: %1</source>
        <translation>这些采集记录不能放在一起：%1</translation>
    </message>
</context>
<context>
    <name>orrery::RecordTable</name>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter: %1</source>
        <translation>筛选：%1</translation>
    </message>
    <message>
        <source>Shows the rows that contain this text</source>
        <translation>显示包含该文字的行</translation>
    </message>
</context>
<context>
    <name>orrery::RecordWorker</name>
    <message>
        <source>Check the name and its permissions, or record fewer steps.</source>
        <translation>请检查文件名和权限，或减少采集的步数。</translation>
    </message>
    <message>
        <source>%1 has %2 events, and none of them is a kernel, a copy, a call or memory as PyTorch&apos;s profiler and Nsight Systems write them: another program&apos;s trace.</source>
        <translation>%1 有 %2 个事件，其中没有 PyTorch 性能分析器和 Nsight Systems 所写的 kernel、拷贝、调用或显存：这是其他程序的 trace。</translation>
    </message>
    <message>
        <source>Open it in Perfetto.</source>
        <translation>请在 Perfetto 中打开它。</translation>
    </message>
    <message>
        <source>There is not memory enough to show these records.</source>
        <translation>内存不足，无法显示这些采集记录。</translation>
    </message>
    <message>
        <source>Record fewer steps, or open fewer ranks.</source>
        <translation>请减少采集的步数，或少打开几个 rank。</translation>
    </message>
    <message>
        <source>Orrery itself failed while reading: %1</source>
        <translation>Orrery 在读取时自身出错：%1</translation>
    </message>
    <message>
        <source>Report it with the file.</source>
        <translation>请连同该文件一起报告。</translation>
    </message>
</context>
<context>
    <name>orrery::RequestLanes</name>
    <message>
        <source>Requests over time</source>
        <translation>请求随时间变化</translation>
    </message>
</context>
<context>
    <name>orrery::RequestLife</name>
    <message>
        <source>prompt and answer are longer than the engine takes</source>
        <translation>提示词加回答超过引擎允许的长度</translation>
    </message>
    <message>
        <source>it has more tokens than the whole cache holds</source>
        <translation>它的 token 数超过整个缓存的容量</translation>
    </message>
    <message>
        <source>its prompt is longer than a step, and is not cut into chunks</source>
        <translation>它的提示词长于一步，且没有分块</translation>
    </message>
    <message>
        <source>as many requests as may waited in front of the replicas</source>
        <translation>副本前等待的请求已达上限</translation>
    </message>
    <message>
        <source>it waited too long in front of the replicas</source>
        <translation>它在副本前等待太久</translation>
    </message>
    <message>
        <source>Choose a request to see what its time was spent in.</source>
        <translation>请选择一个请求，查看它的时间花在哪里。</translation>
    </message>
    <message>
        <source>%1 was rejected: %2.</source>
        <translation>%1 被拒绝：%2。</translation>
    </message>
    <message>
        <source>%1 did not end.</source>
        <translation>%1 没有结束。</translation>
    </message>
    <message>
        <source>%1, from %2 to %3: %4</source>
        <translation>%1，从 %2 到 %3：%4</translation>
    </message>
</context>
<context>
    <name>orrery::RequestModel</name>
    <message>
        <source>rejected</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>How long it waited for a place</source>
        <translation>它等待名额的时间</translation>
    </message>
    <message>
        <source>From its arrival to its first token</source>
        <translation>从到达到第一个 token</translation>
    </message>
    <message>
        <source>Mean time between two tokens after the first</source>
        <translation>第一个 token 之后两个 token 的平均间隔</translation>
    </message>
    <message>
        <source>From its arrival to its last token</source>
        <translation>从到达到最后一个 token</translation>
    </message>
    <message>
        <source>How often its blocks were taken from it</source>
        <translation>它的缓存块被收回的次数</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Arrival</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>E2E</source>
        <translation>E2E</translation>
    </message>
    <message>
        <source>Preempted</source>
        <translation>被抢占</translation>
    </message>
    <message>
        <source>Instance</source>
        <translation>实例</translation>
    </message>
</context>
<context>
    <name>orrery::RequestPage</name>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
</context>
<context>
    <name>orrery::RooflineChart</name>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Every operator under the ceilings of compute and memory.</source>
        <translation>计算与显存性能上限之下的每个算子。</translation>
    </message>
    <message>
        <source>Choose a model and a cluster; the points follow the first run.</source>
        <translation>请选择模型和集群；首次运行后显示各点。</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>缓存层级</translation>
    </message>
    <message>
        <source>Ceilings of L2 and shared memory, and every product under them: what it computes for a byte that the level hands on, by the tiles that the next level holds</source>
        <translation>L2 和共享内存的性能上限，以及其下的每个矩阵乘：按下一级所容纳的分块，该级每传递一个字节能做多少计算</translation>
    </message>
    <message>
        <source>Nothing runs: no operator has a place here.</source>
        <translation>没有任何运行：没有算子可放在这里。</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>%1 × %2 = %3 · %4 of the iteration</source>
        <translation>%1 × %2 = %3 · 占迭代的 %4</translation>
    </message>
    <message>
        <source>%1 × %2 = %3 · %4 of the run</source>
        <translation>%1 × %2 = %3 · 占运行的 %4</translation>
    </message>
    <message>
        <source>each %1 over %2 = %3 FLOP per byte</source>
        <translation>每次 %1 / %2 = 每字节 %3 FLOP</translation>
    </message>
    <message>
        <source>reaches %1 = FLOPs/time</source>
        <translation>达到 %1 = FLOP 数/时间</translation>
    </message>
    <message>
        <source>%1 of its roof, min(peak, intensity × bandwidth) = %2</source>
        <translation>屋顶线 min（峰值，强度 × 带宽）= %2 的 %1</translation>
    </message>
    <message>
        <source>%1 FLOP per byte from L2, %2 from shared memory</source>
        <translation>每字节 FLOP：L2 为 %1，共享内存为 %2</translation>
    </message>
    <message>
        <source>bound by %1 · time: %2</source>
        <translation>瓶颈为%1 · 时间来源：%2</translation>
    </message>
    <message>
        <source>It shows every operator under the ceilings of compute and memory. Choose a model and a cluster; the points follow the first run.</source>
        <translation>显示计算与显存性能上限之下的每个算子。请选择模型和集群；首次运行后显示各点。</translation>
    </message>
    <message>
        <source>No result yet.</source>
        <translation>还没有结果。</translation>
    </message>
    <message>
        <source>arithmetic intensity, FLOP per byte</source>
        <translation>计算强度，FLOP/字节</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
</context>
<context>
    <name>orrery::RooflinePlot</name>
    <message>
        <source>arithmetic intensity, FLOP per byte</source>
        <translation>计算强度，FLOP/字节</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
    <message>
        <source>baseline: %1 · %2</source>
        <translation>基线：%1 · %2</translation>
    </message>
    <message>
        <source>%1 %2 TB/s</source>
        <translation>%1 %2 TB/s</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>1 operator without FLOPs not drawn (%1)</source>
        <translation>1 个没有 FLOP 的算子未画出（%1）</translation>
    </message>
    <message>
        <source>%1 operators without FLOPs not drawn (%2)</source>
        <translation>%1 个没有 FLOP 的算子未画出（%2）</translation>
    </message>
    <message>
        <source>shared memory roof</source>
        <translation>共享内存屋顶线</translation>
    </message>
    <message>
        <source>L2 roof</source>
        <translation>L2 屋顶线</translation>
    </message>
    <message>
        <source>memory roof</source>
        <translation>显存屋顶线</translation>
    </message>
    <message>
        <source>compute roof</source>
        <translation>计算屋顶线</translation>
    </message>
    <message>
        <source>%1 TFLOP/s %2</source>
        <translation>%1 TFLOP/s %2</translation>
    </message>
    <message>
        <source>HBM %1 TB/s</source>
        <translation>HBM %1 TB/s</translation>
    </message>
</context>
<context>
    <name>orrery::RunBar</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stops; what was found so far stays</source>
        <translation>停止；已找到的内容保留</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>started</source>
        <translation>已开始</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 a second</source>
        <translation>每秒 %1</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
</context>
<context>
    <name>orrery::ScenarioDocument</name>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Move to another folder</source>
        <translation>移到另一个文件夹</translation>
    </message>
    <message>
        <source>Model from %1</source>
        <translation>来自 %1 的模型</translation>
    </message>
</context>
<context>
    <name>orrery::ScenarioFiles</name>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>Open a scenario, or recorded traces together</source>
        <translation>打开场景，或一起打开采集的 trace</translation>
    </message>
    <message>
        <source>Scenarios, studies, model configs, traces (*.json *.gz *.sqlite *.pickle *.pkl *.et);;Launch scripts (*.sh *.slurm *.sbatch *.toml *.yaml *.yml *.txt);;All files (*)</source>
        <translation>场景、专题研究、模型配置、trace (*.json *.gz *.sqlite *.pickle *.pkl *.et);;启动脚本 (*.sh *.slurm *.sbatch *.toml *.yaml *.yml *.txt);;所有文件 (*)</translation>
    </message>
    <message>
        <source>%1 and %2 are no recorded traces: several files are opened together as the ranks of one job, with one scenario beside them.</source>
        <translation>%1 和 %2 不是采集的 trace：多个文件一起打开时，应是同一作业的各个 rank，并可附一个场景。</translation>
    </message>
    <message>
        <source>Open them one by one.</source>
        <translation>请逐个打开。</translation>
    </message>
    <message>
        <source>scenario text</source>
        <translation>场景文本</translation>
    </message>
    <message>
        <source>Model from a config.json</source>
        <translation>从 config.json 导入模型</translation>
    </message>
    <message>
        <source>Hugging Face configs (*.json);;All files (*)</source>
        <translation>Hugging Face 配置 (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Import a launch script or a configuration</source>
        <translation>导入启动脚本或配置</translation>
    </message>
    <message>
        <source>Launch scripts and configurations (*.sh *.bash *.slurm *.sbatch *.toml *.yaml *.yml *.json *.txt);;All files (*)</source>
        <translation>启动脚本和配置 (*.sh *.bash *.slurm *.sbatch *.toml *.yaml *.yml *.json *.txt);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Save the scenario</source>
        <translation>保存场景</translation>
    </message>
    <message>
        <source>Scenarios (*%1)</source>
        <translation>场景 (*%1)</translation>
    </message>
</context>
<context>
    <name>orrery::ScenarioForm</name>
    <message>
        <source>Use the default for %1</source>
        <translation>对%1使用默认值</translation>
    </message>
    <message>
        <source>Set %1 to %2</source>
        <translation>把%1设为 %2</translation>
    </message>
    <message>
        <source>Switch %1 on</source>
        <translation>打开%1</translation>
    </message>
    <message>
        <source>Switch %1 off</source>
        <translation>关闭%1</translation>
    </message>
    <message>
        <source>This software does not run this kind of workload.</source>
        <translation>该软件不运行这类负载。</translation>
    </message>
    <message>
        <source>several</source>
        <translation>多个值</translation>
    </message>
    <message>
        <source>In a drawing each host says which domain it is of.</source>
        <translation>在绘制的集群中，由每台主机说明自己属于哪个域。</translation>
    </message>
    <message>
        <source>as drawn</source>
        <translation>按所绘</translation>
    </message>
    <message>
        <source>config.json…</source>
        <translation>config.json…</translation>
    </message>
    <message>
        <source>another config.json…</source>
        <translation>另一个 config.json…</translation>
    </message>
    <message>
        <source>stated times</source>
        <translation>给定时间</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 参数</translation>
    </message>
    <message>
        <source> × %1</source>
        <translation> × %1</translation>
    </message>
    <message>
        <source>%1%2 × %3 × %4 = %5</source>
        <translation>%1%2 × %3 × %4 = %5</translation>
    </message>
    <message>
        <source>%1 days</source>
        <translation>%1 天</translation>
    </message>
    <message>
        <source> · $ %1</source>
        <translation> · $ %1</translation>
    </message>
    <message>
        <source>1 accelerator</source>
        <translation>1 张加速卡</translation>
    </message>
    <message>
        <source>%1 accelerators</source>
        <translation>%1 张加速卡</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message numerus="yes">
        <source>%n on</source>
        <translation>
            <numerusform>开启 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Sweep this…</source>
        <translation>扫描该字段…</translation>
    </message>
    <message>
        <source>From file</source>
        <translation>来自文件</translation>
    </message>
    <message>
        <source>Model from a config.json file</source>
        <translation>来自 config.json 文件的模型</translation>
    </message>
    <message>
        <source>Opens a Hugging Face config.json as the model.</source>
        <translation>打开 Hugging Face 的 config.json 作为模型。</translation>
    </message>
</context>
<context>
    <name>orrery::SearchPage</name>
    <message>
        <source>Keep the search</source>
        <translation>保留搜索</translation>
    </message>
    <message>
        <source>Save the plans</source>
        <translation>保存方案</translation>
    </message>
    <message>
        <source>The scenario has changed since; search again for the present one.</source>
        <translation>场景已改变；请为当前场景重新搜索。</translation>
    </message>
    <message>
        <source>Keep in the scenario</source>
        <translation>保留在场景中</translation>
    </message>
    <message>
        <source>Writes the space, the objectives and the constraints into the scenario&apos;s “search”</source>
        <translation>把空间、目标和约束写入场景的“search”</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Plans of the front and runners-up</source>
        <translation>前沿方案与候补方案</translation>
    </message>
    <message>
        <source>Open as the scenario</source>
        <translation>作为场景打开</translation>
    </message>
    <message>
        <source>Makes the chosen plan the scenario&apos;s; one undo takes it back</source>
        <translation>把所选方案设为场景；撤销一次即可恢复</translation>
    </message>
    <message>
        <source>Keep as variant</source>
        <translation>保留为变体</translation>
    </message>
    <message>
        <source>Copy launch command</source>
        <translation>复制启动命令</translation>
    </message>
    <message>
        <source>Puts the command that starts the chosen plan into the clipboard</source>
        <translation>把启动所选方案的命令放入剪贴板</translation>
    </message>
    <message>
        <source>Save table…</source>
        <translation>保存表格…</translation>
    </message>
    <message>
        <source>Writes the plans, and what was not simulated, as a workbook (.xlsx), or the plans as .csv</source>
        <translation>把方案以及未仿真的内容写成工作簿（.xlsx），或把方案写成 .csv</translation>
    </message>
    <message>
        <source>Name keys to vary, with values to try.</source>
        <translation>请指定要改变的键和要试的值。</translation>
    </message>
    <message>
        <source>1 combination</source>
        <translation>1 个组合</translation>
    </message>
    <message>
        <source>%1 combinations</source>
        <translation>%1 个组合</translation>
    </message>
    <message>
        <source>; %1 are the most: vary less</source>
        <translation>；最多 %1 个：请少改变一些</translation>
    </message>
    <message>
        <source>, %1 if all were simulated and nothing else ran; many fall by a rule or an estimate</source>
        <translation>；若全部仿真且没有其他任务，%1；许多会被规则或估算淘汰</translation>
    </message>
    <message>
        <source>%1 of %2 plans within the limits</source>
        <translation>%2 个方案中 %1 个在限值之内</translation>
    </message>
    <message>
        <source>%1; none of them fits and satisfies all</source>
        <translation>%1；其中没有放得下且满足全部约束的</translation>
    </message>
    <message>
        <source>best %1 at %2 with %3 · %4</source>
        <translation>%2 时最佳 %1：%3 · %4</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; of %2 simulated, %3 fit and satisfy all</source>
        <translation>仿真了 %2 个中的 &lt;b&gt;%1&lt;/b&gt; 个，%3 个放得下且满足全部约束</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; fell, for example: %2</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; 个被淘汰，例如：%2</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; fell: %2</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; 个被淘汰：%2</translation>
    </message>
    <message>
        <source>Rank correlation of estimated and simulated times %1</source>
        <translation>估算时间与仿真时间的秩相关 %1</translation>
    </message>
    <message>
        <source>Nothing was searched.</source>
        <translation>没有搜索任何内容。</translation>
    </message>
    <message>
        <source>Cancelled; what was found stays</source>
        <translation>已取消；已找到的内容保留</translation>
    </message>
    <message>
        <source>%1 combinations in %2</source>
        <translation>%2 内试了 %1 个组合</translation>
    </message>
    <message>
        <source>best %1 %2 with %3</source>
        <translation>最佳%1 %2：%3</translation>
    </message>
    <message>
        <source>no plan is left; the reasons stand at the left</source>
        <translation>没有剩下方案；原因见左侧</translation>
    </message>
    <message>
        <source>the scenario has changed since</source>
        <translation>场景此后已改变</translation>
    </message>
    <message>
        <source>There is no such command.</source>
        <translation>没有这样的命令。</translation>
    </message>
    <message>
        <source>The %1 command of %2 is in the clipboard.</source>
        <translation>%2 的 %1 命令已放入剪贴板。</translation>
    </message>
    <message>
        <source>does not fit by its estimate</source>
        <translation>按估算放不下</translation>
    </message>
    <message>
        <source>broke a constraint, and ended there</source>
        <translation>违反约束，在那里终止</translation>
    </message>
    <message>
        <source>others are better in both figures</source>
        <translation>其他方案在两个指标上都更好</translation>
    </message>
    <message>
        <source>can&apos;t satisfy a constraint</source>
        <translation>无法满足约束</translation>
    </message>
    <message>
        <source>front</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>runner-up</source>
        <translation>候补</translation>
    </message>
    <message>
        <source>breaks a constraint</source>
        <translation>违反约束</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
</context>
<context>
    <name>orrery::SearchSpaceEdit</name>
    <message>
        <source>+ key</source>
        <translation>+ 键</translation>
    </message>
    <message>
        <source>Varies another key</source>
        <translation>再改变一个键</translation>
    </message>
    <message>
        <source>least</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>most</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Direction of the objective</source>
        <translation>目标的方向</translation>
    </message>
    <message>
        <source>Direction of the second objective</source>
        <translation>第二目标的方向</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Second objective</source>
        <translation>第二目标</translation>
    </message>
    <message>
        <source>ttft &lt;= 1 s; tpot &lt;= 50 ms</source>
        <translation>ttft &lt;= 1 s; tpot &lt;= 50 ms</translation>
    </message>
    <message>
        <source>What every plan must satisfy: figure, comparison, value; several with semicolons between. A plan must fit the memory in any case.</source>
        <translation>每个方案必须满足的条件：指标、比较、值；多个之间用分号。方案无论如何都必须放得下显存。</translation>
    </message>
    <message>
        <source>Constraints</source>
        <translation>约束</translation>
    </message>
    <message>
        <source>Best is</source>
        <translation>目标为</translation>
    </message>
    <message>
        <source>against</source>
        <translation>权衡</translation>
    </message>
    <message>
        <source>with</source>
        <translation>约束</translation>
    </message>
    <message>
        <source>values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>A constraint is written as figure, comparison, value, such as peak memory &lt;= 70 GiB.</source>
        <translation>约束写作指标、比较、值，例如 显存峰值 &lt;= 70 GiB。</translation>
    </message>
    <message>
        <source>No field of the form is called so. Choose one of those that are offered.</source>
        <translation>表单中没有这个名称的字段。请从提供的字段中选择。</translation>
    </message>
    <message>
        <source>Give the values to try, such as 1,2,4.</source>
        <translation>请给出要试的值，例如 1,2,4。</translation>
    </message>
    <message>
        <source>This key is varied twice. Name another.</source>
        <translation>该键被改变了两次。请指定另一个。</translation>
    </message>
</context>
<context>
    <name>orrery::Section</name>
    <message>
        <source>Folded</source>
        <translation>已折叠</translation>
    </message>
    <message>
        <source>Unfolded</source>
        <translation>已展开</translation>
    </message>
    <message>
        <source>Show the fields of this part</source>
        <translation>显示该部分的字段</translation>
    </message>
    <message>
        <source>Show only the title of this part</source>
        <translation>只显示该部分的标题</translation>
    </message>
</context>
<context>
    <name>orrery::SensitivityPage</name>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>%1 inputs in %2; %3 change the figure</source>
        <translation>%2 内试了 %1 个输入；其中 %3 个改变指标</translation>
    </message>
    <message>
        <source>Figure to look at</source>
        <translation>要看的指标</translation>
    </message>
    <message>
        <source>How much less and more</source>
        <translation>增减多少</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>What</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>hangs on: each input less and more by</source>
        <translation>取决于什么：每个输入增减</translation>
    </message>
    <message>
        <source>%1 scenarios</source>
        <translation>%1 个场景</translation>
    </message>
</context>
<context>
    <name>orrery::ServingPanel</name>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Which share of the requests is served within a time</source>
        <translation>多长时间内服务了多少比例的请求</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>随时间</translation>
    </message>
    <message>
        <source>Requests that run and wait, and blocks of the cache in use</source>
        <translation>运行和等待的请求，以及占用的缓存块</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Each request, and what its time was spent in</source>
        <translation>每个请求，以及它的时间花在哪里</translation>
    </message>
    <message>
        <source>%1 of %2 completed</source>
        <translation>%2 个中完成 %1 个</translation>
    </message>
    <message>
        <source>%1 rejected</source>
        <translation>拒绝 %1 个</translation>
    </message>
    <message>
        <source>%1 preemptions</source>
        <translation>抢占 %1 次</translation>
    </message>
</context>
<context>
    <name>orrery::ShortcutSheet</name>
    <message>
        <source> or </source>
        <translation> 或 </translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Alt and a letter</source>
        <translation>Alt 加字母</translation>
    </message>
    <message>
        <source>The menu or workspace with this letter underlined</source>
        <translation>带有该下划线字母的菜单或工作区</translation>
    </message>
    <message>
        <source>Tab, Shift+Tab</source>
        <translation>Tab, Shift+Tab</translation>
    </message>
    <message>
        <source>Next part, the one before</source>
        <translation>下一部分，上一部分</translation>
    </message>
    <message>
        <source>Fields</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Up, Down</source>
        <translation>上、下</translation>
    </message>
    <message>
        <source>More, less</source>
        <translation>增加，减少</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Take what was typed</source>
        <translation>采用输入的内容</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Put the old value back</source>
        <translation>恢复原来的值</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Left, Right</source>
        <translation>左、右</translation>
    </message>
    <message>
        <source>Tensor, or moment, before and after</source>
        <translation>前一个、后一个张量或时刻</translation>
    </message>
    <message>
        <source>Out of, into what holds it</source>
        <translation>退出到外层，进入占用者内部</translation>
    </message>
    <message>
        <source>Enter, Backspace</source>
        <translation>Enter, Backspace</translation>
    </message>
    <message>
        <source>Look inside, look at the whole</source>
        <translation>看内部，看整体</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Home</translation>
    </message>
    <message>
        <source>The moment of the peak</source>
        <translation>峰值时刻</translation>
    </message>
    <message>
        <source>Roofline and jitter</source>
        <translation>Roofline 与抖动</translation>
    </message>
    <message>
        <source>Operator, or size, before and after</source>
        <translation>前一个、后一个算子或规模</translation>
    </message>
</context>
<context>
    <name>orrery::SolvePage</name>
    <message>
        <source>Which value of</source>
        <translation>求取</translation>
    </message>
    <message>
        <source>from..to, such as 25..400</source>
        <translation>从..到，例如 25..400</translation>
    </message>
    <message>
        <source>The range that is looked through: 25..400</source>
        <translation>查找的范围：25..400</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Figure to reach</source>
        <translation>要达到的指标</translation>
    </message>
    <message>
        <source>50 %, 12 s, 60 GiB</source>
        <translation>50 %, 12 s, 60 GiB</translation>
    </message>
    <message>
        <source>What it is to become</source>
        <translation>要变成的值</translation>
    </message>
    <message>
        <source>Solve</source>
        <translation>求解</translation>
    </message>
    <message>
        <source>All that was tried, with the figure that is asked for.</source>
        <translation>试过的全部取值，以及所要求的指标。</translation>
    </message>
    <message>
        <source>Name a key with its range, a figure and what it is to become.</source>
        <translation>请指定键及其范围、一个指标以及它要变成的值。</translation>
    </message>
    <message>
        <source>Open as the scenario</source>
        <translation>作为场景打开</translation>
    </message>
    <message>
        <source>Makes the answer the scenario&apos;s value; one undo takes it back</source>
        <translation>把答案设为场景的值；撤销一次即可恢复</translation>
    </message>
    <message>
        <source>makes</source>
        <translation>使</translation>
    </message>
    <message>
        <source>become</source>
        <translation>达到</translation>
    </message>
    <message>
        <source>No field of the form is called so. Choose one of those that are offered.</source>
        <translation>表单中没有这个名称的字段。请从提供的字段中选择。</translation>
    </message>
    <message>
        <source>The figure is written as a number, such as 0.5, 50 %, 120 ms or 60 GiB.</source>
        <translation>指标写成数字，例如 0.5、50 %、120 ms 或 60 GiB。</translation>
    </message>
    <message>
        <source>some 30 values, %1</source>
        <translation>约 30 个值，%1</translation>
    </message>
    <message>
        <source>trying values</source>
        <translation>正在试值</translation>
    </message>
    <message>
        <source>%1 = &lt;b&gt;%2&lt;/b&gt; makes %3 &lt;b&gt;%4&lt;/b&gt;</source>
        <translation>%1 = &lt;b&gt;%2&lt;/b&gt; 使 %3 达到 &lt;b&gt;%4&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>%1 values in %2</source>
        <translation>%2 内试了 %1 个值</translation>
    </message>
</context>
<context>
    <name>orrery::SourcesPanel</name>
    <message>
        <source>Where operator times come from: measured, predicted or roofline. It follows the first run.</source>
        <translation>算子时间来自哪里：实测、预测或 Roofline。首次运行后显示。</translation>
    </message>
</context>
<context>
    <name>orrery::StatusPill</name>
    <message>
        <source>Nothing simulated yet</source>
        <translation>尚未仿真</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>Up to date · %1</source>
        <translation>已是最新 · %1</translation>
    </message>
    <message>
        <source>Doesn&apos;t fit · %1</source>
        <translation>放不下 · %1</translation>
    </message>
    <message>
        <source>Simulating %1 %</source>
        <translation>正在仿真 %1 %</translation>
    </message>
    <message>
        <source>Simulating</source>
        <translation>正在仿真</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>有问题</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Recorded ranks</source>
        <translation>采集的 rank</translation>
    </message>
    <message>
        <source>Waits for your answer</source>
        <translation>等待您的答案</translation>
    </message>
    <message>
        <source>Click to cancel</source>
        <translation>点击取消</translation>
    </message>
    <message>
        <source>Click to see what is wrong</source>
        <translation>点击查看哪里有错</translation>
    </message>
    <message>
        <source>Click to simulate again</source>
        <translation>点击重新仿真</translation>
    </message>
</context>
<context>
    <name>orrery::StatusRow</name>
    <message>
        <source>Show what is wrong and what would mend it</source>
        <translation>显示哪里有错以及如何修复</translation>
    </message>
    <message>
        <source>Show the values that the scenario leaves out</source>
        <translation>显示场景未给出的值</translation>
    </message>
    <message>
        <source>Everything else is dimmed. Shows all again (Esc)</source>
        <translation>其余部分已变暗。恢复全部显示 (Esc)</translation>
    </message>
    <message>
        <source>Doesn&apos;t fit</source>
        <translation>放不下</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n 条警告</numerusform>
        </translation>
    </message>
    <message>
        <source>✓ No problems</source>
        <translation>✓ 没有问题</translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) assumed</source>
        <translation>
            <numerusform>假定 %n 个值</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · Esc shows all</source>
        <translation>%1 · Esc 显示全部</translation>
    </message>
</context>
<context>
    <name>orrery::StudyChart</name>
    <message>
        <source>Bars of the study</source>
        <translation>专题研究的条形</translation>
    </message>
    <message>
        <source>bound by %1</source>
        <translation>瓶颈为%1</translation>
    </message>
    <message>
        <source>Bars of a group from left to right by %1; a click names one.</source>
        <translation>每组条形从左到右按 %1；点击可查看名称。</translation>
    </message>
    <message>
        <source>A study&apos;s bars, a group for each value of its first axis.</source>
        <translation>专题研究的条形，第一个轴的每个取值一组。</translation>
    </message>
    <message>
        <source>Open a study file.</source>
        <translation>请打开专题研究文件。</translation>
    </message>
    <message>
        <source>%1
not simulated yet</source>
        <translation>%1
尚未仿真</translation>
    </message>
    <message>
        <source> · %1 of %2</source>
        <translation> · %2 的 %1</translation>
    </message>
    <message>
        <source>
closed form: %1</source>
        <translation>
闭式解：%1</translation>
    </message>
    <message>
        <source>
= %1</source>
        <translation>
= %1</translation>
    </message>
    <message>
        <source>Study</source>
        <translation>专题研究</translation>
    </message>
    <message>
        <source>%1, in percent of %2</source>
        <translation>%1，占 %2 的百分比</translation>
    </message>
    <message>
        <source>It shows a study&apos;s bars. Open a study file.</source>
        <translation>显示专题研究的条形。请打开专题研究文件。</translation>
    </message>
</context>
<context>
    <name>orrery::StudyModel</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>&lt; 1e-9</source>
        <translation>&lt; 1e-9</translation>
    </message>
</context>
<context>
    <name>orrery::StudyWindow</name>
    <message>
        <source>What the bars show</source>
        <translation>条形显示什么</translation>
    </message>
    <message>
        <source>Percent</source>
        <translation>百分比</translation>
    </message>
    <message>
        <source>Open the scenario</source>
        <translation>打开该场景</translation>
    </message>
    <message>
        <source>Opens the chosen bar&apos;s scenario in the main window</source>
        <translation>在主窗口中打开所选条形的场景</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>&amp;SVG…</source>
        <translation>SVG(&amp;S)…</translation>
    </message>
    <message>
        <source>P&amp;DF…</source>
        <translation>PDF(&amp;D)…</translation>
    </message>
    <message>
        <source>&amp;PNG…</source>
        <translation>PNG(&amp;P)…</translation>
    </message>
    <message>
        <source>Data as &amp;CSV…</source>
        <translation>数据为 CSV(&amp;C)…</translation>
    </message>
    <message>
        <source>Size, &amp;letters, colours…</source>
        <translation>尺寸、字号、颜色(&amp;L)…</translation>
    </message>
    <message>
        <source>The study&apos;s numbers</source>
        <translation>专题研究的数字</translation>
    </message>
    <message>
        <source>%1 — Orrery</source>
        <translation>%1 — Orrery</translation>
    </message>
    <message>
        <source>Study</source>
        <translation>专题研究</translation>
    </message>
    <message>
        <source>%1 of %2 scenarios simulated</source>
        <translation>%2 个场景中已仿真 %1 个</translation>
    </message>
    <message numerus="yes">
        <source>%n scenario(s) simulated in %1</source>
        <translation>
            <numerusform>%1 内仿真了 %n 个场景</numerusform>
        </translation>
    </message>
    <message>
        <source> · %1 can&apos;t run</source>
        <translation> · %1 个无法运行</translation>
    </message>
    <message>
        <source> · all equal their closed forms</source>
        <translation> · 全部等于各自的闭式解</translation>
    </message>
    <message>
        <source> · up to %1 off the closed forms</source>
        <translation> · 与闭式解最多相差 %1</translation>
    </message>
    <message>
        <source>This plot names no baseline</source>
        <translation>该图没有指定基线</translation>
    </message>
    <message>
        <source>In percent of “%1”</source>
        <translation>占“%1”的百分比</translation>
    </message>
    <message>
        <source>Export the study</source>
        <translation>导出专题研究</translation>
    </message>
    <message>
        <source>%1 files (*.%2)</source>
        <translation>%1 文件 (*.%2)</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>已导出到 %1</translation>
    </message>
    <message>
        <source>The study was not exported: %1</source>
        <translation>专题研究未导出：%1</translation>
    </message>
</context>
<context>
    <name>orrery::SweepPage</name>
    <message>
        <source>The scenario has changed since; run again for the present one.</source>
        <translation>场景已改变；请为当前场景重新运行。</translation>
    </message>
    <message>
        <source>Vary</source>
        <translation>改变</translation>
    </message>
    <message>
        <source>1,2,4,8 or 1..8 or log:1..64:7</source>
        <translation>1,2,4,8 或 1..8 或 log:1..64:7</translation>
    </message>
    <message>
        <source>and</source>
        <translation>和</translation>
    </message>
    <message>
        <source>+ second key</source>
        <translation>+ 第二个键</translation>
    </message>
    <message>
        <source>Varies another key too: a map of both</source>
        <translation>再改变一个键：得到两者的热力图</translation>
    </message>
    <message>
        <source>Figure to look at</source>
        <translation>要看的指标</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>热力图</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>How two keys are shown</source>
        <translation>两个键如何显示</translation>
    </message>
    <message>
        <source>Run the sweep</source>
        <translation>运行扫描</translation>
    </message>
    <message>
        <source>A figure over the values of a key.</source>
        <translation>指标随一个键的取值变化。</translation>
    </message>
    <message>
        <source>Right-click a field of the form and choose “Sweep this…”, or name a key above and run the sweep.</source>
        <translation>在表单字段上点右键并选择“扫描该字段…”，或在上面指定键并运行扫描。</translation>
    </message>
    <message>
        <source>Points of the sweep</source>
        <translation>扫描的各点</translation>
    </message>
    <message>
        <source>Open as the scenario</source>
        <translation>作为场景打开</translation>
    </message>
    <message>
        <source>Makes the chosen point&apos;s values the scenario&apos;s; one undo takes them back</source>
        <translation>把所选点的值设为场景的值；撤销一次即可恢复</translation>
    </message>
    <message>
        <source>Keep as variant</source>
        <translation>保留为变体</translation>
    </message>
    <message>
        <source>Save table…</source>
        <translation>保存表格…</translation>
    </message>
    <message>
        <source>Writes the table as a workbook (.xlsx) or as .csv</source>
        <translation>把表格写成工作簿（.xlsx）或 .csv</translation>
    </message>
    <message>
        <source>Look at</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>No field of the form is called so. Choose one of those that are offered.</source>
        <translation>表单中没有这个名称的字段。请从提供的字段中选择。</translation>
    </message>
    <message>
        <source>This key is varied twice. Name another.</source>
        <translation>该键被改变了两次。请指定另一个。</translation>
    </message>
    <message numerus="yes">
        <source>%n value(s)</source>
        <translation>
            <numerusform>%n 个值</numerusform>
        </translation>
    </message>
    <message>
        <source>1 point</source>
        <translation>1 个点</translation>
    </message>
    <message>
        <source>%1 points</source>
        <translation>%1 个点</translation>
    </message>
    <message>
        <source>; %1 are the most: vary less</source>
        <translation>；最多 %1 个：请少改变一些</translation>
    </message>
    <message>
        <source>Run the sweep again for this figure.</source>
        <translation>请为该指标重新运行扫描。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Cancelled: %1 of %2 points are kept</source>
        <translation>已取消：保留 %2 个点中的 %1 个</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%2 内完成%1</translation>
    </message>
    <message>
        <source>%1 fit</source>
        <translation>%1 个放得下</translation>
    </message>
    <message>
        <source>the scenario has changed since</source>
        <translation>场景此后已改变</translation>
    </message>
    <message>
        <source>Nothing was run.</source>
        <translation>没有运行任何内容。</translation>
    </message>
    <message>
        <source>Save the sweep</source>
        <translation>保存扫描</translation>
    </message>
</context>
<context>
    <name>orrery::TablePage</name>
    <message>
        <source>No row contains “%1”</source>
        <translation>没有行包含“%1”</translation>
    </message>
</context>
<context>
    <name>orrery::TargetBar</name>
    <message>
        <source>Front</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>All keys and figures</source>
        <translation>所有键和指标</translation>
    </message>
    <message>
        <source>How the plans are shown</source>
        <translation>方案如何显示</translation>
    </message>
    <message>
        <source>no target</source>
        <translation>无目标值</translation>
    </message>
    <message>
        <source>Target to read the plans at</source>
        <translation>按此目标值筛选方案</translation>
    </message>
    <message>
        <source>Limits the plans to those that reach this, and chooses the best of them</source>
        <translation>只保留达到它的方案，并从中选出最佳</translation>
    </message>
    <message>
        <source>Read at %1 %2</source>
        <translation>限定 %1 %2</translation>
    </message>
</context>
<context>
    <name>orrery::TimelineView</name>
    <message>
        <source>No operator or pass has “%1” in its name</source>
        <translation>没有名称含“%1”的算子或 pass</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the timeline</source>
        <translation>搜索时间线</translation>
    </message>
    <message>
        <source>Shows the next operator or pass with this in its name, such as mlp.down or B7</source>
        <translation>显示名称含有它的下一个算子或 pass，例如 mlp.down 或 B7</translation>
    </message>
    <message>
        <source>One iteration, stage by stage</source>
        <translation>一次迭代，逐流水级显示</translation>
    </message>
    <message>
        <source>Draw a cluster and choose a model to see the iteration here.</source>
        <translation>请绘制集群并选择模型，即可在此看到一次迭代。</translation>
    </message>
    <message>
        <source>time in s</source>
        <translation>时间（s）</translation>
    </message>
    <message>
        <source>stage</source>
        <translation>流水级</translation>
    </message>
    <message>
        <source>W, S</source>
        <translation>W、S</translation>
    </message>
    <message>
        <source>Zoom in, out</source>
        <translation>放大、缩小</translation>
    </message>
    <message>
        <source>A, D</source>
        <translation>A、D</translation>
    </message>
    <message>
        <source>Earlier, later</source>
        <translation>向前、向后</translation>
    </message>
    <message>
        <source>F</source>
        <translation>F</translation>
    </message>
    <message>
        <source>Show all of it</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Left, Right</source>
        <translation>左、右</translation>
    </message>
    <message>
        <source>Operator before, after</source>
        <translation>前一个、后一个算子</translation>
    </message>
    <message>
        <source>Up, Down</source>
        <translation>上、下</translation>
    </message>
    <message>
        <source>Lane above, below</source>
        <translation>上一条、下一条泳道</translation>
    </message>
    <message>
        <source>Home, End</source>
        <translation>Home、End</translation>
    </message>
    <message>
        <source>First, last operator</source>
        <translation>第一个、最后一个算子</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Zoom to the operator</source>
        <translation>缩放到该算子</translation>
    </message>
    <message>
        <source>O</source>
        <translation>O</translation>
    </message>
    <message>
        <source>Fold a recorded rank, or open it</source>
        <translation>折叠或展开采集的 rank</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Choose nothing</source>
        <translation>取消选择</translation>
    </message>
</context>
<context>
    <name>orrery::TitleEdit</name>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Title of the scenario</source>
        <translation>场景标题</translation>
    </message>
    <message>
        <source>Click to give the scenario a title</source>
        <translation>点击给场景命名</translation>
    </message>
    <message>
        <source>%1
Click to change the title</source>
        <translation>%1
点击更改标题</translation>
    </message>
</context>
<context>
    <name>orrery::TitleRow</name>
    <message>
        <source>Workspaces</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Not saved yet</source>
        <translation>尚未保存</translation>
    </message>
</context>
<context>
    <name>orrery::ToggleBox</name>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>off · %1</source>
        <translation>关 · %1</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>on · assumed</source>
        <translation>开 · 假定</translation>
    </message>
    <message>
        <source>off · assumed</source>
        <translation>关 · 假定</translation>
    </message>
</context>
<context>
    <name>orrery::TornadoChart</name>
    <message>
        <source>What a figure hangs on</source>
        <translation>指标取决于什么</translation>
    </message>
    <message>
        <source>What the figure becomes when each input is less and more. Run it for a figure.</source>
        <translation>每个输入增减时指标会变成多少。请为某个指标运行。</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>敏感性</translation>
    </message>
    <message>
        <source>%1, each input %2 % less and more</source>
        <translation>%1，每个输入增减 %2 %</translation>
    </message>
    <message>
        <source>No input changes this figure.</source>
        <translation>没有输入会改变该指标。</translation>
    </message>
    <message>
        <source>What the figure becomes when each input is less and more.</source>
        <translation>每个输入增减时指标会变成多少。</translation>
    </message>
    <message>
        <source>Choose another figure.</source>
        <translation>请选择另一个指标。</translation>
    </message>
    <message>
        <source>Choose a figure and run it.</source>
        <translation>请选择一个指标并运行。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>□ input %1 % less   ■ %1 % more</source>
        <translation>□ 输入减 %1 %   ■ 增 %1 %</translation>
    </message>
    <message>
        <source>   (%1 of %2 shown)</source>
        <translation>   （共 %2 个，显示 %1 个）</translation>
    </message>
    <message>
        <source>no sound scenario</source>
        <translation>没有可运行的场景</translation>
    </message>
    <message>
        <source>%1 = %2
%3 % less: %4
%3 % more: %5
Click for a sweep over it</source>
        <translation>%1 = %2
减 %3 %：%4
增 %3 %：%5
点击对它做扫描</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
</context>
<context>
    <name>orrery::TrafficOverlay</name>
    <message>
        <source>Load</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>What the links&apos; colours and widths show</source>
        <translation>链路的颜色和粗细表示什么</translation>
    </message>
    <message>
        <source>Load at the cursor, or over the chosen range</source>
        <translation>光标处或所选范围内的负载</translation>
    </message>
    <message>
        <source>Load over the whole time</source>
        <translation>全程的负载</translation>
    </message>
    <message>
        <source>No load</source>
        <translation>不显示负载</translation>
    </message>
</context>
<context>
    <name>orrery::ValueEdit</name>
    <message>
        <source>Less (arrow down)</source>
        <translation>减小（下箭头）</translation>
    </message>
    <message>
        <source>More (arrow up)</source>
        <translation>增大（上箭头）</translation>
    </message>
    <message>
        <source>%1 each</source>
        <translation>每个 %1</translation>
    </message>
    <message>
        <source>%1 Assumed: %2</source>
        <translation>%1 假定：%2</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>%1 Gb/s</source>
        <translation>%1 Gb/s</translation>
    </message>
</context>
<context>
    <name>orrery::VariantCard</name>
    <message>
        <source>Compare it with the others that are ticked</source>
        <translation>与其他勾选的一起对比</translation>
    </message>
    <message>
        <source>Compare %1</source>
        <translation>对比 %1</translation>
    </message>
    <message>
        <source>%1, %2 against the scenario</source>
        <translation>%1，与场景相比 %2</translation>
    </message>
    <message>
        <source>It does not fit the memory.</source>
        <translation>它放不下显存。</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>打开 %1</translation>
    </message>
    <message>
        <source>Double-click to rename it.</source>
        <translation>双击可重命名。</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>can&apos;t run</source>
        <translation>无法运行</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>base of the variants</source>
        <translation>各变体的原始场景</translation>
    </message>
    <message>
        <source>nothing differs</source>
        <translation>没有不同</translation>
    </message>
    <message>
        <source>Name of the variant</source>
        <translation>变体的名称</translation>
    </message>
</context>
<context>
    <name>orrery::VariantRuns</name>
    <message>
        <source>It gives no result.</source>
        <translation>它没有结果。</translation>
    </message>
</context>
<context>
    <name>orrery::VariantStrip</name>
    <message>
        <source>+ New variant</source>
        <translation>+ 新建变体</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>A copy of what is open, to be changed</source>
        <translation>当前打开内容的副本，供您改动</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>创建副本</translation>
    </message>
    <message>
        <source>New variant</source>
        <translation>新建变体</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Move left</source>
        <translation>左移</translation>
    </message>
    <message>
        <source>Move right</source>
        <translation>右移</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>orrery::WaitMatrix</name>
    <message>
        <source>Who waits for whom</source>
        <translation>谁在等谁</translation>
    </message>
    <message>
        <source>%1 is waited for longest: %2 in all.</source>
        <comment>a rank</comment>
        <translation>被等待最久的是 %1：合计 %2。</translation>
    </message>
    <message>
        <source>%1 waits %2 for %3</source>
        <translation>%1 等待 %3 共 %2</translation>
    </message>
    <message>
        <source>Who waits for whom in collectives, rank by rank</source>
        <translation>集合通信中谁在等谁，逐个 rank</translation>
    </message>
    <message>
        <source>waits for …</source>
        <translation>等待 …</translation>
    </message>
</context>
<context>
    <name>orrery::WaterfallChart</name>
    <message>
        <source>Where the difference comes from</source>
        <translation>差异来自哪里</translation>
    </message>
    <message>
        <source>all else</source>
        <translation>其余全部</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Choose two scenarios with results of one kind.</source>
        <translation>请选择两个有同类结果的场景。</translation>
    </message>
    <message>
        <source>Both take the same.</source>
        <translation>两者用时相同。</translation>
    </message>
    <message>
        <source>%1 of %2, %3 → %4; the parts add up</source>
        <translation>%2 相差 %1，%3 → %4；各部分之和即为它</translation>
    </message>
    <message>
        <source>part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>difference, %1</source>
        <translation>差异，%1</translation>
    </message>
    <message>
        <source>Nothing to compare yet.</source>
        <translation>还没有可对比的内容。</translation>
    </message>
    <message>
        <source>axis from %1</source>
        <translation>轴从 %1 起</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>orrery::WhatIfActions</name>
    <message>
        <source>%1 links and switches</source>
        <translation>%1 条链路和交换机</translation>
    </message>
    <message>
        <source>Half the bandwidth</source>
        <translation>带宽减半</translation>
    </message>
    <message>
        <source>Degrade to…</source>
        <translation>带宽降到…</translation>
    </message>
    <message>
        <source>Take down</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Straggler…</source>
        <translation>慢节点…</translation>
    </message>
    <message>
        <source>Slow NIC…</source>
        <translation>慢网卡…</translation>
    </message>
    <message>
        <source>Second job&apos;s traffic from here…</source>
        <translation>从这里发出第二个作业的流量…</translation>
    </message>
    <message>
        <source>Second job&apos;s traffic between these…</source>
        <translation>在它们之间加第二个作业的流量…</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Jitter…</source>
        <translation>抖动…</translation>
    </message>
    <message>
        <source>Restore everything</source>
        <translation>全部恢复</translation>
    </message>
    <message>
        <source>Degrade %1 to %2</source>
        <translation>把 %1 的带宽降到 %2</translation>
    </message>
    <message>
        <source>Take down %1</source>
        <translation>停用 %1</translation>
    </message>
    <message>
        <source>Restore what is selected</source>
        <translation>恢复所选部分</translation>
    </message>
    <message>
        <source>Take back: %1</source>
        <translation>撤回：%1</translation>
    </message>
    <message>
        <source>Degrade</source>
        <translation>降低带宽</translation>
    </message>
    <message>
        <source>What is left of the bandwidth of %1, in both directions.</source>
        <translation>%1 剩余的带宽，两个方向相同。</translation>
    </message>
    <message>
        <source>Bandwidth left</source>
        <translation>剩余带宽</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>%1 hosts</source>
        <translation>%1 台主机</translation>
    </message>
    <message>
        <source>Straggler</source>
        <translation>慢节点</translation>
    </message>
    <message>
        <source>How much longer everything takes that %1 computes.</source>
        <translation>%1 的所有计算慢多少。</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>× as long</source>
        <translation>倍</translation>
    </message>
    <message>
        <source>Which of the stack</source>
        <translation>叠放中的第几台</translation>
    </message>
    <message>
        <source>all of them</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Let %1 straggle</source>
        <translation>让 %1 变慢</translation>
    </message>
    <message>
        <source>Slow NIC</source>
        <translation>慢网卡</translation>
    </message>
    <message>
        <source>What is left of the bandwidth of one network interface of %1.</source>
        <translation>%1 的一个网口剩余的带宽。</translation>
    </message>
    <message>
        <source>%1 (%2 cables)</source>
        <translation>%1（%2 根线缆）</translation>
    </message>
    <message>
        <source>Cabled to</source>
        <translation>接到</translation>
    </message>
    <message>
        <source>Which of the cables</source>
        <translation>第几根线缆</translation>
    </message>
    <message>
        <source>Slow a NIC of %1</source>
        <translation>让 %1 的一块网卡变慢</translation>
    </message>
    <message>
        <source>Second job&apos;s traffic</source>
        <translation>第二个作业的流量</translation>
    </message>
    <message>
        <source>What another job sends from %1 all the time. The links share their bandwidth with it.</source>
        <translation>另一个作业持续从 %1 发送的流量。链路与它分享带宽。</translation>
    </message>
    <message>
        <source>To</source>
        <translation>目的地</translation>
    </message>
    <message>
        <source>Asks for</source>
        <translation>需求</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>job %1</source>
        <translation>作业 %1</translation>
    </message>
    <message>
        <source>Add traffic from %1</source>
        <translation>从 %1 添加流量</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>How much the times of equal work vary from one to the next; 0 for not at all.</source>
        <translation>相同工作的时间每次相差多少；0 表示完全不变。</translation>
    </message>
    <message>
        <source>Standard deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Change jitter</source>
        <translation>更改抖动</translation>
    </message>
</context>
<context>
    <name>orrery::WhatIfList</name>
    <message>
        <source>What-ifs</source>
        <translation>假设</translation>
    </message>
    <message>
        <source>1 what-if</source>
        <translation>1 项假设</translation>
    </message>
    <message>
        <source>%1 what-ifs</source>
        <translation>%1 项假设</translation>
    </message>
    <message>
        <source>Fold the list of what-ifs</source>
        <translation>折叠假设列表</translation>
    </message>
    <message>
        <source>List the what-ifs</source>
        <translation>列出各项假设</translation>
    </message>
    <message>
        <source>Restore all</source>
        <translation>全部恢复</translation>
    </message>
    <message>
        <source>Restore everything</source>
        <translation>全部恢复</translation>
    </message>
    <message>
        <source>Click to show it on the drawing</source>
        <translation>点击在图上显示它</translation>
    </message>
    <message>
        <source>Take back: %1</source>
        <translation>撤回：%1</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 项</translation>
    </message>
</context>
<context>
    <name>orrery::WhatIfs</name>
    <message>
        <source>%1, number %2</source>
        <translation>%1，第 %2 台</translation>
    </message>
</context>
<context>
    <name>orrery::WhyPanel</name>
    <message>
        <source>Why this long?</source>
        <translation>为什么这么久？</translation>
    </message>
    <message>
        <source>What the iteration&apos;s time is lost to, and what to try.</source>
        <translation>迭代时间损失在哪里，以及可以尝试什么。</translation>
    </message>
    <message>
        <source>Choose a model and a cluster; the causes follow the first run.</source>
        <translation>请选择模型和集群；首次运行后显示原因。</translation>
    </message>
    <message>
        <source>Try %1</source>
        <translation>试用 %1</translation>
    </message>
    <message>
        <source>Click to see the formula behind this number</source>
        <translation>点击查看该数字背后的公式</translation>
    </message>
    <message>
        <source>Against “%1”: the same, %2</source>
        <translation>对比“%1”：相同，%2</translation>
    </message>
    <message>
        <source>Against “%1”: %2 → %3, %4</source>
        <translation>对比“%1”：%2 → %3，%4</translation>
    </message>
    <message>
        <source>Nothing stands out: the time is the work itself.</source>
        <translation>没有突出的损失：时间就是工作本身。</translation>
    </message>
    <message>
        <source>Click on a figure at the top to see the formula behind it.</source>
        <translation>点击顶部的指标可查看它背后的公式。</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>a cause as a sentence</comment>
        <translation>%1。</translation>
    </message>
</context>
<context>
    <name>orrery::WindowLayout</name>
    <message>
        <source>&amp;Scenario</source>
        <translation>场景(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Cluster</source>
        <translation>集群(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Timeline</source>
        <translation>时间线(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Operators, links and tensors</source>
        <translation>算子、链路和张量(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Memory</source>
        <translation>显存(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Roofline</source>
        <translation>Roofline(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Why this long?</source>
        <translation>为什么这么久(&amp;W)？</translation>
    </message>
    <message>
        <source>&amp;Problems and what was assumed</source>
        <translation>问题和假定(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Jitter</source>
        <translation>抖动(&amp;J)</translation>
    </message>
    <message>
        <source>Re&amp;quests</source>
        <translation>请求(&amp;Q)</translation>
    </message>
    <message>
        <source>T&amp;hroughput and latency</source>
        <translation>吞吐与延迟(&amp;H)</translation>
    </message>
    <message>
        <source>E&amp;xplore</source>
        <translation>探索(&amp;X)</translation>
    </message>
    <message>
        <source>Comp&amp;are</source>
        <translation>对比(&amp;A)</translation>
    </message>
    <message>
        <source>Recor&amp;ded ranks</source>
        <translation>采集的 rank(&amp;D)</translation>
    </message>
    <message>
        <source>Lesso&amp;n</source>
        <translation>课程(&amp;N)</translation>
    </message>
</context>
<context>
    <name>orrery::WindowViews</name>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>&amp;Timeline</source>
        <translation>时间线(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Memory by stage</source>
        <translation>各流水级显存(&amp;M)</translation>
    </message>
    <message>
        <source>Memory over t&amp;ime</source>
        <translation>显存随时间变化(&amp;I)</translation>
    </message>
    <message>
        <source>Memory by te&amp;nsor</source>
        <translation>显存按张量(&amp;N)</translation>
    </message>
    <message>
        <source>Roo&amp;fline</source>
        <translation>Roofline(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Jitter</source>
        <translation>抖动(&amp;J)</translation>
    </message>
    <message>
        <source>L&amp;atency of requests</source>
        <translation>请求延迟(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Engine over time</source>
        <translation>引擎随时间变化(&amp;E)</translation>
    </message>
    <message>
        <source>Throu&amp;ghput and latency</source>
        <translation>吞吐与延迟(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Cluster</source>
        <translation>集群(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Links by load</source>
        <translation>按负载排列的链路(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Difference of variants</source>
        <translation>变体的差异(&amp;D)</translation>
    </message>
    <message>
        <source>S&amp;weep</source>
        <translation>扫描(&amp;W)</translation>
    </message>
    <message>
        <source>Sweep of two ke&amp;ys</source>
        <translation>两个键的扫描(&amp;Y)</translation>
    </message>
    <message>
        <source>Plans of the &amp;search</source>
        <translation>搜索的方案(&amp;S)</translation>
    </message>
    <message>
        <source>Solved val&amp;ue</source>
        <translation>求解的值(&amp;U)</translation>
    </message>
    <message>
        <source>Sensiti&amp;vity</source>
        <translation>敏感性(&amp;V)</translation>
    </message>
    <message>
        <source>Recorded ran&amp;ks</source>
        <translation>采集的 rank(&amp;K)</translation>
    </message>
    <message>
        <source>Draw</source>
        <translation>绘制</translation>
    </message>
    <message>
        <source>Show what can be placed, and the properties of what is marked</source>
        <translation>显示可放置的元件，以及选中部分的属性</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Show the operators by time</source>
        <translation>按时间显示算子</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Show the links of the cluster by load</source>
        <translation>按负载显示集群链路</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Show what holds the memory, down to the tensor</source>
        <translation>显示显存由什么占用，细到张量</translation>
    </message>
</context>
</TS>
