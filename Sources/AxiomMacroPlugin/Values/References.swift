// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax

/// Finds what is known to be a reference in the type of a property or of a payload.
///
/// A macro sees names only, so it knows the closures, the protocols of objects, the classes inside of the declaration, and
/// some classes of Foundation. `axiom-verify` and ``Orchestrator`` find more.
final class ReferenceFinder: SyntaxVisitor {
    /// Names that are no names of an application's values. Others may be, such as `Timer` and `Actor`, and are left out.
    private static let known: Set<String> = [
        "AnyObject", "NSObject", "NSMutableArray", "NSMutableDictionary", "NSMutableSet", "NSMutableString",
        "NSMutableAttributedString", "NSMutableData", "NSCache", "NSLock", "NSRecursiveLock", "NSCondition",
        "URLSession", "DateFormatter", "NumberFormatter", "ISO8601DateFormatter", "JSONEncoder", "JSONDecoder",
        "FileManager", "FileHandle", "UserDefaults", "NotificationCenter", "OperationQueue", "DispatchQueue",
    ]
    /// The modules that declare them.
    private static let modules: Set<String> = [
        "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "ObjectiveC", "Swift",
    ]

    /// The classes and actors in the declaration.
    private let nested: Set<String>
    /// What is a reference if nothing stands before its name: a type in the declaration hides a known one.
    private let references: Set<String>
    /// What may stand before the name of a type in the declaration.
    private let outer: Set<String>
    private var found: (token: TokenSyntax, what: String)?

    /// - Parameter declaration: The declaration that has the properties or the payloads.
    init(in declaration: TypeDeclaration) {
        nested = declaration.nestedReferences
        references = Self.known.subtracting(declaration.nestedTypes).union(nested)
        outer = ["Self", declaration.text]
        super.init(viewMode: .sourceAccurate)
    }

    /// The first reference in a type or in an initial value.
    func reference(in node: some SyntaxProtocol) -> (token: TokenSyntax, what: String)? {
        found = nil
        walk(node)
        return found
    }

    override func visit(_ node: FunctionTypeSyntax) -> SyntaxVisitorContinueKind {
        found = found ?? (node.leftParen, "a closure")
        return .skipChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        // `NumberFormatter` of `NumberFormatter.Style` is not what is held.
        if node.parent?.is(MemberTypeSyntax.self) != true { check(node.name, references) }
        return .visitChildren
    }

    /// A member of a known module or of the declaration. Another type may have a value of any name, such as `Disk.FileHandle`.
    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        let module = node.baseType.as(IdentifierTypeSyntax.self)?.name.plainText ?? ""
        if Self.modules.contains(module) { check(node.name, Self.known) }
        // What stands around the declaration may stand before its name, as in `Cart.State.Box`.
        if outer.contains(node.baseType.baseName ?? "") { check(node.name, nested) }
        return .visitChildren
    }

    /// An initial value: only a call of a known class, such as `NSCache()`.
    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let callee = node.calledExpression.as(DeclReferenceExprSyntax.self) {
            check(callee.baseName, references)
        }
        return .skipChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }

    private func check(_ name: TokenSyntax, _ references: Set<String>) {
        let text = name.plainText
        guard found == nil, references.contains(text) else { return }
        found = (name, "'\(text)'")
    }
}

extension TypeDeclaration {
    /// The names of the classes and actors in it.
    var nestedReferences: Set<String> {
        Set(
            members.compactMap { member in
                member.as(ClassDeclSyntax.self)?.name.plainText ?? member.as(ActorDeclSyntax.self)?.name.plainText
            }
        )
    }

    /// The names of all types in it.
    var nestedTypes: Set<String> {
        Set(
            members.compactMap { member in
                let isType = member.is(TypeAliasDeclSyntax.self) || member.asProtocol((any DeclGroupSyntax).self) != nil
                return isType ? member.asProtocol((any NamedDeclSyntax).self)?.name.plainText : nil
            }
        )
    }

    /// The cases of an enum, also those between `#if` and `#endif`.
    var cases: [EnumCaseElementSyntax] {
        members.compactMap { $0.as(EnumCaseDeclSyntax.self) }.flatMap { Array($0.elements) }
    }

    /// The misuses of the payloads of all cases.
    func payloadMisuses(_ id: MisuseID, _ problem: (String) -> String) -> [Misuse] {
        let finder = ReferenceFinder(in: self)
        return cases.flatMap { element in
            (element.parameterClause?.parameters ?? []).compactMap { parameter in
                finder.reference(in: parameter.type).map { Misuse(id, at: $0.token, problem($0.what)) }
            }
        }
    }
}

extension EnumCaseElementSyntax {
    /// Whether the case is marked with `@available(*, unavailable)`. One that a platform or a version lacks may exist.
    var isUnavailable: Bool {
        let attributes = parent?.parent?.as(EnumCaseDeclSyntax.self)?.attributes ?? []
        return attributes.contains { element in
            guard case .attribute(let attribute) = element, case .availability(let list) = attribute.arguments
            else { return false }
            let words = list.compactMap { argument -> String? in
                if case .token(let token) = argument.argument { token.text } else { nil }
            }
            return words.first == "*" && words.contains("unavailable")
        }
    }
}
#endif
