// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How often something happened in the last 15 minutes, in steps of 10 seconds. 376 bytes.
struct RateWindow: Sendable {
    private static let stepNanoseconds: Int64 = 10_000_000_000
    private static let stepCount = 90

    /// By the number of the step modulo `stepCount`; valid for the steps up to `newest`.
    private var counts = [UInt32](repeating: 0, count: stepCount)
    /// The number of the latest step that is in `counts`.
    private var newest: Int64

    init(at instant: Instant) {
        newest = Self.step(instant)
    }

    mutating func add(at instant: Instant) {
        advance(to: Self.step(instant))
        counts[Self.place(newest)] &+= 1
    }

    /// Events for each second over the last `minutes`, 1...15: those of the steps that have ended within them and of
    /// the step that runs, over the time that these cover.
    func perSecond(minutes: Int, at instant: Instant) -> Double {
        let current = max(Self.step(instant), newest)
        let steps = Int64(min(Self.stepCount, minutes * 6))
        var total: UInt64 = 0
        for step in (current - steps + 1)...current where step <= newest && newest - step < Int64(Self.stepCount) {
            total += UInt64(counts[Self.place(step)])
        }
        let running = Self.step(instant) == current ? Self.sinceStep(instant) : 0
        return Double(total) / (Double((steps - 1) * Self.stepNanoseconds + running) * 1e-9)
    }

    private mutating func advance(to step: Int64) {
        guard step > newest else { return }
        let passed = min(step - newest, Int64(Self.stepCount))
        for offset in 1...passed { counts[Self.place(step - passed + offset)] = 0 }
        newest = step
    }

    private static func step(_ instant: Instant) -> Int64 {
        // Rounds down, also before the origin of the clock.
        let (quotient, remainder) = instant.nanoseconds.quotientAndRemainder(dividingBy: stepNanoseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Nanoseconds from the beginning of the instant's step.
    private static func sinceStep(_ instant: Instant) -> Int64 {
        let remainder = instant.nanoseconds % stepNanoseconds
        return remainder < 0 ? remainder + stepNanoseconds : remainder
    }

    private static func place(_ step: Int64) -> Int {
        let remainder = Int(step % Int64(stepCount))
        return remainder < 0 ? remainder + stepCount : remainder
    }
}
