// SPDX-License-Identifier: Apache-2.0

/// Predicts the next route from the routes that followed the current one before.
///
/// The predictor is a first-order Markov chain: it has a weight for each pair of a route and the route after it. With each
/// transition from a route, the weights of the other pairs of that route decay by a sixteenth, so a new habit replaces
/// an old one after about ten transitions. All arithmetic is in integers, so a history always has the same result.
///
/// At most ``pairLimit`` pairs are kept. A further pair replaces the one whose transition is the longest ago.
///
/// If `R` is `Codable`, so is the predictor. An application can store it and begin with it the next time.
public struct RoutePredictor<R: Hashable & Sendable>: Sendable, Hashable {
    /// A transition that was observed.
    struct Pair: Sendable, Hashable {
        let next: R
        /// One observation adds ``unit``. Below 16 units.
        var weight: Int
        /// The number of the latest observation, which is different in each pair.
        var observed: UInt64
    }

    /// The most pairs that are kept.
    package static var pairLimit: Int { 1_000 }
    /// The most routes that are predicted.
    package static var predictionLimit: Int { 3 }
    /// The weight of one observation.
    static var unit: Int { 65_536 }

    /// The pairs by their first route. No list is empty.
    private(set) var pairs: [R: [Pair]] = [:]
    /// The number of pairs.
    private(set) var count = 0
    /// The number of observations.
    private var observations: UInt64 = 0

    /// Creates a predictor that has observed nothing.
    public init() {}

    /// Learns that the user went from `previous` to `next`. Does nothing if both are equal.
    public mutating func observe(from previous: R, to next: R) {
        guard previous != next else { return }
        observations += 1
        var found = false
        let followers = (pairs[previous] ?? []).compactMap { pair -> Pair? in
            var pair = pair
            pair.weight -= (pair.weight + 15) / 16
            if pair.next == next {
                found = true
                pair.weight += Self.unit
                pair.observed = observations
            }
            return pair.weight > 0 ? pair : nil
        }
        replace(previous, followers)
        if !found { insert(Pair(next: next, weight: Self.unit, observed: observations), after: previous) }
    }

    /// The likeliest routes after `route`, the likeliest first: at most ``predictionLimit``. Of two that are equally
    /// likely, the one that was observed later is first.
    package func predictions(after route: R) -> [R] {
        let followers = (pairs[route] ?? []).sorted { ($1.weight, $1.observed) < ($0.weight, $0.observed) }
        return followers.prefix(Self.predictionLimit).map(\.next)
    }

    private mutating func insert(_ pair: Pair, after route: R) {
        if count >= Self.pairLimit { removeOldest() }
        pairs[route, default: []].append(pair)
        count += 1
    }

    /// Removes the pair whose transition is the longest ago. Looks at every pair.
    private mutating func removeOldest() {
        let oldest = pairs.min { Self.firstObservation($0.value) < Self.firstObservation($1.value) }
        guard let (route, followers) = oldest else { return }
        let first = Self.firstObservation(followers)
        replace(route, followers.filter { $0.observed != first })
    }

    private static func firstObservation(_ followers: [Pair]) -> UInt64 {
        followers.map(\.observed).min() ?? .max
    }

    private mutating func replace(_ route: R, _ followers: [Pair]) {
        count += followers.count - (pairs[route]?.count ?? 0)
        pairs[route] = followers.isEmpty ? nil : followers
    }
}

extension RoutePredictor {
    /// One pair as it is stored.
    private struct Record: Codable where R: Codable {
        let from: R
        let to: R
        let weight: Int
    }
}

extension RoutePredictor: Encodable where R: Codable {
    /// Encodes the pairs in the order of their observations.
    public func encode(to encoder: any Encoder) throws {
        let all = pairs.flatMap { route, followers in followers.map { (route, $0) } }
        let records = all.sorted { $0.1.observed < $1.1.observed }
        var container = encoder.unkeyedContainer()
        for (route, pair) in records { try container.encode(Record(from: route, to: pair.next, weight: pair.weight)) }
    }
}

extension RoutePredictor: Decodable where R: Codable {
    /// Decodes pairs. Pairs that no predictor can have, such as duplicates or weights out of range, are ignored, and so
    /// are the oldest beyond ``pairLimit``.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var records: [Record] = []
        while !container.isAtEnd { records.append(try container.decode(Record.self)) }
        self.init()
        let weights = 1...16 * Self.unit
        for record in records.suffix(Self.pairLimit) where weights.contains(record.weight) && record.from != record.to {
            let isKnown = pairs[record.from]?.contains { $0.next == record.to } ?? false
            guard !isKnown else { continue }
            observations += 1
            insert(Pair(next: record.to, weight: record.weight, observed: observations), after: record.from)
        }
    }
}
