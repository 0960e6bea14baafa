// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Testing

@testable import AxiomPush

/// Counts that a collector reports, or that it fails to report.
private final class Collected: Collector {
    struct Failed: Error {}

    /// Guarded by its lock. Nil: the collector fails.
    let value = Lock<Double?>(0)
    /// The series that are left out, although the collector does not fail. Guarded by its lock.
    let omitted = Lock<Set<String>>([])
    private let series: [String]

    init(_ series: [String] = ["one"]) { self.series = series }

    func collect() throws -> [CollectedFamily] {
        guard let value = value.withLock({ $0 }) else { throw Failed() }
        var family = CollectedFamily.counter("collected_total", help: "C.", labels: "id")
        let omitted = omitted.withLock { $0 }
        let present = series.filter { !omitted.contains($0) }
        for one in present { family.add(value, one) }
        return present.isEmpty ? [] : [family]
    }
}

/// Instruments of each kind that counts, and what a collector of deltas has of them.
private struct DeltaModel {
    let registry: Registry
    let counters: Family<Counter, String>
    let joules: FloatCounter
    let classic: Histogram
    let exponential: ExponentialHistogram
    let gauge: Gauge
    let collected = Collected(["one", "two"])
    var total = 0.0

    /// The sums of the points that were taken or dropped, and the end of the last point, by series.
    var sums: [String: [Double]] = [:]
    var ends: [String: UInt64] = [:]

    init(_ time: ManualTime) throws {
        registry = Registry(clock: .manual(time), onProblem: { _ in })
        counters = try registry.counters("jobs_total", help: "J.", labels: Label<String>("id"))
        joules = try registry.floatCounter("heat_joules_total", help: "H.")
        classic = try registry.histogram("wait_seconds", help: "W.", buckets: [0.5, 1])
        exponential = try registry.exponentialHistogram(
            "size",
            help: "S.",
            bucketing: ExponentialBucketing(maximumBuckets: 4, maximumZeroThreshold: 0.5)
        )
        gauge = try registry.gauge("level", help: "L.")
        registry.register(collected)
    }

    mutating func record(_ generator: inout SplitMix64) {
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            counters("\(Int.random(in: 0..<4, using: &generator))").increment(by: .random(in: 0...9, using: &generator))
        }
        // Binary fractions, so that sums are exact.
        let number = Double(Int.random(in: 0...64, using: &generator)) / 16
        joules.increment(by: number)
        classic.observe(number)
        exponential.observe(Bool.random(using: &generator) ? number : -number)
        gauge.set(number)
        total += number
        collected.value.withLock { [total] in $0 = Int.random(in: 0..<4, using: &generator) == 0 ? nil : total }
        collected.omitted.withLock { omitted in
            omitted = Set(["one", "two"].filter { _ in Int.random(in: 0..<3, using: &generator) == 0 })
        }
    }

    /// Adds the points of a batch that was taken or dropped.
    mutating func add(_ batch: PushBatch) {
        for point in DecodedPoint.all(in: batch) where point.isDelta {
            #expect(point.start <= point.time)
            if let end = ends[point.series] { #expect(point.start == end, "\(point.series)") }
            ends[point.series] = point.time
            let sum = sums[point.series] ?? point.values.map { _ in 0 }
            sums[point.series] = zip(sum, point.values).map(+)
        }
    }

    /// The collector neither fails nor leaves out a series.
    func collectAll() {
        collected.value.withLock { $0 = total }
        collected.omitted.withLock { $0 = [] }
    }

    /// The sums are the totals of the registry.
    func check() throws {
        collectAll()
        for batch in try PushTarget.otlpMetrics("http://h", service: "a").destination.batches(
            of: registry.collect(),
            at: 9e9
        ) {
            for point in DecodedPoint.all(in: batch) where sums[point.series] != nil {
                #expect(!point.isDelta && sums[point.series] == point.values, "\(point.series)")
            }
        }
        #expect(sums.count >= 6)
    }
}

