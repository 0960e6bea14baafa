// SPDX-License-Identifier: Apache-2.0

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
