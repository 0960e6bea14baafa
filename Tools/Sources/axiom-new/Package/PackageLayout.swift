// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
internal import Foundation

/// Where a package keeps the target that uses Axiom, and its tests. Read from `swift package describe`.
struct PackageLayout {
    let folder: URL
    /// The target that uses Axiom.
    let target: String
    /// The folder of its sources, relative to the package.
    let sourcePath: String
    /// The target of its tests and their folder, relative to the package; nil if no target of tests depends on it.
    let tests: (target: String, path: String)?
    /// The products that the target and its tests depend on.
    private let products: Set<String>
    private let testProducts: Set<String>

    /// The folder of the sources.
    var sources: URL { folder.appending(path: sourcePath) }

    /// - Throws: ``ScaffoldError`` if the folder is no package, or if it is not clear which target is meant.
    init(package: URL, target wanted: String?) throws {
        folder = package.standardizedFileURL
        guard FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) else {
            throw ScaffoldError("\(folder.path) has no Package.swift: name the folder of a package with --package.")
        }
        let targets = try Self.targets(folder)
        let candidates = targets.filter { !$0.isTest && $0.products.contains("Axiom") }
        let chosen = try Self.choose(wanted, among: candidates, of: targets)
        let test = targets.first { $0.isTest && $0.targets.contains(chosen.name) }
        (target, sourcePath) = (chosen.name, chosen.path)
        tests = test.map { ($0.name, $0.path) }
        (products, testProducts) = (chosen.products, test?.products ?? [])
    }

    private static func choose(_ wanted: String?, among candidates: [Target], of all: [Target]) throws -> Target {
        let names = candidates.map(\.name).sorted().joined(separator: ", ")
        if let wanted {
            if let match = candidates.first(where: { $0.name == wanted }) { return match }
            throw ScaffoldError(
                all.contains { $0.name == wanted }
                    ? "the target \(wanted) does not depend on the product Axiom: add .product(name: \"Axiom\", package: \"Axiom\")."
                    : "the package has no target \(wanted); those that use Axiom: \(names.isEmpty ? "none" : names)."
            )
        }
        if candidates.count == 1 { return candidates[0] }
        // A program and its library both use Axiom: components belong to the one that has tests.
        let tested = candidates.filter { candidate in all.contains { $0.isTest && $0.targets.contains(candidate.name) }
        }
        if tested.count == 1 { return tested[0] }
        throw ScaffoldError(
            candidates.isEmpty
                ? "no target of the package depends on the product Axiom: add .product(name: \"Axiom\", package: \"Axiom\") to one."
                : "several targets use Axiom (\(names)): choose one with --target."
        )
    }

    /// Checks that the target and its tests can import what a component needs.
    ///
    /// - Throws: ``ScaffoldError`` with the lines to add to the manifest.
    func requireProducts(_ needed: [String], of component: String) throws {
        let missing = needed.filter { !products.contains($0) }
        guard missing.isEmpty else {
            throw ScaffoldError(Self.request(missing, for: "the target \(target)", component))
        }
        guard let tests else {
            throw ScaffoldError(
                "no target of tests depends on \(target): add .testTarget(name: \"\(target)Tests\", dependencies: "
                    + "[\"\(target)\", .product(name: \"AxiomTesting\", package: \"Axiom\")])."
            )
        }
        // A test target imports what its own dependencies list; what the target under test lists is not enough.
        let missingInTests = (needed + ["AxiomTesting"]).filter { !testProducts.contains($0) }
        guard missingInTests.isEmpty else {
            throw ScaffoldError(Self.request(missingInTests, for: "the target \(tests.target)", component))
        }
    }

    private static func request(_ products: [String], for target: String, _ component: String) -> String {
        let lines = products.map { ".product(name: \"\($0)\", package: \"Axiom\")" }.joined(separator: ", ")
        return "\(component) needs a product that \(target) does not depend on: add \(lines) to its dependencies."
    }
}

extension PackageLayout {
    /// What the manifest says of a target.
    private struct Target {
        let name: String
        let path: String
        let isTest: Bool
        let targets: Set<String>
        let products: Set<String>
    }

    private struct Description: Decodable {
        struct Target: Decodable {
            let name, type, path: String
            let target_dependencies, product_dependencies: [String]?
        }
        let targets: [Target]
    }

    private static func targets(_ folder: URL) throws -> [Target] {
        let text = try SwiftPackageCommand.run(["describe", "--type", "json"], in: folder)
        guard let description = try? JSONDecoder().decode(Description.self, from: text) else {
            throw ScaffoldError(
                "`swift package describe --type json` printed something else than a description of \(folder.path)."
            )
        }
        return description.targets.map {
            Target(
                name: $0.name,
                path: $0.path,
                isTest: $0.type == "test",
                targets: Set($0.target_dependencies ?? []),
                products: Set($0.product_dependencies ?? [])
            )
        }
    }
}

/// Runs `swift package`.
enum SwiftPackageCommand {
    /// - Returns: What it printed.
    /// - Throws: ``ScaffoldError`` with what it complained about.
    static func run(_ arguments: [String], in folder: URL) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swift", "package"] + arguments
        process.currentDirectoryURL = folder
        process.environment = ToolSupport.withoutRepository(ProcessInfo.processInfo.environment)
        let (output, errors) = (
            Pipe(), FileManager.default.temporaryDirectory.appending(path: "axiom-new-\(UUID()).txt")
        )
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        do {
            try process.run()
        } catch {
            throw ScaffoldError("`swift package` could not be started: put the folder of swift into PATH.")
        }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let reason = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw ScaffoldError(
                "`swift package \(arguments.joined(separator: " "))` failed in \(folder.path):\n\(reason)"
            )
        }
        return text
    }
}
