// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

/// A package that uses both plug-ins, with the axiom-verify of this build. SwiftPM fetches what Axiom depends on from its cache,
/// and builds neither Axiom nor the tool.
@Suite(
    "The plug-ins",
    .timeLimit(.minutes(10)),
    .enabled(if: SampleFolder.swift.mayRun, "\(SampleFolder.swift.installation)")
)
struct PlugInTests {
    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "Shop",
            platforms: [.macOS(.v15)],
            dependencies: [.package(name: "Axiom", path: "\(Repository.root.path)")],
            targets: [.target(name: "Shop", plugins: [.plugin(name: "VerifyOnBuild", package: "Axiom")])]
        )

        """

    /// Axiom is not built, so the compiler skips the code.
    private static func source(_ declaration: String) -> String {
        "#if Checked\nimport Axiom\n\n\(declaration) CartContext: Context {}\n#endif\n"
    }

    private static let good = source("@MainActor final class")
    private static let bad = source("@MainActor class")
    private static let path = "Sources/Shop/Shop.swift"

    private func package() throws -> SampleFolder {
        let folder = try SampleFolder(["Package.swift": Self.manifest, Self.path: Self.bad])
        // The versions that this build has, so that SwiftPM looks for no newer ones.
        let pins = Repository.root.appending(path: "Package.resolved")
        if let text = try? String(contentsOf: pins, encoding: .utf8) { try folder.write(text, to: "Package.resolved") }
        return folder
    }

    /// Runs `swift` in the package and returns its code and all that it prints.
    private func run(
        _ arguments: [String],
        in folder: SampleFolder,
        environment: [String] = []
    ) async throws -> (status: Int32, text: String) {
        let own = ["-u", "CI", "-u", "LLVM_PROFILE_FILE"] + environment
        let result = try await folder.run("swift", arguments, environment: own)
        return (result.status, result.output + result.errors)
    }

    @Test("A build warns without a bundle, and fails with a finding if there is one; the command reports and mends")
    func both() async throws {
        let folder = try package()
        let tool = try BuildFolder().url.appending(path: "axiom-verify").path
        try await checkOnBuild(folder, tool)
        try await checkCommand(folder, tool)
    }

    /// The source is bad before and after.
    private func checkOnBuild(_ folder: SampleFolder, _ tool: String) async throws {
        let unchecked = try await run(["build"], in: folder)
        #expect(unchecked.status == 0, "\(unchecked.text)")
        #expect(unchecked.text.contains("axiom-verify does not check Shop"), "\(unchecked.text)")

        let script = Repository.root.appending(path: "Scripts/artifact-bundle").path
        let bundle = try await folder.run(script, [folder.root, tool])
        #expect(bundle.status == 0, "\(bundle.errors)")
        let failed = try await run(["build"], in: folder)
        #expect(failed.status != 0)
        #expect(failed.text.contains("\(Self.path):4:18: warning: "), "\(failed.text)")
        #expect(failed.text.contains("[final-missing]"))

        try folder.write(Self.good, to: Self.path)
        let checked = try await run(["build"], in: folder)
        #expect(checked.status == 0, "\(checked.text)")
        #expect(checked.text.contains("Checking the architecture of Shop"), "\(checked.text)")
        try folder.write(Self.bad, to: Self.path)
    }

    private func checkCommand(_ folder: SampleFolder, _ tool: String) async throws {
        let refused = try await run(["package", "verify-architecture"], in: folder)
        #expect(refused.status != 0 && refused.text.contains("permission to write"), "\(refused.text)")

        let missing = try await verify(folder, program: "/nowhere")
        #expect(missing.status != 0 && missing.text.contains("AXIOM_VERIFY_PROGRAM is /nowhere"), "\(missing.text)")
        let found = try await verify(folder, program: tool)
        #expect(found.status != 0 && found.text.contains("the architecture has findings"), "\(found.text)")
        #expect(found.text.contains("--> \(Self.path):4:18"), "\(found.text)")
        let fixed = try await verify(folder, program: tool, "--fix", "--unsafe")
        #expect(fixed.status == 0, "\(fixed.text)")
        #expect(try folder.read(Self.path) == Self.good)
    }

    /// `swift package verify-architecture`, which may write.
    private func verify(
        _ folder: SampleFolder,
        program: String,
        _ arguments: String...
    ) async throws -> (status: Int32, text: String) {
        let command = ["package", "--allow-writing-to-package-directory", "verify-architecture"]
        return try await run(
            command + arguments,
            in: folder,
            environment: ["AXIOM_VERIFY_PROGRAM=\(program)"]
        )
    }
}
