// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// What was sampled in a range of time, without names.
struct SampledRange: Sendable {
    let start, end: Instant
    /// All spans that ended later are known.
    var known: Instant
    var lost: SIMD2<UInt64> = [0, 0]
    /// The row with the most samples is the first.
    var rows: [ProfileRow]
    /// The rows of spans that had not ended when they were last looked for, as far as all spans are known.
    let running: [UInt64: [ProfileRow]]
    /// The operations to the spans that were sampled lately.
    let recent: [UInt64: [UInt64]]
}

extension ProfileStore {
    /// - Parameters:
    ///   - rate: Samples per second of processor time.
    ///   - live: The sampled blocks of memory that are not freed; nil if none are sampled. `lostLive` are missing.
    func profile(_ query: ProfileQuery, rate: Int, live: [RawSample]?, lostLive: Int = 0) -> Profile {
        let now = state.withLock { $0.end } ?? clock.now
        if let trace = query.trace { return profile(of: trace, query, rate, now) }
        let end = now.advanced(by: .seconds(-query.ago))
        let (start, horizon) = (end.advanced(by: .seconds(-query.seconds)), spans?.horizon)
        var range = state.withLock { $0.range(from: start, to: end, now: now, knownFrom: horizon ?? start) }
        let ended = spans?.ended { [start = range.start] _, end in end > start } ?? []
        range.known = max(range.known, spans?.horizon ?? range.known)
        let forest = SpanForest(ended, known: range.recent)
        // Live blocks are those of now, whatever the range.
        range.rows += (live ?? []).map { sample in
            let chain = SpanChain(sample.spans, of: spans)
            let path = chain.orphan.flatMap { forest.whole(chain.subjects, from: $0) } ?? chain.subjects
            var row = ProfileRow(path: path, stack: stack(of: sample))
            row.sums.live = sample.amount
            return row
        }
        var profile = named(range, forest, query, rate)
        (profile.hasAllocations, profile.lostLive) = (live != nil, lostLive)
        return profile
    }

    /// The samples of one trace, in the range of its spans.
    private func profile(of trace: TraceID, _ query: ProfileQuery, _ rate: Int, _ now: Instant) -> Profile {
        let ids = spans?.traces(trace) ?? []
        let ended = spans?.ended { trace, _ in ids.contains(trace) } ?? []
        let (start, end) = (ended.map(\.start).min() ?? now, ended.map(\.end).max() ?? now)
        let range = state.withLock { $0.range(of: ids, from: start, to: end) }
        return named(range, SpanForest(ended, known: range.recent), query, rate)
    }

    private func named(_ range: SampledRange, _ ended: SpanForest, _ query: ProfileQuery, _ rate: Int) -> Profile {
        var profile = Profile(start: range.start, end: range.end, rate: rate)
        profile.samples = range.rows.reduce(0) { $0 + $1.sums.samples }
        profile.outside = range.rows.reduce(0) { $0 + ($1.path.isEmpty ? $1.sums.samples : 0) }
        (profile.lost, profile.lostAllocated) = (Int(range.lost.x), Int(range.lost.y))
        profile.waitsSince = range.known > range.start ? range.known : nil
        var builder = ProfileBuilder(profile, spans, symbolizer, query)
        builder.add(range.rows)
        let waits = WaitingTimes(ended, from: range.known, to: range.end)
        for (path, times) in waits.named { for (wait, time) in times { builder.addWait(time, of: path, in: wait) } }
        // The part of the range in which all spans are known.
        let part = range.end.seconds(since: range.known) / max(1e-9, range.end.seconds(since: range.start))
        var processor: [[UInt64]: Int64] = [:]
        for row in range.rows { processor[row.path, default: 0] += Int64(Double(row.sums.processor) * part) }
        for (span, rows) in range.running where ended.operation(of: span) == nil {
            for row in rows { processor[row.path, default: 0] -= row.sums.processor }
        }
        for (path, time) in waits.rest { builder.addWait(time - max(0, processor[path] ?? 0), of: path, in: nil) }
        return builder.profile
    }
}

extension StoreState {
    func range(from start: Instant, to end: Instant, now: Instant, knownFrom horizon: Instant) -> SampledRange {
        let found = slots.slots(from: start, to: end, now: now)
        // Those that wait for their outer operations are newer than the start of the open slot, or not much older.
        let waiting = found.last?.end == now ? orphans : []
        // A range of which nothing is held has no length: it is where the samples begin.
        let start = found.first?.start ?? max(start, slots.oldest)
        let end = found.last?.end ?? max(end, slots.oldest)
        return SampledRange(
            start: start,
            end: end,
            known: max(start, horizon),
            lost: found.reduce([0, 0]) { $0 &+ $1.lost },
            rows: rows(found.flatMap(\.entries) + waiting.map(\.entry)),
            running: bySpan(running.filter { $0.time >= max(start, horizon) && $0.time < end } + waiting),
            recent: recentPaths
        )
    }

    func range(of ids: Set<UInt64>, from start: Instant, to end: Instant) -> SampledRange {
        let waiting = orphans.filter { ids.contains($0.outer.trace) && !$0.entry.isAllocation }
        let rows = rows(traces.entries(of: ids) + waiting.map(\.entry))
        let running = bySpan(running.filter { ids.contains($0.outer.trace) } + waiting)
        return SampledRange(start: start, end: end, known: start, rows: rows, running: running, recent: recentPaths)
    }

    private func bySpan(_ samples: [SpanSample]) -> [UInt64: [ProfileRow]] {
        Dictionary(grouping: samples, by: \.inner).mapValues { rows($0.map(\.entry)) }
    }

    private func rows(_ entries: [SampleSlots.Entry]) -> [ProfileRow] {
        var found: [UInt16: ProfileRow] = [:]
        for entry in entries {
            var row = found[entry.node] ?? tree.row(of: entry.node)
            if entry.isAllocation {
                row.sums.allocated += Int64(entry.amount)
            } else {
                row.sums.samples += Int(entry.samples)
                row.sums.processor += Int64(entry.amount)
            }
            found[entry.node] = row
        }
        return found.sorted { ($1.value.sums.samples, $0.key) < ($0.value.sums.samples, $1.key) }.map(\.value)
    }
}
