// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The number of a flight recorder: 1...65,535. No other recorder of the process has it as long as this value exists.
///
/// Numbers are used again as late as possible, so that a task that outlives a recorder is not taken for one of another
/// recorder.
struct RecorderNumber: ~Copyable, Sendable {
    static let largest: UInt64 = 0xffff

    private struct State {
        var used: Set<UInt64> = []
        var last: UInt64 = 0

        /// The next free number; nil if all are used.
        mutating func take() -> UInt64? {
            guard used.count < RecorderNumber.largest else { return nil }
            repeat { last = last % RecorderNumber.largest + 1 } while !used.insert(last).inserted
            return last
        }
    }

    /// Guarded by its lock, which is taken when a recorder is made and when it is released.
    private static let state = Lock(State())

    let value: UInt64

    /// - Throws: ``TelemetryError`` if the process has as many recorders as there are numbers.
    init() throws(TelemetryError) {
        guard let value = Self.state.withLock({ $0.take() }) else { throw .tooManyRecorders }
        self.value = value
    }

    deinit {
        let value = value
        Self.state.withLock { _ = $0.used.remove(value) }
    }
}
