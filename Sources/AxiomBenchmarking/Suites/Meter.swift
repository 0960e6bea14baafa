// SPDX-License-Identifier: Apache-2.0

internal import CAxiomProcess
internal import Foundation

/// What one run of a body took, for all its iterations.
struct Reading: Hashable, Sendable {
    /// Nanoseconds on the clock.
    var wall: Int64 = 0
    /// Nanoseconds of processor time, of all threads.
    var cpu: Int64 = 0
    /// -1 if they are not counted, as for bytes and instructions.
    var allocations: Int64 = 0
    var bytes: Int64 = 0
    var retains: Int64 = 0
    var releases: Int64 = 0
    var instructions: Int64 = -1

    /// The difference to an earlier reading.
    func since(_ first: Reading) -> Reading {
        func counted(_ count: KeyPath<Reading, Int64>) -> Int64 {
            let (before, after) = (first[keyPath: count], self[keyPath: count])
            return before < 0 || after < 0 ? -1 : after - before
        }
        return Reading(
            wall: wall - first.wall,
            cpu: cpu - first.cpu,
            allocations: counted(\.allocations),
            bytes: counted(\.bytes),
            retains: retains - first.retains,
            releases: releases - first.releases,
            instructions: counted(\.instructions)
        )
    }
}

/// Reads clocks and counters immediately before and after a body.
///
/// Unchecked because of its fields: one body at a time holds the meter, and the worker reads it when the body has ended.
final class Meter: @unchecked Sendable {
    private var first = Reading()
    private var last = Reading()
    /// The descriptor of the processor's counter; nil if there is none.
    private let instructionCounter: Int32?
    /// Called with true before a body starts, and with false after it.
    var observer: ((_ isMeasuring: Bool) -> Void)?

    init(instructionCounter: Int32? = nil) { self.instructionCounter = instructionCounter }

    /// Reads the counters first and the clock last, so that the time does not include reading the counters.
    func start() {
        observer?(true)
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
        observer?(false)
    }

    /// What happened between start and stop.
    var reading: Reading { last.since(first) }

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
