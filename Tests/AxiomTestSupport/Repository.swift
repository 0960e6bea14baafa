// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The sources of this package.
public enum Repository {
    /// The folder of the package.
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// The folder of the build's products, found above the running test.
public struct BuildFolder {
    /// The folder of the products.
    public let url: URL

    /// The test does not run from a build folder.
    public struct NotFound: Error {}

    /// Finds the folder.
    ///
    /// - Throws: ``NotFound``.
    public init() throws {
        let running = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let starts = ([running] + CommandLine.arguments).map { URL(filePath: $0) }
        guard let url = starts.lazy.compactMap(Self.folder).first else { throw NotFound() }
        self.url = url
    }

    /// The innermost folder above `path` that holds the framework's module.
    private static func folder(above path: URL) -> URL? {
        var folder = path.deletingLastPathComponent()
        while folder.pathComponents.count > 1 {
            let module = folder.appending(path: "Modules/Axiom.swiftmodule")
            if FileManager.default.fileExists(atPath: module.path) { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// The files in a folder of the build; empty if there is no such folder.
    public func contents(of path: String = ".") -> [URL] {
        let folder = url.appending(path: path)
        return (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }
}
