// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Testing

@Suite("A service that wants a counter takes little", .timeLimit(.minutes(10)))
struct TakesLittleTests {
    private static let package = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
    /// Beside the program of the tests.
    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "Visits")

    @Test("Three packages are resolved")
    func packages() throws {
        struct Resolved: Decodable {
            struct Pin: Decodable { let identity: String }
            let pins: [Pin]
        }
        let data = try Data(contentsOf: Self.package.appending(path: "Package.resolved"))
        let names = try JSONDecoder().decode(Resolved.self, from: data).pins.map(\.identity)
        #expect(names.sorted() == ["swift-collections", "swift-log", "swift-metrics"])
    }

    @Test("The program links libmicrohttpd and zlib, and no other library but those of the system and of Swift")
    func libraries() throws {
        let needed = try Self.output(of: "/usr/bin/readelf", ["-d", Self.program.path]).split(separator: "\n")
            .filter { $0.contains("(NEEDED)") }
            .compactMap { $0.split(separator: "[").last?.split(separator: "]").first.map(String.init) }
        let systems = [
            "libc.so", "libm.so", "libgcc_s.so", "libstdc++.so", "ld-linux", "libswift", "libFoundation",
            "lib_Foundation",
            "libBlocksRuntime.so", "libdispatch.so",
        ]
        let ours = needed.filter { name in !systems.contains { name.hasPrefix($0) } }
        // zlib compresses the pages, because Prometheus asks for gzip.
        #expect(ours.map { $0.prefix { $0 != "." } }.sorted() == ["libmicrohttpd", "libz"])
    }

    @Test("The page has what was recorded through swift-metrics")
    func page() async throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = Self.program
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let url = try #require(URL(string: line.trimmingCharacters(in: .newlines)))
        let (data, _) = try await URLSession.shared.data(from: url)
        #expect(String(decoding: data, as: UTF8.self).contains("\nshop_visits_total 1\n"))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private static func output(of path: String, _ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: path)
        (process.arguments, process.standardOutput) = (arguments, output)
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
