// SPDX-License-Identifier: Apache-2.0

internal import CAxiomCounters
internal import Foundation

/// What a body's run took, in whole units for the run.
package struct Reading: Hashable, Sendable {
    /// Nanoseconds on the clock.
    var wall: Int64 = 0
    /// Nanoseconds of processor time, of all threads.
    var cpu: Int64 = 0
    var allocations: Int64 = 0
    var bytes: Int64 = 0
    var retains: Int64 = 0
    var releases: Int64 = 0
    /// -1 where they are not counted.
    var instructions: Int64 = -1
}

/// Reads clocks and counters immediately before and after a body.
///
/// Unchecked because of its fields: one body at a time holds the meter, and the worker reads it when the body has ended.
package final class Meter: @unchecked Sendable {
    private var first = Reading()
    private var last = Reading()
    /// A descriptor of a counter of the processor; nil where there is none.
    private let instructionCounter: Int32?

    init(instructionCounter: Int32? = nil) {
        self.instructionCounter = instructionCounter
    }

    /// The counters first, the clock last: reading the former is not to be timed.
    func start() {
        first = counts()
        axiom_callgrind_start()
        first.cpu = Self.now(CLOCK_PROCESS_CPUTIME_ID)
        first.wall = Self.now(CLOCK_MONOTONIC)
    }

    func stop() {
        let wall = Self.now(CLOCK_MONOTONIC)
        let cpu = Self.now(CLOCK_PROCESS_CPUTIME_ID)
        axiom_callgrind_stop()
        last = counts()
        (last.wall, last.cpu) = (wall, cpu)
    }

    /// What was read between start and stop.
    var reading: Reading {
        var difference = Reading()
        difference.wall = last.wall - first.wall
        difference.cpu = last.cpu - first.cpu
        difference.allocations = last.allocations - first.allocations
        difference.bytes = last.bytes - first.bytes
        difference.retains = last.retains - first.retains
        difference.releases = last.releases - first.releases
        if first.instructions >= 0, last.instructions >= 0 {
            difference.instructions = last.instructions - first.instructions
        }
        return difference
    }

    private func counts() -> Reading {
        var reading = Reading()
        let memory = axiom_allocation_counts_now()
        (reading.allocations, reading.bytes) = (memory.allocations, memory.bytes)
        let references = axiom_reference_counts_now()
        (reading.retains, reading.releases) = (references.retains, references.releases)
        if let instructionCounter { reading.instructions = axiom_read_instruction_counter(instructionCounter) }
        return reading
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
