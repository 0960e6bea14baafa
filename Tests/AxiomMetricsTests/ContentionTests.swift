// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Synchronization
import Testing

@testable import AxiomMetrics

@Suite("Shards")
struct ContentionTests {
    @Test("One thread alone never gets shards, however much it records")
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

    @Test("A cell that is taken keeps nobody waiting: recording goes on in shards, and all of it is found")
    func takenHome() throws {
        let registry = Registry()
        let histogram = try registry.histogram("h", help: "H.", buckets: [1, 2])
        histogram.observe(1)
        let isTaken = histogram.cells.claimHome()
        #expect(isTaken)
        for _ in 0..<1_000 { histogram.observe(2) }
        #expect(histogram.isSharded)
        ClaimedCells.release(histogram.cells.home)
        #expect(histogram.count == 1_001)
        #expect(histogram.sum == 2_001)
        #expect(registry.collect().series("h")?.histogram?.counts == [1, 1_000, 0])
    }

    @Test("An exponential histogram's shards begin with the resolution that was asked for, and are merged")
    func exponentialShards() throws {
        let registry = Registry()
        let histogram = try registry.exponentialHistogram("h", help: "H.", bucketing: ExponentialBucketing(schema: 3))
        histogram.observe(-3)
        let isTaken = histogram.cells.claimHome()
        #expect(isTaken)
        for step in 1...100 { histogram.observe(Double(step) - 50) }
        ClaimedCells.release(histogram.cells.home)
        #expect(histogram.isSharded)
        #expect(histogram.data.schema == 3)
        #expect(histogram.data.count == 101 && histogram.count == 101)
        #expect(histogram.data.zeroCount == 1)
        #expect(histogram.data.negative.total == 50)
        #expect(histogram.data.sum == 47)
    }

    @Test("A sharded total is the sum of all that was added, modulo 2^64")
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
}
