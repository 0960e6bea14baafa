// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Checks a target whenever it is built, with the axiom-verify of an artifact bundle.
///
/// The bundle is `axiom-verify.artifactbundle` in the root of the package; `Scripts/artifact-bundle` of Axiom makes it. Without
/// one the plug-in only says so: to build the tool as part of each build would cost minutes.
@main
struct VerifyOnBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SwiftSourceModuleTarget else { return [] }
        guard let tool = ArtifactBundle(in: context.package.directoryURL)?.executable else {
            // SwiftPM shows remarks with --verbose only.
            Diagnostics.warning(
                "axiom-verify does not check \(target.name): \(ArtifactBundle.name) is not in the root of the package, or has no "
                    + "program for this machine. Run Scripts/artifact-bundle of Axiom, or `swift package verify-architecture`."
            )
            return []
        }
        // The types of the modules below tell what the target's names mean.
        let modules = [target] + target.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
        let own = modules.filter { $0.directoryURL.path.hasPrefix(context.package.directoryURL.path + "/") }
        let files = own.flatMap { $0.sourceFiles(withSuffix: "swift").map(\.url) }
        let list = context.pluginWorkDirectoryURL.appending(path: "files.txt")
        try files.map { $0.path + "\n" }.joined().write(to: list, atomically: true, encoding: .utf8)
        // A file of another kind would become a resource of the target.
        let stamp = context.pluginWorkDirectoryURL.appending(path: "AxiomVerified.swift")
        let facts = context.pluginWorkDirectoryURL.appending(path: "facts")
        return [
            .buildCommand(
                displayName: "Checking the architecture of \(target.name)",
                executable: tool,
                arguments: [
                    "verify", "@\(list.path)", "--only", target.directoryURL.path, "--format", "agent",
                    "--root", context.package.directoryURL.path, "--cache-folder", facts.path, "--stamp", stamp.path,
                ],
                inputFiles: files,
                outputFiles: [stamp]
            )
        ]
    }
}

/// A folder with programs for several machines (SwiftPM, SE-0305).
private struct ArtifactBundle {
    static let name = "axiom-verify.artifactbundle"

    private struct Info: Decodable {
        struct Artifact: Decodable {
            struct Variant: Decodable {
                var path: String
                var supportedTriples: [String]
            }

            var variants: [Variant]
        }

        var artifacts: [String: Artifact]
    }

    private let folder: URL
    private let info: Info

    init?(in package: URL) {
        folder = package.appending(path: Self.name)
        guard let data = try? Data(contentsOf: folder.appending(path: "info.json")),
            let info = try? JSONDecoder().decode(Info.self, from: data)
        else { return nil }
        self.info = info
    }

    /// The program for this machine.
    var executable: URL? {
        let variants = info.artifacts["axiom-verify"]?.variants ?? []
        guard let variant = variants.first(where: { $0.supportedTriples.contains(where: Self.isThisMachine) }) else {
            return nil
        }
        let url = folder.appending(path: variant.path)
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }

    private static func isThisMachine(_ triple: String) -> Bool {
        #if arch(x86_64)
        let processors = ["x86_64"]
        #else
        let processors = ["aarch64", "arm64"]
        #endif
        #if os(macOS)
        let system = "-apple-macosx"
        #else
        let system = "-unknown-linux"
        #endif
        return processors.contains { triple.hasPrefix($0) } && triple.contains(system)
    }
}
