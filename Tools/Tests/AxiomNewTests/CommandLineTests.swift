// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import axiom_new

@Suite("The command axiom-new", .timeLimit(.minutes(10)))
struct CommandLineTests {
    @Test(
        "A wrong command line exits with 2 and names what is wrong",
        arguments: [
            (["app", "shop"], "begins with a capital letter"), (["app", "Axiom"], "name of a module"),
            (["clent", "Cart"], "no command clent: use app, service, capability, client, context, route."),
            (["service", "Hummingbird"], "name of a module"),
            (["app", "Shop", "--axiom-url", "https://example.org/axiom"], "--revision"),
            (["app", "Shop", "--axiom", "a", "--axiom-url", "b", "--revision", "c"], "either"), (["client"], "name"),
        ]
    )
    func usage(_ arguments: [String], _ part: String) async throws {
        let result = try await SampleFolder.new(arguments)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.contains(part), "\(result.errors)")
    }

    @Test("An application is written outside of the clone, into an empty folder only")
    func application() async throws {
        let folder = try SampleFolder()
        let shop = folder.url.appending(path: "Shop").path
        let arguments = ["app", "Shop", "--axiom", Repository.root.path, "--directory"]
        let inside = try await SampleFolder.new(arguments + [Repository.root.appending(path: "Shop").path])
        #expect(inside.status == 1 && inside.errors.contains("inside the clone"))
        let noClone = try await SampleFolder.new(["app", "Shop", "--axiom", folder.url.path, "--directory", shop])
        #expect(noClone.status == 1 && noClone.errors.contains("no clone of Axiom"))
        #expect(folder.paths().isEmpty)

        let dry = try await SampleFolder.new(arguments + [shop, "--dry-run"])
        #expect(dry.status == 0 && dry.output.contains("ServiceGroup") && folder.paths().isEmpty)
        #expect(try await SampleFolder.new(arguments + [shop]).status == 0)
        #expect(folder.paths().contains("Shop/Sources/Shop/main.swift"))
        let again = try await SampleFolder.new(arguments + [shop])
        #expect(again.status == 1 && again.errors.contains("has files already"))
    }

    @Test(
        "On a full disk and in a folder for reading only nothing is written, the error has the cause, and then it works",
        .enabled(if: ExternalTool.mounts.mayRun, "\(ExternalTool.mounts.installation)")
    )
    func fullDisk() async throws {
        let tool = try BuildFolder().url.appending(path: "axiom-new").path
        let script = """
            mount -t tmpfs -o size=64k none /mnt; head -c 40000 /dev/zero > /mnt/ballast
            new() { '\(tool)' app Shop --axiom-url https://example.org/a --revision 1 --directory /mnt/a/Shop 2>&1 | head -1; }
            new; ls -A /mnt
            mount -o remount,ro /mnt; new; mount -o remount,rw /mnt
            mount -o remount,size=4m /mnt; new; ls -A /mnt/a/Shop | head -1
            """
        let result = try await Command.run("/usr/bin/env", ["unshare", "-rm", "bash", "-c", script])
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 5, "\(result)")
        #expect(lines[0].contains("/mnt/a/Shop/") && lines[0].contains("No space left on device"), "\(lines)")
        #expect(lines[1] == "ballast" && lines[2].contains("Read-only file system"), "\(lines)")
        #expect(lines[3].hasPrefix("wrote"), "\(lines)")
    }

    @Test("The components that are written compile without a warning, together in one module")
    func compiles() async throws {
        let folder = try SampleFolder()
        let shop = folder.url.appending(path: "Shop").path
        _ = try await SampleFolder.new(["app", "Shop", "--axiom", Repository.root.path, "--directory", shop])
        let names = try ["Cart", "HTTPService", "Catalog"].map(ComponentName.init(parsing:))
        let more: [any ComponentTemplate] = [
            ClientTemplate(base: names[0]), CapabilityTemplate(base: names[1]), RouteTemplate(base: names[2]),
            ContextTemplate(base: names[0], client: ExistingClient(written: names[0])),
        ]
        let sources = "Sources/ShopFeatures"
        for line in more.compactMap(\.registration) {
            let registration = try #require(Registration(line, in: folder.url.appending(path: "Shop/\(sources)")))
            try registration.write()
        }
        for file in more.flatMap({ $0.files(target: "ShopFeatures", sources: sources, tests: nil) }) {
            try folder.write(file.text, to: "Shop/\(file.path)")
        }
        let files = folder.paths().filter { $0.hasPrefix("Shop/\(sources)/") }.map {
            folder.url.appending(path: $0).path
        }
        let result = try await Compiler().check(files, module: "ShopFeatures", version: "6")
        #expect(files.count == 7 && result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }

    @Test("A service is written, and its components compile without a warning")
    func service() async throws {
        let folder = try SampleFolder()
        let stock = folder.url.appending(path: "Stock").path
        let written = try await SampleFolder.new([
            "service", "Stock", "--axiom", Repository.root.path, "--directory", stock,
        ])
        #expect(written.status == 0, "\(written.errors)")
        // Hummingbird, which the routes import, is not among the packages of the tools: Scripts/try-new builds all.
        let files = ["Client", "Handler", "Service"].map { "\(stock)/Sources/StockFeatures/Stock\($0).swift" }
        let result = try await Compiler().check(files, module: "StockFeatures", version: "6")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }

    @Test("The compiler of the tests gets the name that SwiftPM gives the package, also in a folder with a dash")
    func packageName() throws {
        #expect(Compiler.packageName(ofFolder: "Wt-Core 2.x") == "wt_core_2_x")
        let products = try BuildFolder().url
        let manifest = products.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "\(products.lastPathComponent).yaml")
        let name = Compiler.packageName(ofFolder: Repository.root.lastPathComponent)
        let text = try String(contentsOf: manifest, encoding: .utf8)
        #expect(text.contains("\"-package-name\",\"\(name)\""))
    }
}
