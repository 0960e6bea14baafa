// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Axiom

private final class Handle: Hashable, Sendable {
    static func == (left: Handle, right: Handle) -> Bool { left === right }
    func hash(into hasher: inout Hasher) {}
}

private final class Constant: Hashable, Sendable, ValueSemantics {
    static func == (left: Constant, right: Constant) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

private actor Worker {}

private protocol Bound: AnyObject, Sendable {}
private protocol Unbound: Sendable {}

private struct Leaf { var number = 0 }
private struct Wrapper<Value> { var value: Value }
private enum Choice {
    case none
    case some(Leaf)
    indirect case pair(Choice, label: String)
}
private enum BadChoice {
    case good(Int)
    case bad(name: String, Handle)
}
private struct Plain {
    var text = ""
    var numbers: [Int] = []
    var table: [String: Set<UUID>] = [:]
    var date = Date()
    var url: URL?
    var data = Data()
    var choice = Choice.none
    var tuple = (1, name: "a")
    var nested: [[Wrapper<Leaf?>]] = []
    var decimal = Decimal()
    var any: (any Unbound)?
    var type: Int.Type = Int.self
    var result: Result<Int, Never>?
    var range = 0..<1
    var constant = Constant()
    @Redacted var secret = ""
}
private struct Tree { var children: [Tree] = [] }

@Suite("Types of states")
struct TypeContentsTests {
    @Test("A type of values has no reference: structs, enums, tuples, generics and the standard collections (STA-02)")
    func values() {
        for type in [Plain.self, Tree.self, Choice.self, Int.self, [String: [Int]].self] as [Any.Type] {
            #expect(TypeContents.reference(in: type) == nil, "\(type)")
        }
    }

    @Test("A class instance is found wherever it is declared, even if the initial state has none (STA-02)")
    func references() {
        struct Direct { var name = "", box: Handle? }
        struct InArray { var boxes: [Handle] = [] }
        struct InTable { var boxes: [String: [Wrapper<Handle?>]] = [:] }
        struct InTuple { var pair: (Int, Handle) }
        struct InEnum { var choice = BadChoice.good(1) }
        struct WithWorker { let worker: Worker }
        struct WithBound { var bound: (any Bound)? }
        struct WithWeak { weak var box: Handle? }
        struct WithSecret { @Redacted var box: Handle? }
        let expected: [(Any.Type, String)] = [
            (Direct.self, "box"), (InArray.self, "boxes"), (InTable.self, "boxes.value"), (InTuple.self, "pair.1"),
            (InEnum.self, "choice.bad.1"), (WithWorker.self, "worker"), (WithBound.self, "bound"),
            (WithWeak.self, "box"), (WithSecret.self, "_box.wrappedValue"),
        ]
        for (type, path) in expected {
            let found = TypeContents.reference(in: type)?.path
            #expect(found?.replacing(".some", with: "") == path, "\(type)")
        }
    }
}
