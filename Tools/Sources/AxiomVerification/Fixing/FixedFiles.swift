// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
internal import AxiomSyntax

extension FixEngine.Outcome {
    /// Writes the changed files, each as a whole, with its mode. A file that someone changed in the meantime is left as it is,
    /// and so is one that a link leads to out of the folder: it belongs to another project.
    ///
    /// - Parameter root: The folder that paths are relative to.
    /// - Returns: Why files were not written.
    package func write(root: String) -> [Refusal] {
        var refusals: [Refusal] = []
        for change in changes {
            let path = change.path.hasPrefix("/") ? change.path : "\(root)/\(change.path)"
            if !change.path.hasPrefix("/"), let outside = SourceFinder.placeOutside(root, of: path) {
                refusals.append(.init(path: change.path, reason: "a link leads to \(outside), outside of the project"))
                continue
            }
            do throws(ToolSupport.FileFailure) {
                if try !ToolSupport.replace(change.old, with: change.new, in: path) {
                    refusals.append(.init(path: change.path, reason: "it changed while it was judged: run again"))
                }
            } catch {
                refusals.append(.init(path: change.path, reason: error.message))
            }
        }
        return refusals
    }

    /// The changes in the form of `diff -u`.
    package var diff: String { changes.map(\.diff.text).joined() }

    /// What was done, for people: a line for each rule, and one for each file that was left as it is.
    package func summary(refusals more: [Refusal] = [], isDryRun: Bool = false) -> String {
        var lines: [String] = []
        for (rule, count) in applied.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("\(isDryRun ? "would fix" : "fixed") \(rule.rawValue): \(count)")
        }
        for refusal in refusals + more { lines.append("left \(refusal.path) as it is: \(refusal.reason)") }
        if !isStable {
            lines.append("after \(FixEngine.maximumRounds) rounds there is still something to fix: run again")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
