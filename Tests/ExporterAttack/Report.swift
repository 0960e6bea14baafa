// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The requests of the scraper and the memory of the exporter.
struct Report {
    private static let allowedGrowth = 192 << 10
    private static let allowedLatency = 100.0

    private let process: Int32
    private var tallies: [(name: String, tally: Scraper.Tally)] = []
    private var quiet = 0
    private var memory: [Int] = []

    init(process: Int32) {
        self.process = process
    }

    /// Forgets what was measured without an attack, except the memory.
    mutating func beginAttack() {
        print("before the attack:")
        printTallies()
        quiet = residentKilobytes
        memory = []
    }

    /// Scrapes twenty times a second, half of it on one kept connection, and asks for the health ten times a second.
    mutating func scrape(_ port: UInt16, seconds: Double, isTLS: Bool) {
        var scraper = Scraper(port: port, isTLS: isTLS)
        var (new, kept, health) = (Scraper.Tally(), Scraper.Tally(), Scraper.Tally())
        let start = now()
        var round = 0
        while now() - start < seconds {
            if round.isMultiple(of: 2) {
                scraper.ask("/metrics", .newConnection, into: &new)
                scraper.ask("/healthz", .newConnection, into: &health)
            } else {
                scraper.ask("/metrics", .keepAlive, into: &kept)
                scraper.ask("/readyz", .newConnection, into: &health)
            }
            if round.isMultiple(of: 10) { memory.append(residentKilobytes) }
            round += 1
            let rest = start + Double(round) * 0.05 - now()
            if rest > 0 { usleep(UInt32(rest * 1e6)) }
        }
        tallies = [
            ("scrape, new connection", new), ("scrape, kept connection", kept), ("/healthz and /readyz", health),
        ]
    }

    /// Prints everything and returns the exit code.
    func verdict() -> Int32 {
        print("during the attack:")
        printTallies()
        let most = memory.max() ?? 0
        print(
            "memory of the exporter: \(quiet >> 10) MiB before, at most \(most >> 10) MiB, at the end \((memory.last ?? 0) >> 10) MiB"
        )
        for failure in tallies.flatMap(\.tally.failures).prefix(10) { print("  failed: \(failure)") }
        let hasFailed = tallies.contains { !$0.tally.failures.isEmpty || $0.tally.milliseconds.isEmpty }
        let isSlow = tallies.contains { $0.tally.quantile(0.99) >= Self.allowedLatency }
        let hasGrown = most - quiet > Self.allowedGrowth
        print("verdict: \(hasFailed ? "requests failed" : hasGrown ? "memory grew" : isSlow ? "too slow" : "held")")
        return hasFailed || isSlow || hasGrown ? 1 : 0
    }

    private func printTallies() {
        for (name, tally) in tallies {
            func milliseconds(_ share: Double) -> String { String(format: "%.1f ms", tally.quantile(share)) }
            print(
                "  \(name): \(tally.milliseconds.count) answered, \(tally.failures.count) failed, "
                    + "\(tally.repeats) repeated; p50 \(milliseconds(0.5)), p99 \(milliseconds(0.99)), "
                    + "max \(milliseconds(1))"
            )
        }
    }

    private var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
