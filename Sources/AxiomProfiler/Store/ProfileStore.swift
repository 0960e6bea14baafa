// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomSymbols

/// What was sampled in up to 15 minutes: stacks of code addresses under paths of operations. At most 768 KiB, whatever is
/// sampled: the oldest samples make space, and what exceeds a limit all the same is counted under a frame that says so.
final class ProfileStore: Sendable {
    let spans: ProfiledSpans?
    let symbolizer: any Symbolizing
    let clock: TimeSource
    /// Guarded by its lock, which is taken for each sample and when a profile is read.
    let state: Lock<StoreState>

    init(_ spans: ProfiledSpans?, _ symbolizer: any Symbolizing, clock: TimeSource = .live) {
        (self.spans, self.symbolizer, self.clock) = (spans, symbolizer, clock)
        state = Lock(StoreState(at: clock.now))
    }

    /// The samples of threads since the start.
    var counts: (labelled: Int, outside: Int) { state.withLock { $0.counts } }
    /// The memory of all tables.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Takes a sample of a thread, or of an allocation.
    func take(_ sample: RawSample, isAllocation: Bool = false) {
        let chain = SpanChain(sample.spans, of: spans)
        let (stack, now) = (stack(of: sample), clock.now)
        state.withLock { $0.add(chain, stack, sample.amount, isAllocation: isAllocation, at: now) }
    }

    /// Profiles end now from now on.
    func stop() {
        let now = clock.now
        state.withLock { $0.end = now }
    }

    /// The words of a stack, the outermost frame first.
    func stack(of sample: RawSample) -> [UInt64] {
        let frames = symbolizer.frames(of: sample).reversed().map(\.word)
        if sample.hasNoStack { return [SampleTree.callers] + frames }
        return sample.isCut ? [SampleTree.outer] + frames : frames
    }

    /// To be called ten times a second.
    ///
    /// - Parameter lost: How many samples of threads were lost until now; `lostAllocated` are those of allocations.
    func tick(lost: Int, lostAllocated: Int = 0) {
        let now = clock.now
        let (isDue, orphaned) = state.withLock { $0.advance(to: now, lost: [UInt64(lost), UInt64(lostAllocated)]) }
        guard let spans else { return }
        if isDue {
            let kept = spans.keptTraces
            state.withLock { $0.traces.keep(kept) }
        }
        if !orphaned.isEmpty {
            let ended = spans.ended { trace, _ in orphaned.contains(trace) }
            state.withLock { $0.adopt(ended, at: now) }
        }
    }
}

/// A sample of a span, or the sum of its samples of one path in the slot that begins at a time.
///
/// An orphan is a sample whose outer operations are not known yet: it counts when its span and those that caused it have ended, or
/// when it has waited for 10 s. It is then in the slot of that time.
struct SpanSample: Sendable {
    /// How many orphans and how many sums are held, how many sums are looked for at once, and how many of the latest stay then.
    static let (orphanLimit, limit, due, kept) = (512, 768, 576, 384)

    /// The outermost span that is known, and the id of the innermost one.
    let outer: SpanContext
    let inner: UInt64
    var time: Instant
    var entry: SampleSlots.Entry
}

/// The tables of a ``ProfileStore``.
struct StoreState: Sendable {
    /// Stacks get no number above the limit, so that operations have space. Each new one needs up to three.
    private static let (capacity, stackLimit) = (20_480, 17_408)

    private(set) var tree = SampleTree(capacity: capacity)
    private(set) var slots: SampleSlots
    var traces = TraceSamples()
    private(set) var orphans: [SpanSample] = []
    /// The sums of spans that had not ended when they were last looked for, the oldest first. All others count as ended.
    private(set) var running: [SpanSample] = []
    private(set) var counts = (labelled: 0, outside: 0)
    /// The paths of spans that were sampled, each at the place that its id gives; for samples that lack the outer spans.
    private var recent = [(span: UInt64, path: UInt16)](repeating: (0, 0), count: 1_024)
    private var lost: SIMD2<UInt64> = [0, 0]
    /// When the sampling ended.
    var end: Instant?
    /// Whether the tree was rebuilt since the last slot was closed.
    private var isRebuilt = false

    init(at now: Instant) {
        slots = SampleSlots(start: now)
        orphans.reserveCapacity(SpanSample.orphanLimit)
        running.reserveCapacity(SpanSample.limit)
    }

    var bytes: Int {
        tree.bytes + slots.bytes + traces.bytes + (orphans.capacity + running.capacity) * 56 + recent.capacity * 16
    }

    mutating func add(_ chain: SpanChain, _ stack: [UInt64], _ amount: Int64, isAllocation: Bool, at now: Instant) {
        let (node, isWhole) = place(of: chain, stack)
        let entry = SampleSlots.Entry(key: node << 1 | (isAllocation ? 1 : 0), samples: 1, amount: Float(amount))
        let (outer, inner) = (chain.spans.first ?? .none, chain.spans.last?.span ?? 0)
        let sample = SpanSample(outer: outer, inner: inner, time: now, entry: entry)
        let isOrphan = !isWhole && orphans.count < SpanSample.orphanLimit
        if isOrphan { orphans.append(sample) } else { count(sample, at: now) }
        guard !isAllocation else { return }
        if chain.spans.isEmpty { counts.outside += 1 } else { counts.labelled += 1 }
    }

