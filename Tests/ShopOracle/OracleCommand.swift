// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// `shop-oracle`: the demo, with a ledger that its metrics are checked against.
@main
struct OracleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shop-oracle",
        abstract: "Runs the demo with a ledger, which counts what happens without Axiom's metrics.",
        discussion: """
            It has the options of axiom-demo. The shop's server also serves the ledger, as GET /ledger. The load ends when all \
            orders are applied and each fault has its fate: after that the ledger does not change.
            """
    )

    @OptionGroup
    var demo: DemoCommand

    @Option(help: ArgumentHelp("The file for the ledger, written as JSON when the load ends.", valueName: "file"))
    var ledger: String?

    func validate() throws {
        try PathArgument.requireFolder(of: ledger, "--ledger")
    }

    @MainActor
    func run() async throws {
        try await Demo(demo) { options, telemetry, logger in
            let run = try CountedRun(options, instrumentation: telemetry, logger: logger)
            run.ledgerFile = ledger
            run.exercisesBudgets = demo.budgetReport != nil
            return run
        }.runAsCommand()
    }
}
