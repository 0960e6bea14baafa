// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

@Suite("Machine of a single flight", .timeLimit(.minutes(10)))
struct SingleFlightMachineTests {
    private typealias Machine = SingleFlightMachine<Int, Int, Int>

    /// A flight in the plainest way. Work is known by the number of the caller that began it.
    private struct Flight {
        let key: Int
        let work: Int
        let first: Machine.Ticket
        var callers: [(number: Int, ticket: Machine.Ticket)]
        /// Whether new callers join it.
        var isOpen = true
    }

    @Test("Callers join, leave and get results as a plain list of flights says, in 10^5 random histories (CLI-08)")
    func model() {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(100_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            guard run(&random) else {
                Issue.record("seed \(seed), history \(history)")
                return
            }
        }
    }

    private func run(_ random: inout SeededGenerator) -> Bool {
        var (machine, flights) = (Machine(), [Flight]())
        for caller in 1...(1 + random.index(below: 40)) {
            let index = flights.isEmpty ? nil : Optional(random.index(below: flights.count))
            switch random.index(below: 5) {
            case 0..<2: guard enter(caller, key: random.index(below: 3), &machine, &flights) else { return false }
            case 2..<4: guard leave(index, &machine, &flights, &random) else { return false }
            default: guard land(index, &machine, &flights) else { return false }
            }
            guard machine.count == flights.count(where: \.isOpen) else { return false }
        }
        return true
    }

    private func enter(_ caller: Int, key: Int, _ machine: inout Machine, _ flights: inout [Flight]) -> Bool {
        let (ticket, work) = machine.enter(key, caller) { caller }
        guard let open = flights.firstIndex(where: { $0.key == key && $0.isOpen }) else {
            flights.append(Flight(key: key, work: caller, first: ticket, callers: [(caller, ticket)]))
            return ticket.begins && work == caller
        }
        flights[open].callers.append((caller, ticket))
        return !ticket.begins && work == flights[open].work
    }

    private func leave(
        _ index: Int?,
        _ machine: inout Machine,
        _ flights: inout [Flight],
        _ random: inout SeededGenerator
    ) -> Bool {
        guard let index, !flights[index].callers.isEmpty else { return true }
        let caller = flights[index].callers.remove(at: random.index(below: flights[index].callers.count))
        let isLast = flights[index].isOpen && flights[index].callers.isEmpty
        if isLast { flights[index].isOpen = false }
        return machine.leave(caller.ticket) == (isLast ? flights[index].work : nil)
    }

    /// The work of a flight ends; perhaps after all callers have left, or for the second time.
    private func land(_ index: Int?, _ machine: inout Machine, _ flights: inout [Flight]) -> Bool {
        guard let index else { return true }
        let resumed = machine.land(flights[index].first).sorted()
        let expected = flights[index].isOpen ? flights[index].callers.map(\.number).sorted() : []
        flights[index].isOpen = false
        return resumed == expected
    }
}
