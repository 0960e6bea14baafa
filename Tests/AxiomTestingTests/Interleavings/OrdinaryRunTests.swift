// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Runs alone, in the turn `quiet`, since a busy machine halts threads at any moment.
@Suite("Ordinary runs of the planted races (TL-T22)", .serialized, .timeLimit(.minutes(5)))
struct OrdinaryRunTests {
    /// 1,000 runs in a row.
    private struct Batch {
        /// How many runs showed the race.
        private(set) var found = 0
        /// The share of the time in which a thread of the machine waited for a processor; nil if the kernel does not tell.
        private let contention: Double?

        init(_ race: PlantedRace) async throws {
            let (start, waited) = (ContinuousClock.now, Self.waited)
            for _ in 0..<1_000 where try await !race.run() { found += 1 }
            let duration = ContinuousClock.now - start
            contention = waited.flatMap { before in Self.waited.map { ($0 - before) / (duration / .microseconds(1)) } }
        }

        /// While other programs use the processors, the kernel halts threads, and such runs are not ordinary.
        var isContended: Bool { contention.map { $0 > 0.2 } ?? true }

        var text: String {
            "\(found) of 1,000 ordinary runs, threads waited for \(contention.map { "\(Int($0 * 100)) %" } ?? "an unknown part")"
                + " of the time"
        }

        /// Microseconds since the start of the machine, from the kernel's pressure stall information.
        private static var waited: Double? {
            let text = try? String(contentsOfFile: "/proc/pressure/cpu", encoding: .utf8)
            return text?.firstMatch(of: /some .*total=(\d+)/).flatMap { Double($0.1) }
        }
    }

    @Test("1,000 ordinary runs in a row do not find the planted races", arguments: PlantedRace.all)
    func ordinary(_ race: PlantedRace) async throws {
        var isBusy = true
        for _ in 0..<5 {
            let batch = try await Batch(race)
            print("\(race.testDescription): \(batch.text)")
            // One thread in some thousand runs is halted on an idle machine, too: the next batch decides.
            if batch.found == 0 { return }
            isBusy = isBusy && batch.isContended
        }
        #expect(isBusy, "Each of five batches of 1,000 ordinary runs found the race, although threads had a processor.")
        // A cancelled case of a test with arguments is not shown.
        if isBusy {
            Issue.record("The machine is too busy for ordinary runs: run this test alone.", severity: .warning)
        }
    }
}
