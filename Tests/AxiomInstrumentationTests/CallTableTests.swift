// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomInstrumentation

private let names: [StaticString] = [
    "call0", "call1", "call2", "call3", "call4", "call5", "call6", "call7", "call8", "call9", "call10", "call11",
    "call12", "call13", "call14", "call15", "call16", "call17", "call18", "call19", "call20", "call21", "call22",
    "call23", "call24", "call25", "call26", "call27", "call28", "call29", "call30", "call31", "call32", "call33",
    "call34", "call35", "call36", "call37", "call38", "call39",
]

/// A function with parameters, as a caller of a capability.
private func load(_ id: Int, from source: String) -> StaticString { #function }
private var present: StaticString { #function }

/// How often the tables of a test bound each name.
private final class Bindings: Sendable {
    let counts = Lock<[String: Int]>([:])

    var table: CallTable<String> {
        CallTable { name in
            self.counts.withLock { $0[name, default: 0] += 1 }
            return name
        } release: { name in
            self.counts.withLock { $0[name, default: 0] -= 1 }
        }
    }
}

@Suite("The numbers of the names of a capability's calls", .timeLimit(.minutes(10)))
struct CallTableTests {
    private let bindings = Bindings()

    @Test("The first 32 names have a number each, and all later ones share one, whose name is other")
    func limit() {
        let table = bindings.table
        for _ in 0..<2 {
            for (index, name) in names.enumerated() {
                let number = table.number(of: name)
                #expect(number == min(index, 32))
                #expect(table[number] == (index < 32 ? "call\(index)" : "other"))
            }
        }
        #expect(table.all.map(\.name) == (0..<32).map { "call\($0)" } + ["other"])
        #expect(bindings.counts.withLock { $0.values.allSatisfy { $0 == 1 } })
    }

    @Test("A call that is named other has the number of all later names")
    func other() {
        let table = bindings.table
        #expect(table.number(of: "other") == 0)
        for name in names { _ = table.number(of: name) }
        #expect(table.number(of: names[39]) == 0)
        #expect(table.all.count == 32)
    }

    @Test("The name of a function is its name without parameters")
    func functions() {
        let table = bindings.table
        for name in [load(1, from: ""), present, "given", "load", "(odd)", "x", "`load (fast)`", ""] as [StaticString] {
            _ = table.number(of: name)
        }
        #expect(table.all.map(\.name) == ["load", "present", "given", "(odd)", "x", "`load (fast)`", "other"])
    }

    @Test("What is bound may read the table, as the handler of a registry that overflows does")
    func reentrancy() {
        final class Holder: Sendable { let table = Lock<CallTable<Int>?>(nil) }
        let holder = Holder()
        let table = CallTable { _ in holder.table.withLock { $0 }?.all.count ?? 0 }
        holder.table.withLock { $0 = table }
        #expect([0, 1, 2].map { table[table.number(of: names[$0])] } == [0, 1, 2])
        holder.table.withLock { $0 = nil }
    }

    @Test("Concurrent first calls get one number for each name, and what is bound for it")
    func concurrent() async {
        for _ in 0..<50 {
            let table = bindings.table
            let numbers = await withTaskGroup(of: [Int].self) { group in
                for offset in 0..<8 {
                    group.addTask {
                        names.indices.map { index in
                            let name = names[(index + offset * 5) % names.count]
                            let number = table.number(of: name)
                            #expect(table[number] == "\(name)" || table[number] == "other")
                            return number
                        }
                    }
                }
                return await group.reduce(into: [[Int]]()) { $0.append($1) }
            }
            #expect(numbers.count == 8)
            #expect(Set(table.all.map(\.name)).count == 33)
            for name in names {
                let number = table.number(of: name)
                #expect(number == table.number(of: name) && (0...32).contains(number))
            }
        }
        // 50 tables have bound each of their names once, and have released what two threads bound at once.
        #expect(bindings.counts.withLock { $0.values.reduce(0, +) } == 50 * 33)
    }
}
