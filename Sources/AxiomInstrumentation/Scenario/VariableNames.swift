// SPDX-License-Identifier: Apache-2.0

/// Names the variable of each context of a recorded test, so that no two are equal and none is a word of the language.
struct VariableNames {
    /// The words that Swift reserves, and the variable of the application.
    private static let reserved: Set = [
        "Any", "Self", "app", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript",
        "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    private var used: Set<String> = []

    /// `CartContext` becomes `cart`, and the second one `cart2`.
    mutating func name(for type: String) -> String {
        let base = Self.base(for: type)
        var (name, number) = (base, 1)
        while !used.insert(name).inserted {
            number += 1
            name = base + String(number)
        }
        return name
    }

    private static func base(for type: String) -> String {
        var name = type.split(separator: ".").last.map(String.init) ?? "context"
        if let generic = name.firstIndex(of: "<") { name = String(name[..<generic]) }
        if name.hasSuffix("Context"), name.count > 7 { name.removeLast(7) }
        let lowered = name.prefix(1).lowercased() + name.dropFirst()
        return reserved.contains(lowered) ? lowered + "Context" : lowered
    }
}
