// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomBenchmarking

@Suite("Readings of a meter")
struct ReadingTests {
    @Test("A difference has what happened between two readings")
    func difference() {
        let first = Reading(wall: 10, cpu: 5, allocations: 3, bytes: 30, retains: 1, releases: 1, instructions: 100)
        let last = Reading(wall: 25, cpu: 11, allocations: 7, bytes: 90, retains: 4, releases: 3, instructions: 180)
        let expected = Reading(wall: 15, cpu: 6, allocations: 4, bytes: 60, retains: 3, releases: 2, instructions: 80)
        #expect(last.since(first) == expected)
    }

    @Test("What a program cannot count is -1, not 0")
    func uncounted() {
        let nothing = Reading(wall: 1, cpu: 1, allocations: -1, bytes: -1, instructions: -1)
        let difference = nothing.since(nothing)
        #expect(difference.allocations == -1 && difference.bytes == -1 && difference.instructions == -1)
        #expect(difference.wall == 0 && difference.retains == 0)
    }
}
