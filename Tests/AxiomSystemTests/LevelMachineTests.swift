// SPDX-License-Identifier: Apache-2.0

import Axiom
import Testing

@testable import AxiomSystem

@Suite("Levels with hysteresis")
struct LevelMachineTests {
    @Test("A level ends only when the value has fallen by the hysteresis")
    func hysteresis() {
        let thresholds = LevelThresholds(warning: 80, critical: 95, hysteresis: 5)
        let levels = [0.0, 79.9, 80, 76, 75.1, 75, 80, 95, 90.1, 90, 75.1, 75, .nan].reduce(into: [PressureLevel.none])
        {
            $0.append(thresholds.level(of: $1, after: $0.last ?? .none))
        }
        #expect(
            levels.dropFirst().elementsEqual([
                .none, .none, .warning, .warning, .warning, .none, .warning, .critical, .critical, .warning, .warning,
                .none, .none,
            ])
        )
    }
}
