// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

@Suite("What events lead to")
struct CapabilityConditionsTests {
    private typealias Reaction = CapabilityConditions.Reaction

    @Test(
        "Each transition of a permission leads to a replacement exactly if it changes whether the use is allowed (CAP-10)"
    )
    func permissions() {
        for before in PermissionStatus.allCases {
            for after in PermissionStatus.allCases {
                var conditions = CapabilityConditions(declared: [.camera])
                #expect(conditions.absorb([.permission(.camera, before)]) == Reaction())
                let reaction = conditions.absorb([.permission(.camera, after)])
                let usable = [PermissionStatus.granted, .limited]
                switch (usable.contains(before), usable.contains(after)) {
                case (true, false): #expect(reaction.change == .permissionRevoked)
                case (false, true): #expect(reaction.change == .permissionGranted)
                default: #expect(reaction.change == nil)
                }
                let expected: DegradationLevel =
                    after == .granted ? .full : after == .limited ? .limited : .unavailable
                #expect(conditions.level.level == expected)
                #expect((conditions.refusal(of: "Camera") == nil) == usable.contains(after))
            }
        }
    }

    @Test("A permission that is not declared does not concern a capability that declares others (CAP-22)")
    func undeclared() {
        var conditions = CapabilityConditions(declared: [.camera])
        _ = conditions.absorb([.permission(.location, .granted)])
        #expect(conditions.absorb([.permission(.location, .denied)]) == Reaction())
        #expect(conditions.level.level == .full && conditions.refusal(of: "Camera") == nil)
        var other = CapabilityConditions()
        _ = other.absorb([.permission(.location, .granted)])
        #expect(other.absorb([.permission(.location, .denied)]).change == .permissionRevoked)
        #expect(other.level.level == .minimal && other.refusal(of: "Map") == nil)
    }

    @Test("The error of a use says whether the permission was refused or not requested (CAP-31)")
    func refusal() {
        for (status, code) in [
            (PermissionStatus.denied, ErrorCode.permissionDenied), (.restricted, .permissionDenied),
            (.undetermined, .permissionNotRequested),
        ] {
            var conditions = CapabilityConditions(declared: [.camera])
            _ = conditions.absorb([.permission(.camera, status)])
            #expect(conditions.refusal(of: "Camera")?.code == code)
        }
    }

    /// What a sequence of events ends at, computed from the last event of each subject alone.
    private func reference(_ events: [CapabilityEvent]) -> (DegradationLevel, [SystemResource: PressureLevel]) {
        var (worst, pressures): (DegradationLevel, [SystemResource: PressureLevel]) = (.full, [:])
        var seen: Set<String> = []
        for event in events.reversed() {
            switch event {
            case .permission(let permission, let status):
                guard seen.insert("\(permission)").inserted, permission == .camera else { continue }
                worst = max(worst, status == .granted ? .full : status == .limited ? .limited : .unavailable)
            case .service(let service, let isUp, _):
                if seen.insert("\(service) service").inserted, !isUp { worst = max(worst, .minimal) }
            case .pressure(let resource, let level):
                guard seen.insert("\(resource) resource").inserted else { continue }
                pressures[resource] = level
                if level == .critical { worst = max(worst, .limited) }
            }
        }
        return (worst, pressures)
    }

    private func event(_ random: inout SeededGenerator) -> CapabilityEvent {
        switch random.index(below: 3) {
        case 0:
            .permission(
                [.camera, .location][random.index(below: 2)],
                PermissionStatus.allCases[random.index(below: PermissionStatus.allCases.count)]
            )
        case 1:
            .service(
                [.network, .authentication, .storage, SystemService(rawValue: "database")][random.index(below: 4)],
                isUp: random.index(below: 2) == 0,
                reason: "x"
            )
        default:
            .pressure(SystemResource.allCases[random.index(below: 4)], PressureLevel.allCases[random.index(below: 3)])
        }
    }

    @Test("After 100,000 random histories the level is that of the last events, however they are grouped (CAP-10)")
    func histories() {
        let seed: UInt64 = 0xCA9
        print("CapabilityConditions: seed \(seed), \(TestScale.count(100_000)) histories")
        for history in 0..<TestScale.count(100_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            let events = (0..<random.index(below: 12)).map { _ in event(&random) }
            var (conditions, single) = (
                CapabilityConditions(declared: [.camera]), CapabilityConditions(declared: [.camera])
            )
            var rest = events[...]
            while !rest.isEmpty {
                let group = rest.prefix(1 + random.index(below: 4))
                rest = rest.dropFirst(group.count)
                _ = conditions.absorb(Array(group))
            }
            for event in events { _ = single.absorb([event]) }
            let (level, pressures) = reference(events)
            let texts = pressures.map { "resource \($0.key.rawValue): \($0.value == .none ? "enough" : "\($0.value)")" }
            let resources = conditions.texts.filter { $0.hasPrefix("resource ") }
            guard conditions.level == single.level, conditions.level.level == level, resources == texts.sorted()
            else {
                Issue.record("history \(history) of seed \(seed): \(events)")
                return
            }
            // The same state again leads to nothing.
            #expect(conditions.absorb(events.suffix(1)) == Reaction())
        }
    }
}
