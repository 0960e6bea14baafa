// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

private enum Order: Action {
    case place(item: String, count: Int)
    case cancel(String)
    case refresh
    case clear
}

/// The same cases, written by hand.
private enum HandWrittenOrder: Action {
    case place(item: String, count: Int)
    case cancel(String)
    case refresh
    case clear

    static let caseNames = ["place", "cancel", "refresh", "clear"]

    var caseIndex: Int {
        switch self {
        case .place: 0
        case .cancel: 1
        case .refresh: 2
        case .clear: 3
        }
    }
}

private enum Mixed: Action {
    case first
    case second(Int)
    case third
    case fourth([String])
}

private enum Single: Action {
    case only
}

private enum SingleWithPayload: Action {
    case only(String)
}

private enum Wrapped<Value: Sendable>: Action {
    case none
    case some(Value)
    indirect case nested(Wrapped)
}

private struct Move: Action {
    let distance: Int
}

/// Its description is private data.
private enum Secretive: Action, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    case logIn(password: String)
    case logOut

    var description: String {
        switch self {
        case .logIn(let password): "logIn with \(password)"
        case .logOut: "logOut"
        }
    }

    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["password": description]) }
}

private enum Numbered: Int, Action {
    case one = 1
    case ten = 10
}

private final class Reference: Action {}

@Suite("Action cases by reflection")
struct ActionReflectionTests {
    private func name<A: Action>(of action: A) -> String {
        A.caseNames[action.caseIndex]
    }

    @Test("Names and indexes say the same of each value as those written by hand, name for name")
    func sameAsHandWritten() {
        #expect(Set(Order.caseNames) == Set(HandWrittenOrder.caseNames))
        let pairs: [(Order, HandWrittenOrder)] = [
            (.place(item: "a", count: 2), .place(item: "a", count: 2)),
            (.cancel("b"), .cancel("b")),
            (.refresh, .refresh),
            (.clear, .clear),
        ]
        for (reflected, written) in pairs {
            #expect(name(of: reflected) == name(of: written))
            #expect(Order.caseNames.count == HandWrittenOrder.caseNames.count)
        }
    }

    @Test("Where cases with payloads stand first, the indexes are those written by hand")
    func sameIndexes() {
        #expect(Order.caseNames == HandWrittenOrder.caseNames)
        #expect(Order.place(item: "", count: 0).caseIndex == 0)
        #expect(Order.cancel("").caseIndex == 1)
        #expect(Order.refresh.caseIndex == 2)
        #expect(Order.clear.caseIndex == 3)
    }

    @Test("Every value finds its own name, however cases with and without payloads are mixed")
    func mixed() {
        #expect(Set(Mixed.caseNames) == ["first", "second", "third", "fourth"])
        #expect(name(of: Mixed.first) == "first")
        #expect(name(of: Mixed.second(1)) == "second")
        #expect(name(of: Mixed.third) == "third")
        #expect(name(of: Mixed.fourth([])) == "fourth")
    }

    @Test("An enum with one case has that case, with a payload and without")
    func single() {
        #expect(Single.caseNames == ["only"])
        #expect(Single.only.caseIndex == 0)
        #expect(SingleWithPayload.caseNames == ["only"])
        #expect(SingleWithPayload.only("x").caseIndex == 0)
    }

    @Test("A generic enum has the same names for every argument, and indirect cases count")
    func generic() {
        #expect(Wrapped<Int>.caseNames == Wrapped<[String: Int]>.caseNames)
        #expect(Set(Wrapped<Int>.caseNames) == ["none", "some", "nested"])
        #expect(name(of: Wrapped<Int>.none) == "none")
        #expect(name(of: Wrapped.some("text")) == "some")
        #expect(name(of: Wrapped<Int>.nested(.some(3))) == "nested")
    }

    @Test("An enum with raw values is known by its case names, not by the raw values")
    func rawValues() {
        #expect(Numbered.caseNames == ["one", "ten"])
        #expect(name(of: Numbered.ten) == "ten")
    }

    @Test("What is no enum has one case, named for its type")
    func noEnum() {
        #expect(Move.caseNames == ["Move"])
        #expect(Move(distance: 3).caseIndex == 0)
        #expect(Reference.caseNames == ["Reference"])
        #expect(Reference().caseIndex == 0)
    }

    @Test("A type that prints its payload does not print it into the name")
    func payloadStaysPrivate() {
        let action = Secretive.logIn(password: "hunter2")
        #expect(name(of: action) == "logIn")
        #expect(name(of: Secretive.logOut) == "logOut")
        #expect(!Secretive.caseNames.joined().contains("hunter2"))
    }

    @Test("Behind an existential the value still finds its case")
    func existential() {
        let actions: [any Action] = [Order.refresh, Mixed.third, Move(distance: 1)]
        #expect(actions.map { name(of: $0) } == ["refresh", "third", "Move"])
    }

    @Test("NoAction has no cases")
    func noAction() {
        #expect(NoAction.caseNames.isEmpty)
    }
}
