// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification

extension Violation {
    /// States and actions that are no values, and states without one owner.
    static let values: [Violation] = [
        stateShared, stateReference, stateEquality, actionReference, caseNames,
    ].flatMap(\.self)

    private static let stateShared: [Violation] = [
        Violation("state-shared", .component, .topLevel, "@MainActor var ⟦kept = STATE()"),
        Violation("state-shared", .component, .topLevel, "nonisolated(unsafe) var ⟦kept: STATE?"),
        Violation("state-shared", .component, .topLevel, "let ⟦kept = StateStore(STATE())"),
        Violation("state-shared", .component, .topLevel, "enum Kept {\n    static let ⟦shared = STATE()\n}"),
        Violation("state-shared", .state, .member, "nonisolated(unsafe) static var ⟦current: SELF = .init()"),
        Violation("state-shared", .context, .elsewhere, "static var ⟦last = STATE()"),
        Violation("state-shared", .component, .topLevel, "struct ⟦OrphanState: OwnedState {\n    var count = 0\n}"),
        Violation(
            "state-shared",
            .component,
            .topLevel,
            "private struct ⟦OrphanState: Hashable {}\nextension OrphanState: OwnedState {}"
        ),
        Violation("state-shared", "two clients with one state", changes: twoOwners),
    ]

    /// A client gets the state of another one. Either of them is named.
    @Sendable private static func twoOwners(_ program: Program, _ generator: inout SplitMix64) -> [String: String]? {
        let clients = program.types.filter { $0.roles.contains(.stateOwner) }.shuffled(using: &generator)
        guard clients.count > 1 else { return nil }
        var edits = Edits(program)
        let old = clients[0].stem + "State"
        for reference in clients[0].declaration.properties.compactMap(\.type) {
            for part in reference.all where part.name == old && reference.name != "CapabilityRef" {
                edits.replace(part.span.offsets, with: clients[1].stem + "State", in: clients[0].path)
            }
        }
        for client in clients[..<2] { edits.insert("⟦", at: client.declaration.span.start, in: client.path) }
        return edits.texts
    }

    private static let stateReference: [Violation] = [
        Violation("state-reference", .state, .member, "var owner: ⟦AnyObject?"),
        Violation("state-reference", .state, .member, "var owner: ⟦CLASS?"),
        Violation("state-reference", .state, .member, "var owners: [Int: [⟦CLASS]] = [:]"),
        Violation("state-reference", .state, .member, "var done: (⟦@Sendable () -> Void)?"),
        Violation("state-reference", .state, .member, "let format = ⟦NumberFormatter()", imports: ["Foundation"]),
        Violation("state-reference", .state, .member, "var bundle: ⟦Foundation.Bundle?", imports: ["Foundation"]),
        Violation("state-reference", .state, .member, "var user: ⟦CLIENT?"),
        Violation("state-reference", .state, .member, "var pair: (Int, any ⟦Actor)?"),
        Violation("state-reference", .state, .member, "var link: ⟦Link?\nclass Link {}"),
        Violation("state-reference", .state, .member, "var link: ⟦Link?\nenum Link { case one(CLASS) }"),
        Violation("state-reference", .state, .member, "var link: ⟦Link?", extra: "typealias Link = CLASS"),
        Violation(
            "state-reference",
            .state,
            .member,
            "var link: ⟦Link?",
            extra: "struct Link: Hashable {\n    let inner: [Inner]\n}\nstruct Inner {\n    let owner: CLASS\n}"
        ),
        Violation(
            "state-reference",
            .state,
            .instead("struct "),
            "final class ⟦",
            where: { $0.declaration.keyword.start == $0.declaration.whole.start }
        ),
        Violation("state-reference", "a class in a value of a state") { program, generator in
            let project = program.project
            let states = project.types(with: .state).shuffled(using: &generator)
            for (_, state) in states {
                for (place, property) in project.properties(of: state) where property.isStored {
                    guard let reference = property.type, let part = reference.all.last(where: { $0.form == .named }),
                        case .project(let index) = project.resolve(part, in: place.file, at: .init()),
                        project.types[index].kind == .struct
                    else { continue }
                    let target = project.declaration(of: project.types[index])
                    var edits = Edits(program)
                    edits.insert("⟦", at: reference.span.start, in: project.files[place.file].path)
                    edits.insert(
                        "\n    var owner: Visitor?",
                        at: target.body.start + 1,
                        in: project.files[project.types[index].file].path
                    )
                    return edits.texts
                }
            }
            return nil
        },
    ]

