// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomBenchmarking
internal import CPlantedCode
internal import Foundation

/// A program of small functions: what each does itself, and which ones it calls.
struct PlantedTree: Codable, Sendable {
    /// The functions of a program; the others are for refactorings.
    static let count = 30
    /// The variable that has the tree of a worker.
    static let variable = "FUNCTIONS_TREE"

    private(set) var rounds: [Int]
    private(set) var callees: [[Int]]

    /// A random tree. Each function does 20 to 600 rounds.
    init(using random: inout SeededGenerator) {
        let size = Int(planted_tree_size)
        rounds = (0..<size).map { _ in Int(20 * pow(30, random.unit())) }
        callees = Array(repeating: [], count: size)
        for function in 1..<Self.count {
            let callers = (0..<function).filter { callees[$0].count < 3 }
            callees[callers[random.index(below: callers.count)]].append(function)
        }
    }

    var environment: [String: String] {
        let json = try? JSONEncoder().encode(self)
        return [Self.variable: json.map { String(decoding: $0, as: UTF8.self) } ?? ""]
    }

    /// That of this process.
    static var own: PlantedTree? {
        let text = ProcessInfo.processInfo.environment[variable] ?? ""
        return try? JSONDecoder().decode(PlantedTree.self, from: Data(text.utf8))
    }

    static func name(_ function: Int) -> String { "planted_node_\(function)" }

    // MARK: Changes

    /// Makes a function slower, by 2 to 10 % of the whole program. Returns the function.
    mutating func slowDown(using random: inout SeededGenerator) -> (function: Int, share: Double) {
        let function = random.index(below: Self.count)
        let share = 0.02 + 0.08 * random.unit()
        rounds[function] += Int(share * Double(whole))
        return (function, share)
    }

    private var whole: Int { rounds.prefix(Self.count).reduce(0, +) }

    /// Moves time without a change of the whole, and without a change of one function. Returns what was done.
    mutating func refactor(besides other: Int? = nil, using random: inout SeededGenerator) -> String {
        let callee = 1 + random.index(below: Self.count - 1)
        guard let caller = callees.firstIndex(where: { $0.contains(callee) }), ![callee, caller].contains(other) else {
            return refactor(besides: other, using: &random)
        }
        let part = 0.2 + 0.6 * random.unit()
        switch random.index(below: 6) {
        case 0:
            // The caller does what the callee did. Its callees need space in the table.
            guard callees[caller].count + callees[callee].count <= Int(planted_tree_width) + 1 else { fallthrough }
            callees[caller].removeAll { $0 == callee }
            callees[caller] += callees[callee]
            move(rounds[callee], from: callee, to: caller)
            return "\(callee) inlined into \(caller)"
        case 1:
            callees[caller].append(Self.count)
            rounds[Self.count] = 0
            move(Int(part * Double(rounds[caller])), from: caller, to: Self.count)
            return "a part of \(caller) outlined"
        case 2:
            callees[caller] = callees[caller].map { $0 == callee ? Self.count : $0 }
            (rounds[Self.count], callees[Self.count]) = (rounds[callee], callees[callee])
            return "\(callee) renamed"
        case 3:
            move(Int(part * Double(rounds[caller])), from: caller, to: callee)
            return "work moved from \(caller) to its callee \(callee)"
        case 4:
            move(Int(part * Double(rounds[callee])), from: callee, to: caller)
            return "work moved from \(callee) to its caller \(caller)"
        default:
            callees[callee] += [Self.count, Self.count + 1]
            for new in [Self.count, Self.count + 1] {
                rounds[new] = 0
                move(rounds[callee] / 3, from: callee, to: new)
            }
            return "\(callee) split"
        }
    }

    private mutating func move(_ count: Int, from source: Int, to target: Int) {
        rounds[source] -= count
        rounds[target] += count
    }

    // MARK: Running

    var table: planted_tree {
        var table = planted_tree()
        withUnsafeMutableBytes(of: &table.rounds) { bytes in
            for (index, count) in rounds.enumerated() {
                bytes.storeBytes(of: UInt32(count), toByteOffset: 4 * index, as: UInt32.self)
            }
        }
        withUnsafeMutableBytes(of: &table.counts) { bytes in
            for (index, functions) in callees.enumerated() { bytes[index] = UInt8(functions.count) }
        }
        withUnsafeMutableBytes(of: &table.callees) { bytes in
            for (index, functions) in callees.enumerated() {
                for (place, function) in functions.enumerated() {
                    bytes[index * Int(planted_tree_width) + place] = UInt8(function)
                }
            }
        }
        return table
    }
}

/// The benchmark whose functions are compared.
struct PlantedBenchmarks: BenchmarkProgram {
    static var suites: [BenchmarkSuite] { [suite] }

    static let suite = BenchmarkSuite("planted") { suite in
        suite.add("tree", fixture: PlantedTree.own?.table ?? planted_tree()) { table, iterations in
            var table = table
            for _ in 0..<iterations { blackHole(planted_tree_run(&table)) }
        }
    }
}
