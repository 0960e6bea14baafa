// SPDX-License-Identifier: Apache-2.0

/// What a label is used as, which decides the family's name and type.
enum SeriesKind: String {
    case counter
    case floatCounter = "floating-point counter"
    case gauge
    case recorder
    case timer

    /// What the name of the family must end in.
    var suffix: String {
        switch self {
        case .counter, .floatCounter: "_total"
        case .timer: "_seconds"
        case .gauge, .recorder: ""
        }
    }

    /// The family's name for a label of this kind.
    func familyName(for label: String) -> String {
        let name = PrometheusName.sanitized(label)
        return name.hasSuffix(suffix) && name != suffix ? name : name + suffix
    }
}