    private static let stateEquality: [Violation] = [
        equality("static func ⟦== (left: SELF, right: SELF) -> Bool { left.FIRST == right.FIRST }"),
        equality("static func ⟦== (lhs: Self, rhs: Self) -> Bool {\n    lhs.FIRST == rhs.FIRST\n}"),
        equality(
            "static func ⟦==(_ a: SELF, _ b: SELF) -> Bool {\n    guard a.FIRST == b.FIRST else { return false }\n    return true\n}"
        ),
        equality("static func ⟦== (a: SELF, b: SELF) -> Bool {\n    return (a.FIRST, 1) == (b.FIRST, 1)\n}"),
        equality("static func ⟦== (a: SELF, b: SELF) -> Bool { a.FIRST == b.FIRST }", .elsewhere),
    ]

    /// FIRST is a stored property of a state that has several.
    private static func equality(_ text: String, _ place: Place = .member) -> Violation {
        Violation("state-manual-equality", text) { program, generator in
            let states = program.types.filter { type in
                type.roles.contains(.state) && type.declaration.properties.count { $0.isStored && !$0.isStatic } > 1
            }
            guard let state = states.randomElement(using: &generator),
                let first = state.declaration.properties.first(where: { $0.isStored && !$0.isStatic })?.name
            else { return nil }
            let text = text.replacing("FIRST", with: first)
            return Violation("state-manual-equality", .state, place, text, where: { $0.name == state.name })
                .changes(program, &generator)
        }
    }

    private static let actionReference: [Violation] = [
        actionCase("case held(⟦CLASS)"),
        actionCase("case held(⟦AnyObject)"),
        actionCase("case done(number: Int, ⟦@escaping @Sendable () -> Void)"),
        actionCase("case done([⟦() -> Void])"),
        actionCase("case shown(⟦CONTEXT)"),
        actionCase("case shown(⟦CLASS?), hidden"),
        actionCase("indirect case wrapped(Result<⟦CLASS, any Error>)"),
        Violation(
            "action-reference",
            .action,
            .member,
            "case held(⟦Held)",
            extra: "struct Held: Hashable {\n    let owner: CLASS\n}",
            where: { $0.kind == .enum }
        ),
        Violation("action-reference", .component, .topLevel, "struct PingAction: Action {\n    var ⟦count: Int\n}"),
        Violation(
            "action-reference",
            .component,
            .topLevel,
            "struct PingAction: Axiom.Action {\n    let name: String\n    private(set) var ⟦count = 0\n}"
        ),
    ]

    private static func actionCase(_ text: String) -> Violation {
        Violation("action-reference", .action, .member, text, where: { $0.kind == .enum })
    }

    private static let caseNames: [Violation] = [
        names("a name that is no case") { text, _ in text.replacingFirst("caseNames = [\"", with: "caseNames = [\"x") },
        names("a name too few") { text, _ in text.replacing(#/", "\w+"\]/#, with: "\"]", maxReplacements: 1) },
        names("a name too many") { text, _ in text.replacingFirst("\"]", with: "\", \"other\"]") },
        names("names in another order") { text, _ in
            text.replacing(#/\["(\w+)", "(\w+)"/#) { "[\"\($0.output.2)\", \"\($0.output.1)\"" }
        },
        names("two cases with one index") { text, _ in text.replacingFirst(": 1\n", with: ": 0\n") },
        names("an index too high") { text, _ in text.replacingFirst(": 1\n", with: ": 9\n") },
        names("another case") { text, _ in
            text.replacingFirst("\n    static let ", with: "\n    case another(Int)\n\n    static let ")
        },
        names("another name of a case") { text, _ in
            text.replacing(#/    case (\w+)/#, maxReplacements: 1) { "    case \($0.output.1)Now" }
        },
    ]

    private static func names(_ name: String, _ change: @escaping @Sendable (String, Int) -> String) -> Violation {
        Violation("case-names-mismatch", name) { program, generator in
            let actions = program.types.filter { type in
                type.roles.contains(.action) && type.declaration.properties.contains { $0.name == "caseNames" }
            }
            guard let action = actions.randomElement(using: &generator) else { return nil }
            let text = program.text(action.declaration.whole, in: action.path)
            let changed = change(text, 0).replacingFirst("caseNames", with: "⟦caseNames")
            guard changed != text.replacingFirst("caseNames", with: "⟦caseNames") else { return nil }
            var edits = Edits(program)
            edits.replace(action.declaration.whole.offsets, with: changed, in: action.path)
            return edits.texts
        }
    }
}

extension String {
    func replacingFirst(_ old: String, with new: String) -> String {
        replacing(old, with: new, maxReplacements: 1)
    }
}
