// SPDX-License-Identifier: Apache-2.0

/// Which folder has the files of a module: the one below the last `Sources` or `Tests` of a path, or that folder itself if it
/// has files of its own, as a package with one target may have. All other files are one module, that of the empty folder.
struct ModuleFolders: Sendable {
    private static let roots: Set<Substring> = ["Sources", "Tests", "Benchmarks", "Plugins", "Snippets"]

    /// The folders `Sources`, `Tests` and so on that have files of their own.
    private var flat: Set<String> = []

    init(_ paths: [String]) {
        for path in paths {
            let folders = path.split(separator: "/").dropLast()
            if let last = folders.last, Self.roots.contains(last) { flat.insert(folders.joined(separator: "/")) }
        }
    }

    func folder(of path: String) -> String {
        let folders = path.split(separator: "/").dropLast()
        guard let root = folders.lastIndex(where: { Self.roots.contains($0) }) else { return "" }
        let outer = folders[...root].joined(separator: "/")
        return flat.contains(outer) ? outer : folders[...(root + 1)].joined(separator: "/")
    }

    /// The module of a folder, as imports name it.
    static func name(of folder: String) -> String {
        (folder.split(separator: "/").last.map(String.init) ?? "").replacing("-", with: "_")
    }
}
