// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Synchronization
import Testing

@testable import AxiomMetrics

@Suite("Shards")
struct ContentionTests {
    @Test("A single thread never gets shards, however much it records")
    func noShardsAlone() throws {
        let registry = Registry()
        let counter = try registry.counter("c_total", help: "C.")
        let histogram = try registry.histogram("h", help: "H.")
        let exponential = try registry.exponentialHistogram("e", help: "E.")
        for step in 0..<200_000 {
            counter.increment()
            histogram.observe(Double(step))
            exponential.observe(Double(step))
        }
        _ = registry.collect()
        #expect(!counter.isSharded)
        #expect(!histogram.isSharded)
        #expect(!exponential.isSharded)
    }

    @Test("Histograms have no cell before their first value, and threads that record it at once lose nothing")
    func firstValues() throws {
        for _ in 0..<200 {
            let registry = Registry()
            let histogram = try registry.histogram("h", help: "H.", buckets: [1, 2])
            let bucketing = ExponentialBucketing(schema: 3)
            let exponential = try registry.exponentialHistogram("e", help: "E.", bucketing: bucketing)
            histogram.cells.readEach { _ in Issue.record("a cell without a value") }
            exponential.cells.readEach { _ in Issue.record("a cell without a value") }
            #expect(histogram.count == 0 && exponential.data == ExponentialHistogramData(schema: 3))
            Threads.run(4) { thread in
                histogram.observe(Double(thread))
                exponential.observe(Double(thread))
            }
            #expect(histogram.count == 4 && histogram.sum == 6)
            #expect(exponential.data.count == 4 && exponential.data.sum == 6)
        }
    }

    @Test("If the home cell is claimed, threads do not wait: they record into shards, and no observation is lost")
    func takenHome() throws {
        let registry = Registry()
        let histogram = try registry.histogram("h", help: "H.", buckets: [1, 2])
        histogram.observe(1)
        #expect(histogram.cells.claimHome() != nil)
        for _ in 0..<1_000 { histogram.observe(2) }
        #expect(histogram.isSharded)
        ClaimedCells.release(histogram.cells.home)
        #expect(histogram.count == 1_001)
        #expect(histogram.sum == 2_001)
        #expect(registry.collect().series("h")?.histogram?.counts == [1, 1_000, 0])
    }

    @Test("The shards of an exponential histogram start with the configured resolution and are merged")
    func exponentialShards() throws {
        let registry = Registry()
        let histogram = try registry.exponentialHistogram("h", help: "H.", bucketing: ExponentialBucketing(schema: 3))
        histogram.observe(-3)
        #expect(histogram.cells.claimHome() != nil)
        for step in 1...100 { histogram.observe(Double(step) - 50) }
        ClaimedCells.release(histogram.cells.home)
        #expect(histogram.isSharded)
        #expect(histogram.data.schema == 3)
        #expect(histogram.data.count == 101 && histogram.count == 101)
        #expect(histogram.data.zeroCount == 1)
        #expect(histogram.data.negative.total == 50)
        #expect(histogram.data.sum == 47)
    }

    @Test("A sharded total is the sum of all additions, modulo 2^64")
    func shardedTotal() throws {
        let registry = Registry()
        let counter = try registry.counter("c_total", help: "C.")
        counter.increment(by: 5)
        counter.total.grow()
        #expect(counter.isSharded)
        let threads = 8
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<threads {
            Thread.detachNewThread {
                for step in 0..<50_000 { counter.increment(by: UInt64(step & 3)) }
                done.signal()
            }
        }
        var previous = counter.value
        for _ in 0..<1_000 {
            let value = counter.value
            #expect(value >= previous)
            previous = value
        }
        for _ in 0..<threads { done.wait() }
        #expect(counter.value == UInt64(5 + threads * 75_000))
    }

