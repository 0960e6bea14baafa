// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Where the build put its products: above the test that is running.
public struct BuildFolder {
    /// The folder.
    public let url: URL

    /// The test does not run from a folder of a build.
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

    /// The files in a folder of the build; none when there is no such folder.
    public func contents(of path: String = ".") -> [URL] {
        let folder = url.appending(path: path)
        return (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }
}
