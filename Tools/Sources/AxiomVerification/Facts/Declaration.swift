// SPDX-License-Identifier: Apache-2.0

/// A type, protocol or extension.
package struct Declaration: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case `struct`, `class`, actor, `enum`, `protocol`, `extension`, alias
    }

    package var kind: Kind
    /// The name without its scope; of an extension, the path of the extended type.
    package var name: String
    /// The names of the declarations around this one, from the outside in. A function is `$` and its offset, so that
    /// nothing outside it finds the type.
    package var scope: [String]
    /// The name in the source.
    package var span: FactSpan
    /// From the first attribute or modifier to the end.
    package var whole: FactSpan
    /// The keyword `struct`, `class`, …
    package var keyword: FactSpan
    /// From `{` to `}`.
    package var body: FactSpan
    package var attributes: [AttributeFact] = []
    package var modifiers: [String] = []
    /// The modifier `final` with the blanks behind it.
    package var final: FactSpan?
    package var inherited: [TypeReference] = []
    package var generics: [GenericParameter] = []
    /// The extended type of an extension, the target of an alias.
    package var target: TypeReference?
    package var properties: [Property] = []
    package var cases: [EnumCase] = []
    /// The associated types of a protocol.
    package var associatedTypes: [GenericParameter] = []
    /// Whether the declaration stands in `#if`.
    package var isConditional = false

    /// Whether only the declaring file sees it.
    package var isFilePrivate: Bool { modifiers.contains("private") || modifiers.contains("fileprivate") }

    package var isLocal: Bool { scope.contains { $0.hasPrefix("$") } }

    package func has(attribute name: String) -> Bool { attributes.contains { $0.name == name } }
}

/// `@Name(…)`.
package struct AttributeFact: Sendable, Hashable {
    package var name: String
    package var span: FactSpan
    package var argumentCount = 0
    /// The types that the arguments show: `CartState` of `CartState.self` and of `CartState(items: [])`.
    package var types: [TypeReference] = []
}

/// `T: Bound`, or an associated type.
package struct GenericParameter: Sendable, Hashable {
    package var name: String
    package var bound: TypeReference?
}

/// A property or global variable.
package struct Property: Sendable, Hashable {
    package var name: String
    package var span: FactSpan
    /// From the first attribute or modifier to the end.
    package var whole: FactSpan
    /// `let` or `var`.
    package var keyword: FactSpan
    package var isVariable: Bool
    package var isStatic: Bool
    package var isComputed: Bool
    package var modifiers: [String] = []
    package var attributes: [AttributeFact] = []
    package var type: TypeReference?
    package var initial: Value?
    /// The string literal that is the initial value, or all that the getter consists of.
    package var text: String?
    /// What a property `caseIndex` returns for each case.
    package var branches: [SwitchBranch] = []
    /// From `{` to `}` of the accessors.
    package var accessors: FactSpan?

    package var isStored: Bool { !isComputed }
}

/// An initial or assigned value, as far as rules need it.
package struct Value: Sendable, Hashable {
    package var span: FactSpan
    /// The path of names that the value is, such as `scope.identity`; empty for any other expression.
    package var path: String = ""
    /// The type that the expression makes, such as `CartState` of `CartState()`.
    package var made: TypeReference?
    /// The elements of an array of string literals.
    package var strings: [String]?
}

/// One case of a switch over the cases of an enum, with an integer as its result.
package struct SwitchBranch: Sendable, Hashable {
    package var names: [String]
    package var value: Int?
    /// The string literal that is the result.
    package var text: String?
    package var valueSpan: FactSpan?
    package var span: FactSpan
}

/// One case of an enum.
package struct EnumCase: Sendable, Hashable {
    package var name: String
    package var span: FactSpan
    package var payload: [TypeReference]
    package var isConditional = false
}

/// A function, initializer or accessor.
package struct Function: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case function, initializer, deinitializer, accessor, `subscript`
    }

    package struct Parameter: Sendable, Hashable {
        package var label: String
        package var name: String
        package var span: FactSpan
        package var type: TypeReference?
    }

    package var kind: Kind
    /// The base name; of an accessor, the name of the property.
    package var name: String
    package var span: FactSpan
    /// The index of the declaration around it, in the file.
    package var declaration: Int?
    /// The index of the function around it, in the file.
    package var parent: Int?
    package var isStatic = false
    package var isAsync = false
    package var isThrowing = false
    /// Whether it has the attribute `@MainActor`.
    package var isOnMainActor = false
    package var modifiers: [String] = []
    package var parameters: [Parameter] = []
    package var generics: [GenericParameter] = []
    package var result: TypeReference?
    /// From `{` to `}`.
    package var body: FactSpan?
    /// The members that an operator `==` reads.
    package var comparedMembers: [String] = []
    /// The one expression that the body consists of.
    package var singleExpression: FactSpan?
    /// Whether `&&` behind ``singleExpression`` would join all of it.
    package var isConjunct = false
}
