// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation
import Testing

@testable import AxiomBenchmarking

/// A random program of functions that call each other, and what a sampler would say of its processes.
struct CallTreeModel {
    static let count = 30
    /// The samples of a round.
    private static let samples = 1_200

    /// The nanoseconds of each function without its callees.
    var times: [Double]
    var callees: [[Int]]
    var names: [String]

    /// - Parameter spare: Functions that nothing calls yet.
    init(using random: inout SeededGenerator, spare: Int = 4) {
        let size = Self.count + spare
        times = (0..<size).map { _ in 20 * pow(30, random.unit()) }
        callees = Array(repeating: [], count: size)
        names = (0..<size).map { "f\($0)()" }
        for function in 1..<Self.count {
            let callers = (0..<function).filter { callees[$0].count < 3 }
            callees[callers[random.index(below: callers.count)]].append(function)
        }
    }

    /// Those that are called, each with its caller; -1 for the first one.
    var callers: [Int: Int] {
        var found = [0: -1]
        var rest = [0]
        while let caller = rest.popLast() {
            for callee in callees[caller] { found[callee] = caller }
            rest += callees[caller]
        }
        return found
    }

    var whole: Double { callers.keys.reduce(0) { $0 + times[$1] } }

    func caller(of function: Int) -> Int { callers[function] ?? 0 }

    mutating func move(_ time: Double, from source: Int, to target: Int) {
        times[source] -= time
        times[target] += time
    }

    // MARK: Samples

    /// The samples of a round: processes differ by a percent in each function, and by three in everything.
    func sampled(using random: inout SeededGenerator) -> StackCosts {
        var costs = StackCosts()
        costs.iterations = 1_000
        let callers = callers
        var stacks: [(stack: [String], time: Double)] = []
        for (function, _) in callers.sorted(by: { $0.key < $1.key }) {
            var (path, next) = ([Int](), function)
            while next >= 0 { (path, next) = ([next] + path, callers[next] ?? -1) }
            stacks.append((["main"] + path.map { names[$0] }, times[function] * (1 + 0.01 * random.normal())))
        }
        let whole = stacks.reduce(0) { $0 + $1.time }
        let each = whole * 1_000 / Double(Self.samples) * (1 + 0.03 * random.normal())
        for (stack, time) in stacks {
            // Near to the counts of independent samples.
            let expected = Double(Self.samples) * time / whole
            let count = (expected + expected.squareRoot() * random.normal()).rounded()
            guard count > 0 else { continue }
            costs.add(stack, each * count)
            costs.samples += Int(count)
        }
        return costs
    }

    /// Compares this program with another one.
    func changed(
        to other: CallTreeModel,
        rounds: Int = 10,
        needsChange: Bool = true,
        using random: inout SeededGenerator
    )
        throws -> ChangedFunctions
    {
        let rounds = (0..<rounds).map { _ in (sampled(using: &random), other.sampled(using: &random)) }
        let comparison = FunctionComparison(rounds.map { (old: $0.0, new: $0.1) }, alpha: 0.01)
        return try comparison.changed(needsChange: needsChange)
    }
}

/// What a person or the compiler does to a program without changing its time.
enum Refactoring: String, CaseIterable, CustomTestStringConvertible {
    case inlined, outlined, renamed, fromCallerToCallee, fromCalleeToCaller, split

    var testDescription: String { rawValue }

    /// Changes a program beside a function.
    func apply(to tree: inout CallTreeModel, besides other: Int? = nil, using random: inout SeededGenerator) {
        var (callee, caller) = (0, 0)
        repeat {
            callee = 1 + random.index(below: CallTreeModel.count - 1)
            caller = tree.caller(of: callee)
        } while callee == other || caller == other
        let (spare, part) = (CallTreeModel.count, 0.3 + 0.4 * random.unit())
        switch self {
        case .inlined:
            tree.callees[caller] = tree.callees[caller].filter { $0 != callee } + tree.callees[callee]
            tree.move(tree.times[callee], from: callee, to: caller)
        case .outlined:
            tree.callees[caller].append(spare)
            tree.times[spare] = 0
            tree.move(part * tree.times[caller], from: caller, to: spare)
        case .renamed:
            tree.names[callee] = "another()"
        case .fromCallerToCallee:
            tree.move(part * tree.times[caller], from: caller, to: callee)
        case .fromCalleeToCaller:
            tree.move(part * tree.times[callee], from: callee, to: caller)
        case .split:
            for new in [spare, spare + 1] {
                tree.callees[callee].append(new)
                tree.times[new] = 0
                tree.move(tree.times[callee] / 3, from: callee, to: new)
            }
        }
    }
}
