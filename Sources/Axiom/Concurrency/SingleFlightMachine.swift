// SPDX-License-Identifier: Apache-2.0

/// The flights of a ``SingleFlight`` and the callers that wait for each of them.
///
/// A pure state machine: ``SingleFlight`` stores it under a lock.
///
/// - Parameters:
///   - Caller: What resumes a caller.
///   - Work: What cancels the work of a flight.
struct SingleFlightMachine<Key: Hashable & Sendable, Caller: Sendable, Work: Sendable>: Sendable {
    typealias Number = UInt64

    /// A caller's place in a flight.
    struct Ticket: Sendable, Hashable {
        let key: Key
        let flight: Number
        let caller: Number
        /// Whether this caller began the flight. It then has to start the work.
        let begins: Bool
    }

    private struct Flight {
        let number: Number
        /// In no particular order; empty only after the last caller has left, when the flight is removed.
        var callers: [Number: Caller]
        var work: Work
    }

    /// One flight for each key. A flight whose last caller has left is not here, so a later caller begins another one
    /// and does not get the result of cancelled work.
    private var flights: [Key: Flight] = [:]
    private var lastNumber: Number = 0

    /// The number of flights.
    var count: Int { flights.count }

    /// The number of callers of all flights.
    var callerCount: Int { flights.values.reduce(0) { $0 + $1.callers.count } }

    /// A caller wants the value of `key`.
    ///
    /// - Parameter work: The work of a flight that begins now.
    mutating func enter(_ key: Key, _ caller: Caller, work: () -> Work) -> (ticket: Ticket, work: Work) {
        lastNumber += 1
        let number = lastNumber
        if var flight = flights[key] {
            flight.callers[number] = caller
            flights[key] = flight
            return (Ticket(key: key, flight: flight.number, caller: number, begins: false), flight.work)
        }
        let work = work()
        flights[key] = Flight(number: number, callers: [number: caller], work: work)
        return (Ticket(key: key, flight: number, caller: number, begins: true), work)
    }

    /// Changes the work of a flight. Does nothing if the flight has ended.
    mutating func change<R>(_ ticket: Ticket, _ body: (inout Work) -> R) -> R? {
        guard flights[ticket.key]?.number == ticket.flight else { return nil }
        guard var flight = flights[ticket.key] else { return nil }
        defer { flights[ticket.key] = flight }
        return body(&flight.work)
    }

    /// A caller no longer waits. Does nothing if the flight has ended.
    ///
    /// - Returns: The work to cancel, if it was the last caller. The flight is over then.
    mutating func leave(_ ticket: Ticket) -> Work? {
        guard flights[ticket.key]?.number == ticket.flight else { return nil }
        flights[ticket.key]?.callers[ticket.caller] = nil
        guard let flight = flights[ticket.key], flight.callers.isEmpty else { return nil }
        flights[ticket.key] = nil
        return flight.work
    }

    /// The work of a flight has ended. Returns the callers to resume with its result; none if all had left.
    mutating func land(_ ticket: Ticket) -> [Caller] {
        guard let flight = flights[ticket.key], flight.number == ticket.flight else { return [] }
        flights[ticket.key] = nil
        return Array(flight.callers.values)
    }
}
