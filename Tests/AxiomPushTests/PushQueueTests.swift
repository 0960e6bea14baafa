// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomPush

@Suite("The queue of a destination")
struct DeliveryQueueTests {
    private static func batch(_ samples: Int, bytes: Int = 10) -> PushBatch {
        PushBatch(samples: samples, bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: samples), count: bytes))
    }

    @Test("With a limit of bytes the oldest batches are dropped first, and never the one that is being sent")
    func bytes() {
        var queue = PushQueue(.bytes(30))
        queue.append([Self.batch(1), Self.batch(2)])
        #expect(queue.take()?.samples == 1)
        #expect(queue.take() == nil)
        queue.append([Self.batch(3), Self.batch(4)])
        #expect(queue.totals.dropped == [.queueFull: 2])
        queue.putBack()
        for samples in [1, 3, 4] {
            #expect(queue.take()?.samples == samples)
            queue.finish()
        }
        #expect(queue.isEmpty && queue.bytes == 0 && queue.totals.sent == 8)
    }

    @Test("A batch that is larger than the limit is dropped at once")
    func tooLarge() {
        var queue = PushQueue(.bytes(5))
        queue.append([Self.batch(7)])
        #expect(queue.isEmpty && queue.totals.dropped == [.queueFull: 7])
    }

    @Test("Of snapshots only the latest is kept, also if an older one could not be sent")
    func latest() {
        var queue = PushQueue(.latest)
        queue.append([Self.batch(1)])
        queue.append([Self.batch(2)])
        #expect(queue.take()?.samples == 2)
        queue.append([Self.batch(3), Self.batch(4)])
        queue.putBack()
        #expect(queue.totals.dropped == [.superseded: 3])
        #expect(queue.take()?.samples == 3)
        queue.finish(refused: 1)
        #expect(queue.take()?.samples == 4)
        queue.drop()
        #expect(queue.totals.dropped == [.superseded: 3, .refused: 5] && queue.totals.sent == 2 && queue.isEmpty)
    }

    @Test("The parts of a batch are sent in its place, and drop nothing, unless a newer snapshot replaces them")
    func divided() {
        var queue = PushQueue(.bytes(20))
        queue.append([Self.batch(5), Self.batch(6)])
        _ = queue.take()
        queue.divide(into: [Self.batch(2, bytes: 6), Self.batch(3, bytes: 6)])
        #expect(queue.samples == 11 && queue.bytes == 22 && queue.totals.dropped.isEmpty)
        for samples in [2, 3, 6] {
            #expect(queue.take()?.samples == samples)
            queue.finish()
        }
        #expect(queue.isEmpty && queue.bytes == 0 && queue.totals.sent == 11)
        var latest = PushQueue(.latest)
        latest.append([Self.batch(5)])
        _ = latest.take()
        latest.append([Self.batch(7)])
        latest.divide(into: [Self.batch(2), Self.batch(3)])
        #expect(latest.totals.dropped == [.superseded: 5] && latest.samples == 7)
    }

    @Test(
        "Whatever happens, samples that were appended were sent, dropped or are pending, and order and limits hold",
        arguments: [QueueCapacity.latest, .earliest, .bytes(200)]
    )
    func conservation(_ capacity: QueueCapacity) {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<200 {
            var queue = PushQueue(capacity)
            var (next, lastTaken, retried) = (0, -1, false)
            for _ in 0..<100 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0...2:
                    let count = Int.random(in: 0...3, using: &generator)
                    queue.append(
                        (0..<count).map { Self.batch(next + $0, bytes: Int.random(in: 1...60, using: &generator)) }
                    )
                    next += count
                case 3, 4:
                    guard let batch = queue.take() else { break }
                    #expect(retried ? batch.samples >= lastTaken : batch.samples > lastTaken)
                    (lastTaken, retried) = (batch.samples, false)
                case 5: queue.finish(refused: Int.random(in: 0...5, using: &generator))
                case 6: queue.drop()
                default:
                    queue.putBack()
                    retried = true
                }
                let dropped = queue.totals.dropped.values.reduce(0, +)
                #expect(queue.totals.appended == queue.totals.sent + dropped + queue.samples)
                // The batch that is being sent stays, so it can exceed the limit together with nothing else.
                if case .bytes(let limit) = capacity { #expect(queue.bytes <= limit + 60) }
            }
            queue.removeAll()
            #expect(queue.isEmpty && queue.bytes == 0 && queue.samples == 0)
            #expect(queue.totals.appended == queue.totals.sent + queue.totals.dropped.values.reduce(0, +))
        }
    }
}
