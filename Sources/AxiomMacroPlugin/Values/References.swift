// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax

/// Finds what is known to be a reference in the type of a property or of a payload.
///
/// A macro sees names only, so it knows the closures, the protocols of objects, the classes inside of the declaration, and
/// some classes of Foundation. `axiom-verify` and ``Orchestrator`` find more.
final class ReferenceFinder: SyntaxVisitor {
    private static let known: Set<String> = [
        "AnyObject", "Actor", "NSObject", "NSMutableArray", "NSMutableDictionary", "NSMutableSet", "NSMutableString",
        "NSMutableAttributedString", "NSMutableData", "NSCache", "NSLock", "NSRecursiveLock", "NSCondition",
        "URLSession", "DateFormatter", "NumberFormatter", "ISO8601DateFormatter", "JSONEncoder", "JSONDecoder",
        "FileManager", "FileHandle", "UserDefaults", "NotificationCenter", "OperationQueue", "DispatchQueue", "Thread",
        "Timer", "Process", "Progress",
    ]

    private let nested: Set<String>
    private var found: (token: TokenSyntax, what: String)?

    /// - Parameter nested: The names of the classes and actors that the declaration contains.
    init(nested: Set<String>) {
        self.nested = nested
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
        check(node.name)
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        check(node.name)
        return .visitChildren
    }

    /// An initial value: only a call of a known class, such as `NSCache()`.
    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let callee = node.calledExpression.as(DeclReferenceExprSyntax.self) { check(callee.baseName) }
        return .skipChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }

    private func check(_ name: TokenSyntax) {
        let text = name.plainText
        guard found == nil, Self.known.contains(text) || nested.contains(text) else { return }
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

    /// The cases of an enum, also those between `#if` and `#endif`.
    var cases: [EnumCaseElementSyntax] {
        members.compactMap { $0.as(EnumCaseDeclSyntax.self) }.flatMap { Array($0.elements) }
    }

    /// The misuses of the payloads of all cases.
    func payloadMisuses(_ id: MisuseID, _ problem: (String) -> String) -> [Misuse] {
        let finder = ReferenceFinder(nested: nestedReferences)
        return cases.flatMap { element in
            (element.parameterClause?.parameters ?? []).compactMap { parameter in
                finder.reference(in: parameter.type).map { Misuse(id, at: $0.token, problem($0.what)) }
            }
        }
    }
}
#endif
