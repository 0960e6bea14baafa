// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// `swift package verify-architecture`: runs axiom-verify in the root of the package, with the arguments of the command.
///
/// The tool is built in release, because a debug build reads source code some fifty times slower. A build of a tagged
/// revision of Axiom is kept, and not made again. `AXIOM_VERIFY_PROGRAM` in the environment names a program that takes its
/// place.
@main
struct VerifyArchitecture: CommandPlugin {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try tool(context)
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        var environment = ProcessInfo.processInfo.environment
        // A plug-in may write into its own folder only.
        environment["AXIOM_VERIFY_CACHE"] = context.pluginWorkDirectoryURL.appending(path: "facts").path
        process.environment = environment
        try process.run()
        process.waitUntilExit()
        switch process.terminationStatus {
        case 0: return
        case 1: throw Failure(description: "the architecture has findings")
        case 2: throw Failure(description: "axiom-verify could not use its arguments or settings")
        case 3: throw Failure(description: "some files do not parse")
        case 4: throw Failure(description: "the baseline has entries that no finding needs")
        default: throw Failure(description: "axiom-verify ended with \(process.terminationStatus)")
        }
    }

    private func tool(_ context: PluginContext) throws -> URL {
        let variable = "AXIOM_VERIFY_PROGRAM"
        if let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty {
            guard runs(URL(filePath: path)) else {
                throw Failure(
                    description: "\(variable) is \(path), which is not an axiom-verify that runs: correct or unset it"
                )
            }
            return URL(filePath: path)
        }
        let kept = revision(context.package).map {
            context.pluginWorkDirectoryURL.appending(path: "axiom-verify-\($0)")
        }
        if let kept, runs(kept) { return kept }
        let result = try packageManager.build(
            .product("axiom-verify"),
            parameters: .init(configuration: .release, logging: .concise)
        )
        let built = result.builtArtifacts.first { $0.kind == .executable && $0.url.lastPathComponent == "axiom-verify" }
        guard result.succeeded, let built else {
            throw Failure(description: "axiom-verify could not be built:\n\(result.logText)")
        }
        // Without the trait Tools, the program only says so. It is not kept, because the trait may be added.
        guard let kept, runs(built.url) else { return built.url }
        try? FileManager.default.removeItem(at: kept)
        try FileManager.default.copyItem(at: built.url, to: kept)
        return kept
    }

    /// Whether a program tells its version, which it does not if it was built without the trait Tools.
    private func runs(_ tool: URL) -> Bool {
        guard FileManager.default.isExecutableFile(atPath: tool.path) else { return false }
        let process = Process()
        process.executableURL = tool
        process.arguments = ["--version"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// The revision of Axiom if it is a fetched dependency: its sources do not change.
    private func revision(_ package: Package) -> String? {
        var packages = [package]
        var seen = Set<String>()
        while let next = packages.popLast() {
            guard seen.insert(next.id).inserted else { continue }
            if next.products.contains(where: { $0.name == "axiom-verify" }),
                case .repository(_, _, let revision) = next.origin
            {
                return revision
            }
            packages += next.dependencies.map(\.package)
        }
        return nil
    }
}
