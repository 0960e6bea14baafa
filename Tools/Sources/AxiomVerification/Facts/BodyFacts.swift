// SPDX-License-Identifier: Apache-2.0

/// Where code stands: indices in the lists of its file.
package struct Site: Sendable, Hashable {
    package var declaration: Int?
    package var function: Int?
    /// The innermost closure.
    package var closure: Int?

    package init(declaration: Int? = nil, function: Int? = nil, closure: Int? = nil) {
        self.declaration = declaration
        self.function = function
        self.closure = closure
    }
}

/// A fact of a body.
package protocol Sited {
    var site: Site { get }
}

/// A call of a function, initializer or method.
package struct Call: Sited, Sendable, Hashable {
    /// The path of names that is called, such as `store.update`, without a leading `self.`. A part that is no name is `()`.
    package var callee: String
    /// The last name of the callee.
    package var span: FactSpan
    package var whole: FactSpan
    package var site: Site
    package var labels: [String] = []
    /// The arguments that are types, such as `CartClient.self`.
    package var types: [TypeArgument] = []
    /// The paths of the arguments that are names, such as `scope` or `$0`; empty for other expressions.
    package var arguments: [String] = []
    /// The arguments that are string literals, such as the pattern of a link.
    package var texts: [TextArgument] = []
    /// Where the innermost list of statements around the call begins: two calls in branches of an `if` have different ones.
    package var block: UInt32 = 0
    /// The type that the call makes if the callee is one.
    package var made: TypeReference?
    /// What a call or a type before the last name makes, such as `DispatchQueue` of `DispatchQueue.global().sync`.
    package var receiver: TypeReference?
    /// Whether the result is not used.
    package var isDropped = false
    /// The argument `\.self`, which returns what a function lends.
    package var returnsLent: FactSpan?

    package struct TypeArgument: Sendable, Hashable {
        package var label: String
        package var type: TypeReference
    }

    /// A string literal without interpolation.
    package struct TextArgument: Sendable, Hashable {
        package var label: String
        package var text: String
        package var span: FactSpan
    }

    /// The last part of the callee.
    package var name: String {
        let bytes = callee.utf8
        return bytes.lastIndex(of: UInt8(ascii: ".")).map { String(callee[bytes.index(after: $0)...]) } ?? callee
    }
    /// The callee without its last part.
    package var base: String { callee.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(callee[..<$0]) } ?? "" }
}

/// A closure expression.
package struct Closure: Sited, Sendable, Hashable {
    package var span: FactSpan
    /// The call that gets it as an argument.
    package var call: Int?
    package var site: Site
    package var parameters: [ClosureParameter] = []
    /// The captured names, such as `self` or `weak self`.
    package var captures: [String] = []
    /// Where the closure itself, not one in it, says `self`.
    package var selfUses: [FactSpan] = []
    /// The names that it assigns to parts of its first parameter.
    package var assigned: [String] = []
    /// Whether it uses `$0`.
    package var usesShorthand = false
    package var hasSignature = false
    /// Where it returns or stores its first parameter itself, alone or as a part of a new value.
    package var handedOut: FactSpan?

    /// The functions that lend the instance of a capability to a closure.
    package static let lenders: Set = ["call", "answer"]

    package struct ClosureParameter: Sendable, Hashable {
        package var name: String
        package var span: FactSpan
        package var type: TypeReference?
    }
}

/// `try?` or `try!`.
package struct OptionalTry: Sited, Sendable, Hashable {
    /// `try` and the mark.
    package var span: FactSpan
    package var site: Site
    package var isForced: Bool
    /// The path of the call behind it, if it is one.
    package var callee: String
    /// Whether it stands in the body of a `catch`.
    package var isInCatch: Bool
    /// Whether `try` may stand there: nothing needs an optional, and the function throws any error.
    package var mayThrow = false
}

/// A clause `catch`.
package struct CatchClause: Sited, Sendable, Hashable {
    package var span: FactSpan
    package var site: Site
    package var isEmpty: Bool
    /// Whether the body only prints or logs.
    package var onlyPrints: Bool
    /// Whether it names a pattern, such as `CancellationError`.
    package var pattern: String
}

/// `target = value`.
package struct Assignment: Sited, Sendable, Hashable {
    package var target: String
    package var value: Value
    package var site: Site
}

/// A constant or variable of a function.
package struct LocalVariable: Sited, Sendable, Hashable {
    package var name: String
    package var span: FactSpan
    package var site: Site
    package var type: TypeReference?
    package var value: Value?
    /// The path that the value begins with, such as `store.state.count`.
    package var root: String = ""
}

/// A name that a body uses and that is neither a member access nor declared in it.
package struct NameUse: Sited, Sendable, Hashable {
    package var name: String
    package var span: FactSpan
    package var site: Site
}

/// A member of a type that an expression names, such as `URLSession.shared`.
package struct StaticUse: Sited, Sendable, Hashable {
    package var type: TypeReference
    package var member: String
    package var span: FactSpan
    package var site: Site
}

/// `import`.
package struct Import: Sendable, Hashable {
    /// The module.
    package var module: String
    /// The whole path, such as `Foundation.URL`.
    package var path: String
    package var span: FactSpan
    /// The statement with its line end, for removal.
    package var whole: FactSpan
    package var attributes: [String] = []
    package var access: String = ""
    package var isConditional = false

    package var isReexported: Bool { attributes.contains("_exported") }
}

/// A comment `// axiom:ignore RULE REASON`.
package struct Suppression: Sendable, Hashable {
    package var rule: String
    package var reason: String
    package var span: FactSpan
    /// What to delete: the comment, and its line if nothing else stands there.
    package var removal: FactSpan
    /// The line whose findings it accepts: its own if code stands before it, else the next line with code.
    package var line: Int
}
