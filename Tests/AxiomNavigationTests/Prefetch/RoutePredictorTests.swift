// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomNavigation

@Suite("Route predictor", .timeLimit(.minutes(10)))
struct RoutePredictorTests {
    @Test("The predictor equals a plain list of pairs, over random histories with few and with many routes (NAV-18)")
    func model() throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for round in 0..<TestScale.count(400) {
            // Every fourth history has more pairs than fit.
            let routes = round % 4 == 0 ? 60 : Int.random(in: 2...8, using: &generator)
            let steps = round % 4 == 0 ? 1_500 : 300
            var predictor = RoutePredictor<Int>()
            var model = PredictorModel()
            var current = 0
            for _ in 0..<steps {
                let next = Int.random(in: 0..<routes, using: &generator)
                predictor.observe(from: current, to: next)
                model.observe(from: current, to: next)
                current = next
                let expected = model.predictions(after: current)
                try #require(predictor.predictions(after: current) == expected)
                try #require(predictor.count == model.pairs.count)
            }
            #expect(predictor.count <= RoutePredictor<Int>.pairLimit)
        }
    }

    @Test("The three likeliest routes are predicted; of two that are equally likely, the later one is first (NAV-18)")
    func topThree() {
        var predictor = RoutePredictor<String>()
        #expect(predictor.predictions(after: "home").isEmpty)
        for (route, times) in [("cart", 1), ("list", 10), ("help", 2), ("account", 3)] {
            for _ in 0..<times { predictor.observe(from: "home", to: route) }
        }
        #expect(predictor.predictions(after: "home") == ["list", "account", "help"])
        var tied = RoutePredictor<String>()
        tied.observe(from: "a", to: "x")
        tied.observe(from: "b", to: "y")
        tied.observe(from: "a", to: "a")
        #expect(tied.predictions(after: "a") == ["x"] && tied.predictions(after: "b") == ["y"] && tied.count == 2)
    }

    @Test("A new habit replaces an old one after about ten transitions, and one that ended is forgotten (NAV-18)")
    func decay() {
        var predictor = RoutePredictor<String>()
        for _ in 0..<1_000 { predictor.observe(from: "home", to: "old") }
        for _ in 0..<10 { predictor.observe(from: "home", to: "new") }
        #expect(predictor.predictions(after: "home") == ["old", "new"])
        for _ in 0..<3 { predictor.observe(from: "home", to: "new") }
        #expect(predictor.predictions(after: "home") == ["new", "old"])
        for _ in 0..<250 { predictor.observe(from: "home", to: "new") }
        #expect(predictor.predictions(after: "home") == ["new"] && predictor.count == 1)
    }

    @Test("A predictor that was stored and read predicts the same, now and after further transitions (NAV-18)")
    func coding() throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(200) {
            var predictor = RoutePredictor<GuardedRoute>()
            let draw = { GuardedRoute.product(Int.random(in: 0..<40, using: &generator)) }
            for _ in 0..<1_500 { predictor.observe(from: draw(), to: draw()) }
            let data = try JSONEncoder().encode(predictor)
            var copy = try JSONDecoder().decode(RoutePredictor<GuardedRoute>.self, from: data)
            for _ in 0..<200 {
                let (from, to) = (draw(), draw())
                #expect(copy.predictions(after: from) == predictor.predictions(after: from))
                predictor.observe(from: from, to: to)
                copy.observe(from: from, to: to)
            }
            #expect(copy.count == predictor.count)
        }
    }

    @Test("Pairs that no predictor can have are ignored when it is read, and so are those beyond the limit (NAV-18)")
    func badRecords() throws {
        let decode = { (text: String) in try JSONDecoder().decode(RoutePredictor<Int>.self, from: Data(text.utf8)) }
        let pair = { (from: Int, to: Int, weight: Int) in "{\"from\":\(from),\"to\":\(to),\"weight\":\(weight)}" }
        let bad = [pair(1, 2, 0), pair(1, 2, -5), pair(1, 2, .max), pair(1, 1, 5), pair(1, 3, 7), pair(1, 3, 9)]
        let predictor = try decode("[\(bad.joined(separator: ","))]")
        #expect(predictor.count == 1 && predictor.predictions(after: 1) == [3])
        let many = (0..<1_200).map { pair($0, -1, 65_536) }.joined(separator: ",")
        let full = try decode("[\(many)]")
        #expect(full.count == 1_000 && full.predictions(after: 199).isEmpty && full.predictions(after: 200) == [-1])
        #expect(throws: DecodingError.self) { try decode("{}") }
    }
}

/// Keeps each pair in one list, in the order of the latest observations.
private struct PredictorModel {
    private(set) var pairs: [(from: Int, to: Int, weight: Int)] = []

    mutating func observe(from: Int, to: Int) {
        guard from != to else { return }
        pairs = pairs.map { $0.from == from ? ($0.from, $0.to, $0.weight * 15 / 16) : $0 }
        let old = pairs.first { $0.from == from && $0.to == to }?.weight ?? 0
        pairs.removeAll { ($0.from == from && $0.to == to) || $0.weight == 0 }
        pairs.append((from, to, old + 65_536))
        if pairs.count > 1_000 { pairs.removeFirst() }
    }

    func predictions(after route: Int) -> [Int] {
        // A stable sort of the latest first.
        let followers = pairs.reversed().filter { $0.from == route }.enumerated()
        let sorted = followers.sorted { ($0.element.weight, -$0.offset) > ($1.element.weight, -$1.offset) }
        return sorted.prefix(3).map(\.element.to)
    }
}
