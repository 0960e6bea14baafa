// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CPlantedCode
internal import Foundation

/// A program with a planted function.
struct PlantedProgram: Sendable {
    enum Measure: Sendable {
        case samples, waiting, allocated
    }

    /// Makes the planted part of one call, of so much processor time.
    typealias Part = @Sendable (_ milliseconds: Double) -> PlantedPart

    let name: String
    let place: PlantedCall.Place
    let measure: Measure
    /// Parts of the names of the functions that count as the planted one.
    let wanted: [String]
    let part: Part

    init(
        _ name: String,
        in place: PlantedCall.Place = .client,
        by measure: Measure = .samples,
        _ wanted: String...,
        part: @escaping Part
    ) {
        (self.name, self.place, self.measure, self.wanted, self.part) = (name, place, measure, wanted, part)
    }

    /// A program whose function runs where the action runs.
    init(
        _ name: String,
        in place: PlantedCall.Place = .client,
        _ wanted: String...,
        now work: @escaping @Sendable (Int) -> UInt64
    ) {
        (self.name, self.place, measure, self.wanted) = (name, place, .samples, wanted)
        part = { time in .now { spend(time, work) } }
    }

    static let all = places + code + tasks + libraries + others

    private static let places = [
        PlantedProgram("client", in: .client, "burnInPlace", now: burnInPlace),
        PlantedProgram("capability", in: .capability, "burnInPlace", now: burnInPlace),
        PlantedProgram("context", in: .context, "burnInPlace", now: burnInPlace),
        PlantedProgram("main actor", "burnInPlace") { time in
            .later { await MainActor.run { spend(time, burnInPlace) } }
        },
    ]

    private static let code = [
        PlantedProgram("recursion", "descend", now: { descend($0, 40) }),
        PlantedProgram("mutual recursion", "pingRound", "pongRound", now: { pingRound($0, 30) }),
        PlantedProgram("generic", "sumGeneric", now: { sumGeneric(UInt64(1), $0) }),
        PlantedProgram(
            "generic, not specialised",
            "sumUnspecialised",
            now: { UInt64(sumUnspecialised(UInt32(1), $0 / 20)) }
        ),
        PlantedProgram("escaping closure", "makeClosure", now: { makeClosure(3)($0) }),
        PlantedProgram("closure of map", "mapNumbers", now: mapNumbers),
        PlantedProgram("inlined function", "tinyStep", "holdTinySteps", now: holdTinySteps),
        PlantedProgram(
            "protocol witness",
            "burnThroughWitness",
            now: { rounds in
                let burners: [any Burning] = [SecondBurning(), FirstBurning()]
                return burners.reduce(0) { $0 &+ $1.burnThroughWitness(rounds) }
            }
        ),
        PlantedProgram(
            "method of a class",
            "burnByTable",
            now: { rounds in
                [BaseBurner(), HotBurner()].reduce(0) { $0 &+ $1.burnByTable(rounds) }
            }
        ),
    ]

    private static let tasks = [
        PlantedProgram("after an await", "burnAfterAwait") { time in .later { await burnAfterAwait(time) } },
        PlantedProgram("async let", "burnInPlace") { time in
            .later {
                async let first = spend(time / 2, burnInPlace)
                async let second = spend(time / 2, burnInPlace)
                return await first &+ second
            }
        },
        PlantedProgram("task group", "burnInPlace") { time in
            .later {
                await withTaskGroup(of: UInt64.self) { group in
                    for _ in 0..<3 { group.addTask { spend(time / 3, burnInPlace) } }
                    return await group.reduce(0, &+)
                }
            }
        },
        PlantedProgram("Task", "burnInPlace") { time in
            .later { await Task { spend(time, burnInPlace) }.value }
        },
    ]

    private static let libraries = [
        PlantedProgram("C", "planted_c_burn", now: { planted_c_burn(UInt64($0)) }),
        PlantedProgram("C without frame pointers", "planted_frameless", now: { planted_frameless_burn(UInt64($0)) }),
        PlantedProgram("called back by qsort", "planted_compare", now: { planted_sort(UInt64($0)) }),
        PlantedProgram("C library", "searchByLibrary", now: searchByLibrary),
        PlantedProgram("strings and dictionaries", "countWords", now: countWords),
    ]

    private static let lock = Lock(UInt64(0))

    private static let others = [
        PlantedProgram("sleep", by: .waiting) { time in
            .later {
                try? await Task.sleep(for: .milliseconds(20))
                return spend(time / 50, burnInPlace)
            }
        },
        // Another thread holds the lock most of the time.
        PlantedProgram("held lock", by: .waiting) { time in
            .later {
                async let holder: Void = lock.withLock { _ in _ = usleep(20_000) }
                try? await Task.sleep(for: .milliseconds(2))
                let value = lock.withLock { $0 &+ spend(time / 50, burnInPlace) }
                await holder
                return value
            }
        },
        PlantedProgram("allocations", by: .allocated, "allocateMuch") { time in .now { spend(time, allocateMuch) } },
    ]
}
