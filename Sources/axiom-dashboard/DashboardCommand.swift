// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomBase
internal import AxiomDashboard
internal import Foundation

/// `axiom-dashboard`: makes pages of saved snapshots, says what is wrong with an application and what takes the processor, and
/// checks Prometheus servers.
@main
struct DashboardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-dashboard",
        abstract: """
            Makes a page that needs no server of snapshots that a dashboard saved, says what is wrong or what takes the \
            processor, or checks a Prometheus server.
            """,
        discussion: """
            A snapshot is what Save JSON on the page writes and what /api/snapshot answers. The exit code of render and diff \
            is 0 when the page was written, 1 when an input or the output could not be used, and 64 for wrong arguments.
            """,
        version: Axiom.version.description,
        subcommands: [Render.self, Diff.self, Diagnose.self, ProfileReport.self, Prometheus.self]
    )

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

/// The output file.
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

/// A file cannot be read or written.
struct FileFailure: Error, CustomStringConvertible {
    let description: String
}

/// Reads snapshots and writes pages.
enum PageMaker {
    static func render(_ path: String) throws -> [UInt8] {
        try DashboardFile.render(read(path), from: path)
    }

    static func diff(_ before: String, _ after: String) throws -> [UInt8] {
        try DashboardFile.diff(read(before), from: before, read(after), from: after)
    }

    /// - Parameter remedy: What else the user may do, with a comma before it.
    static func read(_ path: String, remedy: String = "") throws -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            let reason = Self.reason(error)
            throw FileFailure(
                description: "\(path) cannot be read: \(reason). Name a file that a dashboard saved\(remedy)."
            )
        }
    }

    /// Replaces the file: a reader sees the old page or the new one, also after a crash.
    static func write(_ page: [UInt8], to path: String) throws {
        do {
            try AtomicFile.write(page, to: path)
        } catch {
            let reason = error.cause ?? error.message
            throw FileFailure(
                description: "\(path) cannot be written: \(reason). Name a file in a folder that exists and is yours."
            )
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? CocoaError else { return "\(error)" }
        return switch error.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: "there is no such file or folder"
        case .fileReadNoPermission: "permission is missing"
        case .fileReadUnknown: "it is a folder, or a file that the system cannot read"
        default: "the system refused (\(error.code.rawValue))"
        }
    }
}