@Suite("Delta temporality", .timeLimit(.minutes(10)))
struct OTLPDeltaTests {
    private func deltas(_ temporality: PushTarget.Temporality = .delta) throws -> any PushDestination {
        try PushTarget.otlpMetrics("http://h", service: "shop", temporality: temporality).destination
    }

    @Test("Whatever the receiver does, what it took and what was dropped are the totals, without gaps or overlap")
    func conservation() throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(400) {
            let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
            var model = try DeltaModel(time)
            let destination = try deltas()
            var queue = PushQueue(destination.capacity)
            for step in 0..<40 {
                model.record(&generator)
                time.advance(by: .seconds(1))
                if queue.takesSnapshot || step == 39 {
                    let snapshot = model.registry.collect()
                    queue.append(destination.batches(of: snapshot, at: time.secondsSinceEpoch))
                }
                let isLast = step == 39
                while let batch = queue.take() {
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0 where !isLast:
                        queue.putBack()
                    case 1:
                        model.add(batch)
                        queue.drop()
                    case 2:
                        guard let halves = batch.halves else { fallthrough }
                        #expect(halves.0.samples + halves.1.samples == batch.samples)
                        queue.divide(into: [halves.0, halves.1])
                        continue
                    default:
                        model.add(batch)
                        queue.finish()
                    }
                    if !isLast { break }
                }
            }
            #expect(queue.isEmpty)
            // The collector may have failed at the last snapshot: its increments since are in none.
            model.collectAll()
            for batch in destination.batches(of: model.registry.collect(), at: time.secondsSinceEpoch + 1) {
                model.add(batch)
            }
            try model.check()
        }
    }

    @Test("A series that began again counts from 0, and starts when it was created; one that is gone has no point")
    func restarts() throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let registry = Registry(clock: .manual(time))
        let counters = try registry.counters("jobs_total", help: "J.", labels: Label<String>("id"))
        let collected = Collected()
        registry.register(collected)
        let destination = try deltas()
        func points() -> [DecodedPoint] {
            time.advance(by: .seconds(10))
            return destination.batches(of: registry.collect(), at: time.secondsSinceEpoch).flatMap(DecodedPoint.all)
        }
        counters("a").increment(by: 5)
        collected.value.withLock { $0 = 100 }
        #expect(points().map(\.values) == [[100], [5]])
        counters.remove(counters("a"))
        collected.value.withLock { $0 = 7 }
        time.advance(by: .seconds(5))
        counters("a").increment(by: 2)
        let next = points()
        #expect(next.map(\.values) == [[7], [2]])
        #expect(next.map { $0.start / 1_000_000_000 } == [1_700_000_010, 1_700_000_015])
        counters.removeAll()
        #expect(points().map(\.values) == [[0]])
    }

    @Test("Removed series are forgotten while a collector fails, and of missing collected ones the latest are kept")
    func forgotten() throws {
        let registry = Registry(onProblem: { _ in })
        let counters = try registry.counters("jobs_total", help: "J.", labels: Label<String>("id"))
        let (failing, churning) = (Collected(), Collected((0..<40).map { "\($0)" }))
        failing.value.withLock { $0 = nil }
        registry.register(failing)
        registry.register(churning)
        var base = DeltaBase()
        base.missingLimit = 10
        var seen: [(series: SeriesSnapshot, family: FamilySnapshot)] = []
        for step in 0..<8 {
            let counter = counters("\(step)")
            counter.increment()
            // Five other series in each snapshot.
            churning.omitted.withLock { $0 = Set((0..<40).filter { $0 / 5 != step }.map { "\($0)" }) }
            let snapshot = registry.collect()
            #expect(!snapshot.problems.isEmpty)
            base.advance(to: snapshot, at: UInt64(step), .delta)
            for family in snapshot.families where ["jobs_total", "collected_total"].contains(family.definition.name) {
                seen += family.map { ($0, family) }
            }
            counters.remove(counter)
        }
        let known = seen.filter { base.point(of: $0.series, in: $0.family) != nil }
        #expect(seen.count == 48 && known.count { $0.family.definition.name == "jobs_total" } == 1)
        let times = known.filter { $0.series.created == nil }.map { base.point(of: $0.series, in: $0.family)?.time }
        #expect(times == [5, 6, 7].flatMap { Array(repeating: $0, count: 5) })
    }

    @Test("Gauges and info metrics have their value, and with low memory collected counters are cumulative")
    func temporalities() throws {
        let registry = Registry()
        try registry.gauge("level", help: "L.").set(3)
        try registry.info("build_info", help: "B.", ["version": "1"])
        try registry.counter("jobs_total", help: "J.").increment(by: 2)
        let collected = Collected()
        collected.value.withLock { $0 = 9 }
        registry.register(collected)
        let expected: [(PushTarget.Temporality, [[Double]], [Bool])] = [
            (.cumulative, [[1], [9], [2], [3]], [false, false, false, false]),
            (.delta, [[1], [0], [0], [3]], [false, true, true, false]),
            (.lowMemory, [[1], [9], [0], [3]], [false, false, true, false]),
        ]
        for (temporality, values, areDeltas) in expected {
            let destination = try deltas(temporality)
            _ = destination.batches(of: registry.collect(), at: 1_700_000_000)
            let points = destination.batches(of: registry.collect(), at: 1_700_000_010).flatMap(DecodedPoint.all)
            #expect(points.map(\.values) == values)
            #expect(points.map(\.isDelta) == areDeltas)
        }
    }

    @Test("While the receiver is away one request waits and stays as it is; the next has all increments since")
    func away() async throws {
        let (time, registry) = (ManualTime(), Registry())
        let jobs = try registry.counter("jobs_total", help: "J.")
        let receiver = DeltaReceiver(try deltas())
        let pusher = try Pusher(
            registry: registry,
            to: [PushTarget(receiver)],
            interval: .seconds(60),
            attempts: 1,
            clock: .manual(time),
            onFailure: { _ in }
        )
        jobs.increment()
        let running = Task { try await pusher.run() }
        for attempt in 1...3 {
            try await Loopback.wait(for: "attempt \(attempt)") { await receiver.attempts.count >= attempt }
            try await Loopback.wait(for: "its end") { await pusher.pending["otlp_metrics"]?.isSending == false }
            await time.waitForSleepers(1)
            jobs.increment()
            if attempt == 2 { await receiver.come() }
            if attempt < 3 { time.advance(by: .seconds(60)) }
        }
        running.cancel()
        try await running.value
        let attempts = await receiver.attempts
        let taken = await receiver.taken
        #expect(attempts.count == 4 && attempts[0] == attempts[1] && attempts[0] == attempts[2])
        let points = taken.flatMap(DecodedPoint.all).filter { $0.series == "jobs_total" }
        #expect(points.map(\.values) == [[1], [3]])
        #expect(points.count == 2 && points[0].time == points[1].start)
    }
}

/// Fails until it comes, and then takes what a destination of deltas encodes.
private actor DeltaReceiver: PushDestination {
    nonisolated let encoder: any PushDestination
    private var isThere = false
    private(set) var attempts: [PushBatch] = []
    private(set) var taken: [PushBatch] = []

    init(_ encoder: any PushDestination) { self.encoder = encoder }

    nonisolated var name: String { encoder.name }
    nonisolated var capacity: QueueCapacity { encoder.capacity }

    nonisolated func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        encoder.batches(of: snapshot, at: time)
    }

    func come() { isThere = true }

    func send(_ batch: PushBatch) throws -> PushReceipt {
        attempts.append(batch)
        guard isThere else { throw PushError(.unreachable, "away") }
        taken.append(batch)
        return PushReceipt()
    }
}
