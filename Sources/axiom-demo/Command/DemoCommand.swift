// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomWebConfiguration
internal import ShopLoad

/// `axiom-demo`: a shop made of Axiom's components, under load.
@main
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-demo",
        abstract: "Runs a shop made of Axiom's components, with real files, real HTTP and a workload.",
        discussion: """
            Without --duration and --steps it runs until SIGINT or SIGTERM. With one of them, the load ends: all \
            presentations are unmounted, the ledger is written, and the metrics stay available for --linger.

            With --faults storm, circuit breakers open, half-open and close again. With --breakers off they refuse \
            nothing; the same --seed and --steps are then the same load, whatever fails. Orders wait in an outbox until \
            the server has applied them, each exactly once.
            """
    )

    @Option(help: "The port for the metrics and the dashboard; 0 for any free one.")
    var port = 9464

    @Option(help: "The address to listen at. Another one than that of the loopback interface requires --allowed-host.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp(
            "A further value of the header Host that is answered, such as metrics.internal; may be repeated.",
            valueName: "name"
        )
    )
    var allowedHosts: [String] = []

    @Option(
        help: ArgumentHelp(
            "A web.yml with the certificates of the exporter and the credentials that it asks for.",
            valueName: "file"
        )
    )
    var webConfig: String?

    @Flag(inversion: .prefixedNo, help: "Whether the dashboard is sampled and served.")
    var dashboard = true

    @Flag(
        help: "Show the state of clients on the dashboard. If other machines can reach it, its address has a token."
    )
    var inspectState = false

    @Flag(help: "Let the dashboard act on components, such as inject faults. The address of the dashboard has a token.")
    var allowActions = false

    @Option(help: "How long the load lasts, such as 500ms, 60s, 2m or 1h.", transform: DurationArgument.init)
    var duration: DurationArgument?

    @Option(help: "The number of steps of all shoppers together, instead of --duration.")
    var steps: Int?

    @Option(help: "How long the metrics stay available after the load.", transform: DurationArgument.init)
    var linger = DurationArgument.zero

    @Option(help: "The steps of all shoppers together per second, 0.01 to 100000.")
    var rate = 50.0

    @Option(
        help: "How long one step may take, 10s by default; a run with a step that takes longer is aborted.",
        transform: DurationArgument.init
    )
    var stepLimit = DurationArgument.seconds(10)

    @Option(help: "The seed of all random choices.")
    var seed: UInt64 = 1

    @Option(help: "How many requests fail at the shop's server.")
    var faults = FaultMode.none

    @Option(help: "Whether circuit breakers refuse calls. With off, they only count what they would have refused.")
    var breakers = BreakerMode.on

    @Option(
        help: ArgumentHelp(
            "The folder of the databases; by default that of --state-dir, or a temporary one.",
            valueName: "dir"
        )
    )
    var dataDir: String?

    @Option(
        help: ArgumentHelp(
            """
            A JSON or YAML file with the setting network.timeout and the flag flags.tax-notice, read again when it \
            changes.
            """,
            valueName: "file"
        )
    )
    var config: String?

    @Option(help: ArgumentHelp("The file for the ledger, written as JSON when the load ends.", valueName: "file"))
    var ledger: String?

    @OptionGroup
    var profiles: ProfileArguments

    @OptionGroup
    var pushes: PushArguments

    @OptionGroup
    var visit: VisitArguments

    @Option(
        help: ArgumentHelp("The file for the table of all performance budgets, written at the end.", valueName: "file")
    )
    var budgetReport: String?

    @Option(
        help: ArgumentHelp(
            """
            The file for a Swift test that sends the recorded actions of the shoppers again, written at the end. The \
            first 1,000 are recorded, and the dashboard has them too.
            """,
            valueName: "file"
        )
    )
    var recordScenario: String?

    @Option(
        help: ArgumentHelp(
            "The file for the dashboard, written when the load ends as a page that needs no server.",
            valueName: "file"
        )
    )
    var export: String?

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is \(port); 0 to 65535 are allowed.")
        }
        try validateHost()
        guard (0.01...100_000).contains(rate) else {
            throw ValidationError("--rate is \(rate); 0.01 to 100000 is allowed.")
        }
        guard stepLimit.duration > .zero else {
            throw ValidationError("--step-limit is zero; leave it out for \(DurationArgument.seconds(10)).")
        }
        try validateBound()
        try validateWebConfiguration()
        try validatePaths()
    }

    private func validateHost() throws {
        if host.isEmpty { throw ValidationError("--host is empty; name an address, or leave it out.") }
        let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        guard isLoopback || !allowedHosts.isEmpty else {
            throw ValidationError(
                "--host is \(host), which other machines reach; name the values of the header Host to answer with "
                    + "--allowed-host."
            )
        }
    }

    private func validateWebConfiguration() throws {
        guard let webConfig else { return }
        if webConfig.isEmpty { throw ValidationError("--web-config is empty; name a file, or leave it out.") }
        do throws(WebConfigurationError) {
            _ = try WebConfiguration(file: webConfig)
        } catch {
            throw ValidationError("--web-config: \(error.description).")
        }
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

    /// Whether the dashboard requires a token: if it acts on components, or shows to other machines what users entered.
    var needsToken: Bool {
        let isLocal = (["localhost", "::1"].contains(host) || host.hasPrefix("127.")) && !allowedHosts.contains("*")
        return allowActions || !isLocal && (inspectState || recordScenario != nil)
    }

    /// When the load ends.
    var bound: LoadGenerator.Bound {
        duration.map { .duration($0.duration) } ?? steps.map { .steps($0) } ?? .none
    }

    private func validatePaths() throws {
        if dataDir?.isEmpty == true { throw ValidationError("--data-dir is empty; name a folder, or leave it out.") }
        if config?.isEmpty == true { throw ValidationError("--config is empty; name a file, or leave it out.") }
        try OutputPath.validate(ledger, "--ledger")
        try OutputPath.validate(budgetReport, "--budget-report")
        try OutputPath.validate(export, "--export")
        try OutputPath.validate(recordScenario, "--record-scenario")
        if export != nil, !dashboard {
            throw ValidationError("--export needs the dashboard; leave out --no-dashboard.")
        }
    }

    @MainActor
    func run() async throws {
        try await Demo(self).run()
    }
}
