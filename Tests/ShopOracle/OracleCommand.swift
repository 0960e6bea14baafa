// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomInstrumentation
internal import AxiomProfiler

/// Whether circuit breakers refuse calls.
enum BreakerMode: String, Hashable, Sendable, CaseIterable, ExpressibleByArgument {
    /// The breakers of the clients that use the server do.
    case on
    /// None does: they only count, and report what they would have refused.
    case off

    var rules: [BreakerRule] { self == .on ? ShopRules.breakers : [] }
}

/// `shop-oracle`: the demo, with a ledger that its metrics are checked against.
@main
struct OracleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shop-oracle",
        abstract: "Runs the demo with a ledger, which counts what happens without Axiom's metrics.",
        discussion: """
            It has the options of axiom-demo. The shop's server also serves the ledger, as GET /ledger. The load ends when all \
            orders are applied and each fault has its fate: after that the fates do not change.
            """
    )

    @OptionGroup
    var demo: DemoCommand

    @Option(help: "Whether circuit breakers refuse calls. With off, they only count what they would have refused.")
    var breakers = BreakerMode.on

    @Option(help: .init("The file for the ledger, written as JSON when the load ends.", valueName: "file"))
    var ledger: String?

    func validate() throws {
        try PathArgument.requireFolder(of: ledger, "--ledger")
    }

    @MainActor
    func run() async throws {
        let telemetry = try demo.telemetry(breakers: breakers.rules)
        let profiler = await demo.startProfiler(telemetry)
        defer { profiler?.stop() }
        try await Demo(demo, telemetry) { logger in
            let run = try CountedRun(demo, instrumentation: telemetry, logger: logger)
            run.ledgerFile = ledger
            run.exercisesBudgets = demo.budgetReport != nil
            return run
        }.runAsCommand()
    }
}
