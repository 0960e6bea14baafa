// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomNavigation
internal import AxiomStorage
internal import Foundation

/// Loads the state of an application from a folder, prints the generation that it found, saves one generation after the
/// other, and prints the number of each, until it is killed.
///
///     restoration-probe FOLDER
@main
enum RestorationProbe {
    static func main() async {
        do { try await run() } catch { print("\(ErrorCode(of: error).rawValue) \(error)") }
    }

    private static func run() async throws {
        guard let folder = CommandLine.arguments.dropFirst().first else { return }
        let options = StorageOptions(lockTimeout: .seconds(1))
        let archive = StorageArchive(FileStorage(folder: folder, options: options))
        var generation = try await archive.load().image.map { Int($0.savedAt) } ?? 0
        try await archive.launched()
        say(generation)
        while true {
            generation += 1
            // Of different lengths, so that a file of two images would be found.
            let draft = Data(repeating: UInt8(truncatingIfNeeded: generation), count: 2_000 + generation % 7 * 3_000)
            try await archive.save(
                AppImage(
                    appVersion: Version(0, 0, 0),
                    savedAt: Double(generation),
                    contexts: ["Editor": ContextImage(version: 1, data: draft)]
                )
            )
            say(generation)
        }
    }

    /// Written without a buffer, and only when the image has to outlive the process.
    private static func say(_ generation: Int) {
        let line = Array("\(generation)\n".utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}
