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
    /// Two routes that followed each other.
    fileprivate struct Pair: Sendable, Hashable {
        let from: R
        let to: R
        /// One observation adds ``unit``. Below 16 units.
        var weight: Int
    }

    /// The most pairs that are kept.
    package static var pairLimit: Int { 1_000 }
    /// The most routes that are predicted.
    package static var predictionLimit: Int { 3 }
    /// The weight of one observation.
    static var unit: Int { 65_536 }

    /// In the order of their latest observations.
    private var pairs: [Pair] = []

    /// Creates a predictor that has observed nothing.
    public init() {}

    /// The number of pairs.
    var count: Int { pairs.count }

    /// Learns that the user went from `previous` to `next`. Does nothing if both are equal. Looks at every pair.
    public mutating func observe(from previous: R, to next: R) {
        guard previous != next else { return }
        for index in pairs.indices where pairs[index].from == previous {
            pairs[index].weight -= (pairs[index].weight + 15) / 16
        }
        var observed = Pair(from: previous, to: next, weight: Self.unit)
        pairs.removeAll { pair in
            guard pair.from == previous else { return false }
            if pair.to == next { observed.weight += pair.weight }
            return pair.to == next || pair.weight == 0
        }
        append(observed)
    }

    /// The likeliest routes after `route`, the likeliest first: at most ``predictionLimit``. Of two that are equally
    /// likely, the one that was observed later is first.
    package func predictions(after route: R) -> [R] {
        // The sort is stable.
        let followers = pairs.reversed().filter { $0.from == route }.sorted { $0.weight > $1.weight }
        return followers.prefix(Self.predictionLimit).map(\.to)
    }

    private mutating func append(_ pair: Pair) {
        pairs.append(pair)
        if pairs.count > Self.pairLimit { pairs.removeFirst() }
    }
}

extension RoutePredictor.Pair: Codable where R: Codable {}

extension RoutePredictor: Encodable where R: Codable {
    /// Encodes the pairs in the order of their observations.
    public func encode(to encoder: any Encoder) throws {
        try pairs.encode(to: encoder)
    }
}

extension RoutePredictor: Decodable where R: Codable {
    /// Decodes pairs. Pairs that no predictor can have, such as duplicates or weights out of range, are ignored, and so
    /// are the oldest beyond ``pairLimit``.
    public init(from decoder: any Decoder) throws {
        self.init()
        let weights = 1...16 * Self.unit
        for pair in try [Pair](from: decoder).suffix(Self.pairLimit)
        where weights.contains(pair.weight) && pair.from != pair.to {
            if !pairs.contains(where: { $0.from == pair.from && $0.to == pair.to }) { append(pair) }
        }
    }
}
