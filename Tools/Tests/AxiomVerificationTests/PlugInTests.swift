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

    /// Runs `swift` in the package and returns its code and all that it prints. PATH has no axiom-verify, unless the environment
    /// sets it.
    private func run(
        _ arguments: [String],
        in folder: SampleFolder,
        environment: [String] = []
    ) async throws -> (status: Int32, text: String) {
        let own = ["-u", "CI", "-u", "LLVM_PROFILE_FILE", "-u", "AXIOM_VERIFY_PROGRAM", "PATH=\(Self.path(with: []))"]
        let result = try await folder.run("swift", arguments, environment: own + environment)
        return (result.status, result.output + result.errors)
    }

    /// The folders of PATH without those in which axiom-verify is installed, behind others.
    private static func path(with folders: [String]) -> String {
        let inherited = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let others = inherited.filter { !FileManager.default.fileExists(atPath: "\($0)/axiom-verify") }
        return (folders + others).joined(separator: ":")
    }

    @Test(
        "Both find the program in the bundle, else by the variable, else in PATH, and otherwise say how to install it"
    )
    func both() async throws {
        let folder = try package()
        let build = try BuildFolder().url
        try await checkMissing(folder)
        try await checkOnBuild(folder, build.path)
        try await checkCommand(folder, build.appending(path: "axiom-verify").path)
    }

    private static let installation = "Run \(Repository.root.path)/Scripts/install-tools"

    /// The build goes on without a check; the command fails.
    private func checkMissing(_ folder: SampleFolder) async throws {
        let unchecked = try await run(["build"], in: folder)
        #expect(unchecked.status == 0, "\(unchecked.text)")
        #expect(unchecked.text.contains("warning: axiom-verify does not check Shop: "), "\(unchecked.text)")
        #expect(unchecked.text.contains(Self.installation), "\(unchecked.text)")
        let command = try await verify(folder, [])
        #expect(command.status != 0 && command.text.contains(Self.installation), "\(command.text)")

        let wrong = ["AXIOM_VERIFY_PROGRAM=/nowhere"]
        let build = try await run(["build"], in: folder, environment: wrong)
        #expect(build.status != 0 && build.text.contains("AXIOM_VERIFY_PROGRAM is /nowhere"), "\(build.text)")
        let named = try await verify(folder, wrong)
        #expect(named.status != 0 && named.text.contains("AXIOM_VERIFY_PROGRAM is /nowhere"), "\(named.text)")
    }

    /// The source is bad before and after.
    private func checkOnBuild(_ folder: SampleFolder, _ programs: String) async throws {
        let inPath = "PATH=\(Self.path(with: [programs]))"
        checkFinding(try await run(["build"], in: folder, environment: [inPath]))

        let script = Repository.root.appending(path: "Scripts/artifact-bundle").path
        let bundle = try await folder.run(script, [folder.root, "\(programs)/axiom-verify"])
        #expect(bundle.status == 0, "\(bundle.errors)")
        checkFinding(try await run(["build"], in: folder, environment: ["AXIOM_VERIFY_PROGRAM=/nowhere"]))

        try folder.write(Self.good, to: Self.path)
        let checked = try await run(["build"], in: folder)
        #expect(checked.status == 0, "\(checked.text)")
        #expect(checked.text.contains("Checking the architecture of Shop"), "\(checked.text)")
        try folder.write(Self.bad, to: Self.path)
        let found = try await verify(folder, [])
        #expect(found.status != 0 && found.text.contains("--> \(Self.path):4:18"), "\(found.text)")
        try FileManager.default.removeItem(atPath: folder.path("axiom-verify.artifactbundle"))
    }

    private func checkFinding(_ build: (status: Int32, text: String)) {
        #expect(build.status != 0)
        #expect(build.text.contains("\(Self.path):4:18: warning: "), "\(build.text)")
        #expect(build.text.contains("[final-missing]"))
    }

    private func checkCommand(_ folder: SampleFolder, _ tool: String) async throws {
        let program = ["AXIOM_VERIFY_PROGRAM=\(tool)"]
        let refused = try await run(["package", "verify-architecture"], in: folder, environment: program)
        #expect(refused.status != 0 && refused.text.contains("permission to write"), "\(refused.text)")

        let found = try await verify(folder, program)
        #expect(found.status != 0 && found.text.contains("the architecture has findings"), "\(found.text)")
        #expect(found.text.contains("--> \(Self.path):4:18"), "\(found.text)")
        let link = try await folder.run("ln", ["-s", tool, folder.path("own-verify")])
        #expect(link.status == 0, "\(link.errors)")
        let relative = ["AXIOM_VERIFY_PROGRAM=own-verify"]
        let fixed = try await verify(folder, relative, "--fix", "--unsafe")
        #expect(fixed.status == 0, "\(fixed.text)")
        #expect(try folder.read(Self.path) == Self.good)
    }

    /// `swift package verify-architecture`, which may write.
    private func verify(
        _ folder: SampleFolder,
        _ environment: [String],
        _ arguments: String...
    ) async throws -> (status: Int32, text: String) {
        let command = ["package", "--allow-writing-to-package-directory", "verify-architecture"]
        return try await run(command + arguments, in: folder, environment: environment)
    }
}
