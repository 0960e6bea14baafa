// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomVerification
internal import Foundation

/// `axiom-verify`: checks the architecture of Swift code that uses Axiom.
@main
struct AxiomVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-verify",
        abstract: "Checks the architecture of Swift code that uses Axiom.",
        discussion: """
            Exit codes: 0 clean, 1 findings, 2 a wrong command line or configuration, 3 files that do not parse, 4 a baseline \
            with entries that no finding needs.
            """,
        version: ToolVersion.current,
        subcommands: [
            VerifyCommand.self, FreezeCommand.self, ImportsCommand.self, GraphCommand.self, RulesCommand.self,
            SwiftLintConfigCommand.self,
        ],
        defaultSubcommand: VerifyCommand.self
    )

    /// Runs the command line. All that is wrong with it exits with 2, which the library's 64 is not.
    static func main() {
        // A closed pipe is an error of a write.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as VerifyError {
            StandardStreams.complain("axiom-verify: \(error.message)\n")
            Foundation.exit(2)
        } catch is StandardStreams.Closed {
            Foundation.exit(2)
        } catch let error as ExitCode {
            Foundation.exit(error.rawValue)
        } catch {
            // Help and the version are errors for the library, which succeed.
            guard exitCode(for: error) != .success else { exit(withError: error) }
            StandardStreams.complain(fullMessage(for: error) + "\n")
            Foundation.exit(2)
        }
    }
}

/// Where the program writes.
enum StandardStreams {
    /// Nobody reads the output any more.
    struct Closed: Error {}

    /// Writes to the standard output.
    ///
    /// - Throws: ``Closed`` if it is a closed pipe, and a ``VerifyError`` if it cannot be written.
    static func write(_ text: String) throws {
        guard let code = put(text, 1) else { return }
        guard code != EPIPE else { throw Closed() }
        throw VerifyError(
            "the standard output cannot be written (\(String(cString: strerror(code)))): redirect it, or use --output."
        )
    }

    /// Writes to the standard error, if it can be written.
    static func complain(_ text: String) {
        _ = put(text, 2)
    }

    /// - Returns: The error number of a write that failed.
    private static func put(_ text: String, _ descriptor: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    /// Whether standard output is a terminal that shows colors (https://no-color.org).
    static var showsColors: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(1) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}
