// SPDX-License-Identifier: Apache-2.0

/// Checks the settings of one strategy, and words what is wrong with them in one way.
struct SettingCheck {
    /// The kind and the name of the strategy, such as `Retry "checkout"`.
    let subject: String
    let file: String
    let line: Int

    /// Throws unless `holds`: `setting` is `value`, and `remedy` tells what it has to be.
    func require(
        _ holds: Bool,
        _ setting: String,
        _ value: @autoclosure () -> Any,
        _ remedy: @autoclosure () -> String
    ) throws(ResilienceError) {
        if !holds { throw error(.invalidOption, "\(setting) is \(value()); \(remedy())") }
    }

    /// Throws when `name` is empty.
    func requireName(_ name: String) throws(ResilienceError) {
        if name.isEmpty { throw error(.invalidName, "the name is empty; give it one, which errors and metrics show") }
    }

    func error(_ code: ResilienceError.Code, _ message: String) -> ResilienceError {
        ResilienceError(code, "\(subject): \(message)", file: file, line: line)
    }

    func requirePositive(_ duration: Duration?, _ setting: String) throws(ResilienceError) {
        guard let duration else { return }
        try require(duration > .zero, setting, duration, "it has to be longer than zero, or nil for no limit")
    }
}
