// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import Foundation

/// `axiom-new`: writes an application, a service, or a component with its test.
@main
struct AxiomNew: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "axiom-new",
        abstract: "Writes an application or a service that uses Axiom, or a component with its test.",
        discussion: """
            What it writes builds, passes its tests and satisfies axiom-verify; if a line of yours is missing, it says so. It never changes a file that exists, except for \
            the line that registers a component, above the comment "\(Registration.marker)".

            Exit codes: 0 written, 1 nothing was written, 2 a wrong command line.
            """,
        version: Axiom.version.description,
        subcommands: [
            AppCommand.self, ServiceCommand.self, CapabilityCommand.self, ClientCommand.self, ContextCommand.self,
            RouteCommand.self,
        ]
    )

    /// Runs the command line. All that is wrong with it exits with 2, which the library's 64 is not.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as ScaffoldError {
            complain("axiom-new: \(error.message)\n")
            Foundation.exit(1)
        } catch {
            // Help is an error for the library, which succeeds.
            guard exitCode(for: error) != .success else { exit(withError: error) }
            complain(unknownCommand(CommandLine.arguments.dropFirst().first) ?? fullMessage(for: error) + "\n")
            Foundation.exit(2)
        }
    }

    /// What to say of a first argument that is no command: the library would only call it unexpected.
    private static func unknownCommand(_ argument: String?) -> String? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let argument, !argument.hasPrefix("-"), !(names + ["help"]).contains(argument) else { return nil }
        let commands = names.joined(separator: ", ")
        return "axiom-new: There is no command \(argument): use \(commands). See axiom-new --help.\n"
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
