// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomDashboard
internal import Foundation

extension DashboardCommand {
    /// What is wrong with an application, and why.
    struct Diagnose: AsyncParsableCommand {
        /// How the diagnosis is written.
        enum Format: String, CaseIterable, ExpressibleByArgument {
            case markdown, json
        }

        static let configuration = CommandConfiguration(
            abstract: "Says what is wrong with an application, and why, in at most 2 kB.",
            discussion: """
                The exit code is 0 if nothing is wrong, 1 if there are problems, 2 if the application does not answer or the \
                file cannot be used, and 64 for wrong arguments. A limit that is missed and that nobody confirmed is an \
                observation, and no problem.
                """
        )

        @Argument(
            help: ArgumentHelp(
                "The address of a dashboard, such as http://127.0.0.1:9464, or a file that it saved: JSON or a page.",
                valueName: "URL|file"
            )
        )
        var target: String

        @Option(help: "How it is written: markdown or json.")
        var format = Format.markdown

        @OptionGroup
        var server: RemoteServer

        func validate() throws {
            guard !target.isEmpty else { throw ValidationError("The target is empty; give an address or a file.") }
            guard server.token == nil || address != nil else {
                throw ValidationError("--token is for an address, and \(target) is a file; leave it out.")
            }
        }

        func run() async throws {
            let diagnosis: Diagnosis
            do {
                diagnosis = try await read()
            } catch {
                FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
                throw ExitCode(2)
            }
            switch format {
            case .markdown: print(diagnosis.markdown(address: page), terminator: "")
            case .json: print(String(decoding: diagnosis.json, as: UTF8.self))
            }
            if diagnosis.verdict == .problems { throw ExitCode(1) }
        }

        private var address: URL? { RemoteServer.address(target) }

        /// What stands before the fragment of a link.
        private var page: String {
            address.map { RemoteServer.shown($0.absoluteString) } ?? (target.hasSuffix(".html") ? target : "")
        }

        private func read() async throws -> Diagnosis {
            guard address != nil else {
                return try Diagnosis(try PageMaker.read(target, remedy: RemoteServer.remedy(for: target)), from: target)
            }
            let kind = "an exporter with a dashboard"
            // Any version of Axiom has this snapshot.
            let version = URLQueryItem(name: "version", value: "2")
            let body = try await server.answer(target, "api/snapshot", [version], isRequired: true, kind: kind)
            return try Diagnosis([UInt8](body ?? Data()), from: RemoteServer.shown(target))
        }
    }
}
