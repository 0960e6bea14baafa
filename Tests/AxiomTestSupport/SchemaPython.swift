// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ExternalTool {
    /// A Python that has the package `jsonschema`: the one that `AXIOM_PYTHON` names, or the one that
    /// `Scripts/setup test` installs.
    public static let schemaPython: ExternalTool = {
        let candidates = [
            ProcessInfo.processInfo.environment["AXIOM_PYTHON"],
            Repository.root.appending(path: ".build-python/bin/python").path,
        ].compactMap(\.self)
        return ExternalTool(
            installation: "Python with jsonschema is missing: Scripts/setup test",
            path: candidates.first(where: hasJSONSchema)
        )
    }()

    private static func hasJSONSchema(_ path: String) -> Bool {
        guard FileManager.default.isExecutableFile(atPath: path) else { return false }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-c", "import jsonschema"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
