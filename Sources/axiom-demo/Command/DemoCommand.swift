// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomInstrumentation
internal import AxiomLogging
internal import AxiomProfiler
internal import AxiomWebConfiguration

/// The command line of `axiom-demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-demo",
        abstract: "Runs a shop made of Axiom's components, with real files, real HTTP and a workload.",
        discussion: """
            Without --duration and --steps it runs until SIGINT or SIGTERM. With one of them, the load ends: all \
            presentations are unmounted, and the metrics stay available for --linger.

            With --faults storm, circuit breakers open, half-open and close again. The same --seed and --steps open the \
            same screens, whatever fails. Orders wait in an outbox until the server has applied them, each exactly once.
            """
    )

    @Option(help: "The port for the metrics and the dashboard; 0 for any free one.")
    var port = 9464

    @Option(help: "The address to listen at. Another one than that of the loopback interface requires --allowed-host.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("allowed-host"),
        help: .init("A further value of the header Host that is answered; may be repeated.", valueName: "name")
    )
    var allowedHosts: [String] = []

    @Option(help: .init("A web.yml with the exporter's certificates and credentials.", valueName: "file"))
    var webConfig: String?

    @Flag(inversion: .prefixedNo, help: "Whether the dashboard is sampled and served.")
    var dashboard = true

    @Flag(
        help: "Show the state of clients on the dashboard. If other machines can reach it, its address has a token."
    )
    var inspectState = false

    @Flag(help: "Let the dashboard act on components, such as inject faults. The address of the dashboard has a token.")
    var allowActions = false

    @Flag(inversion: .prefixedNo, help: "Whether stacks are sampled for the profile, where the profiler can run.")
    var profile = true

    @Option(help: "How long the load lasts, such as 500ms, 60s, 2m or 1h.", transform: Duration.argument)
    var duration: Duration?

    @Option(help: "The number of steps of all shoppers together, instead of --duration.")
    var steps: Int?

    @Option(help: "How long the metrics stay available after the load.", transform: Duration.argument)
    var linger = Duration.zero

    @Option(help: "The steps of all shoppers together per second, 0.01 to 100000.")
    var rate = 50.0

    @Option(help: "The seed of all random choices.")
    var seed: UInt64 = 1

    @Option(help: "How many requests fail at the shop's server.")
    var faults = FaultMode.none

    @Option(help: .init("The folder of the databases; by default --state-dir, or a temporary one.", valueName: "dir"))
    var dataDir: String?

    @Option(
        help: .init(
            """
            A JSON or YAML file with the setting network.timeout and the flag flags.tax-notice, read again when it \
            changes.
            """,
            valueName: "file"
        )
    )
    var config: String?

    @OptionGroup
    var profiles: ProfileArguments

    @OptionGroup
    var pushes: PushArguments

    @Option(
        help: .init(
            "Open a deep link, such as shop://product/7, and print its screen and the way back.",
            valueName: "link"
        ),
        transform: ShopRoute.link
    )
    var open: String?

    @Option(
        help: .init("Open a screen, such as cart, and print it and the way back.", valueName: "name"),
        transform: ShopRoute.screen
    )
    var screen: ShopRoute?

    @Option(
        help: .init(
            """
            The folder in which the cart, the profile, orders that wait, and the way to the printed screen outlive the \
            process. Without --open and --screen, the screen of the run before is printed.
            """,
            valueName: "dir"
        )
    )
    var stateDir: String?

    @Option(help: .init("The file for the table of all performance budgets, written at the end.", valueName: "file"))
    var budgetReport: String?

    @Option(
        help: .init(
            """
            The file for a Swift test that sends the recorded actions of the shoppers again, written at the end. The \
            first 1,000 are recorded, and the dashboard has them too.
            """,
            valueName: "file"
        )
    )
    var recordScenario: String?

    @Option(
        help: .init("The file for the dashboard as a page without a server, written after the load.", valueName: "file")
    )
    var export: String?

    @MainActor
    func run() async throws {
        let telemetry = try telemetry()
        let profiler = await startProfiler(telemetry)
        defer { profiler?.stop() }
        try await Demo(self, telemetry) {
            let observers = Instrumentations(telemetry, LoggingInstrumentation($0, telemetry))
            return try DemoRun(self, instrumentation: observers, logger: $0)
        }.runAsCommand()
    }

    /// Starts the profiler, unless it was switched off. The shop runs without it, too: if it cannot start, says why.
    func startProfiler(_ telemetry: Telemetry) async -> Profiler? {
        guard profile else { return nil }
        do throws(ProfilerError) {
            return try await Profiler.start(telemetry)
        } catch {
            Console.printError("\(error.message) \(error.recoverySuggestion)")
            return nil
        }
    }

    /// Makes what observes the shop.
    ///
    /// - Throws: `ProfileError` for unusable profile files.
    func telemetry(breakers: [BreakerRule] = ShopRules.breakers) throws -> Telemetry {
        try Telemetry(breakers: breakers, regressions: profiles.regressions(), budgets: ShopRules.budgets)
    }

    // MARK: - Meaning

    /// When the load ends.
    var bound: Load.Bound {
        duration.map { .duration($0) } ?? steps.map { .steps($0) } ?? .none
    }

    /// Whether a person looks at a screen in the terminal.
    var hasVisitor: Bool { open != nil || screen != nil || stateDir != nil }

    private var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Whether the dashboard requires a token: if it acts on components, or shows to other machines what users entered.
    var needsToken: Bool {
        let isLocal = isLoopback && !allowedHosts.contains("*")
        return allowActions || !isLocal && (inspectState || recordScenario != nil)
    }

    func validate() throws {
        try require((0...65_535).contains(port), "--port is \(port); 0 to 65535 are allowed.")
        try require(!host.isEmpty, "--host is empty; name an address, or leave it out.")
        try require(
            isLoopback || !allowedHosts.isEmpty,
            """
            --host is \(host), which other machines reach; name the values of the header Host to answer with \
            --allowed-host.
            """
        )
        try require((0.01...100_000).contains(rate), "--rate is \(rate); 0.01 to 100000 is allowed.")
        try require(duration != .zero, "--duration is zero; leave it out to run until SIGINT or SIGTERM.")
        try require(steps.map { $0 > 0 } ?? true, "--steps is \(steps ?? 0); 1 or more are allowed.")
        try require(duration == nil || steps == nil, "--duration and --steps both end the load; give one of them.")
        try require(
            bound != .none || linger == .zero,
            "--linger follows the end of --duration or --steps; give one of them too."
        )
        try require(open == nil || screen == nil, "--open and --screen both name a screen; give one of them.")
        try require(export == nil || dashboard, "--export needs the dashboard; leave out --no-dashboard.")
        try validatePaths()
    }

    private func require(_ holds: Bool, _ problem: @autoclosure () -> String) throws {
        if !holds { throw ValidationError(problem()) }
    }

    private func validatePaths() throws {
        try PathArgument.requireText(dataDir, "--data-dir")
        try PathArgument.requireText(stateDir, "--state-dir")
        try PathArgument.requireText(config, "--config")
        try PathArgument.requireText(webConfig, "--web-config")
        try PathArgument.requireFolder(of: budgetReport, "--budget-report")
        try PathArgument.requireFolder(of: export, "--export")
        try PathArgument.requireFolder(of: recordScenario, "--record-scenario")
        if let webConfig { try Self.validate(webConfig: webConfig) }
    }

    private static func validate(webConfig: String) throws {
        do throws(WebConfigurationError) {
            _ = try WebConfiguration(file: webConfig)
        } catch {
            throw ValidationError("--web-config: \(error.description).")
        }
    }
}
