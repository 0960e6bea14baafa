// SPDX-License-Identifier: Apache-2.0

/// The style sheet of ``OverviewPage``.
public enum OverviewStyle {
    /// The style sheet: light and dark as the browser is set, readable from 320 px on, and printable.
    ///
    /// A table that is wider than the window scrolls by itself, under the names of its rows, which stay; a shadow at its
    /// edge says that there is more.
    public static let css = """
        :root { color-scheme: light dark; --line: #8884; --alarm: #b3261e; --paper: #fff; }
        @media (prefers-color-scheme: dark) { :root { --alarm: #ffb4ab; --paper: #121212; } }
        body { font: 15px/1.5 system-ui, sans-serif; margin: 0; background: var(--paper); }
        main { max-width: 75rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; margin: 0; }
        h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
        nav a { margin-right: 1rem; }
        .scroll { overflow-x: auto; background: linear-gradient(to left, var(--paper), transparent 3rem) right / 3rem 100%
            no-repeat local, linear-gradient(to left, #8886, transparent 1rem) right / 1rem 100% no-repeat scroll; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th, td { padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line); text-align: left; }
        th:last-child, td:last-child { padding-right: 0; }
        td, thead th { white-space: nowrap; }
        thead th { font-weight: 600; }
        th[scope=row] { min-width: 10rem; font-weight: inherit; }
        th:first-child { position: sticky; left: 0; background: var(--paper); }
        .number { text-align: right; }
        .alarm { color: var(--alarm); font-weight: 600; }
        """
}
