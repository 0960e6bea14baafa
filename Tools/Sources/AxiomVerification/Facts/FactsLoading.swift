// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// Which module a file belongs to.
package struct ModuleMap: Sendable, Hashable {
    /// The folders of targets with another place than `Sources/NAME` or `Tests/NAME`, and their modules.
    package var folders: [String: String]

    package init(folders: [String: String] = [:]) {
        self.folders = folders
    }

    /// The module of the longest folder that contains the path; else the name below the last `Sources`, `Tests`,
    /// `Benchmarks`, `Plugins` or `Snippets`; else the empty name, the one module of all other files.
    package func module(of path: String) -> String {
        let known = folders.keys.filter { path == $0 || path.hasPrefix($0 + "/") }.max { $0.utf8.count < $1.utf8.count }
        if let known, let module = folders[known] { return module }
        let parts = path.split(separator: "/")
        let roots: [Substring] = ["Sources", "Tests", "Benchmarks", "Plugins", "Snippets"]
        guard let root = parts.lastIndex(where: { roots.contains($0) }), root + 2 < parts.count else {
            return ""
        }
        return String(
            decoding: parts[root + 1].utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 },
            as: UTF8.self
        )
    }
}

extension FileFacts {
    /// Reads the facts of files in parallel.
    ///
    /// - Parameter workers: How many files are read at a time, 1 or more. The result does not depend on it.
    /// - Returns: The facts in the order of the files.
    package static func read(
        _ files: [SourceText],
        modules: ModuleMap = ModuleMap(),
        workers: Int
    ) async -> [FileFacts] {
        let workers = max(1, min(workers, files.count))
        return await withTaskGroup(of: [(Int, FileFacts)].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    stride(from: worker, to: files.count, by: workers).map { index in
                        let file = files[index]
                        return (index, read(path: file.path, module: modules.module(of: file.path), bytes: file.bytes))
                    }
                }
            }
            var facts: [FileFacts?] = Array(repeating: nil, count: files.count)
            for await results in group {
                for (index, result) in results { facts[index] = result }
            }
            return facts.compactMap(\.self)
        }
    }
}
