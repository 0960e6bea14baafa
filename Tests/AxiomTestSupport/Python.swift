// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ExternalTool {
    /// A Python with the package `prometheus-client`: `AXIOM_PYTHON`, or the one that `Scripts/setup test` installs.
    public static let prometheusPython = ExternalTool(
        installation: "Python with prometheus-client is missing: Scripts/setup test",
        path: pythons.first { FileManager.default.isExecutableFile(atPath: $0) }
    )

    /// A Python with the package `jsonschema`: `AXIOM_PYTHON`, or the one that `Scripts/setup test` installs.
    public static let schemaPython = ExternalTool(
        installation: "Python with jsonschema is missing: Scripts/setup test",
        path: python(importing: ["jsonschema"])
    )

    /// The first Python that can import these modules; nil if none can.
    public static func python(importing modules: [String]) -> String? {
        pythons.first { path in
            guard FileManager.default.isExecutableFile(atPath: path) else { return false }
            let process = Process()
            process.executableURL = URL(filePath: path)
            process.arguments = ["-c", "import " + modules.joined(separator: ", ")]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    private static var pythons: [String] {
        [
            ProcessInfo.processInfo.environment["AXIOM_PYTHON"],
            Repository.root.appending(path: ".build-python/bin/python").path,
        ].compactMap(\.self)
    }
}