    @Test(
        "A reader in the cell is no contention: one recording thread waits for it and gets no shards",
        .timeLimit(.minutes(10))
    )
    func readerIsNoContention() throws {
        let histogram = try Registry().histogram("h", help: "H.")
        // The first value makes the cell.
        histogram.observe(1)
        let flags = Flags()
        let (isRead, isRecorded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Threads.run(2) { thread in
            for _ in 0..<20 {
                if thread == 0 {
                    // The cell is taken now.
                    isRead.wait()
                    flags.begins.store(true, ordering: .releasing)
                    histogram.observe(1)
                    isRecorded.signal()
                } else {
                    flags.begins.store(false, ordering: .releasing)
                    histogram.cells.readEach { cell in
                        guard cell == histogram.cells.home else { return }
                        isRead.signal()
                        // Until the other thread is about to record, and for a while longer.
                        while !flags.begins.load(ordering: .acquiring) { sched_yield() }
                        for _ in 0..<200 { sched_yield() }
                    }
                    isRecorded.wait()
                }
            }
        }
        #expect(histogram.count == 21)
        #expect(!histogram.isSharded)
    }

    @Test("Thousands of readings beside one recording thread lose nothing and leave one cell", .timeLimit(.minutes(10)))
    func readingsBesideOneRecorder() throws {
        let registry = Registry()
        let histogram = try registry.histogram("h", help: "H.")
        let exponential = try registry.exponentialHistogram("e", help: "E.")
        let flags = Flags()
        Threads.run(2) { thread in
            guard thread == 1 else {
                for step in 0..<50_000 {
                    histogram.observe(Double(step & 7))
                    exponential.observe(Double(step & 7))
                }
                return flags.isOver.store(true, ordering: .releasing)
            }
            var previous: UInt64 = 0
            var readings = 0
            while !flags.isOver.load(ordering: .acquiring) || readings < 2_000 {
                let (count, data) = (histogram.count, exponential.data)
                if count < previous || data.count > 50_000 { Issue.record("\(count) after \(previous)") }
                previous = count
                readings += 1
            }
        }
        #expect(histogram.count == 50_000 && exponential.data.count == 50_000)
        #expect(histogram.sum == 175_000)
        #expect(!histogram.isSharded && !exponential.isSharded)
    }

    @Test(
        "Series that are looked up by many threads lose nothing while others come, go and are all removed",
        .timeLimit(.minutes(10))
    )
    func lookUpsBesideChanges() throws {
        let registry = Registry()
        let family = try registry.counters("c_total", help: "C.", labels: Label<String>("a"), Label<Int>("b"))
        let other = try registry.counters("d_total", help: "D.", labels: Label<Int>("a"))
        let threads = 8
        Threads.run(threads) { thread in
            for step in 0..<4_000 {
                family("kept", step % 10).increment()
                let passing = family("passing", thread * 4_000 + step)
                passing.increment()
                if !family.remove(passing) { Issue.record("\(passing.labels) was not there") }
                other(step % 50).increment()
                if step % 500 == 0 { other.removeAll() }
                if step % 1_000 == 0 { _ = registry.collect() }
            }
        }
        #expect(family.count == 10)
        for kept in 0..<10 { #expect(family("kept", kept).value == UInt64(threads * 400)) }
        #expect(registry.collect().total("c_total") == Double(threads * 4_000))
    }

    @Test(
        "A series that is looked up while it expires is not lost: what was recorded in the present one is on the page",
        .timeLimit(.minutes(10))
    )
    func lookUpsBesideExpiry() throws {
        let time = ManualTime()
        let registry = Registry(clock: .manual(time))
        let options = MetricOptions(idleExpiry: .seconds(1))
        let family = try registry.counters("c_total", help: "C.", labels: Label<Int>("a"), options: options)
        let flags = Flags()
        Threads.run(4) { thread in
            guard thread > 0 else {
                for _ in 0..<2_000 {
                    time.advance(by: .seconds(2))
                    _ = registry.collect()
                }
                return flags.isOver.store(true, ordering: .releasing)
            }
            var step = 0
            while !flags.isOver.load(ordering: .acquiring) {
                let held = family(step % 5)
                held.increment()
                // While it is held it is the series of these labels.
                if family(step % 5) !== held { Issue.record("\(held.labels) became another series while it was held") }
                step += 1
            }
        }
        time.advance(by: .seconds(2))
        #expect(registry.collect().family("c_total") == nil)
        #expect(family.count == 0)
    }
}
