// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomDashboard

/// `diagnosis-score`: how often the diagnosis names the planted faults of random applications, and nothing else.
@main
struct DiagnosisScore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnosis-score",
        abstract: "Plants faults in random applications on a manual clock, and scores what the diagnosis names.",
        discussion: """
            Each application runs for 13 minutes without a fault and for seven with one or two. Its diagnosis is right if it \
            names the components with faults and no others, as problems or in observations; a path is right if it follows \
            calls to such a component. Applications without a fault run for 20 minutes; right is that nothing is named.
            """,
        subcommands: [SlownessScore.self]
    )

    @Option(help: "How many applications with faults, and how many without: 1 to 10000.")
    var runs = 200

    @Option(help: "The seed of the first application; the next one has the next seed.")
    var seed: UInt64 = 1

    @Option(
        help: """
            Scores the detectors of trends instead, on so many hours of healthy components with calls, and as many of levels: \
            24 to 1000000.
            """
    )
    var healthyHours: Int?

    @Option(
        help: """
            Which generator makes the applications. The second one has other graphs, loads and faults, and was written by \
            somebody who had not read the detectors.
            """
    )
    var generator = Generator.first

    @Flag(help: "Prints each application whose diagnosis is wrong.")
    var verbose = false

    @Flag(help: "Prints what the second generator makes, and scores nothing.")
    var check = false

    @Flag(help: "With the second generator: calls without a fault never fail. Else up to 1 % of them do.")
    var flawless = false

    enum Generator: String, CaseIterable, ExpressibleByArgument {
        case first, second
    }

    func validate() throws {
        guard (1...10_000).contains(runs) else {
            throw ValidationError("--runs is \(runs); 1 to 10000 are allowed.")
        }
        guard generator == .second || !(check || flawless) else {
            throw ValidationError("--check and --flawless are for --generator second.")
        }
        guard (24...1_000_000).contains(healthyHours ?? 24) else {
            throw ValidationError("--healthy-hours is \(healthyHours ?? 0); 24 to 1000000 are allowed.")
        }
    }

    func run() throws {
        if let healthyHours { return TrendScore(hours: healthyHours, seed: seed).run() }
        if generator == .second {
            let score = OtherScore(runs: runs, seed: seed, isVerbose: verbose, isFlawless: flawless)
            return try check ? score.check() : score.run()
        }
        var (exact, paths, named) = (0, (right: 0, all: 0), 0)
        var byFault: [String: (right: Int, all: Int)] = [:]
        for number in 0..<UInt64(runs) {
            let faulty = try SimulatedApplication(seed: seed + number)
            var random = SeededGenerator(seed: seed + number)
            let count = Int.random(in: 1...2, using: &random)
            let faults = (0..<count).map { _ in PlantedFault.allCases.randomElement(using: &random) ?? .slow }
            faulty.plant(faults.filter { $0 == .misconfigured })
            faulty.run(seconds: 780)
            faulty.plant(faults.filter { $0 != .misconfigured })
            faulty.run(seconds: 420)
            let isRight = judge(faulty, seed + number, &paths)
            exact += isRight ? 1 : 0
            let kinds = faulty.faults.values.map { "\($0)" }.sorted().joined(separator: " and ")
            let before = byFault[kinds] ?? (0, 0)
            byFault[kinds] = (before.right + (isRight ? 1 : 0), before.all + 1)
            let healthy = try SimulatedApplication(seed: seed + number)
            healthy.run(seconds: 1_200)
            let found = Self.said(healthy.diagnosis)
            named += found.isEmpty ? 0 : 1
            if verbose, !found.isEmpty { print("seed \(seed + number), healthy: \(found)") }
        }
        for (kinds, score) in byFault.sorted(by: { $0.key < $1.key }) {
            print("\(kinds): \(score.right) of \(score.all) exact")
        }
        print("exact: \(exact) of \(runs); paths right: \(paths.right) of \(paths.all)")
        // The rule of three: with no event in n runs, the rate is below 3/n with 95 % confidence.
        print("healthy with something named: \(named) of \(runs)\(named == 0 ? ", below \(3 / Double(runs))" : "")")
    }

    private func judge(
        _ application: SimulatedApplication,
        _ seed: UInt64,
        _ paths: inout (right: Int, all: Int)
    ) -> Bool {
        let wanted = Set(application.faults.keys.map(application.name))
        let diagnosis = application.diagnosis
        let causes = diagnosis?.causes ?? []
        let observed = (diagnosis?.observed ?? []).map { application.component(in: $0) ?? "" }
        let found = Set(causes.map { $0.component ?? "" } + observed)
        for cause in causes where wanted.contains(cause.component ?? "") {
            paths.all += 1
            let follows = zip(cause.path, cause.path.dropFirst()).allSatisfy { application.reaches($1, from: $0) }
            if cause.path.count > 1, follows, cause.path.last == cause.component { paths.right += 1 }
        }
        if verbose, found != wanted {
            print(
                "seed \(seed): \(application.faults.map { "\(application.name($0)) \($1)" }), named \(Self.said(diagnosis))"
            )
        }
        return found == wanted
    }

    /// All problems and observations.
    private static func said(_ diagnosis: Diagnosis?) -> [String] {
        (diagnosis?.causes.map(\.says) ?? []) + (diagnosis?.observed ?? [])
    }
}
