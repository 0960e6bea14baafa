// SPDX-License-Identifier: Apache-2.0

internal import AxiomDashboard

/// Scores the diagnosis on the applications of the second generator, which was written by somebody who had not read the
/// detectors.
struct OtherScore {
    let runs: Int
    let seed: UInt64
    let isVerbose: Bool
    /// Whether calls without a fault never fail.
    let isFlawless: Bool

    /// How often faults of a kind were found.
    fileprivate struct Row {
        var (alone, aloneExact, paired, pairedExact, named) = (0, 0, 0, 0, 0)
    }

    private struct Judgement {
        var isExact = false
        /// Of each fault, whether an accepted component was named.
        var named: [Bool] = []
        var (namesInnocent, missesFault) = (false, false)
    }

    func run() throws {
        var rows: [OtherKind: Row] = [:]
        var (exact, paths, innocent, missed) = (0, (right: 0, all: 0), 0, 0)
        var healthy = 0
        for seed in seed..<seed + UInt64(runs) {
            let faulty = try faulty(seed)
            let judgement = judge(faulty, seed, &paths)
            exact += judgement.isExact ? 1 : 0
            innocent += judgement.namesInnocent ? 1 : 0
            missed += judgement.missesFault ? 1 : 0
            let isAlone = faulty.plan.faults.count == 1
            for (fault, named) in zip(faulty.plan.faults, judgement.named) {
                rows[fault.kind, default: Row()].add(judgement.isExact, named, isAlone: isAlone)
            }
            healthy += try isNamedHealthy(faulty.plan, seed) ? 1 : 0
        }
        for kind in OtherKind.allCases { print("\(kind): \(rows[kind, default: Row()].text)") }
        print("exact: \(exact) of \(runs); paths right: \(paths.right) of \(paths.all)")
        print("a component without a fault named: \(innocent) of \(runs); a fault missed: \(missed) of \(runs)")
        // The rule of three: with no event in n runs, the rate is below 3/n with 95 % confidence.
        print("healthy with something named: \(healthy) of \(runs)\(healthy == 0 ? ", below \(3 / Double(runs))" : "")")
    }

    /// An application that has run with the faults of a seed. If a fault has no place or no effect, the application is
    /// drawn again.
    private func faulty(_ seed: UInt64) throws -> OtherApplication {
        var dice = OtherDice(seed: seed, stream: 0)
        let kinds = (0..<dice.number(1, 2)).compactMap { _ in dice.pick(OtherKind.allCases) }
        var attempt: UInt64 = 0
        while true {
            attempt += 1
            guard let plan = OtherPlan(seed: seed, attempt: attempt, kinds: kinds, isFlawless: isFlawless) else {
                continue
            }
            let application = try OtherApplication(plan, isFaulty: true)
            application.run(seconds: plan.before)
            application.tallies = application.tallies.map { _ in OtherApplication.Tally() }
            application.run(seconds: plan.after)
            if plan.faults.allSatisfy({ Self.hasEffect($0, application) }) { return application }
        }
    }

    /// Whether a component was called once in two seconds or more, and a call in twenty seconds or more had the fault.
    private static func hasEffect(_ fault: OtherFault, _ application: OtherApplication) -> Bool {
        if fault.kind == .leaking { return application.leaked >= 20 }
        let (tally, seconds) = (application.tallies[fault.part], Double(application.plan.after))
        return Double(tally.calls) >= seconds / 2 && tally.affected >= (fault.kind == .growing ? 0 : seconds / 20)
    }

    private func isNamedHealthy(_ plan: OtherPlan, _ seed: UInt64) throws -> Bool {
        let application = try OtherApplication(plan, isFaulty: false)
        application.run(seconds: plan.before + plan.after)
        let said = Self.said(application.diagnosis)
        if isVerbose, !said.isEmpty { print("seed \(seed), healthy, \(Self.describe(plan)): \(said)") }
        return !said.isEmpty
    }

