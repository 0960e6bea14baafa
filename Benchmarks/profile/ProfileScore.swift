// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import Foundation

/// `profile-score`: how often the profiler names planted functions.
@main
struct ProfileScore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile-score",
        abstract: "Plants functions that burn the processor, and counts how often the profiler names them.",
        subcommands: [
            ProgramScore.self, LabelScore.self, SoakScore.self, CostScore.self, MemoryScore.self,
        ],
        defaultSubcommand: ProgramScore.self
    )
}

/// Each planted program, some times.
struct ProgramScore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "programs",
        abstract: "Counts how often the hottest function of an action is the planted one.",
        discussion: """
            Each program is an application with one action that is measured, and others that run at the same time. The action \
            has a planted function and two others that take less. The hottest function is the one of the program that the most \
            samples of the action have as their innermost function of the program: the time of the libraries that it calls is \
            its own. A program that waits must have a wait as its hottest entry; one that allocates is judged by bytes.

            Exit status: 0 if each program is named in 95 % of its runs; 1 if not; 64 for wrong options.
            """
    )

    @Option(help: "How many times each program runs: 1 to 10000.")
    var runs = 20

    @Option(help: "The seed of the first run; the next one has the next seed.")
    var seed: UInt64 = 1

    @Option(help: "Samples per second of processor time: 10 to 250.")
    var rate = 97

    @Option(help: "Only the programs whose name contains this.")
    var only: String?

    @Flag(help: "Prints each run in which another function was the hottest.")
    var verbose = false

    private var programs: [PlantedProgram] {
        PlantedProgram.all.filter { only.map($0.name.contains) ?? true }
    }

    func validate() throws {
        guard (1...10_000).contains(runs) else { throw ValidationError("--runs is \(runs); 1 to 10000 are allowed.") }
        guard (10...250).contains(rate) else { throw ValidationError("--rate is \(rate); 10 to 250 are allowed.") }
        guard !programs.isEmpty else {
            let names = PlantedProgram.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--only is \(only ?? ""); the programs are \(names).")
        }
    }

    func run() async throws {
        print("\(runs) runs of each program, \(rate) samples a second, seed \(seed)")
        print(Self.line("program", "named first", "of", "at least (95 %)"))
        var (all, isGood) = (Proportion(), true)
        for program in programs {
            var named = Proportion()
            for seed in seed..<seed + UInt64(runs) {
                var run = ProgramRun(program, seed: seed, rate: rate)
                let verdict = try await run.run()
                named.add(verdict.isNamed)
                if verbose, !verdict.isNamed { print("seed \(seed), \(program.name): \(verdict.text)") }
            }
            print(Self.line(program.name, "\(named.count)", "\(named.of)", named.low.percent))
            fflush(nil)
            all.add(named)
            isGood = isGood && named.share >= 0.95
        }
        print(Self.line("total", "\(all.count)", "\(all.of)", all.low.percent))
        if !isGood { throw ExitCode.failure }
    }

    private static func line(_ name: String, _ columns: String...) -> String {
        name.padded(30) + columns.map { " " + $0.padded(15, onTheLeft: true) }.joined()
    }
}

/// How many of some events were right, with Wilson's bounds of 95 %.
struct Proportion: Sendable {
    private(set) var (count, of) = (0, 0)

    mutating func add(_ isRight: Bool) { (count, of) = (count + (isRight ? 1 : 0), of + 1) }

    mutating func add(_ other: Proportion) { add(other.count, of: other.of) }

    mutating func add(_ count: Int, of all: Int) { (self.count, of) = (self.count + count, of + all) }

    var share: Double { of == 0 ? 0 : Double(count) / Double(of) }
    var low: Double { of == 0 ? 0 : max(0, middle - half) }
    var high: Double { of == 0 ? 1 : min(1, middle + half) }

    private static let z = 1.96
    private var middle: Double { (share + Self.z * Self.z / (2 * Double(of))) / scale }
    private var scale: Double { 1 + Self.z * Self.z / Double(of) }
    private var half: Double {
        Self.z * (share * (1 - share) / Double(of) + Self.z * Self.z / (4 * Double(of) * Double(of))).squareRoot()
            / scale
    }
}

extension Double {
    /// With two digits after the point.
    var percent: String { "\((self * 10_000).rounded() / 100) %" }

    var rounded3: Double { (self * 1_000).rounded() / 1_000 }
}

extension String {
    func padded(_ width: Int, onTheLeft: Bool = false) -> String {
        let spaces = String(repeating: " ", count: Swift.max(0, width - count))
        return onTheLeft ? spaces + self : self + spaces
    }
}
