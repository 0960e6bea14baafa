// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// `axiom-dashboard`: makes files of dashboards that were saved.
@main
struct DashboardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-dashboard",
        abstract: "Makes a page that needs no server of snapshots that a dashboard saved.",
        discussion: """
            A snapshot is what Save JSON on the page writes and what /api/snapshot answers. The exit code is 0 when the \
            page was written, 1 when an input or the output could not be used, and 64 for wrong arguments.
            """,
        subcommands: [Render.self, Diff.self]
    )
}

extension DashboardCommand {
    /// One snapshot as a page.
    struct Render: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a page of one snapshot.")

        @Argument(help: ArgumentHelp("The snapshot.", valueName: "snapshot.json"))
        var snapshot: String

        @OptionGroup
        var output: OutputArgument

        func run() throws {
            try output.write(try PageMaker.render(snapshot))
        }
    }

    /// Two snapshots as a page.
    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a page that compares two snapshots: what changed from the first to the second."
        )

        @Argument(help: ArgumentHelp("The snapshot before.", valueName: "before.json"))
        var before: String

        @Argument(help: ArgumentHelp("The snapshot after.", valueName: "after.json"))
        var after: String

        @OptionGroup
        var output: OutputArgument

        func run() throws {
            try output.write(try PageMaker.diff(before, after))
        }
    }
}

/// Where the page goes.
struct OutputArgument: ParsableArguments {
    @Option(name: .shortAndLong, help: ArgumentHelp("Where the page is written.", valueName: "file.html"))
    var output: String

    func validate() throws {
        if output.isEmpty { throw ValidationError("--output is empty; name a file.") }
    }

    func write(_ page: [UInt8]) throws {
        try PageMaker.write(page, to: output)
    }
}
