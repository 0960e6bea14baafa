// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomBenchmarking

@Suite("The functions of a regression")
struct FunctionComparisonTests {
    private static let cases = TestScale.count(200)

    @Test("A function that is slower by 2 to 10 % of the whole is named first, with its change")
    func slower() throws {
        let seed = TestSeed.steady()
        var (first, covered) = (0, 0)
        for number in 0..<Self.cases {
            var random = SeededGenerator(seed: seed, stream: UInt64(number))
            let old = CallTreeModel(using: &random)
            var new = old
            let slow = random.index(below: CallTreeModel.count)
            let change = (0.02 + 0.08 * random.unit()) * old.whole
            new.times[slow] += change
            let result = try old.changed(to: new, rounds: 40, using: &random)
            guard let named = result.named.first, named.name == old.names[slow] else { continue }
            first += 1
            covered += (named.low...named.high).contains(change) ? 1 : 0
            #expect(named.confidence > 0.99 && named.low > 0)
        }
        #expect(first >= Self.cases - 1 - Self.cases / 10, "seed \(seed): \(first) of \(Self.cases)")
        #expect(covered >= first - 1 - first / 10, "seed \(seed): \(covered) of \(first) intervals")
    }

    @Test(
        "A refactoring names nothing, also where the change of the whole is not asked for",
        arguments: Refactoring.allCases
    )
    func refactored(_ refactoring: Refactoring) throws {
        let seed = TestSeed.steady()
        var alarms: [String] = []
        for number in 0..<Self.cases {
            var random = SeededGenerator(seed: seed, stream: UInt64(number))
            let old = CallTreeModel(using: &random)
            var new = old
            refactoring.apply(to: &new, using: &random)
            let result = try old.changed(to: new, needsChange: false, using: &random)
            if !result.named.isEmpty { alarms.append("\(number): \(result.named)") }
            #expect(!result.named.isEmpty || result.reason != nil)
        }
        // Each comparison errs with a probability of 1 %: three of ten do so in one of 9,000 runs.
        #expect(alarms.count <= 2 + Self.cases / 40, "seed \(seed): \(alarms)")
    }

    @Test("A slower function is named beside a refactoring", arguments: Refactoring.allCases)
    func both(_ refactoring: Refactoring) throws {
        let seed = TestSeed.steady()
        var wrong: [String] = []
        for number in 0..<Self.cases {
            var random = SeededGenerator(seed: seed, stream: UInt64(number))
            let old = CallTreeModel(using: &random)
            var new = old
            let slow = random.index(below: CallTreeModel.count)
            new.times[slow] += 0.1 * old.whole
            refactoring.apply(to: &new, besides: slow, using: &random)
            let result = try old.changed(to: new, using: &random)
            if result.named.map(\.name) != [old.names[slow]] { wrong.append("\(number): \(result)") }
        }
        #expect(wrong.count <= 1 + Self.cases / 10, "seed \(seed): \(wrong)")
    }

    @Test("A renamed function that is slower is named by its new name")
    func renamed() throws {
        var random = SeededGenerator(seed: 7)
        let old = CallTreeModel(using: &random)
        var new = old
        new.names[3] = "another()"
        new.times[3] += 0.1 * old.whole
        #expect(try old.changed(to: new, using: &random).named.first?.name == "another()")
    }

    @Test("What calls everything is no part of the tree, and its times add up")
    func tree() throws {
        var (old, new) = (StackCosts(), StackCosts())
        (old.iterations, new.iterations) = (10, 20)
        old.add(["main", "a"], 100)
        old.add(["main", "b"], 50)
        new.add(["main", "c"], 400)
        let tree = DifferenceTree(old: old, new: new, renamed: ["a": "c"])
        #expect(tree.old == 15 && tree.new == 20)
        #expect(tree.children["c"]?.old == 10 && tree.children["c"]?.new == 20)
        #expect(tree.children["b"]?.new == 0 && tree.children.count == 2)
    }

    @Test("Stacks are read as they are written, and other text is none")
    func text() throws {
        var costs = StackCosts()
        (costs.samples, costs.iterations) = (4, 12)
        costs.add(["main", "a;b\nc"], 1_500)
        costs.add(["main", "malloc [libc.so.6]"], 20)
        let read = try #require(StackCosts(text: costs.text))
        #expect(read.iterations == 12 && read.samples == 4 && read.time == 1_520 && read.perIteration == 1_520 / 12)
        #expect(Set(read.stacks.keys) == [["main", "a:b c"], ["main", "malloc [libc.so.6]"]])
        for text in ["", "samples x", "samples 1 iterations 1\nmain", "samples 1 iterations 1\nmain x"] {
            #expect(StackCosts(text: text) == nil, "\(text)")
        }
    }

    @Test(
        "A function has one name in both builds",
        arguments: [
            ("closure 12 in closure 3 in static M.main()", "closure in closure in static M.main()"),
            ("Cart.gen<A, [Int : (B) -> C]>(_:)", "Cart.gen(_:)"), ("helper #1 (x:) in f()", "helper (x:) in f()"),
            ("(hidden in _0A1B2C3D)(_:)", "hidden(_:)"), ("static Int.< infix(_:_:)", "static Int.< infix(_:_:)"),
            ("Dictionary<A, Array<B>>.count.getter", "Dictionary.count.getter"), ("malloc", "malloc"),
        ]
    )
    func names(name: String, stable: String) {
        #expect(StackCosts.stableName(name) == stable)
    }

    @Test("The time of a library is that of the function which called it")
    func libraries() throws {
        func costs(_ call: Double) -> StackCosts {
            var costs = StackCosts()
            costs.iterations = 1
            costs.add(["main", "a"], 100)
            costs.add(["main", "a", "malloc [libc.so.6]"], call)
            costs.add(["main", "b", "malloc [libc.so.6]"], 50)
            return costs
        }
        let rounds = (0..<10).map { (old: costs(50 + Double($0 % 2)), new: costs(80 + Double($0 % 3))) }
        let comparison = FunctionComparison(rounds, alpha: 0.01)
        #expect(try comparison.changed().named.map(\.name) == ["a"])
    }

    @Test("Nothing is named without enough samples, and the words say why")
    func reasons() throws {
        let few = FunctionComparison([], alpha: 0.01)
        #expect(try few.changed().words.contains("it was seldom sampled"))
        var random = SeededGenerator(seed: 3)
        let tree = CallTreeModel(using: &random)
        let same = try tree.changed(to: tree, using: &random)
        #expect(same.named.isEmpty && same.words.contains("do not show the change"))
    }
}
