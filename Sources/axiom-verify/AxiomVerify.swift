// SPDX-License-Identifier: Apache-2.0

#if Tools
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
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as VerifyError {
            StandardStreams.complain("axiom-verify: \(error.message)\n")
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
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// Whether standard output is a terminal that shows colors (https://no-color.org).
    static var showsColors: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(1) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}
#else
import Foundation

/// Says how to build the tool.
@main
enum AxiomVerify {
    static func main() {
        let message =
            "axiom-verify was built without the trait Tools. Run `swift run --traits Tools axiom-verify`, "
            + "or add traits: [\"Tools\"] to the dependency on Axiom.\n"
        FileHandle.standardError.write(Data(message.utf8))
        exit(2)
    }
}
#endif
