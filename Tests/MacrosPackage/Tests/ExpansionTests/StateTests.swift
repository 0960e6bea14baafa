// SPDX-License-Identifier: Apache-2.0

import SwiftSyntaxMacroExpansion
import Testing

@Suite("@AxiomState")
struct StateTests {
    @Test("A struct conforms; Swift writes its initializer (TL-M1)")
    func conformance() {
        assertMacro(
            """
            @AxiomState struct CartState {
                var items: [String] = []
            }
            """,
            expansion: """
                struct CartState {
                    var items: [String] = []
                }

                extension CartState: Axiom.OwnedState {
                }
                """
        )
    }

    @Test("A public struct gets its memberwise initializer, with defaults (TL-M1)")
    func memberwise() {
        assertMacro(
            """
            @available(macOS 15, *)
            @AxiomState public struct CartState {
                public let id: Int
                public var items: [String] = [], note: String?
                public var count = 0
                let version = 1
                static let limit = 9
                private var cache: [Int] = []
                var isEmpty: Bool { items.isEmpty }
            }
            """,
            expansion: """
                @available(macOS 15, *)
                public struct CartState {
                    public let id: Int
                    public var items: [String] = [], note: String?
                    public var count = 0
                    let version = 1
                    static let limit = 9
                    private var cache: [Int] = []
                    var isEmpty: Bool { items.isEmpty }

                    public init(id: Int, items: [String] = [], note: String? = nil, count: Swift.Int = 0) {
                        self.id = id
                        self.items = items
                        self.note = note
                        self.count = count
                    }
                }

                @available(macOS 15, *)
                extension CartState: Axiom.OwnedState {
                }
                """
        )
    }

    @Test("A public struct with an own initializer keeps it (TL-M1)")
    func ownInitializer() {
        let source = "@AxiomState package struct A { package var a: Int; package init() { a = 1 } }"
        #expect(!expanded(source).contains("init(a"))
        #expect(expanded("@AxiomState package struct A { package var a: Int }").contains("package init(a: Int)"))
    }

    @Test("A type that conforms gets no second conformance (TL-M1)")
    func conforming() {
        var macros = macros
        macros["AxiomState"] = MacroSpec(type: AxiomStateMacro.self, conformances: [])
        assertMacro("@AxiomState struct A: OwnedState {}", expansion: "struct A: OwnedState {}", macros: macros)
    }

    @Test("A class is refused, with a fix (TL-M2)")
    func classState() {
        assertMacro(
            """
            @AxiomState
            public final class CartState {
                var items: [String] = []
            }
            """,
            diagnostics: [
                Expected(
                    .stateReference,
                    2,
                    14,
                    "A state is a value: 'CartState' has to be a struct or an enum",
                    fix: "Replace 'class' with 'struct'"
                )
            ],
            fixed: """
                @AxiomState
                public struct CartState {
                    var items: [String] = []
                }
                """
        )
    }

    @Test("References in properties and payloads are refused where they stand (TL-M2)")
    func references() {
        func text(_ what: String) -> String {
            "A state holds values only, and \(what) is a reference: a change in it is not published"
        }
        assertMacro(
            """
            @AxiomState struct A {
                final class Box {}
                var a: [Box?] = []
                var b: () -> Void
                var c = NSCache()
                var d: [String: any AnyObject]
                var e: Int { NSCache().count }
            }
            """,
            diagnostics: [
                Expected(.stateReference, 3, 13, text("'Box'")), Expected(.stateReference, 4, 12, text("a closure")),
                Expected(.stateReference, 5, 13, text("'NSCache'")),
                Expected(.stateReference, 6, 25, text("'AnyObject'")),
            ]
        )
        assertMacro(
            "@AxiomState enum A { case a(UserDefaults) }",
            diagnostics: [Expected(.stateReference, 1, 29, text("'UserDefaults'"))]
        )
    }

    @Test("A reference after the name of its module or of the state is refused, too (TL-M2)")
    func qualified() {
        func text(_ name: String) -> String {
            "A state holds values only, and '\(name)' is a reference: a change in it is not published"
        }
        assertMacro(
            """
            @AxiomState struct A {
                actor Box {}
                struct NSCache: Hashable {}
                var a: Foundation.UserDefaults
                var b: [Self.Box]
                var c: A.Box?
                var d: Foundation.NSCache
                var e: NumberFormatter.Style
                var f: Disk.NSLock
                var g: Disk<NSLock>.Index
                var h: Shop.A.Box
            }
            """,
            diagnostics: [
                Expected(.stateReference, 4, 23, text("UserDefaults")), Expected(.stateReference, 5, 18, text("Box")),
                Expected(.stateReference, 6, 14, text("Box")), Expected(.stateReference, 7, 23, text("NSCache")),
                Expected(.stateReference, 10, 17, text("NSLock")), Expected(.stateReference, 11, 19, text("Box")),
            ]
        )
    }

    @Test("A type in the state, and one of another type, may have the name of a known class (TL-M2)")
    func shadowing() {
        assertMacro(
            """
            @AxiomState struct A {
                struct NSCache: Hashable {}
                typealias FileHandle = Int
                var a = NSCache()
                var b: [FileHandle]
                var c: Disk.UserDefaults
            }
            """,
            expansion: """
                struct A {
                    struct NSCache: Hashable {}
                    typealias FileHandle = Int
                    var a = NSCache()
                    var b: [FileHandle]
                    var c: Disk.UserDefaults
                }

                extension A: Axiom.OwnedState {
                }
                """
        )
    }

    @Test("A property whose type is not written is named, if the initializer needs it (TL-M1)")
    func inferredType() {
        assertMacro(
            """
            @AxiomState public struct A {
                var items = [Item]()
                #if DEBUG
                var trace: Int = 0
                #endif
            }
            """,
            diagnostics: [
                Expected(
                    .stateMember,
                    2,
                    9,
                    "The initializer needs the type of 'items': a macro does not see what Swift infers"
                ),
                Expected(
                    .stateMember,
                    4,
                    9,
                    "Write the initializer of the state by hand: 'trace' exists under a condition only"
                ),
            ]
        )
    }

    @Test("A class becomes a struct wherever its modifiers stand (TL-M2)")
    func modifiers() {
        let text = "A state is a value: 'A' has to be a struct or an enum"
        let fix = "Replace 'class' with 'struct'"
        assertMacro(
            "@AxiomState\nfinal public class A {}",
            diagnostics: [Expected(.stateReference, 2, 14, text, fix: fix)],
            fixed: "@AxiomState\npublic struct A {}"
        )
        assertMacro(
            "@AxiomState\nopen class A {}",
            diagnostics: [Expected(.stateReference, 2, 6, text, fix: fix)],
            fixed: "@AxiomState\npublic struct A {}"
        )
    }
}
