// SPDX-License-Identifier: Apache-2.0

import Testing

/// Runs alone, in the turn `quiet`, since a busy machine halts threads at any moment.
@Suite("Ordinary runs of the planted races (TL-T22)", .serialized, .timeLimit(.minutes(5)))
struct OrdinaryRunTests {
    /// The second action can only overtake if it goes to the client and back eight times while the first one does so once.
    /// That takes more than 50 µs on the fastest machine that was measured (8 µs for each way there and back). If the first
    /// action takes longer than that in such a run, then the system has halted its thread, or let it wait for a processor: the
    /// run says nothing about an ordinary one and counts apart.
    private static let longestTime = Duration.microseconds(50)

    @Test("1,000 ordinary runs do not find the planted races", arguments: PlantedRace.all)
    func ordinary(_ race: PlantedRace) async throws {
        var (found, halted) = (0, 0)
        for _ in 0..<1_000 {
            let (holds, time) = try await race.result()
            guard !holds else { continue }
            if time > Self.longestTime { halted += 1 } else { found += 1 }
        }
        print("\(race.testDescription): \(found) of 1,000 ordinary runs, and \(halted) with a halted thread")
        #expect(found == 0)
        // 41 were seen while two builds occupied both processors. A race that ordinary runs find shows in hundreds of runs.
        #expect(halted <= 100)
    }
}
