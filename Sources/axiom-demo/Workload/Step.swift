// SPDX-License-Identifier: Apache-2.0

/// One thing that a shopper does.
enum Step: Hashable, Sendable, CustomStringConvertible {
    /// Leaves the screen before them, if there is one, and opens another.
    case open(Screen)
    /// Does something with the screen; walks off after the time in `patience`, if there is one.
    case act(Intent, patience: Duration?)
    /// Looks away: the application goes to the background and comes back.
    case lookAway

    /// What is done, without what it is done with.
    var description: String {
        switch self {
        case .open(let screen): "open \(screen.rawValue)"
        case .act(let intent, _): "\(intent)"
        case .lookAway: "look away"
        }
    }
}
