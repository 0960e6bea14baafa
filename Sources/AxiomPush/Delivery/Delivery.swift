// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import AxiomResilience

/// Sends what waits for one destination, in order and one batch at a time.
///
/// A batch that fails is retried with a backoff, as long as the budget of the destination allows it. After that it waits for
/// the next snapshot. What the receiver refuses is dropped.
actor Delivery {
    /// What happened to a destination, for the log.
    typealias Report = @Sendable (String) -> Void

    let destination: any PushDestination
    private let metrics: PushMetrics
    private let retry: Retry
    private let clock: TimeSource
    private let report: Report
    private var queue: PushQueue
    /// Whether the last push failed: a failure is reported once, and so is its end.
    private var isFailing = false
    /// Until when the receiver asked to wait.
    private var notBefore: Instant?
    private let offers: AsyncStream<Void>
    private let offered: AsyncStream<Void>.Continuation

    init(
        _ destination: any PushDestination,
        _ registry: Registry,
        _ clock: TimeSource,
        attempts: Int,
        report: @escaping Report
    ) throws {
        self.destination = destination
        self.clock = clock
        self.report = report
        metrics = try PushMetrics(registry, destination: destination.name)
        queue = PushQueue(destination.capacity)
        let budget = try RetryBudget.tokenRatio()
        retry = try Retry("push.\(destination.name)", clock: clock) {
            $0.maximumAttempts = attempts
            $0.budget = budget
            $0.backoff = .exponential(base: .milliseconds(200), cap: .seconds(10))
        }
        (offers, offered) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The queue, for tests.
    var pending: PushQueue { queue }

    /// Whether the next snapshot is to be offered.
    var takesSnapshot: Bool { queue.takesSnapshot }

    /// Adds the batches of a snapshot, and tries what waits. Does not wait for the receiver.
    func offer(_ batches: [PushBatch]) {
        let overflow = destination.takeOverflow()
        if !batches.isEmpty || overflow > 0 { change { $0.append(batches, overflow: overflow) } }
        offered.yield()
    }

    /// Sends what is offered until the task is cancelled.
    func run() async {
        for await _ in offers { await sendPending() }
    }

    /// Sends everything that waits. Returns when the queue is empty or the task is cancelled.
    func drain() async {
        while !Task.isCancelled, !queue.isEmpty {
            await sendPending()
            if queue.isEmpty { return }
            try? await clock.sleep(for: .milliseconds(500))
        }
    }

    /// Drops what is left at the end.
    func end() {
        offered.finish()
        let left = queue.samples
        change { $0.removeAll() }
        if left > 0 {
            report("\(destination.name): \(left) samples were not sent within the deadline of the shutdown")
        }
    }

    /// Sends batches until the queue is empty or a batch has to wait.
    private func sendPending() async {
        await waitAsAsked()
        while !Task.isCancelled, let batch = queue.take() {
            do {
                let receipt = try await retry.run { try await self.attempt(batch) }
                accept(receipt)
            } catch let error as PushError {
                fail(error)
                if error.code.isTransient {
                    change { $0.putBack() }
                    return
                }
                change { $0.drop() }
            } catch {
                // Only a cancellation: destinations throw no other error.
                change { $0.putBack() }
                return
            }
        }
    }

    /// Waits until the receiver takes requests again, or the task is cancelled.
    private func waitAsAsked() async {
        guard let time = notBefore, (try? await clock.sleep(until: time)) != nil else { return }
        notBefore = nil
    }

    /// Sends a batch once, and counts the outcome.
    private func attempt(_ batch: PushBatch) async throws -> PushReceipt {
        do {
            let receipt = try await destination.send(batch)
            if receipt.parts.isEmpty { metrics.succeeded(at: clock.secondsSinceEpoch) }
            notBefore = nil
            return receipt
        } catch {
            if let error = error as? PushError {
                metrics.failed(error.code)
                notBefore = error.retryAfter.map { clock.now.advanced(by: $0) }
            }
            throw error
        }
    }

    private func accept(_ receipt: PushReceipt) {
        guard receipt.parts.isEmpty else { return change { $0.divide(into: receipt.parts) } }
        change { $0.finish(refused: receipt.refused) }
        if receipt.refused > 0 {
            report("\(destination.name): the receiver refused \(receipt.refused) samples: \(receipt.reason)")
        }
        if !receipt.notice.isEmpty { report("\(destination.name): \(receipt.notice)") }
        if isFailing { report("\(destination.name): pushes succeed again") }
        isFailing = false
    }

    private func fail(_ error: PushError) {
        if !isFailing || !error.code.isTransient { report("\(destination.name): \(error.message.clause)") }
        isFailing = true
    }

    private func change(_ body: (inout PushQueue) -> Void) {
        let old = queue.totals
        body(&queue)
        metrics.update(queue, since: old)
    }
}

/// The times of snapshots. Receivers need rising times, so a small step of the clock back is bridged; a larger one is followed,
/// because the samples of that time would otherwise have one moment in the future.
struct SampleTime: Sendable {
    /// The time of one snapshot.
    struct Reading: Hashable, Sendable {
        /// Seconds since 1970.
        let time: Double
        /// By how many seconds the clock is before the last time, if this one follows it; nil otherwise.
        let stepBack: Double?
    }

    /// The largest step back that is bridged, in seconds.
    static let bridgedStep = 10.0
    /// The time of the last snapshot, in seconds since 1970.
    private var last = -Double.infinity

    /// The time of a snapshot that is taken now.
    ///
    /// - Parameter now: The clock, in seconds since 1970.
    /// - Returns: `now`, or a millisecond after the last time if `now` is before that by at most ``bridgedStep``.
    mutating func next(at now: Double) -> Reading {
        let step = last - now
        let isFollowed = step > Self.bridgedStep
        last = isFollowed ? now : max(now, last + 0.001)
        return Reading(time: last, stepBack: isFollowed ? step : nil)
    }
}
