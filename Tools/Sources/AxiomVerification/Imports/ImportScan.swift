// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax
package import Foundation
internal import SwiftParser
internal import SwiftSyntax

/// Reads and classifies the imports of all Swift files of a folder. Each file belongs to the nearest package above it.
package struct ImportScan {
    package struct Result: Sendable {
        /// In order of paths and places.
        package var imports: [ClassifiedImport] = []
        package var fileCount = 0
        /// The names of the packages, in order of their paths.
        package var packages: [String] = []
        /// What could not be read: such files and packages have unknown modules.
        package var problems: [String] = []
        /// The places of the first errors of files that do not parse.
        package var syntaxErrors: [SourceSpan] = []
    }

    private let root: URL
    private let checkouts: [URL]
    private let classifier: ImportClassifier
    private let describe: (URL) throws(DescribedPackage.Failure) -> DescribedPackage

    /// - Parameters:
    ///   - root: The folder.
    ///   - checkouts: More folders that hold packages.
    ///   - describe: Describes the package of a folder.
    package init(
        root: URL,
        checkouts: [URL] = [],
        classifier: ImportClassifier,
        describe: @escaping (URL) throws(DescribedPackage.Failure) -> DescribedPackage = DescribedPackage.describe
    ) {
        self.root = root.standardizedFileURL
        self.checkouts = checkouts
        self.classifier = classifier
        self.describe = describe
    }

    package func run() -> Result {
        var result = Result()
        let files = Self.swiftFiles(below: root)
        let manifests = Set(files.filter { "/\($0)".hasSuffix("/Package.swift") }.map { Self.folder(of: $0) })
        var packages: [String: PackageModules] = [:]
        for folder in manifests.sorted() {
            let url = folder.isEmpty ? root : root.appending(path: folder)
            let package = modules(of: url, &result)
            packages[folder] = package
            result.packages.append(package.name)
        }
        let all = packages.values.reduce(into: Set()) { $0.formUnion($1.project) }
        for folder in packages.keys { packages[folder]?.neighbours = all }
        var outside = PackageModules(name: "", project: [])
        outside.neighbours = all
        for path in files {
            guard let data = try? Data(contentsOf: root.appending(path: path)) else {
                result.problems.append("\(path) cannot be read.")
                continue
            }
            result.fileCount += 1
            let package = Self.package(of: path, packages) ?? outside
            let text = SourceText(path: path, bytes: Array(data))
            if Self.hasError(text) {
                let error = FileFacts.read(path: path, module: "", bytes: text.bytes).syntaxError
                result.syntaxErrors.append(text.span(error?.offsets ?? 0..<0))
            }
            result.imports += ImportStatement.all(in: text).map { classifier.classify($0, in: package) }
        }
        return result
    }

    private static func hasError(_ text: SourceText) -> Bool {
        guard !TreeDepth.isTooDeepToParse(text.bytes) else { return true }
        return TreeDepth.run(text.bytes) {
            text.bytes.withUnsafeBufferPointer { Parser.parse(source: $0).hasError }
        }
    }

    private func modules(of folder: URL, _ result: inout Result) -> PackageModules {
        let more = [root.appending(path: ".build/checkouts")] + checkouts
        do {
            return PackageModules(try describe(folder), checkouts: more)
        } catch {
            result.problems.append("\(error)")
            return PackageModules(name: folder.lastPathComponent, project: ManifestModules.modules(in: folder))
        }
    }

    private static func package(of path: String, _ packages: [String: PackageModules]) -> PackageModules? {
        var folder = folder(of: path)
        while true {
            if let package = packages[folder] { return package }
            guard !folder.isEmpty else { return nil }
            folder = Self.folder(of: folder)
        }
    }

    /// The folder of a relative path; empty for the root.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// The relative paths of the Swift files, sorted. Hidden folders, such as those of builds, are left out.
    package static func swiftFiles(below root: URL) -> [String] {
        let prefix = root.path.hasSuffix("/") ? root.path : root.path + "/"
        let files = FileManager.default.enumerator(
            at: root,
            includingPropertiesForKeys: nil,
            options: [.skipsHiddenFiles]
        )
        var paths: [String] = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", file.path.hasPrefix(prefix) else { continue }
            paths.append(String(file.path.dropFirst(prefix.count)))
        }
        return paths.sorted()
    }
}
