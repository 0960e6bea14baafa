// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomPush
internal import Foundation

/// Reads environment variables as OpenTelemetry defines them, and collects what is wrong with them:
/// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
struct EnvironmentReader {
    /// A variable that is set. An empty value is none.
    struct Variable {
        let name: String
        let value: String

        /// The value for messages, unless it may contain credentials. A URL has them before `@`, in a query or in a fragment.
        var shown: String {
            let hasSecret = name.hasSuffix("ENDPOINT") && value.contains(where: "@?#".contains)
            // A key that stands where the path of its file belongs.
            let isSecret = hasSecret || name.hasSuffix("HEADERS") || value.contains("-----BEGIN")
            return isSecret ? "set" : "\"\(value.printable)\""
        }
    }

    private let variables: [String: String]
    private var problems: [String] = []

    init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// The first of these variables that is set; nil if none is.
    func first(_ names: String...) -> Variable? {
        for name in names {
            if let value = variables[name], !value.isEmpty { return Variable(name: name, value: value) }
        }
        return nil
    }

    /// One of some words, whatever its case; nil if the variable is not set, or is wrong.
    ///
    /// - Parameter remedies: What to do about words that other SDKs know.
    mutating func choice<Value>(
        _ variable: Variable?,
        _ choices: KeyValuePairs<String, Value>,
        remedies: [String: String] = [:]
    ) -> Value? {
        guard let variable else { return nil }
        let word = variable.value.trimmingCharacters(in: .whitespaces).lowercased()
        if let choice = choices.first(where: { $0.key == word }) { return choice.value }
        let words = choices.map(\.key).joined(separator: " or ")
        refuse(variable, "it has to be \(words)" + (remedies[word].map { "; \($0)" } ?? ""))
        return nil
    }

    /// A number of milliseconds; nil if the variable is not set, or is wrong.
    mutating func milliseconds(_ variable: Variable?, in range: ClosedRange<Int>) -> Int? {
        guard let variable else { return nil }
        let number = Int(variable.value.trimmingCharacters(in: .whitespaces))
        if let number, range.contains(number) { return number }
        refuse(variable, "it has to be a number of milliseconds from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    /// A list as `name=value,name=value`, percent-encoded. Of a name that occurs twice, the last value counts. One wrong member
    /// makes the whole list wrong, which is then empty.
    mutating func pairs(_ variable: Variable?) -> [String: String] {
        guard let variable else { return [:] }
        var pairs: [String: String] = [:]
        for member in variable.value.split(separator: ",") where !member.allSatisfy(\.isWhitespace) {
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { $0.trimmingCharacters(in: .whitespaces).removingPercentEncoding }
            guard texts.count == 2, let name = texts[0], let value = texts[1], !name.isEmpty else {
                refuse(
                    variable,
                    "it has to be a list as name=value,name=value, with %2C for commas and %25 for percent signs"
                )
                return [:]
            }
            pairs[name] = value
        }
        return pairs
    }

    /// A client for an endpoint; nil if the endpoint is invalid, and then the variable is wrong.
    mutating func client(_ endpoint: PushEndpoint, isCompressed: Bool, _ variable: Variable?) -> OTLPClient? {
        do throws(PushError) {
            return try OTLPClient(exactly: endpoint, isCompressed: isCompressed)
        } catch {
            if let variable { refuse(variable, error.message.clause) }
            return nil
        }
    }

    /// Notes what is wrong with a variable, once.
    mutating func refuse(_ variable: Variable, _ problem: String) {
        let text = "\(variable.name) is \(variable.shown): \(problem)"
        if !problems.contains(text) { problems.append(text) }
    }

    /// - Throws: `PushError` that names each variable that is wrong, its value and what it has to be.
    func finish() throws(PushError) {
        guard !problems.isEmpty else { return }
        throw PushError(.invalidConfiguration, problems.joined(separator: "\n"))
    }
}
