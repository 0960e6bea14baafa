// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// A period in which the main actor was held.
struct HangRow: SnapshotRow {
    let hang: MainActorHang
    let at: Double
    /// The component that held it; nil if no component did, or if it is not known.
    let component: Int?

    var id: Int { hang.id }

    static let fields: [RowField<Self>] = [
        RowField("at") { .moment($0.at) },
        RowField("seconds") { .measured($0.hang.seconds) },
        RowField("component") { .count($0.component) },
        RowField("action") { .words($0.hang.culprit?.name) },
        RowField("trace") { .term($0.hang.culprit?.trace?.description) },
        RowField("sure") { .flag($0.hang.culprit?.isSure ?? false) },
        RowField("lasts") { .flag($0.hang.isLasting) },
        RowField("cause") { .term($0.hang.explanation) },
    ]

    static func rows(_ history: History, _ components: ComponentIndex) -> [HangRow] {
        history.mainActor.hangs.map { hang in
            HangRow(
                hang: hang,
                at: history.grid.seconds(hang.start),
                component: hang.culprit.flatMap { components.id(named: $0.component.name) }
            )
        }
    }
}

extension History {
    /// Whether the cause of a hang is known, or was not found within some seconds. An operation may end long after.
    func isExplained(_ hang: MainActorHang) -> Bool {
        hang.culprit != nil || hang.isSettled || grid.seconds(hang.end) < at - 3
    }
}

extension MainActorHang {
    /// How the cause is known.
    var explanation: String {
        switch cause {
        case .operation(let culprit): culprit.isSure ? "seen" : "likely"
        case .application: "nothing of Axiom ran: other code of the application"
        case .process: "its thread did not run: the process was stopped or had no processor"
        }
    }

    /// The operation, or what else held the main actor.
    var subject: String {
        switch cause {
        case .operation(let culprit): (culprit.isSure ? "" : "probably ") + "\(culprit.component.name).\(culprit.name)"
        case .application: isLasting ? "code that Axiom did not see begin" : "code of the application outside of Axiom"
        case .process: "nothing: the process was stopped or had no processor"
        }
    }

    /// The hang as an event.
    var sentence: String {
        cause == .process
            ? "Main actor had no processor for most of \(QuantityText.seconds(seconds)), or the process was stopped"
            : "Main actor held for \(QuantityText.seconds(seconds)) by \(subject)"
    }
}
