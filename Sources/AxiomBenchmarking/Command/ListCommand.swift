// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// Prints the benchmarks.
struct ListCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Prints the benchmarks.")

    @OptionGroup var options: RunOptions

    func execute(_ program: Program) throws -> ExitStatus {
        for info in try options.selected(program.infos) { print(info.id) }
        return .success
    }
}
