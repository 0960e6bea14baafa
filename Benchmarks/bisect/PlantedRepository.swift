// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A package under version control whose only dependency is Axiom, with a history for each seed. All start at the tag `root`.
struct PlantedRepository {
    static let product = "planted-benchmarks"
    private static let identity = ["-c", "user.name=score", "-c", "user.email=score@example.invalid"]

    let folder: String

    /// Makes the package, without a history.
    init(in folder: String) throws {
        self.folder = folder
        try PlantedSources.write(to: folder)
        try git("init", "-q", "-b", "main")
        try commit("The first")
        try git("tag", "root")
    }

    /// Commits one history.
    ///
    /// - Parameter commits: Those after the root on the first parents' side.
    func plant(seed: UInt64, commits: Int) throws -> RealHistory {
        var random = SeededGenerator(seed: seed, stream: 4)
        let plan = RealPlan(commits: commits, seed: seed, &random)
        let branch = "history-\(seed)"
        var slow = ""
        try git("checkout", "-q", "-b", branch, "root")
        for number in 1...commits {
            if number == plan.merge - 2 { try git("branch", "side-\(seed)") }
            if number == plan.merge {
                let side = try mergeSide(of: branch, seed: seed, plan, &random)
                if plan.isOnSide { slow = side }
                continue
            }
            let isBroken = plan.broken.contains(number)
            try PlantedSources.writeOther("Beside", to: folder, isBroken: isBroken, &random)
            let isSlow = number == plan.step && !plan.isOnSide
            if isSlow { try PlantedSources.writeKernel(plan.kernel, amount: PlantedSources.slowAmount, to: folder) }
            try commit("Change \(number)")
            if isSlow { slow = try head }
        }
        try git("tag", "bad-\(seed)")
        return RealHistory(plan: plan, good: "root", bad: "bad-\(seed)", slow: slow)
    }

    /// Merges a branch of two commits, of which the second one may be the slow one, and returns the second one.
    private func mergeSide(
        of branch: String,
        seed: UInt64,
        _ plan: RealPlan,
        _ random: inout SeededGenerator
    ) throws -> String {
        try git("checkout", "-q", "side-\(seed)")
        for number in 1...2 {
            try PlantedSources.writeOther("Side", to: folder, isBroken: false, &random)
            if number == 2, plan.isOnSide {
                try PlantedSources.writeKernel(plan.kernel, amount: PlantedSources.slowAmount, to: folder)
            }
            try commit("Change \(number) of a side branch")
        }
        let side = try head
        try git("checkout", "-q", branch)
        try git("merge", "-q", "--no-ff", "-m", "Merge a side branch", "side-\(seed)")
        return side
    }

    private func commit(_ message: String) throws {
        try git("add", "-A")
        try git("commit", "-q", "-m", message)
    }

    private var head: String { get throws { try git("rev-parse", "HEAD") } }

    @discardableResult
    private func git(_ arguments: String...) throws -> String {
        try FinishedProgram.output(["git", "-C", folder] + Self.identity + arguments)
    }
}

/// A history with real commits.
struct RealHistory {
    let plan: RealPlan
    /// The names of the first and of the last commit.
    let good: String
    let bad: String
    /// The full name of the slow commit.
    let slow: String
}

/// What is planted in a history with real commits.
struct RealPlan {
    /// The measured function that gets slower.
    let kernel: PlantedKernel
    /// Where the slow commit comes into the history: the number of the merge if it is on the side branch.
    let step: Int
    let isOnSide: Bool
    /// The commit that merges a branch of two commits.
    let merge: Int
    /// The commits that cannot be built: none beside the slow one, which could not be named alone.
    let broken: Set<Int>

    init(commits: Int, seed: UInt64, _ random: inout SeededGenerator) {
        kernel = PlantedKernel.allCases[random.index(below: PlantedKernel.allCases.count)]
        let merge = 4 + random.index(below: commits - 5)
        isOnSide = seed % 3 == 0
        let others = (1...commits).filter { $0 != merge }
        step = isOnSide ? merge : others[random.index(below: others.count)]
        // The side branch begins three commits before its merge.
        let (apart, count) = ([merge - 3, merge - 1, merge, step - 1, step], max(1, commits / 10))
        var breakable = (1..<commits).filter { !apart.contains($0) }
        breakable.shuffle(using: &random)
        broken = Set(breakable.prefix(count))
        self.merge = merge
    }

    var words: String {
        let place = isOnSide ? "on the side branch merged by commit \(step)" : "commit \(step)"
        return "\(kernel) slower in \(place); not built: \(broken.sorted().map(String.init).joined(separator: ", "))"
    }
}
