// SPDX-License-Identifier: Apache-2.0

import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("@ValidateRoutes")
struct RouteTests {
    @Test("Valid routes get the check of the rest (TL-M8)")
    func valid() {
        assertMacro(
            """
            @ValidateRoutes public enum R: Route {
                case home, product(Int)
                public var identifier: String {
                    switch self {
                    case .home: "home"
                    case .product: return "product"
                    }
                }
                public static var samples: [R] { [.home, .product(1)] }
            }
            """,
            expansion: """
                public enum R: Route {
                    case home, product(Int)
                    public var identifier: String {
                        switch self {
                        case .home: "home"
                        case .product: return "product"
                        }
                    }
                    public static var samples: [R] { [.home, .product(1)] }
                }

                extension R {
                    public static func validateRoutes() throws {
                        try AxiomNavigation.RouteValidator.validate(Self.self)
                    }
                }
                """
        )
    }

    @Test("Two routes with one identifier are both named (TL-M8)")
    func duplicates() {
        assertMacro(
            """
            @ValidateRoutes enum R {
                case a, b, c, d
                var identifier: String {
                    return switch self {
                    case .a: "a"
                    case .b: "a"
                    case .c, .d: "2"
                    }
                }
            }
            """,
            diagnostics: [
                Expected(
                    .routeDuplicate,
                    6,
                    18,
                    "The routes 'a' and 'b' have the same identifier, \"a\"",
                    notes: [NoteSpec(message: "'a' has it here", line: 5, column: 18)]
                ),
                Expected(
                    .routeIdentifier,
                    7,
                    22,
                    "The identifier \"2\" is a label of metrics, and not [a-zA-Z][a-zA-Z0-9_]* of at most 64 characters"
                ),
                Expected(
                    .routeDuplicate,
                    7,
                    18,
                    "The routes 'c' and 'd' have the same identifier, \"2\"",
                    notes: [NoteSpec(message: "'c' has it here", line: 7, column: 22)]
                ),
            ]
        )
    }

    @Test("A missing identifier is written by the fix (TL-M8)")
    func missing() {
        assertMacro(
            """
            @ValidateRoutes public enum R {
                case home
                case `self`(Int)
            }
            """,
            diagnostics: [
                Expected(
                    .routeIdentifier,
                    1,
                    29,
                    "'R' has no 'identifier'; a macro does not see extensions, so write it in the enum itself",
                    fix: "Add 'identifier' with the names of the cases"
                )
            ],
            fixed: """
                @ValidateRoutes public enum R {
                    case home
                    case `self`(Int)
                    public var identifier: String {
                        switch self {
                        case .home: "home"
                        case .`self`: "self"
                        }
                    }
                }
                """
        )
    }

    @Test("A default in the identifiers or in the metadata is refused (TL-M8)")
    func defaults() {
        assertMacro(
            """
            @ValidateRoutes enum R {
                case a, b, c
                var identifier: String {
                    switch self {
                    case .a: "a"
                    default: "rest"
                    }
                }
                var metadata: RouteMetadata {
                    switch self {
                    case .a: RouteMetadata(requiresAuthentication: true)
                    default: RouteMetadata()
                    }
                }
            }
            """,
            diagnostics: [
                Expected(.routeIdentifier, 6, 9, "Name the routes: each route has an identifier of its own"),
                Expected(
                    .routeMetadata,
                    12,
                    9,
                    "Name the routes: a default hides that a new route has no metadata of its own",
                    fix: "Replace 'default' with the other routes"
                ),
            ],
            fixed: """
                @ValidateRoutes enum R {
                    case a, b, c
                    var identifier: String {
                        switch self {
                        case .a: "a"
                        default: "rest"
                        }
                    }
                    var metadata: RouteMetadata {
                        switch self {
                        case .a: RouteMetadata(requiresAuthentication: true)
                        case .b, .c: RouteMetadata()
                        }
                    }
                }
                """
        )
    }

    @Test("Each route has a sample, and parameters that are values (TL-M8)")
    func samples() {
        let text = "No sample of 'b', 'c': the application is checked at its start with one sample of each route"
        assertMacro(
            """
            @ValidateRoutes enum R {
                case a, b, c(id: Int, String)
                var identifier: String { String(describing: self) }
                static let samples: [R] = [.a]
            }
            """,
            diagnostics: [Expected(.routeSample, 4, 31, text, fix: "Add the samples")],
            fixed: """
                @ValidateRoutes enum R {
                    case a, b, c(id: Int, String)
                    var identifier: String { String(describing: self) }
                    static let samples: [R] = [.a, .b, .c(id: <#Int#>, <#String#>)]
                }
                """
        )
        assertMacro(
            "@ValidateRoutes enum R { case a(NSObject); var identifier: String { \"\" } }",
            diagnostics: [
                Expected(
                    .routeParameter,
                    1,
                    33,
                    "The parameters of a route are values that can be sent, and 'NSObject' is a reference"
                )
            ]
        )
        assertMacro(
            "@ValidateRoutes struct R {}",
            diagnostics: [Expected(.routeNotEnum, 1, 17, "'@ValidateRoutes' checks the cases of an enum")]
        )
    }

    @Test("An unavailable route needs no identifier and no sample (TL-M8)")
    func availability() {
        assertMacro(
            """
            @ValidateRoutes enum R {
                case a
                @available(*, unavailable) case b
                var identifier: String { String(describing: self) }
                static let samples: [R] = [.a]
            }
            """
        )
        assertMacro(
            """
            @ValidateRoutes enum R {
                case a
                @available(*, unavailable) case b
            }
            """,
            diagnostics: [
                Expected(
                    .routeIdentifier,
                    1,
                    22,
                    "'R' has no 'identifier'; a macro does not see extensions, so write it in the enum itself",
                    fix: "Add 'identifier' with the names of the cases"
                )
            ],
            fixed: """
                @ValidateRoutes enum R {
                    case a
                    @available(*, unavailable) case b
                    var identifier: String {
                        switch self {
                        case .a: "a"
                        }
                    }
                }
                """
        )
    }
}
