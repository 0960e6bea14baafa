// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Testing

@testable import AxiomPush

/// Remembers the times of snapshots.
private final class TimeKeeper: PushDestination {
    let name = "times"
    let capacity = QueueCapacity.latest
    let times = Lock<[Double]>([])

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        times.withLock { $0.append(time) }
        return []
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt { PushReceipt() }
}

@Suite("The time of samples")
struct SampleTimeTests {
    @Test("A small step back is bridged; a larger one is followed, and reported once", arguments: [100, 1e9])
    func steps(start: Double) {
        var time = SampleTime()
        let clock = [0, 15, 15, 5.5, 20, 9, 24, -3_600, -3_585, 30]
        let readings = clock.map { time.next(at: start + $0) }
        let expected = [0, 15, 15.001, 15.002, 20, 9, 24, -3_600, -3_585, 30]
        for (reading, expected) in zip(readings, expected) {
            #expect(abs(reading.time - start - expected) < 1e-5, "\(reading)")
        }
        #expect(readings.map { $0.stepBack?.rounded() } == [nil, nil, nil, nil, nil, 11, nil, 3_624, nil, nil])
    }

    @Test("After a step back by an hour, a pusher's samples have the time of the clock, and a message says so once")
    func pusher() async throws {
        let (time, keeper, messages) = (ManualTime(), TimeKeeper(), Messages())
        let pusher = try Pusher(
            registry: Registry(),
            to: [PushTarget(keeper)],
            clock: .manual(time),
            onFailure: { messages.add($0) }
        )
        let running = Task { try await pusher.run() }
        for step in [-3_600.0, 0, 0] {
            await time.waitForSleepers(1)
            time.stepWallClock(by: step)
            time.advance(by: .seconds(15))
        }
        await time.waitForSleepers(1)
        #expect(keeper.times.withLock { $0.map { $0 - 1_700_000_000 } } == [0, -3_585, -3_570, -3_555])
        #expect(messages.all.count == 1 && messages.all[0].contains("set back to 3585 s before"), "\(messages.all)")
        running.cancel()
        try await running.value
    }
}
