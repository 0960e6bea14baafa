// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import AxiomHTTP

@Suite("The limit of open descriptors")
struct OpenFileLimitTests {
    @Test("A raised limit never falls, never exceeds the hard limit, and is enough wherever that allows it")
    func model() {
        var random = SeededGenerator(seed: 41)
        let sizes: [UInt] = [0, 1, 64, 256, 1_024, 4_096, 65_535, 65_536, 1_048_576, .max]
        for _ in 0..<2_000 {
            let hard = sizes.randomElement(using: &random) ?? 0
            let soft = min(hard, sizes.randomElement(using: &random) ?? 0)
            let needed = sizes.randomElement(using: &random) ?? 0
            let raised = OpenFileLimit(soft: soft, hard: hard).raised(for: needed)
            let what = "soft \(soft), hard \(hard), needed \(needed), seed 41"
            #expect(raised.hard == hard && (soft...hard).contains(raised.soft), "\(what)")
            #expect(raised.soft >= min(hard, needed) && raised.soft >= min(hard, OpenFileLimit.usual), "\(what)")
        }
    }

    @Test("A server starts in a login shell, whose soft limit is too low, and raises it", .timeLimit(.minutes(10)))
    func loginShell() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 1_024, rlim_max: rlim_t(OpenFileLimit.current.hard))
            #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #else
            setrlimit(RLIMIT_NOFILE, &limit)
            #endif
            #expect(OpenFileLimit.current.soft == 1_024)
            var configuration = HTTPServerConfiguration()
            (configuration.connectionLimit, configuration.waitingLimit) = (1_024, 512)
            let server = try HTTPServer(configuration: configuration, routes: [])
            try server.start()
            #expect(server.port != nil)
            #expect(OpenFileLimit.current.soft >= configuration.neededDescriptors)
            await server.stop()
        }
    }

    @Test("A hard limit that is too low is an error that names the limits and the remedy", .timeLimit(.minutes(10)))
    func hardLimit() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 512, rlim_max: 512)
            #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #else
            setrlimit(RLIMIT_NOFILE, &limit)
            #endif
            let error = #expect(throws: HTTPServerError.self) { try HTTPServer(routes: []).start() }
            #expect(error?.code == .invalidConfiguration)
            for part in ["connectionLimit 256", "waitingLimit 512", "832", "may open 512", "ulimit -Hn"] {
                #expect(error?.message.contains(part) == true, "\(part)")
            }
        }
    }
}
