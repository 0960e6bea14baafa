// SPDX-License-Identifier: Apache-2.0

/// The labels of a family as they are declared.
struct LabelDeclarations {
    /// The names, in the order of the values.
    private(set) var names: [String] = []
    /// The types whose cases are known; as many as there are names when all are.
    private(set) var enumerated: [EnumeratedLabel] = []

    /// Whether each series brings names of its own.
    private(set) var areOpen = false

    /// No labels.
    static let none = LabelDeclarations()
    /// Labels of which only the series know the names.
    static let open = LabelDeclarations(areOpen: true)

    private init(areOpen: Bool = false) {
        self.areOpen = areOpen
    }

    /// Facts, whose values are given as text.
    init(names: [String]) {
        self.names = names
    }

    init<each Value: LabelValue>(_ labels: repeat Label<each Value>) {
        for label in repeat each labels {
            names.append(label.name)
            if let known = Self.enumerated(label) { enumerated.append(known) }
        }
    }

    private static func enumerated<Value: LabelValue>(_ label: Label<Value>) -> EnumeratedLabel? {
        EnumeratedLabel(Value.self)
    }
}
