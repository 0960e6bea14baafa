// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomInstrumentation

@Suite("States as trees")
struct StateTreeTests {
    private struct Item: OwnedState {
        var name: String
        var price: Int
    }

    private enum Phase: OwnedState, CustomStringConvertible {
        case idle
        case loading(String, Int)
        case done(Item)
        var description: String { "a description" }
    }

    private struct Shelf: OwnedState {
        var items: [Item] = []
        var stock: [String: Int] = [:]
        var marks: Set<Int> = []
        var phase = Phase.idle
        var note: String?
        var at = Date(timeIntervalSince1970: 1.5)
    }

    private final class Box: Sendable, CustomStringConvertible {
        let secret = "box-secret"
        var description: String { secret }
    }

    private func line(_ value: Any) -> String { StateRenderer.tree(of: value).line(10_000) }

    @Test("Properties, elements, entries, optionals and cases are their own lines")
    func kinds() {
        var shelf = Shelf(items: [Item(name: "a", price: 1)], stock: ["y": 2, "x": 1], marks: [3, 1], note: "n")
        #expect(
            line(shelf) == """
                Shelf(items: [Item(name: "a", price: 1)], stock: [x: 1, y: 2], marks: [1: 1, 3: 3], phase: idle, \
                note: "n", at: 1970-01-01T00:00:01.500Z)
                """
        )
        shelf.phase = .loading("b", 2)
        #expect(line(shelf.phase) == "loading(0: \"b\", 1: 2)")
        #expect(line(Phase.done(Item(name: "c", price: 3))) == "done(0: Item(name: \"c\", price: 3))")
        #expect(line(Shelf().note as Any) == "nil")
        #expect(line([Int]()) == "[]" && line([String: Int]()) == "[:]")
        #expect(line([AnyHashable("k"): 1]) == "[k: 1]")
        #expect(line(Box()) == "Box object")
    }

    @Test("Depth, children, texts and the whole are limited, and what is left out is counted")
    func limits() {
        let many = StateRenderer.tree(of: Array(repeating: 7, count: 10_000))
        #expect(many.children.count == 1_001)
        #expect(many.children.last?.tree.text == "and 9,000 more")
        let keys = Dictionary(uniqueKeysWithValues: (0..<3_000).map { ("k\($0)", $0) })
        #expect(StateRenderer.tree(of: keys).children.last?.tree.text == "and 2,000 more")
        #expect(
            StateRenderer.tree(of: keys) == StateRenderer.tree(of: Dictionary(uniqueKeysWithValues: keys.shuffled()))
        )
        #expect(StateRenderer.tree(of: String(repeating: "ü", count: 5_000)).text.utf8.count <= 1_024)
        var deep: Any = 1
        for _ in 0..<100 { deep = [deep] }
        #expect(line(deep) == String(repeating: "[", count: 10) + "…" + String(repeating: "]", count: 10))
        let wide = Array(repeating: Array(repeating: String(repeating: "x", count: 900), count: 900), count: 900)
        #expect(StateRenderer.tree(of: wide).size < 300 << 10)
    }

    @Test("Texts are cut between scalars", arguments: 0..<12)
    func cutting(_ limit: Int) {
        let text = "aü€😀z"
        let cut = text.cut(limit)
        #expect(cut.utf8.count <= max(limit, 3))
        #expect(cut == text || (cut.hasSuffix("…") && text.hasPrefix(cut.dropLast())))
    }

    /// A state that differs at random.
    private static func shelf(_ random: inout SeededGenerator) -> Shelf {
        var shelf = Shelf()
        for index in 0..<random.index(below: 6) {
            shelf.items.append(Item(name: "i\(random.index(below: 3))", price: index))
        }
        for _ in 0..<random.index(below: 6) { shelf.stock["k\(random.index(below: 8))"] = random.index(below: 3) }
        for _ in 0..<random.index(below: 4) { shelf.marks.insert(random.index(below: 12)) }
        shelf.phase =
            [.idle, .loading("x", random.index(below: 2)), .done(Item(name: "d", price: 1))][random.index(below: 3)]
        shelf.note = random.index(below: 2) == 0 ? nil : "n"
        return shelf
    }

    @Test("The changes applied to a tree give the next tree, also where trees are cut off")
    func differences() {
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        var limits = StateRenderer.Limits()
        limits.children = 4
        for round in 0..<2_000 {
            let (first, second) = (Self.shelf(&random), Self.shelf(&random))
            for limits in [StateRenderer.Limits(), limits] {
                let before = StateRenderer.tree(of: first, limits)
                let after = StateRenderer.tree(of: second, limits)
                let changes = before.changes(to: after)
                #expect(before.applying(changes) == after, "seed \(seed), round \(round)")
                #expect(changes.isEmpty == (before == after), "seed \(seed), round \(round)")
            }
        }
    }

    @Test("A change names the smallest part that differs")
    func paths() {
        var shelf = Shelf(items: [Item(name: "a", price: 1), Item(name: "b", price: 2)], stock: ["x": 1])
        let before = StateRenderer.tree(of: shelf)
        shelf.items[1].price = 3
        shelf.items.append(Item(name: "c", price: 4))
        shelf.stock = ["y": 2]
        let changes = before.changes(to: StateRenderer.tree(of: shelf))
        #expect(changes.map(\.path) == [["items", "1", "price"], ["items", "2"], ["stock", "x"], ["stock", "y"]])
        #expect(changes.map { $0.before?.line() } == ["2", nil, "1", nil])
        #expect(changes.map { $0.after?.line() } == ["3", "Item(name: \"c\", price: 4)", nil, "2"])
    }
}

extension StateTree {
    /// The bytes of all texts.
    fileprivate var size: Int {
        children.reduce(type.utf8.count + text.utf8.count) { $0 + $1.name.utf8.count + $1.tree.size }
    }
}
