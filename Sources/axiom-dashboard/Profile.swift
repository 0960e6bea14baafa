// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomDashboard
internal import AxiomInstrumentation
internal import AxiomProfiler
internal import Foundation

extension DashboardCommand {
    /// What an application uses the processor for, and what it waits for.
    struct ProfileReport: AsyncParsableCommand {
        /// How the profile is written.
        enum Format: String, CaseIterable, ExpressibleByArgument {
            case text, pprof, collapsed, speedscope, json
        }

        static let configuration = CommandConfiguration(
            commandName: "profile",
            abstract: "Says what an application uses the processor for, and what it waits for.",
            discussion: """
                The application must run a profiler: Profiler.start(telemetry). It keeps what it sampled in the last 15 minutes, so \
                the answer comes at once. The exit code is 0 if something was sampled, 1 if nothing was, 2 if the application does \
                not answer, no profiler runs or the file cannot be used, and 64 for wrong arguments or an unknown action.
                """
        )

        @Argument(
            help: ArgumentHelp(
                "The address of a dashboard, such as http://127.0.0.1:9464, or a file: a profile in JSON, a snapshot or a page.",
                valueName: "URL|file"
            )
        )
        var target: String

        @Option(help: "The length of the range in seconds: 1 to 60. Default 60.")
        var seconds: Int?

        @Option(help: "How many seconds ago the range ends: 0 to 840. Default 0.")
        var ago: Int?

        @Option(help: "The only action, such as Cart.add. Default: all.")
        var action: String?

        @Option(help: "How it is written: text, pprof, collapsed, speedscope or json.")
        var format = Format.text

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("Where it is written. Default: standard output.", valueName: "file")
        )
        var output: String?

        @OptionGroup
        var server: RemoteServer

        func validate() throws {
            guard !target.isEmpty else { throw ValidationError("The target is empty; give an address or a file.") }
            guard output?.isEmpty != true else { throw ValidationError("--output is empty; name a file.") }
            let given = parameters.map(\.name) + [server.token.map { _ in "token" }].compactMap(\.self)
            if RemoteServer.address(target) == nil, let option = given.first {
                let remedy = RemoteServer.remedy(for: target)
                throw ValidationError("--\(option) is for an address, and \(target) is a file; leave it out\(remedy).")
            }
            do {
                _ = try ProfileQuery { name in parameters.first { $0.name == name }?.value }
            } catch {
                throw ValidationError("--\(error)")
            }
        }

        private var parameters: [URLQueryItem] {
            let values = [("seconds", seconds.map(String.init)), ("ago", ago.map(String.init)), ("action", action)]
            return values.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
        }

        func run() async throws {
            let profile: Profile
            do {
                profile = try await read()
                if !profile.stacks.isEmpty { return try write(file(of: profile)) }
            } catch let error where !(error is ValidationError) {
                Self.complain("\(error)")
                throw ExitCode(2)
            }
            Self.complain(nothing(in: profile))
            throw ExitCode(1)
        }

        private func read() async throws -> Profile {
            guard RemoteServer.address(target) != nil else {
                return try Profile(try PageMaker.read(target, remedy: RemoteServer.remedy(for: target)), from: target)
            }
            let query = [URLQueryItem(name: "format", value: "json")] + parameters
            let kind = "an exporter with a dashboard and a profiler"
            let body = try await server.answer(target, "api/profile", query, isRequired: true, kind: kind)
            return try Profile([UInt8](body ?? Data()), from: RemoteServer.shown(target))
        }

        /// What to do if nothing was sampled.
        private func nothing(in profile: Profile) -> String {
            guard RemoteServer.address(target) != nil else {
                return "\(target) has no samples. Save it while the application works."
            }
            if profile.start == profile.end {
                let ago = max(0, TimeSource.live.secondsSinceEpoch - Double(profile.end.nanoseconds) / 1e9)
                return "No samples are held from before \(Int(ago)) s ago. Choose a smaller --ago."
            }
            let remedy = "Choose a range with --seconds and --ago in which the application worked"
            return "Nothing\(action.map { " of \($0)" } ?? "") was sampled. \(remedy)."
        }

        private func file(of profile: Profile) -> [UInt8] {
            let file = ProfileFormat(rawValue: format.rawValue)?
                .file(of: profile, began: Double(profile.start.nanoseconds) / 1e9)
            return file ?? (format == .json ? profile.json() : Array(ProfileTable(profile).text.utf8))
        }

        private func write(_ file: [UInt8]) throws {
            if let output { return try PageMaker.write(file, to: output) }
            try FileHandle.standardOutput.write(contentsOf: Data(file))
        }

        private static func complain(_ reason: String) {
            FileHandle.standardError.write(Data("Error: \(reason)\n".utf8))
        }
    }
}
