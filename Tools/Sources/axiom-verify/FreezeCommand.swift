// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomSyntax
internal import AxiomVerification

/// `axiom-verify freeze`.
struct FreezeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freeze",
        abstract: "Accepts the present findings in a baseline, so that only new ones fail.",
        discussion: """
            Makes the baseline if there is none. A baseline that exists only shrinks: findings of a rule are added with \
            --allow RULE. With CI in the environment, a baseline that would change is an error, and nothing is written.
            """
    )

    @OptionGroup
    var project: ProjectOptions

    @Option(help: ArgumentHelp("A rule whose new findings are accepted. May be repeated.", valueName: "rule"))
    var allow: [String] = []

    @Option(help: "Why the findings are accepted.")
    var reason = Baseline.defaultReason

    func run() throws {
        try project.enter()
        let (run, files) = try project.load()
        guard run.isWhole else {
            throw VerifyError(
                "freeze needs all files of the project, because a part does not show which entries are needed: leave out the "
                    + "paths."
            )
        }
        for name in allow where !run.known.contains(name) {
            let hint = name.closest(of: run.known).map { " Did you mean \($0)?" } ?? ""
            throw VerifyError("--allow: there is no rule \(name).\(hint) `axiom-verify rules` lists them.")
        }
        for rule in run.catalogue where allow.contains(rule.id.rawValue) && !rule.mayBeBaselined {
            throw VerifyError(
                "--allow: findings of \(rule.id.rawValue) do not run, so a baseline cannot accept them: mend them."
            )
        }
        let verdict = run.judge(files)
        if let file = verdict.unreadableFiles.first {
            let place = "\(file.location.path):\(file.location.start.line)"
            StandardStreams.complain("axiom-verify: \(place) does not parse: correct it, then freeze.\n")
            throw ExitCode(3)
        }
        let old = try project.loadBaselineForFreezing()
        let shrunk = old?.shrunk(to: verdict, known: run.known) ?? Baseline()
        let new = shrunk.grown(by: verdict, rules: old == nil ? nil : Set(allow), reason: reason)
        try write(new, instead: old)
        report(new.judge(verdict, known: run.known).findings, run)
    }

    /// Names the rules whose findings still fail a run.
    private func report(_ findings: [Finding], _ run: ProjectRun) {
        let fixed = Set(run.catalogue.filter { !$0.mayBeBaselined }.map(\.id))
        for (rule, group) in Dictionary(grouping: findings, by: \.rule).sorted(by: { $0.key.rawValue < $1.key.rawValue }
        ) {
            let remedy =
                fixed.contains(rule)
                ? "a baseline cannot accept them: mend them" : "mend them, or add --allow \(rule.rawValue)"
            StandardStreams.complain("not accepted: \(group.count) of \(rule.rawValue); \(remedy).\n")
        }
    }

    private func write(_ new: Baseline, instead old: Baseline?) throws {
        let path = project.baselinePath
        guard new != old else {
            try StandardStreams.write("\(path) is current: \(new.entries.count) entries.\n")
            return
        }
        guard !Surroundings.isCI else {
            StandardStreams.complain(
                "axiom-verify: \(path) is not current: run `axiom-verify freeze` and commit the file.\n"
            )
            throw ExitCode(4)
        }
        try OutputFile.write(new.text, to: path)
        try StandardStreams.write("\(path) has \(new.entries.count) entries, before \(old?.entries.count ?? 0).\n")
    }
}

extension ProjectOptions {
    /// The baseline that freezing replaces; nil for the first one, whose path may be given.
    fileprivate func loadBaselineForFreezing() throws -> Baseline? {
        var options = self
        options.baseline = nil
        guard let baseline else { return try options.loadBaseline() }
        guard let bytes = try Self.optionalFile(baseline) else { return nil }
        return try Baseline(bytes: bytes, path: baseline)
    }
}
