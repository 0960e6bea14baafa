// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomHTTP
internal import Foundation

/// Makes the responses of the dashboard one at a time, and shares them among the requests of a second, so that the number of
/// its readers does not decide what it costs the application.
///
/// Its callers run on the server's thread for handlers, and so does the actor.
actor ResponseCache {
    /// How fresh a response has to be.
    enum Freshness: Sendable {
        /// It shows what is the case now, as long as the route is read a few times a second.
        case current
        /// It may always be a second old: for what collects the registry with the user's collectors, or waits for the
        /// application.
        case second
    }

    private struct Entry {
        let response: HTTPResponse
        let made: Instant
        let flight: Flight
    }

    /// A response that is being made. The requests for it join its flight.
    private struct Flight: Hashable {
        let number: Int
        let begun: Instant
    }

    /// The responses of one route, by what distinguishes its requests.
    private struct Route {
        var budget = EncodingBudget()
        var entries: [String: Entry] = [:]
        var flights: [String: Flight] = [:]
        /// Those that no request waits for, and that have not ended: their work ignores its cancellation.
        var overdue: Set<Flight> = []

        /// Lets later requests make the responses that are late.
        mutating func giveUpLate(at now: Instant) {
            for (key, flight) in flights where now.duration(since: flight.begun) >= ResponseCache.patience {
                overdue.insert(flight)
                flights[key] = nil
            }
        }
    }

    /// How long a request waits for its response. For a later request, a response that takes longer is made again: it may never
    /// end.
    static let patience = Duration.seconds(10)
    /// How many responses of a route may be late at once. Further requests are refused until one of them ends.
    static let overdueLimit = 4
    /// The most responses of a route that are kept.
    static let capacity = 32

    private let clock: TimeSource
    private let cpuSeconds: @Sendable () -> Double
    private var routes: [String: Route] = [:]
    /// A response is made as long as one of its requests waits.
    private let flights = SingleFlight<Flight, HTTPResponse>("ResponseCache")
    private var lastFlight = 0

    /// - Parameter cpuSeconds: The CPU time that the calling thread has spent.
    init(clock: TimeSource = .live, cpuSeconds: @escaping @Sendable () -> Double = { ThreadTime.seconds }) {
        (self.clock, self.cpuSeconds) = (clock, cpuSeconds)
    }

    /// The response to a request. `make` makes it if there is none that is fresh enough; it is cancelled if no request waits
    /// for it any more, and what it makes then is not kept. A 503 with `Retry-After` if the route has used up its time, or if
    /// the response is not made in time.
    ///
    /// - Parameters:
    ///   - route: The path of the route.
    ///   - key: What distinguishes the request from others of the route.
    func response(
        _ route: String,
        key: String = "",
        _ freshness: Freshness = .current,
        make: @escaping @Sendable () async -> HTTPResponse
    ) async -> HTTPResponse {
        let now = clock.now
        routes[route]?.giveUpLate(at: now)
        if let flight = routes[route]?.flights[key] {
            return await join(flight, route, key, until: now.advanced(by: Self.patience), make)
        }
        guard routes[route]?.overdue.count ?? 0 < Self.overdueLimit else { return Self.late }
        let cached = routes[route]?.entries[key]
        let age = cached.map { now.duration(since: $0.made) }
        switch routes[route, default: Route()].budget.decide(age: age, freshness, at: now) {
        case .reuse: return cached?.response ?? Self.busy
        case .refuse: return Self.busy
        case .make:
            lastFlight += 1
            let flight = Flight(number: lastFlight, begun: now)
            routes[route, default: Route()].flights[key] = flight
            return await join(flight, route, key, until: now.advanced(by: Self.patience), make)
        }
    }

    /// Waits for a response that is being made. If its requests have left meanwhile, this one makes it; if it was made
    /// meanwhile, this one gets it.
    private func join(
        _ flight: Flight,
        _ route: String,
        _ key: String,
        until deadline: Instant,
        _ make: @escaping @Sendable () async -> HTTPResponse
    ) async -> HTTPResponse {
        let response = await withTaskGroup(of: HTTPResponse?.self) { [flights, clock, cpuSeconds] group in
            group.addTask {
                try? await flights.value(for: flight) {
                    if let response = await self.landed(flight, route, key) { return response }
                    let start = cpuSeconds()
                    let response = await make()
                    await self.land(flight, route, key, Task.isCancelled ? nil : response, cost: cpuSeconds() - start)
                    return response
                }
            }
            group.addTask {
                try? await clock.sleep(until: deadline)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        return response ?? Self.late
    }

    /// The response of a flight that landed after a request had found it.
    private func landed(_ flight: Flight, _ route: String, _ key: String) -> HTTPResponse? {
        routes[route]?.entries[key].flatMap { $0.flight == flight ? $0.response : nil }
    }

    /// Keeps a response that was made; nil if it was cancelled.
    private func land(_ flight: Flight, _ route: String, _ key: String, _ response: HTTPResponse?, cost: Double) {
        let now = clock.now
        var state = routes[route, default: Route()]
        state.budget.spend(cost)
        state.overdue.remove(flight)
        state.entries = state.entries.filter { now.duration(since: $0.value.made) < EncodingBudget.lifetime }
        // Without its place, it may show what was the case before a change, or it is late.
        if state.flights[key] == flight {
            state.flights[key] = nil
            if let response, state.entries.count < Self.capacity {
                state.entries[key] = Entry(response: response, made: now, flight: flight)
            }
        }
        routes[route] = state
    }

    /// Forgets all responses, because what they show has changed. Later requests do not join those that are being made.
    func removeAll() {
        for route in routes.keys {
            routes[route]?.entries = [:]
            routes[route]?.flights = [:]
        }
    }

    private static let busy = refusal("The dashboard is read more often than it may be made: try again later.\n")
    private static let late = refusal(
        "This response was not made within \(patience.components.seconds) s: the application does not answer, or the machine "
            + "is overloaded. Try again later.\n"
    )

    private static func refusal(_ reason: String) -> HTTPResponse {
        var response = HTTPResponse.text(reason, status: .serviceUnavailable)
        response.headers["Retry-After"] = "1"
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}

/// How much time a route may spend on making responses: a quarter of a processor, and a second more after a pause. A part of
/// it is for readers who ask more than once a second. A pure value.
struct EncodingBudget: Sendable {
    enum Decision: Equatable, Sendable {
        /// Makes a new response.
        case make
        /// Answers with the last one.
        case reuse
        /// There is none that is fresh enough, and no time to make one.
        case refuse
    }

    /// How long a response may be shared.
    static let lifetime = Duration.seconds(1)
    /// The seconds that a route may spend after a pause, in CPU time.
    static let capacity = 1.0
    /// The part of a second that a route gets in each second.
    static let share = 0.25
    /// The same for responses to a request whose last one is less than ``lifetime`` old.
    static let spareCapacity = 0.5
    static let spareShare = 0.02

    /// The seconds that are left. Negative after a response that took longer.
    private(set) var left = EncodingBudget.capacity
    private var spare = EncodingBudget.spareCapacity
    private var updated: Instant?

    /// - Parameter age: The age of the last response to the same request; nil without one.
    mutating func decide(age: Duration?, _ freshness: ResponseCache.Freshness, at now: Instant) -> Decision {
        let seconds = updated.map { max(0, now.seconds(since: $0)) } ?? 0
        left = min(Self.capacity, left + seconds * Self.share)
        spare = min(Self.spareCapacity, spare + seconds * Self.spareShare)
        updated = now
        guard let age, age < Self.lifetime else { return left > 0 ? .make : .refuse }
        // With time to spare, a reader sees what has changed since the last response.
        return freshness == .current && min(left, spare) > 0 ? .make : .reuse
    }

    /// Counts the time of a response. The debt is bounded: a response that took very long does not lock its route for
    /// minutes.
    mutating func spend(_ seconds: Double) {
        left = max(-Self.capacity, left - max(0, seconds))
        spare = max(-Self.spareCapacity, spare - max(0, seconds))
    }
}
