// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Checks a target whenever it is built, with the axiom-verify that ``VerifyProgram`` finds. Without one, each build warns.
@main
struct VerifyOnBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SwiftSourceModuleTarget else { return [] }
        guard let tool = try VerifyProgram.find(for: context.package) else {
            // SwiftPM shows remarks with --verbose only.
            Diagnostics.warning(
                "axiom-verify does not check \(target.name): \(VerifyProgram.missing(for: context.package))"
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
