// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
package import Foundation

/// A package as `swift package describe --type json` prints it.
package struct DescribedPackage: Sendable, Decodable {
    package struct Target: Sendable, Decodable {
        package var name: String
        /// The name of the module.
        package var c99name: String
        package var type: String
        package var path: String
        /// The names of the products of other packages that it uses.
        package var products: [String]?
        /// The names of the package's targets that it uses.
        package var targets: [String]?

        private enum CodingKeys: String, CodingKey {
            case name, c99name, type, path
            case products = "product_dependencies"
            case targets = "target_dependencies"
        }
    }

    package struct Product: Sendable, Decodable {
        package var name: String
        package var targets: [String]
    }

    package struct Dependency: Sendable, Decodable {
        package var identity: String
        package var type: String
        package var url: String?
        /// The folder of a dependency in the file system.
        package var path: String?
    }

    package var name: String
    package var path: String
    package var targets: [Target]
    package var products: [Product]
    package var dependencies: [Dependency]

    /// The modules that the package declares.
    package var modules: Set<String> { Set(targets.map(\.c99name)) }
}

extension DescribedPackage {
    /// A package that could not be described.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads what the program printed. Text before the object, such as a warning, is skipped.
    package init(json: Data, folder: String) throws(Failure) {
        let object = json.drop { $0 != UInt8(ascii: "{") }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(object))
        } catch {
            throw Failure(description: "swift package describe of \(folder) printed no package: \(error)")
        }
    }

    /// Runs `swift package describe`. It builds in a temporary folder, so that it waits for no build and leaves nothing.
    package static func describe(_ folder: URL) throws(Failure) -> DescribedPackage {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "axiom-verify-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", folder.path, "--scratch-path", scratch.path, "describe", "--type",
            "json",
        ]
        process.environment = ToolSupport.withoutRepository(ProcessInfo.processInfo.environment)
        let (output, errors) = (Pipe(), scratch.appending(path: "errors"))
        do {
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            try Data().write(to: errors)
            process.standardOutput = output
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
        } catch {
            throw Failure(description: "swift package describe did not start: \(error)")
        }
        let json = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            let last = text.split(separator: "\n").last.map(String.init) ?? "status \(process.terminationStatus)"
            throw Failure(description: "swift package describe failed in \(folder.path): \(last)")
        }
        return try DescribedPackage(json: json, folder: folder.path)
    }
}
