// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// What the macros refuse. The names are a contract; those that `axiom-verify` has too mean the same there.
enum MisuseID: String, CaseIterable {
    case stateReference = "state-reference"
    case stateMember = "state-member"
    case valueForm = "value-form"
    case actionReference = "action-reference"
    case actionNotEnum = "action-not-enum"
    case caseNamesMismatch = "case-names-mismatch"
    case nameTaken = "name-taken"
    case memberAccess = "member-access"
    case capabilityNotActor = "capability-not-actor"
    case capabilityReachesUp = "capability-reaches-up"
    case clientNotActor = "client-not-actor"
    case clientHoldsClient = "client-holds-client"
    case clientReachesUp = "client-reaches-up"
    case clientStateArgument = "client-state-argument"
    case clientTwoStates = "client-two-states"
    case clientProcessMissing = "client-process-missing"
    case clientProcessForm = "client-process-form"
    case contextNotClass = "context-not-class"
    case contextUsesCapability = "context-uses-capability"
    case mainActorMissing = "main-actor-missing"
    case observableMissing = "observable-missing"
    case finalMissing = "final-missing"
    case identityNotStored = "identity-not-stored"
    case initializerPrivate = "initializer-private"
    case dependencyType = "dependency-type"
    case propertyNotInitialized = "property-not-initialized"
    case observesUnknownClient = "observes-unknown-client"
    case observesForm = "observes-form"
    case observesNotCalled = "observes-not-called"
    case markerMisplaced = "marker-misplaced"
    case routeNotEnum = "route-not-enum"
    case routeDuplicate = "route-duplicate"
    case routeIdentifier = "route-identifier"
    case routeMetadata = "route-metadata"
    case routeSample = "route-sample"
    case routeParameter = "route-parameter"
}

/// One diagnostic: the token that it is about, the message with its name at the end, and how to correct it.
struct Misuse {
    let id: MisuseID
    var token: Syntax
    var severity = DiagnosticSeverity.error
    var text: String
    var correction: Correction?
    var notes: [Note] = []

    init(
        _ id: MisuseID,
        at token: some SyntaxProtocol,
        _ text: String,
        severity: DiagnosticSeverity = .error,
        _ correction: Correction? = nil
    ) {
        (self.id, self.token, self.text) = (id, Syntax(token), text)
        (self.severity, self.correction) = (severity, correction)
    }

    func report(in context: some MacroExpansionContext) {
        let message = Message(
            text: "\(text) [\(id.rawValue)]",
            id: MessageID(domain: "AxiomMacros", id: id.rawValue),
            severity: severity
        )
        let fixIts = correction.map {
            [FixIt(message: Message(text: $0.title, id: message.diagnosticID, severity: .note), changes: $0.changes)]
        }
        context.diagnose(
            Diagnostic(node: token, message: message, notes: notes, fixIts: fixIts ?? [])
        )
    }
}

extension [Misuse] {
    func report(in context: some MacroExpansionContext) {
        for misuse in self { misuse.report(in: context) }
    }
}

/// The text of a diagnostic, of a note and of a fix-it.
struct Message: DiagnosticMessage, NoteMessage, FixItMessage {
    let message: String
    let diagnosticID: MessageID
    let severity: DiagnosticSeverity

    init(text: String, id: MessageID, severity: DiagnosticSeverity) {
        (message, diagnosticID, self.severity) = (text, id, severity)
    }

    var noteID: MessageID { diagnosticID }
    var fixItID: MessageID { diagnosticID }
}

/// A mechanical correction.
struct Correction {
    let title: String
    let changes: [FixIt.Change]

    /// Replaces the text of a token; its trivia stays. The text may be more than one token.
    static func replacing(_ token: TokenSyntax, with text: String, _ title: String) -> Self {
        Correction(title: title, changes: [change(token, text)])
    }

    /// Puts text before a token.
    static func inserting(_ text: String, before token: TokenSyntax, _ title: String) -> Self {
        replacing(token, with: text + token.text, title)
    }

    /// Replaces a node; its outer trivia stays.
    static func replacing(_ node: some SyntaxProtocol, with new: some SyntaxProtocol, _ title: String) -> Self {
        let new = new.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
        return Correction(title: title, changes: [.replace(oldNode: Syntax(node), newNode: Syntax(new))])
    }

    /// Replaces successive tokens by one. The first one's leading and the last one's trailing trivia stays.
    static func replacing(_ tokens: [TokenSyntax], with text: String, _ title: String) -> Self? {
        guard let first = tokens.first, let last = tokens.last else { return nil }
        let removed = tokens.dropLast().map {
            FixIt.Change.replace(
                oldNode: Syntax($0),
                newNode: Syntax(
                    $0.with(\.tokenKind, .identifier("")).with(\.leadingTrivia, []).with(\.trailingTrivia, [])
                )
            )
        }
        let kept = last.with(\.tokenKind, .identifier(text)).with(\.leadingTrivia, first.leadingTrivia)
        return Correction(
            title: title,
            changes: removed + [.replace(oldNode: Syntax(last), newNode: Syntax(kept))]
        )
    }

    /// Removes one modifier.
    static func removing(_ modifier: DeclModifierSyntax, _ title: String) -> Self? {
        guard let next = modifier.nextToken(viewMode: .sourceAccurate) else { return nil }
        return replacing([modifier.name, next], with: next.text, title)
    }

    static func change(_ token: TokenSyntax, _ text: String) -> FixIt.Change {
        .replace(oldNode: Syntax(token), newNode: Syntax(token.with(\.tokenKind, .identifier(text))))
    }
}

#endif
