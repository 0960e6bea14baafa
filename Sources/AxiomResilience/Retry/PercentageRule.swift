// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The retry budget of Finagle: the balance of calls that paid in and retries that were paid, over a moving window.
///
/// Calls and retries are counted as integers for each step of the window, and the share and the reserve in whole
/// millionths of a retry, so that the verdict is exact.
struct PercentageRule: Sendable {
    static let steps = 100
    private static let unit: Int64 = 1_000_000

    private let share: Int64
    private let reserve: Int64
    private let step: Int64
    private let start: Instant

    /// The step that is now; those up to `steps` - 1 before it are in the rings. Never falls.
    private var current: Int64 = 0
    private var calls = [Int64](repeating: 0, count: steps)
    private var retries = [Int64](repeating: 0, count: steps)
    /// The sums of the rings.
    private var totalCalls: Int64 = 0
    private var totalRetries: Int64 = 0

    init(share: Double, reserve: Double, window: Duration, start: Instant) {
        self.share = Int64((share * Double(Self.unit)).rounded())
        self.reserve = Int64((reserve * window.inSeconds * Double(Self.unit)).rounded())
        step = window.clampedNanoseconds / Int64(Self.steps)
        self.start = start
    }

    mutating func recordCall(at now: Instant) {
        let slot = move(to: now)
        calls[slot] += 1
        totalCalls += 1
    }

    mutating func withdraw(at now: Instant) -> Bool {
        let slot = move(to: now)
        guard balance >= Self.unit else { return false }
        retries[slot] += 1
        totalRetries += 1
        return true
    }

    mutating func tokens(at now: Instant) -> Double {
        _ = move(to: now)
        return Double(balance) / Double(Self.unit)
    }

    private var balance: Int64 {
        reserve + totalCalls * share - totalRetries * Self.unit
    }

    /// Forgets the steps that have left the window. Callers read the clock before they take the lock, so an instant
    /// may be earlier than the one before it; it then counts as of the current step.
    private mutating func move(to now: Instant) -> Int {
        let target = max(current, now.nanoseconds(since: start) / step)
        let gone = min(target - current, Int64(Self.steps))
        for offset in 0..<gone {
            let slot = Int((current + 1 + offset) % Int64(Self.steps))
            totalCalls -= calls[slot]
            totalRetries -= retries[slot]
            calls[slot] = 0
            retries[slot] = 0
        }
        current = target
        return Int(current % Int64(Self.steps))
    }
}
