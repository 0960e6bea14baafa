// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

extension Readings {
    /// The profiler that runs; nil if there is none.
    package var profiler: (any ProfileSource)? { watching.profiler.held.withLock { $0 } }

    /// The names of the known operations, as frames of a profile have them: of all actions, of what contexts do between them, and of
    /// the spans that are not overwritten. Cost: some milliseconds.
    package var operations: Set<String> {
        let spans = knownSpans?.latest(.max, of: SpanKind.activities) { _ in true } ?? []
        let names = spans.map { span in span.component.map { "\($0.name).\(span.name)" } ?? span.name }
        let phases = LifecyclePhase.allCases.map(\.rawValue) + [RunningWork.observation]
        let actions = actions.actions.flatMap { action in
            let more = action.component.kind == .context ? phases : []
            return ([action.name] + more).map { "\(action.component.name).\($0)" }
        }
        return Set(actions + names)
    }
}

extension Telemetry {
    /// Makes `profiler` that of the readings. Until it is detached, the calls of all clients bind a span, so that samples have the
    /// action as their label.
    ///
    /// - Returns: False if another profiler runs.
    package func attach(_ profiler: any ProfileSource) -> Bool { replace(nil, by: profiler) }

    /// Removes this profiler from the readings. Calls that run keep their spans.
    package func detach(_ profiler: any ProfileSource) { _ = replace(profiler, by: nil) }

    private func replace(_ expected: (any ProfileSource)?, by profiler: (any ProfileSource)?) -> Bool {
        readings.watching.profiler.held.withLock { held in
            guard held === expected else { return false }
            held = profiler
            // Under the lock: another profiler may come at once.
            recording.spans?.recorder.bindCalls(profiler != nil)
            return true
        }
    }

    /// The spans of this telemetry, for the labels of samples; nil if none are recorded.
    package var profiledSpans: ProfiledSpans? { recording.spans.map { ProfiledSpans(recorder: $0.recorder) } }
}
