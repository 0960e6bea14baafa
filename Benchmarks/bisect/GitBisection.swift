// SPDX-License-Identifier: Apache-2.0

internal import AxiomBenchmarking

/// `git bisect run` with a script that compares the middle commit with the good one by the test of the gate, and repeats the
/// test while it is inconclusive.
struct GitBisection {
    /// How often one commit is tested at most.
    static let repeats = 3

    private(set) var machine: SimulatedMachine

    init(_ machine: SimulatedMachine) {
        self.machine = machine
    }

    /// The first bad commit, with those before it that cannot be built; nil if the bad commit is not found to be bad.
    mutating func run() throws -> ClosedRange<Int>? {
        let last = machine.last
        guard machine.make(0), machine.make(last), try isBad(last) else { return nil }
        var (good, bad) = (0, last)
        while let middle = middle(good, bad) {
            if try isBad(middle) { bad = middle } else { good = middle }
        }
        return good + 1...bad
    }

    /// The commit nearest to the middle that can be built; nil if there is none.
    private mutating func middle(_ good: Int, _ bad: Int) -> Int? {
        let middle = (good + bad) / 2
        let nearest = (good..<bad).dropFirst().sorted { abs($0 - middle) < abs($1 - middle) }
        return nearest.first { machine.make($0) }
    }

    /// Whether a commit is worse than the good one. What stays inconclusive counts as good.
    private mutating func isBad(_ commit: Int) throws -> Bool {
        for _ in 0..<Self.repeats {
            // A history of two commits has no more than the test of the gate.
            var test = CommitBisection(Gate(machine: machine, commit: commit))
            let result = try test.run()
            machine = test.history.machine
            switch result {
            case .found, .among: return true
            case .refused: return false
            case .undecided: continue
            }
        }
        return false
    }

    /// The good commit and another one.
    private struct Gate: BisectedHistory {
        var machine: SimulatedMachine
        let commit: Int

        var last: Int { 1 }
        var isOver: Bool { false }
        var buildSeconds: Double { machine.buildSeconds }
        var pairSeconds: Double { machine.pairSeconds }

        func isBuilt(_ end: Int) -> Bool { true }

        mutating func build(_ end: Int) throws -> Bool { true }

        mutating func compare(_ pair: RevisionPair, pairs: Int) throws -> [Double] {
            machine.measure(0, commit, pairs: pairs)
        }

        mutating func keep(_ state: BisectionState) throws {}
    }
}
