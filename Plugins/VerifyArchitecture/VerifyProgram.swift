// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Finds axiom-verify: in the artifact bundle of the package, else by `AXIOM_VERIFY_PROGRAM` in the environment, else in
/// `PATH`. Nothing is built: axiom-verify is of another package, and a build of swift-syntax takes minutes.
struct VerifyProgram {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private static let name = "axiom-verify"
    private static let variable = "AXIOM_VERIFY_PROGRAM"

    /// The program, as an absolute path: a relative one of the environment is relative to the package. Nil if none is installed.
    ///
    /// - Throws: ``Missing`` if the environment names a program that does not run.
    static func find(for package: Package) throws -> URL? {
        if let bundled = ArtifactBundle(in: package.directoryURL)?.executable { return bundled }
        let environment = ProcessInfo.processInfo.environment
        if let path = environment[variable], !path.isEmpty {
            // The working folder is that of the plug-in, which the user does not know.
            let program = path.hasPrefix("/") ? URL(filePath: path) : package.directoryURL.appending(path: path)
            guard runs(program) else {
                throw Missing(
                    description: "\(variable) is \(path), which is not an \(name) that runs: correct or unset it"
                )
            }
            return program
        }
        return (environment["PATH"] ?? "").split(separator: ":").lazy
            .map { URL(filePath: String($0)).appending(path: name) }
            .first(where: runs)
    }

    /// What is missing, and how to install it.
    static func missing(for package: Package) -> String {
        let script = script(of: package).map(quoted) ?? "Scripts/install-tools of Axiom"
        return
            "\(name) is not installed: it is neither in \(ArtifactBundle.name) in the root of the package, nor named by "
            + "\(variable), nor in PATH. Run \(script)"
    }

    /// A path as a shell takes it: in quotation marks if it has a blank.
    private static func quoted(_ path: String) -> String {
        path.contains(" ") ? "'\(path)'" : path
    }

    /// Whether a program tells its version.
    private static func runs(_ program: URL) -> Bool {
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = ["--version"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// The path of Scripts/install-tools in the copy of Axiom that the package uses, or is.
    private static func script(of package: Package) -> String? {
        var (packages, seen) = ([package], Set<String>())
        while let next = packages.popLast() {
            guard seen.insert(next.id).inserted else { continue }
            let script = next.directoryURL.appending(path: "Scripts/install-tools").path
            if next.displayName == "Axiom", FileManager.default.isExecutableFile(atPath: script) { return script }
            packages += next.dependencies.map(\.package)
        }
        return nil
    }
}

/// A folder with programs for several machines (SwiftPM, SE-0305).
struct ArtifactBundle {
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
