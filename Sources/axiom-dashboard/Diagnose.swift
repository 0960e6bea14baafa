// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomDashboard
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

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

        @Option(help: "The token of the dashboard, if it wants one.")
        var token: String?

        @Option(help: "How long the application may take to answer, in seconds: 1 to 600.")
        var timeout = 10

        func validate() throws {
            guard (1...600).contains(timeout) else {
                throw ValidationError("--timeout is \(timeout); 1 to 600 are allowed.")
            }
            guard !target.isEmpty else { throw ValidationError("The target is empty; give an address or a file.") }
            guard token == nil || address != nil else {
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

        /// The address of the dashboard with a slash at its end; nil for a file.
        private var address: URL? {
            let isAddress = ["http://", "https://"].contains { target.lowercased().hasPrefix($0) }
            return isAddress ? URL(string: target.hasSuffix("/") ? target : target + "/") : nil
        }

        /// What stands before the fragment of a link.
        private var page: String { address?.absoluteString ?? (target.hasSuffix(".html") ? target : "") }

        private func read() async throws -> Diagnosis {
            guard let address else { return try Diagnosis(try PageMaker.read(target), from: target) }
            return try Diagnosis(try await snapshot(of: address), from: target)
        }

        /// The snapshot: any version of Axiom has it.
        private func snapshot(of address: URL) async throws -> [UInt8] {
            let location = address.appending(path: "api/snapshot").appending(queryItems: [
                .init(name: "version", value: "2")
            ])
            var request = URLRequest(url: location, timeoutInterval: Double(timeout))
            if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
            let (data, response): (Data, URLResponse)
            do {
                (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
            } catch {
                let said = (error as? URLError)?.localizedDescription ?? "\(error)"
                let reason = said.hasSuffix(".") ? said : said + "."
                throw FileFailure(
                    description:
                        "\(target) does not answer: \(reason) Give the address of an exporter with a dashboard."
                )
            }
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard status == 200 else {
                let remedy =
                    status == 401 || status == 403
                    ? "give its --token." : "give the address of an exporter with a dashboard."
                throw FileFailure(description: "\(target) answered api/snapshot with the status \(status): \(remedy)")
            }
            return [UInt8](data)
        }
    }
}
