// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomTestSupport
import Testing

@Suite("What is left out when the project does not compile")
struct BisectionTests {
    private typealias Unit = RecipeRun.Unit

    private static let units = (0..<6).flatMap { recipe in (0..<4).map { Unit(recipe: "r\(recipe)", path: "f\($0)") } }

    /// Runs a bisection in which the harmful units do not compile.
    private func run(
        harmful: Set<Unit>,
        limit: Int = 1000
    ) throws -> (result: Bisection.Result, kept: Set<Unit>) {
        var bisection = Bisection(Self.units, limit: limit) { excluded in
            let harm = harmful.subtracting(excluded)
            return WorkingCopy.Build(succeeded: harm.isEmpty, errors: harm.map { "\($0.path): error: " }, tail: "")
        }
        let result = try bisection.run()
        return (result, Set(Self.units).subtracting(result.excluded))
    }

    @Test("Nothing is left out if everything compiles, after one build")
    func clean() throws {
        let (result, kept) = try run(harmful: [])
        #expect(result.builds == 1 && kept.count == Self.units.count && result.build.succeeded)
    }

    @Test("One recipe in one file is left out alone")
    func one() throws {
        for unit in Self.units {
            let (result, _) = try run(harmful: [unit])
            #expect(result.excluded == [unit])
        }
    }

    @Test("Harmful units at random places are left out, and only these (property)")
    func random() throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let harmful = Set(Self.units.filter { _ in Int.random(in: 0..<8, using: &generator) == 0 })
            let (result, _) = try run(harmful: harmful)
            #expect(result.build.succeeded, "seed \(seed)")
            #expect(result.excluded == harmful, "seed \(seed)")
        }
    }

    @Test("The number of builds has a limit, and what is kept then compiles")
    func limited() throws {
        let harmful = Set(Self.units.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
        let (result, kept) = try run(harmful: harmful, limit: 20)
        // The last trial of a file may begin at the limit.
        #expect(result.builds <= 21)
        #expect(kept.isDisjoint(with: harmful))
    }
}