    private mutating func count(_ sample: SpanSample, at now: Instant) {
        slots.add(sample.entry, at: now)
        guard !sample.outer.isNone && !sample.entry.isAllocation else { return }
        traces.add(sample.outer.trace, sample.entry)
        var sum = sample
        (sum.time, sum.entry.key) = (slots.start, (tree.index(of: tree.row(of: sum.entry.node).path) ?? 0) << 1)
        let old = running.lastIndex { ($0.inner, $0.time, $0.entry.key) == (sum.inner, sum.time, sum.entry.key) }
        if let old { running[old].entry.amount += sum.entry.amount }
        if old == nil && running.count < SpanSample.limit { running.append(sum) }
    }

    /// The number of a stack under the operations of a chain, and whether no outer one is missing.
    private mutating func place(of chain: SpanChain, _ stack: [UInt64]) -> (node: UInt16, isWhole: Bool) {
        if let found = find(chain, stack, limit: Self.stackLimit) { return found }
        rebuild()
        return find(chain, stack, limit: Self.stackLimit)
            ?? find(chain, [SampleTree.stacks], limit: Self.capacity) ?? (SampleTree.other, true)
    }

    private mutating func find(_ chain: SpanChain, _ stack: [UInt64], limit: Int) -> (node: UInt16, isWhole: Bool)? {
        let known = chain.orphan.flatMap { recall($0.span) }
        let isWhole = chain.orphan == nil || known != nil
        var path = known ?? 0
        for span in chain.spans.dropFirst(known == nil ? 0 : 1) {
            let added = span.isOperation ? [span.subject] : []
            guard let next = tree.index(of: added, under: path) else { return nil }
            path = next
            if isWhole, span.span != 0 { note(span.span, path) }
        }
        return tree.index(of: [SampleTree.functions] + stack, under: path, limit: limit).map { ($0, isWhole) }
    }

    private mutating func note(_ span: UInt64, _ path: UInt16) { recent[Int(span >> 48) & 1_023] = (span, path) }

    /// The path to a span, with it.
    private func recall(_ span: UInt64) -> UInt16? {
        let found = recent[Int(span >> 48) & 1_023]
        return found.span == span ? found.path : nil
    }

    /// The operations to the spans that were sampled lately.
    var recentPaths: [UInt64: [UInt64]] {
        Dictionary(recent.map { ($0.span, tree.words(to: $0.path)) }) { first, _ in first }.filter { $0.key != 0 }
    }

    /// Makes space in the tree, once for each slot: the newest stacks count most, so the oldest samples are forgotten if all are
    /// used.
    private mutating func rebuild() {
        guard !isRebuilt else { return }
        isRebuilt = true
        forgetUnused()
        while tree.count > Self.stackLimit / 4 * 3 {
            let hasSlots = slots.forgetOldest()
            let start = slots.closed.first?.start ?? slots.start
            running.removeAll { $0.time < start }
            guard traces.forgetOldest() || hasSlots else { return }
            forgetUnused()
        }
    }

    /// Forgets what no slot and no trace has.
    private mutating func forgetUnused() {
        var isUsed = [Bool](repeating: false, count: tree.count)
        mapKeys { key in
            isUsed[Int(key >> 1)] = true
            return key
        }
        let numbers = tree.keep(isUsed)
        mapKeys { numbers[Int($0 >> 1)] << 1 | $0 & 1 }
        for index in recent.indices {
            let path = numbers[Int(recent[index].path)]
            recent[index] = path == 0 ? (0, 0) : (recent[index].span, path)
        }
    }

    private mutating func mapKeys(_ key: (UInt16) -> UInt16) {
        slots.mapKeys(key)
        traces.mapKeys(key)
        for index in orphans.indices { orphans[index].entry.key = key(orphans[index].entry.key) }
        for index in running.indices { running[index].entry.key = key(running[index].entry.key) }
    }

    // MARK: - Time

    /// - Returns: Whether ``TraceSamples/keep(_:)`` is due, and the traces of ``orphans`` and ``running``, once for each slot and
    ///   when there are many.
    mutating func advance(to now: Instant, lost total: SIMD2<UInt64>) -> (isDue: Bool, orphaned: Set<UInt64>) {
        slots.lost &+= total &- lost
        lost = total
        let isFull = running.count >= SpanSample.due
        if slots.advance(to: now) { isRebuilt = false } else if !isFull { return (traces.isDue, []) }
        return (traces.isDue, Set((orphans + running).map(\.outer.trace)))
    }

    /// Counts the samples whose operations are known by now, and those that have waited for 10 s.
    mutating func adopt(_ ended: [ProfiledSpans.Ended], at now: Instant) {
        let (waiting, forest) = (orphans, SpanForest(ended, known: recentPaths))
        running.removeAll { forest.operation(of: $0.inner) != nil }
        running.removeFirst(max(0, running.count - SpanSample.kept))
        orphans.removeAll(keepingCapacity: true)
        for var orphan in waiting {
            let outer = forest.path(to: orphan.outer.span)
            guard outer.isWhole || now.nanoseconds(since: orphan.time) >= 2 * SampleSlots.length else {
                orphans.append(orphan)
                continue
            }
            if outer.isWhole, let path = tree.index(of: outer.subjects) {
                note(orphan.outer.span, path)
                let words = tree.words(to: orphan.entry.node).dropFirst(orphan.outer.isOperation ? 1 : 0)
                let node = tree.index(of: words, under: path, limit: Self.stackLimit)
                orphan.entry.key = (node ?? orphan.entry.node) << 1 | orphan.entry.key & 1
            }
            count(orphan, at: now)
        }
    }
}
