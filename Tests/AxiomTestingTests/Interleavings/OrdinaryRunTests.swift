// SPDX-License-Identifier: Apache-2.0

import Testing

/// Runs alone, in the turn `quiet`, since a busy machine halts threads at any moment.
@Suite("Ordinary runs of the planted races (TL-T22)", .serialized, .timeLimit(.minutes(5)))
struct OrdinaryRunTests {
    /// The second action goes to the client and back eight times before it reads, which takes more than 50 µs on the fastest
    /// machine that was measured (8 µs for each way there and back). The first one is away for some microseconds. If it is
    /// away for longer, then the system has halted its thread: such a run says nothing about an ordinary one and counts apart.
    private static let longestAbsence = Duration.microseconds(50)

    @Test("1,000 ordinary runs do not find the planted races", arguments: PlantedRace.all)
    func ordinary(_ race: PlantedRace) async throws {
        var (found, halted) = (0, 0)
        for _ in 0..<1_000 {
            let state = try await race.result()
            guard !race.holds(state) else { continue }
            if state.absence > Self.longestAbsence { halted += 1 } else { found += 1 }
        }
        print("\(race.testDescription): \(found) of 1,000 ordinary runs, and \(halted) with a halted thread")
        #expect(found == 0)
        #expect(halted <= 20)
    }
}
