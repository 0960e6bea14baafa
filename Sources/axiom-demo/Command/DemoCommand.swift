// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomExporter
internal import Glibc

/// `axiom-demo`: a shop made of Axiom's components, under load.
@main
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-demo",
        abstract: "Runs a shop made of Axiom's components, with real files, real HTTP and a workload.",
        discussion: """
            Without --duration and --steps it runs until SIGINT or SIGTERM. With one of them, the load ends then: every \
            presentation is unmounted, the ledger is written, and the metrics are served on for --linger.

            With --faults storm, circuit breakers open, half-open and close again. With --breakers off they refuse \
            nothing; the same --seed and --steps are then the same load, whatever goes wrong.
            """
    )

    @Option(help: "The port of 127.0.0.1 at which metrics are served; 0 for any free one.")
    var port = 9464

    @Flag(inversion: .prefixedNo, help: "Whether the dashboard is sampled and served beside the metrics.")
    var dashboard = true

    @Option(help: "How long the load lasts, such as 500ms, 60s, 2m or 1h.", transform: DurationArgument.init)
    var duration: DurationArgument?

    @Option(help: "How many steps all shoppers together take, instead of --duration.")
    var steps: Int?

    @Option(help: "How long metrics are served after the load.", transform: DurationArgument.init)
    var linger = DurationArgument.zero

    @Option(help: "The steps that all shoppers together take per second, 0.01 to 100000.")
    var rate = 50.0

    @Option(
        help: "How long one step may take, 10s unless told; a run in which one takes longer is given up.",
        transform: DurationArgument.init
    )
    var stepLimit = DurationArgument.seconds(10)

    @Option(help: "What the random choices begin with.")
    var seed: UInt64 = 1

    @Option(help: "How much goes wrong at the shop's servers.")
    var faults = FaultMode.none

    @Option(help: "Whether circuit breakers refuse calls; off, they only count what they would have refused.")
    var breakers = BreakerMode.on

    @Option(
        help: ArgumentHelp("Where storage writes; without it, a folder that is removed at the end.", valueName: "dir")
    )
    var dataDir: String?

    @Option(help: ArgumentHelp("Where the ledger is written as JSON when the load ends.", valueName: "file"))
    var ledger: String?

    @OptionGroup
    var profiles: ProfileArguments

    @Option(
        help: ArgumentHelp("Where the table of all performance budgets is written at the end.", valueName: "file")
    )
    var budgetReport: String?

    @Option(
        help: ArgumentHelp(
            "Where the dashboard is written when the load ends, as a page that needs no server.",
            valueName: "file"
        )
    )
    var export: String?

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is \(port); 0 to 65535 are allowed.")
        }
        guard (0.01...100_000).contains(rate) else {
            throw ValidationError("--rate is \(rate); 0.01 to 100000 is allowed.")
        }
        guard stepLimit.duration > .zero else {
            throw ValidationError("--step-limit is zero; leave it out for \(DurationArgument.seconds(10)).")
        }
        try validateBound()
        try validatePaths()
    }

    private func validateBound() throws {
        if let duration, duration.duration == .zero {
            throw ValidationError("--duration is zero; leave it out to run until SIGINT or SIGTERM.")
        }
        if let steps, steps < 1 {
            throw ValidationError("--steps is \(steps); 1 or more are allowed.")
        }
        if duration != nil, steps != nil {
            throw ValidationError("--duration and --steps both end the load; give one of them.")
        }
        if duration == nil, steps == nil, linger.duration > .zero {
            throw ValidationError("--linger follows the end of --duration or --steps; give one of them too.")
        }
    }

    /// When the load ends.
    var bound: Workload.Bound {
        duration.map { .duration($0.duration) } ?? steps.map { .steps($0) } ?? .none
    }

    /// What cannot be written in the end is better known before the load.
    private func validatePaths() throws {
        if dataDir?.isEmpty == true { throw ValidationError("--data-dir is empty; name a folder, or leave it out.") }
        try validate(ledger, "--ledger")
        try validate(budgetReport, "--budget-report")
        try validate(export, "--export")
        if export != nil, !dashboard {
            throw ValidationError("--export needs the dashboard; leave out --no-dashboard.")
        }
    }

    private func validate(_ path: String?, _ option: String) throws {
        guard let path else { return }
        if path.isEmpty { throw ValidationError("\(option) is empty; name a file, or leave it out.") }
        let folder = AtomicFile.folder(of: path)
        guard access(folder, W_OK | X_OK) == 0 else {
            throw ValidationError("\(option) is \(path), but \(folder) is no folder that can be written to.")
        }
    }

    @MainActor
    func run() async throws {
        let endpoint = try MetricsEndpoint.exporter(
            breakers.rules,
            regressions: profiles.regressions(),
            dashboard: DashboardOptions(name: "Axiom Demo Shop", isServed: dashboard)
        )
        try await DemoSession(self, endpoint: endpoint).run()
    }
}
