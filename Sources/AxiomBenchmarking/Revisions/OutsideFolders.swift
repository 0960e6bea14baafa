// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Folders outside of the repository that a manifest names, as in `.package(path: "../Axiom")`. A worktree is elsewhere, and
/// would not find them, so links beside it lead there.
struct OutsideFolders {
    /// The folders above the worktree in the cache: a path may go up so often, and is still in the cache.
    static let nest = "beside/beside/beside"

    /// The topmost folder of the repository, and the path from it to the package.
    let root: String
    let prefix: String
    /// Where the revision is checked out.
    let worktree: String

    /// - Parameter cache: The folder below which they must be.
    /// - Returns: A line for each folder, which is the present one in both builds.
    /// - Throws: ``BenchmarkError`` with the code `buildFailed` for a path that goes up too far.
    func link(in cache: String) throws(BenchmarkError) -> [String] {
        var lines: [String] = []
        for path in paths {
            let (target, link) = (resolved(path, below: root), resolved(path, below: worktree))
            guard link.hasPrefix("\(cache)/"), !link.hasPrefix("\(worktree)/") else {
                throw BenchmarkError(
                    .buildFailed,
                    "the package depends on \(path), which a worktree in \(cache) cannot see: name it by its full path"
                )
            }
            try? FileManager.default.removeItem(atPath: link)
            do {
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            } catch {
                throw BenchmarkError(.buildFailed, "could not link \(link) to \(target)", cause: "\(error)")
            }
            lines.append("\(path) is the present one in both builds")
        }
        return lines
    }

    /// The paths of the revision's manifests that lead out of the repository.
    private var paths: [String] {
        let folder = "\(worktree)/\(prefix)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let manifests = names.filter { $0.hasPrefix("Package") && $0.hasSuffix(".swift") }
        let texts = manifests.compactMap { try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
        let found = texts.flatMap { $0.matches(of: #/path:\s*"(\.\.[^"]*)"/#).map { String($0.output.1) } }
        return Set(found).sorted().filter { path in
            let target = resolved(path, below: root)
            return target != root && !target.hasPrefix("\(root)/")
        }
    }

    /// A path of the manifest, without `..`, for a checkout in a folder.
    private func resolved(_ path: String, below folder: String) -> String {
        var parts = folder.split(separator: "/")
        for part in prefix.split(separator: "/") + path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}

/// The package whose benchmarks are measured.
struct PackageFolder {
    let path: String
    /// The name of the executable product.
    let product: String
    /// `debug` or `release`, as this program was built.
    let configuration: String

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
