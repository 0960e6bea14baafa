// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension ExternalTool {
    /// A Python that has the package `prometheus-client`: the one that `AXIOM_PYTHON` names, or the one that
    /// `Scripts/setup test` installs.
    public static let prometheusPython = ExternalTool(
        installation: "Python with prometheus-client is missing: Scripts/setup test",
        path: candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    )

    private static var candidates: [String] {
        [
            ProcessInfo.processInfo.environment["AXIOM_PYTHON"],
            Repository.root.appending(path: ".build-python/bin/python").path,
        ].compactMap(\.self)
    }
}
