// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Axiom
import AxiomBase
import Foundation
import Testing

@testable import shop_oracle

@Suite("The shoppers", .timeLimit(.minutes(10)))
@MainActor
struct ShopperTests {
    private func draw(_ seed: UInt64) -> Draw { Draw(generator: SeededGenerator(seed: seed, stream: 0)) }

    private func actions<C: UsedContext>(of type: C.Type, seed: UInt64) -> [String] {
        var draw = draw(seed)
        return (0..<100).map { _ in "\(draw.any(of: C.actions(&draw)))" }
    }

    @Test("The same seed gives the same actions, another one gives others, and all actions of a screen are drawn")
    func reproducible() {
        #expect(actions(of: CartContext.self, seed: 1) == actions(of: CartContext.self, seed: 1))
        #expect(actions(of: CartContext.self, seed: 1) != actions(of: CartContext.self, seed: 2))
        let names = Set(actions(of: CartContext.self, seed: 1).map { $0.prefix { $0.isLetter } })
        #expect(names == ["add", "remove", "clear", "price"])
    }

    @Test("The same seed and number of steps open the same screens, whatever the server does")
    func sameLoad() async throws {
        var created: [[String: Int]] = []
        for faults in [FaultMode.none, .storm] {
            let run = try CountedRun(.parse(["--rate", "100000", "--seed", "5", "--faults", "\(faults)"]))
            try await run.start()
            try await run.load(.steps(600))
            created.append(run.ledger.report.created)
            try await run.shutdown()
        }
        #expect(created[0] == created[1])
        #expect(created[0].values.allSatisfy { $0 > 0 })
    }
}
