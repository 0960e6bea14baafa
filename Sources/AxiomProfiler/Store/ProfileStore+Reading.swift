// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// What was sampled in a range of time, without names.
struct SampledRange: Sendable {
    let start: Instant
    let end: Instant
    var lost: UInt64 = 0
    /// The row with the most samples is the first.
    var rows: [ProfileRow]
    /// The operations to the spans that were sampled lately.
    let recent: [UInt64: [UInt64]]
}

extension ProfileStore {
    /// - Parameters:
    ///   - rate: Samples per second of processor time.
    ///   - live: The sampled blocks of memory that are not freed; nil if none are sampled.
    func profile(_ query: ProfileQuery, rate: Int, live: [RawSample]?) -> Profile {
        let now = state.withLock { $0.end } ?? clock.now
        if let trace = query.trace { return profile(of: trace, query, rate, now) }
        let end = now.advanced(by: .seconds(-query.ago))
        var range = state.withLock { $0.range(from: end.advanced(by: .seconds(-query.seconds)), to: end, now: now) }
        let ended = spans?.ended { [start = range.start] _, end in end > start } ?? []
        let forest = SpanForest(ended, known: range.recent)
        // Live blocks are those of now, whatever the range.
        range.rows += (live ?? []).map { sample in
            let chain = SpanChain(sample.spans, of: spans)
            let path = chain.orphan.flatMap { forest.whole(chain.subjects, from: $0) } ?? chain.subjects
            return ProfileRow(path: path, stack: stack(of: sample), live: sample.amount)
        }
        let known = max(range.start, spans?.horizon ?? range.start)
        var profile = named(range, forest, knownFrom: known, query, rate)
        profile.hasAllocations = live != nil
        return profile
    }

    /// The samples of one trace, in the range of its spans.
    private func profile(of trace: TraceID, _ query: ProfileQuery, _ rate: Int, _ now: Instant) -> Profile {
        let ids = spans?.traces(trace) ?? []
        let ended = spans?.ended { trace, _ in ids.contains(trace) } ?? []
        let (start, end) = (ended.map(\.start).min() ?? now, ended.map(\.end).max() ?? now)
        let range = state.withLock { $0.range(of: ids, from: start, to: end) }
        return named(range, SpanForest(ended, known: range.recent), knownFrom: start, query, rate)
    }

    private func named(
        _ range: SampledRange,
        _ ended: SpanForest,
        knownFrom known: Instant,
        _ query: ProfileQuery,
        _ rate: Int
    ) -> Profile {
        var profile = Profile(start: range.start, end: range.end, rate: rate)
        profile.samples = range.rows.reduce(0) { $0 + $1.samples }
        profile.outside = range.rows.reduce(0) { $0 + ($1.path.isEmpty ? $1.samples : 0) }
        profile.lost = Int(range.lost)
        profile.waitsSince = known > range.start ? known : nil
        var builder = ProfileBuilder(profile, spans, symbolizer, query)
        builder.add(range.rows)
        let waits = WaitingTimes(ended, from: known, to: range.end)
        for (path, times) in waits.named { for (wait, time) in times { builder.addWait(time, of: path, in: wait) } }
        // The part of the range in which all spans are known.
        let part = range.end.seconds(since: known) / max(1e-9, range.end.seconds(since: range.start))
        var processor: [[UInt64]: Int64] = [:]
        for row in range.rows { processor[row.path, default: 0] += row.processor }
        for (path, time) in waits.rest {
            builder.addWait(time - Int64(Double(processor[path] ?? 0) * part), of: path, in: nil)
        }
        return builder.profile
    }
}

extension StoreState {
    func range(from start: Instant, to end: Instant, now: Instant) -> SampledRange {
        let slots = slots.slots(from: start, to: end, now: now)
        // Those that wait for their outer operations are newer than the start of the open slot, or not much older.
        let waiting = slots.last?.end == now ? orphans.map(\.entry) : []
        return SampledRange(
            start: slots.first?.start ?? start,
            end: slots.last?.end ?? end,
            lost: slots.reduce(0) { $0 + $1.lost },
            rows: rows(slots.flatMap(\.entries) + waiting),
            recent: recentPaths
        )
    }

    func range(of ids: Set<UInt64>, from start: Instant, to end: Instant) -> SampledRange {
        let waiting = orphans.filter { ids.contains($0.trace) && !$0.entry.isAllocation }.map(\.entry)
        return SampledRange(start: start, end: end, rows: rows(traces.entries(of: ids) + waiting), recent: recentPaths)
    }

    private func rows(_ entries: [SampleSlots.Entry]) -> [ProfileRow] {
        var found: [UInt16: ProfileRow] = [:]
        for entry in entries {
            var row = found[entry.node] ?? tree.row(of: entry.node)
            if entry.isAllocation {
                row.allocated += Int64(entry.amount)
            } else {
                row.samples += Int(entry.samples)
                row.processor += Int64(entry.amount)
            }
            found[entry.node] = row
        }
        return found.sorted { ($1.value.samples, $0.key) < ($0.value.samples, $1.key) }.map(\.value)
    }
}
