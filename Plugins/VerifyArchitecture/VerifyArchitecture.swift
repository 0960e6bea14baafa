// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// `swift package verify-architecture`: runs axiom-verify in the root of the package, with the arguments of the command.
/// ``VerifyProgram`` finds it.
@main
struct VerifyArchitecture: CommandPlugin {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try tool(context.package)
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

    private func tool(_ package: Package) throws -> URL {
        guard let tool = try VerifyProgram.find(for: package) else {
            throw Failure(description: VerifyProgram.missing(for: package))
        }
        return tool
    }
}
