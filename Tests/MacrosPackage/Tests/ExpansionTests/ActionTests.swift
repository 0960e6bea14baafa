// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("@AxiomAction")
struct ActionTests {
    @Test("Names and indices of the cases, without back-ticks in the names (TL-M9)")
    func names() {
        assertMacro(
            """
            @AxiomAction public enum CartAction {
                case add(Item), `default`
                case clear
            }
            """,
            expansion: """
                public enum CartAction {
                    case add(Item), `default`
                    case clear

                    public static let caseNames: [Swift.String] = ["add", "default", "clear"]

                    public var caseIndex: Swift.Int {
                        switch self {
                        case .add:
                            0
                        case .`default`:
                            1
                        case .clear:
                            2
                        }
                    }
                }

                extension CartAction: Axiom.Action {
                }
                """
        )
    }

    @Test("Cases under a condition keep it (TL-M9)")
    func conditions() {
        assertMacro(
            """
            @AxiomAction enum A {
                case a
                #if DEBUG && os(Linux)
                case b(Int)
                #else
                case c
                #endif
                #if DEBUG
                var x: Int { 1 }
                #endif
            }
            """,
            expansion: """
                enum A {
                    case a
                    #if DEBUG && os(Linux)
                    case b(Int)
                    #else
                    case c
                    #endif
                    #if DEBUG
                    var x: Int { 1 }
                    #endif

                    static let caseNames: [Swift.String] = {
                        var names: [Swift.String] = []
                        names.append("a")
                        #if DEBUG && os(Linux)
                        names.append("b")
                        #else
                        names.append("c")
                        #endif
                        return names
                    }()

                    var caseIndex: Swift.Int {
                        var index = 0
                        if case .a = self {
                            return index
                        }
                        index += 1
                        #if DEBUG && os(Linux)
                        if case .b = self {
                            return index
                        }
                        index += 1
                        #else
                        if case .c = self {
                            return index
                        }
                        index += 1
                        #endif
                        return index
                    }
                }

                extension A: Axiom.Action {
                }
                """
        )
    }

    @Test("An enum without cases, a generic enum, and members that are written (TL-M9)")
    func others() {
        #expect(expanded("@AxiomAction enum A {}").contains("static let caseNames: [Swift.String] = []"))
        let generic = expanded("@AxiomAction enum A<T> { case a(T) }")
        #expect(generic.contains("static var caseNames: [Swift.String] {"))
        let nested = expanded("struct S<T> { @AxiomAction enum A { case a } }")
        #expect(nested.contains("static var caseNames: [Swift.String] {"))
        let written = expanded(
            #"@AxiomAction enum A { case a; static let caseNames = ["a"]; var caseIndex: Int { 0 } }"#
        )
        #expect(written.split(separator: "caseNames").count == 2)
        #expect(written.split(separator: "caseIndex").count == 2)
    }

    @Test("An unavailable case has no name and no index; one that is deprecated has both (TL-M9)")
    func availability() {
        let text = expanded(
            """
            @AxiomAction enum A {
                case a
                @available(*, unavailable, message: "deprecated") case b(Int), c
                @available(*, deprecated, message: "unavailable") case d
                @available(macOS, unavailable) case e
            }
            """
        )
        #expect(text.contains(#"static let caseNames: [Swift.String] = ["a", "d", "e"]"#))
        for line in ["case .a:\n            0", "case .d:\n            1", "case .e:\n            2"] {
            #expect(text.contains(line), "\(text)")
        }
        #expect(!text.contains("case .b") && !text.contains("case .c"))
        let conditional = expanded(
            """
            @AxiomAction enum A {
                #if DEBUG
                @available(*, unavailable) case b(Int)
                case c
                #endif
            }
            """
        )
        #expect(!conditional.contains(#""b""#) && conditional.contains(#""c""#))
    }

    @Test("Names by hand may have an unavailable case, and need not have it (TL-M9)")
    func unavailableByHand() {
        for names in [#"["a"]"#, #"["a", "b"]"#] {
            assertMacro(
                """
                @AxiomAction enum A {
                    case a
                    @available(*, unavailable) case b
                    static let caseNames = \(names)
                    var caseIndex: Int { 0 }
                }
                """
            )
        }
    }

    @Test("Names that differ from the cases are refused, with a fix (TL-M9)")
    func mismatch() {
        assertMacro(
            """
            @AxiomAction enum A {
                case a, b
                static let caseNames = ["a"]
            }
            """,
            diagnostics: [
                Expected(
                    .caseNamesMismatch,
                    3,
                    28,
                    "The names differ from the cases of 'A'",
                    fix: "Replace them with the names of the cases"
                )
            ],
            fixed: """
                @AxiomAction enum A {
                    case a, b
                    static let caseNames = ["a", "b"]
                }
                """
        )
    }

    @Test("Actions are enums of values (TL-M10)")
    func kinds() {
        assertMacro(
            "@AxiomAction class A {}",
            diagnostics: [Expected(.actionReference, 1, 14, "An action is a value: 'A' has to be an enum")]
        )
        assertMacro(
            "@AxiomAction struct A {}",
            diagnostics: [
                Expected(
                    .actionNotEnum,
                    1,
                    14,
                    "'@AxiomAction' writes the names of cases, which only an enum has; conform 'A' to 'Action' by hand"
                )
            ]
        )
        assertMacro(
            "@AxiomAction enum A { case a(() -> Void) }",
            diagnostics: [
                Expected(
                    .actionReference,
                    1,
                    30,
                    "An action holds values only, and a closure is a reference: it can change after the action was sent"
                )
            ]
        )
    }
}
