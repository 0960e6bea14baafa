// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

private struct Hidden {}

/// Generic over what it stands for, so that its full name holds other names.
struct Holder<Value> {}

enum North {
    struct Station {}
}

enum South {
    struct Station {}
}

@Suite("Component names")
struct ComponentNamesTests {
    private func names(_ requests: ComponentNames.Request...) -> [String?] {
        var names = ComponentNames()
        for request in requests { names.add(request) }
        let resolved = names.resolved()
        return requests.map { resolved[$0.key] }
    }

    private func request<C>(_ type: C.Type, _ preferred: String? = nil) -> ComponentNames.Request {
        ComponentNames.Request(type, preferred: preferred ?? String(describing: type))
    }

    @Test("A name that one type asks for stands alone, without its module")
    func unqualified() {
        #expect(names(request(North.Station.self), request(Hidden.self)) == ["Station", "Hidden"])
    }

    @Test("Types that share a name are all qualified, the first as well")
    func qualifiedOnClash() {
        let found = names(request(North.Station.self), request(South.Station.self), request(Hidden.self))
        #expect(found == ["AxiomTests.North.Station", "AxiomTests.South.Station", "Hidden"])
    }

    @Test("Private and local types are named without run-time addresses")
    func withoutAddresses() {
        struct Local {}
        for name in [
            ComponentNames.qualifiedName(of: Hidden.self), ComponentNames.qualifiedName(of: Local.self),
            ComponentNames.qualifiedName(of: Holder<Hidden>.self),
            ComponentNames.qualifiedName(of: Holder<(Hidden, Local)>.self),
        ] {
            #expect(!name.contains("unknown context"), "\(name)")
            #expect(!name.contains("$"), "\(name)")
        }
        #expect(ComponentNames.qualifiedName(of: Hidden.self) == "AxiomTests.Hidden")
        #expect(ComponentNames.qualifiedName(of: Local.self) == "AxiomTests.ComponentNamesTests.Local")
        #expect(ComponentNames.qualifiedName(of: Holder<Hidden>.self) == "AxiomTests.Holder<AxiomTests.Hidden>")
        #expect(
            ComponentNames.qualifiedName(of: Holder<(Int, String)>.self)
                == "AxiomTests.Holder<(Swift.Int, Swift.String)>"
        )
    }

    @Test("Types that share even the qualified name are numbered in the order of registration")
    func numbered() {
        func first() -> ComponentNames.Request {
            struct Local {}
            return request(Local.self)
        }
        func second() -> ComponentNames.Request {
            struct Local {}
            return request(Local.self)
        }
        func third() -> ComponentNames.Request {
            struct Local {}
            return request(Local.self)
        }
        #expect(
            names(first(), second(), third()) == ["", "#2", "#3"].map { "AxiomTests.ComponentNamesTests.Local" + $0 }
        )
    }

    @Test("However names are chosen, no two are equal", arguments: 0..<50)
    func unique(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pool = ["A", "A#2", "AxiomTests.Hidden", "AxiomTests.North.Station", "B"]
        let types: [any Any.Type] = [Hidden.self, North.Station.self, South.Station.self, Int.self, String.self]
        let requests = types.shuffled(using: &random).map { type in
            ComponentNames.Request(type, preferred: pool.randomElement(using: &random) ?? "")
        }
        var names = ComponentNames()
        for request in requests { names.add(request) }
        let resolved = names.resolved()
        #expect(resolved.count == types.count)
        #expect(Set(resolved.values).count == types.count, "\(resolved)")
    }
}
