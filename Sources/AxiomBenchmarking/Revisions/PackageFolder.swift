// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The package whose benchmarks are measured.
struct PackageFolder {
    let path: String
    /// The name of the executable product.
    let product: String
    /// `debug` or `release`, as this program was built.
    let configuration: String

    /// The folder of named baselines.
    var baselines: String { "\(path)/Benchmarks/baselines" }

    /// The folder of caches, which version control ignores already.
    var cache: String { "\(path)/.build/axiom-bench" }

    /// - Parameters:
    ///   - path: Named on the command line; otherwise the nearest folder above the current one that has a package.
    ///   - product: Named on the command line; otherwise the name of this program.
    /// - Throws: ``BenchmarkError`` with the code `usage` when there is no package.
    init(path: String?, product: String?) throws(BenchmarkError) {
        let start = path ?? FileManager.default.currentDirectoryPath
        guard let found = Self.package(above: URL(filePath: start).standardized) else {
            throw BenchmarkError(.usage, "there is no Package.swift in \(start): name it with --package-path")
        }
        self.path = found
        self.product = product ?? URL(filePath: MeasuredProgram.current.path).lastPathComponent
        configuration = Self.isDebugBuild ? "debug" : "release"
    }

    /// Whether this program was built without optimisation.
    static var isDebugBuild: Bool {
        var isDebug = false
        assert(
            {
                isDebug = true
                return true
            }()
        )
        return isDebug
    }

    private static func package(above folder: URL) -> String? {
        var folder = folder
        while true {
            if FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
                let path = folder.path
                return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
            }
            guard folder.pathComponents.count > 1 else { return nil }
            folder.deleteLastPathComponent()
        }
    }
}
