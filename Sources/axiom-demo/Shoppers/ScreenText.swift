// SPDX-License-Identifier: Apache-2.0

/// A screen of the shop, and the way back from it, as text for a terminal.
///
/// ```
/// shop > product 7, noodles
/// | Price
/// |   2.48, tax 0.08
/// ```
struct ScreenText: Hashable, CustomStringConvertible {
    /// The history, the root first and the current route last.
    let routes: [ShopRoute]
    /// What the current screen shows.
    let output: String
    /// The errors of the current screen; empty if there are none.
    let errors: String

    var description: String {
        let path = routes.map(Self.title).joined(separator: " > ")
        let lines = [output, errors].filter { !$0.isEmpty }.joined(separator: "\n\n")
        let framed = lines.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "|" : "| \($0)" }
        return ([path] + framed).joined(separator: "\n")
    }

    /// A route for a person.
    static func title(of route: ShopRoute) -> String {
        switch route {
        case .product(let number): "product \(number), \(ShopRoute.article(number) ?? "unknown")"
        case .signIn(returnTo: let wanted?): "sign-in (then \(title(of: wanted)))"
        default: ShopLinks.name(of: route)
        }
    }
}
