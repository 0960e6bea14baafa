// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

/// What the declarations of a type and its extensions say.
struct TypeFacts: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case `struct`, `class`, `enum`, `actor`, `protocol`, `extension`
    }

    struct Property: Sendable, Hashable {
        var name: String
        /// The name of the type that is annotated, or that the initial value calls.
        var type: String?
        /// All names in the annotation: `[Item]` has `Item`.
        var typeNames: Set<String>
        /// The initial value.
        var value: String?
        var isStored: Bool
        var isPublished: Bool
    }

    struct Method: Sendable, Hashable {
        var name: String
        var isAsync: Bool
        var `throws`: Bool
        var isMutating: Bool
        /// The name of the type of the first parameter.
        var parameter: String?
    }

    /// A parameter of an initializer.
    struct Parameter: Sendable, Hashable {
        var label: String
        var type: String?
        var hasDefault: Bool
    }

    var name: String
    var kind: Kind
    var path: String
    var dialect: Dialect
    /// How many declarations have the name, extensions left out.
    var declarations: Int
    var inherited: Set<String> = []
    /// What it inherits without what the project declares itself.
    var frameworkBases: Set<String> = []
    /// The generic arguments of inherited types, by the name of the type.
    var arguments: [String: [String]] = [:]
    var properties: [Property] = []
    var methods: [Method] = []
    /// The parameters of each initializer.
    var initializers: [[Parameter]] = []
    var aliases: [String: String] = [:]
    /// The names of the types of payloads of cases.
    var payloads: Set<String> = []
    var isPublic = false

    /// - Parameter declared: The names that are those of the project in the file.
    init(_ type: TypeNode, path: String, dialect: Dialect, declared: Set<String>) {
        name = type.name
        kind = type.kind
        declarations = type.kind == .extension ? 0 : 1
        self.path = path
        self.dialect = dialect
        isPublic = !type.access.isEmpty
        frameworkBases = Set(type.inherited(besides: declared))
        add(type)
    }

    /// Adds what a declaration or an extension says.
    mutating func add(_ type: TypeNode) {
        for (name, node) in type.inherited {
            inherited.insert(name)
            let arguments = node.type.as(IdentifierTypeSyntax.self)?.genericArgumentClause?.arguments
            if let arguments { self.arguments[name] = arguments.map(\.argument.code) }
        }
        properties += type.variables.filter { !$0.isStatic }.map(Property.init)
        methods += type.functions.map(Method.init)
        initializers += type.initializers.map { $0.signature.parameterClause.parameters.map(Parameter.init) }
        for member in type.members {
            if let alias = member.as(TypeAliasDeclSyntax.self) {
                aliases[alias.name.text] = alias.initializer.value.lastName
            }
            for element in member.as(EnumCaseDeclSyntax.self)?.elements ?? [] {
                for parameter in element.parameterClause?.parameters ?? [] {
                    payloads.formUnion(parameter.type.names)
                }
            }
        }
    }

    /// Adds what another declaration of the type says.
    mutating func merge(_ other: TypeFacts) {
        if kind == .extension {
            (kind, path, dialect, isPublic) = (other.kind, other.path, other.dialect, other.isPublic)
        }
        declarations += other.declarations
        inherited.formUnion(other.inherited)
        frameworkBases.formUnion(other.frameworkBases)
        arguments.merge(other.arguments) { old, _ in old }
        properties += other.properties
        methods += other.methods
        initializers += other.initializers
        aliases.merge(other.aliases) { old, _ in old }
        payloads.formUnion(other.payloads)
    }

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    func inheritsAny(_ names: Set<String>) -> Bool { !inherited.isDisjoint(with: names) }

    /// Whether it inherits from one of these types of the framework.
    func inheritsFramework(_ names: Set<String>) -> Bool { !frameworkBases.isDisjoint(with: names) }
}

extension TypeFacts.Property {
    init(_ variable: VariableNode) {
        name = variable.name
        type = variable.typeName
        typeNames = variable.type?.names ?? []
        value = variable.value?.code
        isStored = variable.isStored
        isPublished = variable.attribute("Published") != nil
    }
}

extension TypeFacts.Parameter {
    init(_ parameter: FunctionParameterSyntax) {
        label = parameter.firstName.text
        type = parameter.type.lastName
        hasDefault = parameter.defaultValue != nil
    }
}

extension TypeFacts.Method {
    init(_ function: FunctionDeclSyntax) {
        name = function.name.text
        let effects = function.signature.effectSpecifiers
        isAsync = effects?.asyncSpecifier != nil
        self.throws = effects?.throwsClause != nil
        isMutating = function.modifiers.contains { $0.name.text == "mutating" }
        parameter = function.signature.parameterClause.parameters.first?.type.lastName
    }
}

extension TypeSyntax {
    /// The names of all types in it.
    var names: Set<String> {
        let collector = NameCollector(viewMode: .sourceAccurate)
        collector.walk(self)
        return collector.names
    }
}

private final class NameCollector: SyntaxVisitor {
    var names: Set<String> = []

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        names.insert(node.name.text)
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        names.insert(node.name.text)
        return .visitChildren
    }
}
