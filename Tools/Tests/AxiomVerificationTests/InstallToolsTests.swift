// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// The script, with a program `swift` that builds nothing: a build in release takes minutes.
@Suite("Scripts/install-tools", .timeLimit(.minutes(10)))
struct InstallToolsTests {
    private static let programs = ["axiom-verify", "axiom-migrate", "axiom-new"]

    /// A folder with a `swift` that writes down its arguments, and with programs that it built.
    private func folder() async throws -> SampleFolder {
        let folder = try SampleFolder([
            "bin/swift": """
            #!/bin/sh
            case "$*" in *--show-bin-path) echo "$BUILT" ;; esac
            echo "$*" >>"$LOG"

            """
        ])
        for name in Self.programs { try folder.write("#!/bin/sh\necho \(name)\n", to: "built/\(name)") }
        let files = ["bin/swift"] + Self.programs.map { "built/\($0)" }
        #expect(try await folder.run("chmod", ["755"] + files).status == 0)
        return folder
    }

    private func install(
        _ arguments: [String],
        in folder: SampleFolder,
        environment: [String] = []
    ) async throws -> Command.Output {
        let script = Repository.root.appending(path: "Scripts/install-tools").path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let own = ["BUILT=\(folder.path("built"))", "LOG=\(folder.path("log"))", "PATH=\(folder.path("bin")):\(path)"]
        return try await folder.run(script, arguments, environment: own + environment)
    }

    @Test("Builds the three programs of Tools in release, and installs them into a new folder, again over old ones")
    func installs() async throws {
        let folder = try await folder()
        for _ in 0..<2 {
            let result = try await install(["a b/c"], in: folder)
            #expect(result.status == 0, "\(result.errors)")
            for name in Self.programs {
                #expect(result.output.contains("Installed \(folder.path("a b/c/\(name)"))\n"), "\(result.output)")
                #expect(try await folder.run(folder.path("a b/c/\(name)"), []).output == "\(name)\n")
            }
            #expect(result.output.contains("is not in PATH: add it"), "\(result.output)")
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("a b/c")).sorted() == Self.programs.sorted()
        )
        let builds = try folder.read("log").split(separator: "\n").filter { !$0.hasSuffix("--show-bin-path") }
        #expect(builds.count == 6 && builds.allSatisfy { $0.hasPrefix("build -c release --package-path Tools ") })
    }

    @Test("Without a folder it is .local/bin of the user, and the script says whether it is in PATH")
    func home() async throws {
        let folder = try await folder()
        let path = "PATH=\(folder.path("bin")):\(folder.path("home/.local/bin")):/usr/bin:/bin"
        let result = try await install([], in: folder, environment: ["HOME=\(folder.path("home"))", path])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("\(folder.path("home/.local/bin")) is in PATH.\n"), "\(result.output)")
        #expect(FileManager.default.isExecutableFile(atPath: folder.path("home/.local/bin/axiom-verify")))
    }

    @Test(
        "Wrong use ends with 2 and the usage, and builds nothing",
        arguments: [["a", "b"], ["--release"], [""], ["built/axiom-new"]]
    )
    func wrongUse(arguments: [String]) async throws {
        let folder = try await folder()
        let result = try await install(arguments, in: folder)
        #expect(
            result.status == 2 && result.errors.contains("usage: Scripts/install-tools [DIRECTORY]"),
            "\(result.errors)"
        )
        #expect(!FileManager.default.fileExists(atPath: folder.path("log")))
    }
}
