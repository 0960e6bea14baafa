// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

// What happens so often that it is worth knowing.
extension ObservedMoment {
    var countedObservations: [Problem] { machineObservation }

    private func observation(
        _ key: String,
        _ kind: ProblemKind,
        _ text: String,
        past: String? = nil,
        _ symptom: Symptom = .other,
        of subjects: [String] = []
    ) -> Problem {
        Problem(
            key: "observation/\(key)",
            level: .observation,
            kind: kind,
            component: subjects.first.flatMap { id(named: $0) },
            text: text,
            past: past,
            symptom: symptom,
            subjects: subjects
        )
    }

    /// If threads wait for processors that other processes have, neither hangs nor slowness are those of the application:
    /// for more than a third of the time that they wanted to run, which makes each action half as long again, and 5 s in a
    /// minute, because a process that does next to nothing may wait for most of it. A process that has more than half of
    /// the processors is what others wait for. It lasts for five minutes, as long as budgets look back.
    private var machineObservation: [Problem] {
        let shares = history.counts.minutes.map { length, ran, waited -> Double? in
            let isOwn = ran > 0.5 * Double(observed.processors) * length
            let share = waited / max(ran + waited, 1e-9)
            return waited >= 5 && share > 1.0 / 3 && !isOwn ? share : nil
        }
        guard let now = shares.last, let worst = shares.compactMap(\.self).max() else { return [] }
        func text(_ when: String, _ share: Double) -> String {
            let share = QuantityText.percentage(share.significant(2))
            return "The machine \(when): threads waited \(share) of the time that they wanted to run"
        }
        let past = text("was short of processors", worst)
        let recently = text("was short of processors in the last 5 minutes", worst)
        let present = now.map { text("is short of processors", $0) }
        return [observation("machine", .machine, present ?? recently, past: past, .starved)]
    }
}