    private func judge(
        _ application: OtherApplication,
        _ seed: UInt64,
        _ paths: inout (right: Int, all: Int)
    ) -> Judgement {
        let (diagnosis, faults) = (application.diagnosis, application.plan.faults)
        let causes = diagnosis?.causes ?? []
        let observed = (diagnosis?.observed ?? []).map { application.component(in: $0) ?? "" }
        let found = Set(causes.map { $0.component ?? "" } + observed)
        let named = faults.map { !found.isDisjoint(with: $0.accepted) }
        let innocent = found.subtracting(faults.flatMap(\.accepted))
        // Nobody calls a context: it has no path.
        let called = Set(faults.filter { $0.kind != .leaking }.flatMap(\.accepted))
        for cause in causes where called.contains(cause.component ?? "") {
            paths.all += 1
            let follows = zip(cause.path, cause.path.dropFirst()).allSatisfy { application.reaches($1, from: $0) }
            if cause.path.count > 1, follows, cause.path.last == cause.component { paths.right += 1 }
        }
        // Each fault by one name, and no other name.
        let isExact = Self.choices(faults).contains(found)
        if isVerbose, !isExact {
            let planted = faults.map { "\(application.plan.name($0.part)) \($0.kind)" }
            print("seed \(seed), \(Self.describe(application.plan)): \(planted), named \(Self.said(diagnosis))")
        }
        return Judgement(
            isExact: isExact,
            named: named,
            namesInnocent: !innocent.isEmpty,
            missesFault: named.contains(false)
        )
    }

    /// All sets with one accepted name of each fault.
    private static func choices(_ faults: [OtherFault]) -> [Set<String>] {
        faults.reduce([[]]) { sets, fault in sets.flatMap { set in fault.accepted.map { set.union([$0]) } } }
    }

    private static func describe(_ plan: OtherPlan) -> String {
        "\(plan.graph.shape) with \(plan.load.pattern)"
    }

    /// All problems and observations.
    private static func said(_ diagnosis: Diagnosis?) -> [String] {
        (diagnosis?.causes.map(\.says) ?? []) + (diagnosis?.observed ?? [])
    }
}

extension OtherScore {
    /// Prints what the generator made, without any diagnosis.
    func check() throws {
        for seed in seed..<seed + UInt64(runs) {
            let application = try faulty(seed)
            let plan = application.plan
            let twin = try OtherApplication(plan, isFaulty: false)
            twin.run(seconds: plan.before)
            twin.tallies = twin.tallies.map { _ in OtherApplication.Tally() }
            twin.run(seconds: plan.after)
            let lengths = "\(plan.before) and \(plan.after) s"
            print("seed \(seed), \(Self.describe(plan)), \(lengths), leaked \(application.leaked)")
            for (part, described) in plan.graph.parts.enumerated() {
                let fault = plan.faults.first { $0.part == part }.map { " \($0.kind) from \(Int($0.since)) s" } ?? ""
                let rate = (plan.rate(part) * 100).rounded() / 100
                let (healthy, faulty) = (Self.text(twin, part), Self.text(application, part))
                print("  \(described.component)\(fault): \(rate)/s planned; \(healthy); \(faulty)")
            }
        }
    }

    private static func text(_ application: OtherApplication, _ part: Int) -> String {
        let (tally, seconds) = (application.tallies[part], Double(application.plan.after))
        func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
        let calls = Double(max(1, tally.calls))
        let milliseconds = rounded(tally.seconds / calls * 1_000)
        return """
            \(rounded(Double(tally.calls) / seconds))/s, \(milliseconds) ms, \
            \(rounded(Double(tally.failures) / calls * 100)) % failed, \(Int(tally.affected)) affected
            """
    }
}

extension OtherScore.Row {
    fileprivate mutating func add(_ isExact: Bool, _ isNamed: Bool, isAlone: Bool) {
        named += isNamed ? 1 : 0
        if isAlone {
            (alone, aloneExact) = (alone + 1, aloneExact + (isExact ? 1 : 0))
        } else {
            (paired, pairedExact) = (paired + 1, pairedExact + (isExact ? 1 : 0))
        }
    }

    fileprivate var text: String {
        """
        \(aloneExact) of \(alone) exact alone, \(pairedExact) of \(paired) with another fault; \
        named \(named) of \(alone + paired)
        """
    }
}
