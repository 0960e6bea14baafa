// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The name of a component or an application: a name of a type in Swift.
struct ComponentName: Hashable {
    let text: String

    /// - Throws: A `ValidationError` for what is no name of a type.
    init(parsing argument: String) throws {
        guard let first = argument.first, first.isASCII, first.isUppercase,
            argument.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }), argument.count <= 60
        else {
            throw ValidationError(
                "a name begins with a capital letter and has letters and digits only, as in ShoppingCart"
            )
        }
        text = argument
    }

    private init(_ text: String) {
        self.text = text
    }

    /// The name without a last word, if more than that word is left.
    func without(_ suffix: String) -> ComponentName {
        guard text.hasSuffix(suffix), text.count > suffix.count else { return self }
        return ComponentName(String(text.dropLast(suffix.count)))
    }

    /// The name as that of a variable: the leading capitals in lower case, `HTTPCart` as `httpCart`.
    var variable: String {
        let capitals = text.prefix { $0.isUppercase || $0.isNumber }
        let isAllCapitals = capitals.count == text.count
        let head = capitals.count > 1 && !isAllCapitals ? capitals.dropLast() : capitals
        let name = head.lowercased() + text.dropFirst(head.count)
        return Self.keywords.contains(name) ? "`\(name)`" : name
    }

    /// The words that Swift reserves and that a variable may not be named without back-ticks.
    private static let keywords: Set = [
        "actor", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import",
        "in", "init", "inout",
        "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
        "rethrows", "return",
        "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
        "var", "where",
        "while",
    ]
}

extension ComponentName: CustomStringConvertible {
    var description: String { text }
}

/// The names that an application may not have, because a module that it is built with has the same.
enum ModuleNames {
    private static let taken: Set = [
        // Of the toolchain.
        "Axiom", "Foundation", "Observation", "Swift", "Testing", "XCTest", "Dispatch", "Synchronization", "Glibc",
        "Package",
        // Of the packages that Axiom depends on.
        "ArgumentParser", "AsyncAlgorithms", "ConcurrencyHelpers", "Configuration", "CoreMetrics", "DequeModule",
        "InMemoryLogging", "InMemoryTracing", "Instrumentation", "Logging", "Metrics", "OrderedCollections",
        "ServiceContextModule", "ServiceLifecycle", "SystemPackage", "Tracing", "UnixSignals", "Yams",
        // Of the packages that a service depends on.
        "Atomics", "HTTPTypes", "Hummingbird", "HummingbirdCore",
    ]

    /// - Throws: A `ValidationError` that names the module.
    static func check(_ name: ComponentName) throws {
        guard !taken.contains(name.text), !name.text.hasPrefix("Axiom"), !name.text.hasPrefix("NIO") else {
            throw ValidationError(
                "\(name) is the name of a module that the application is built with: choose another one."
            )
        }
    }
}
