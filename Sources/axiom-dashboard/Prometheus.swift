// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

extension PrometheusCheck.Subject: ExpressibleByArgument {}

extension DashboardCommand {
    /// Whether a Prometheus server has what Axiom needs.
    struct Prometheus: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a Prometheus server against what Axiom needs, and says what to set.",
            discussion: """
                It reads the HTTP API of the server and changes nothing. The exit code is 0 if nothing is missing that --require \
                names, 1 if something is, 2 if the server does not answer, and 64 for wrong arguments.
                """
        )

        @Argument(help: ArgumentHelp("The address of the server, such as http://127.0.0.1:9090.", valueName: "URL"))
        var address: String

        @Option(help: "The job that scrapes the application.")
        var job = "axiom"

        @Option(parsing: .upToNextOption, help: "What must be there.")
        var require: [PrometheusCheck.Subject] = [.version, .target, .interval, .rules]

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup
        var server: RemoteServer

        func validate() throws {
            guard ["http://", "https://"].contains(where: address.lowercased().hasPrefix), URL(string: address) != nil
            else {
                throw ValidationError(
                    "\(RemoteServer.shown(address)) is no address; give one such as http://127.0.0.1:9090."
                )
            }
        }

        func run() async throws {
            let check: PrometheusCheck
            do {
                check = try PrometheusCheck(try await documents(), job: job)
            } catch {
                FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
                throw ExitCode(2)
            }
            let findings = check.findings
            print(json ? try encoded(findings) : findings.map(line).joined(separator: "\n"))
            if findings.contains(where: { require.contains($0.check) && $0.state == .missing }) { throw ExitCode(1) }
        }

        private func line(_ finding: PrometheusCheck.Finding) -> String {
            let name = finding.check.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0)
            let state = finding.state.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
            return "\(state) \(name) \(require.contains(finding.check) ? "" : "(optional) ")\(finding.text)"
        }

        private func encoded(_ findings: [PrometheusCheck.Finding]) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(findings), as: UTF8.self)
        }

        /// The content of each document that the server has. Which it has depends on its version and its mode.
        private func documents() async throws -> [String: Any] {
            var found: [String: Any] = [:]
            for path in PrometheusCheck.documents {
                let isRequired = path == PrometheusCheck.documents.first
                let body = try await server.answer(
                    address,
                    "api/v1/\(path)",
                    isRequired: isRequired,
                    kind: "a Prometheus server"
                )
                found[path] = (body.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any])?["data"]
            }
            return found
        }
    }
}
