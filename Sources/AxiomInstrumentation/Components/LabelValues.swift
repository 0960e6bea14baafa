// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomMetrics

// The framework's own enums as label values: the pages show their raw values.
extension ComponentKind: LabelValue {}
extension ActionOutcome: LabelValue {}
extension LifecyclePhase: LabelValue {}
extension ErrorSeverity: LabelValue {}
extension RecoveryReport.Outcome: LabelValue {}
