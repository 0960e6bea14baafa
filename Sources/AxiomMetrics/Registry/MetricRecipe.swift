// SPDX-License-Identifier: Apache-2.0

/// How the metrics of one kind are made: what their definition has besides name, help, labels and options, and how a child
/// is made.
///
/// The class of the children fits the value storage. Reading and look-ups rely on it (see `SortedChildren.read` and
/// `Family`), so recipes are made in this file only.
package struct MetricRecipe<Child: Instrument>: Sendable {
    let kind: MetricKind
    let storage: ValueStorage
    /// The bounds of the classic buckets on a page.
    let buckets: Buckets
    let exponential: ExponentialBucketing?
    let make: @Sendable (SeriesHead) -> Instrument

    fileprivate init(
        _ kind: MetricKind,
        _ storage: ValueStorage,
        buckets: Buckets = [],
        exponential: ExponentialBucketing? = nil,
        _ make: @escaping @Sendable (SeriesHead) -> Child
    ) {
        self.kind = kind
        self.storage = storage
        self.buckets = buckets
        self.exponential = exponential
        self.make = { make($0) }
    }
}

extension MetricRecipe where Child == Counter {
    /// Totals of whole numbers. The name ends in `_total`.
    package static var counter: MetricRecipe { MetricRecipe(.counter, .integerCounter) { Counter($0) } }
}

extension MetricRecipe where Child == FloatCounter {
    /// Totals of any numbers. The name ends in `_total`.
    package static var floatCounter: MetricRecipe { MetricRecipe(.counter, .floatCounter) { FloatCounter($0) } }
}

extension MetricRecipe where Child == Gauge {
    /// Values that go up and down.
    package static var gauge: MetricRecipe { MetricRecipe(.gauge, .gauge) { Gauge($0) } }

    /// The value 1. The name ends in `_info`.
    static var information: MetricRecipe {
        MetricRecipe(.info, .information) {
            let one = Gauge($0)
            one.set(1)
            return one
        }
    }
}

extension MetricRecipe where Child == Histogram {
    /// Histograms with these inclusive upper bounds.
    package static func histogram(_ buckets: Buckets = .standard) -> MetricRecipe {
        let layout = BucketLayout(buckets)
        return MetricRecipe(.histogram, .histogram, buckets: buckets) { Histogram($0, layout: layout) }
    }
}

extension MetricRecipe where Child == ExponentialHistogram {
    /// Exponential histograms.
    ///
    /// - Parameters:
    ///   - bucketing: How buckets are chosen and limited.
    ///   - buckets: The bounds of additional classic buckets; none if it is empty.
    package static func exponentialHistogram(
        _ bucketing: ExponentialBucketing = ExponentialBucketing(),
        buckets: Buckets = []
    ) -> MetricRecipe {
        let layout = buckets == [] ? nil : BucketLayout(buckets)
        return MetricRecipe(.histogram, .exponential, buckets: buckets, exponential: bucketing) {
            ExponentialHistogram($0, bucketing: bucketing, classic: layout)
        }
    }
}

extension Registry {
    /// Registers a family of metrics, each with its own label names.
    ///
    /// - Throws: ``MetricsError`` if the name, the help or the recipe is invalid, or the name is taken.
    package func open<Child>(
        _ recipe: MetricRecipe<Child>,
        _ name: String,
        help: String,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<Child> {
        OpenFamily(storage: try storage(recipe, name, help, .open, options, file, line))
    }

    /// The series of a family whose label names are known when the program runs. Registers the family if it is new.
    ///
    /// - Parameter labels: The names, the same for all series of the family, and the values of this one.
    /// - Throws: ``MetricsError`` if the name, the help, a label or the recipe is invalid, or the name is taken.
    package func series<Child>(
        _ recipe: MetricRecipe<Child>,
        _ name: String,
        help: String,
        labels: [(name: String, value: String)],
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Child {
        let declarations = LabelDeclarations(names: labels.map(\.name))
        let storage = try storage(recipe, name, help, declarations, MetricOptions(), file, line)
        let set = LabelSet(template: storage.labels, values: labels.map { storage.bounded($0.value) })
        return unsafeDowncast(storage.child(set), to: Child.self)
    }

    /// Registers a family of metrics.
    ///
    /// - Throws: ``MetricsError`` if the name, the help, a label or the recipe is invalid, or the name is taken.
    package func family<Child, each Value: LabelValue>(
        _ recipe: MetricRecipe<Child>,
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Child, repeat each Value> {
        let labels = LabelDeclarations(repeat each labels)
        return Family(storage: try storage(recipe, name, help, labels, options, file, line))
    }

    /// Registers a metric without labels.
    func single<Child>(
        _ recipe: MetricRecipe<Child>,
        _ name: String,
        _ help: String,
        _ options: MetricOptions,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> Child {
        try Family<Child>(storage: storage(recipe, name, help, .none, options, file, line))()
    }

    func storage<Child>(
        _ recipe: MetricRecipe<Child>,
        _ name: String,
        _ help: String,
        _ labels: LabelDeclarations,
        _ options: MetricOptions,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        do throws(MetricsError) {
            let definition = try MetricDefinition(
                name,
                recipe.kind,
                recipe.storage,
                help: help,
                labels: labels.names,
                hasOpenLabels: labels.areOpen,
                buckets: recipe.buckets,
                exponential: recipe.exponential,
                options: options
            )
            return try storage(definition, enumerated: labels.enumerated, make: recipe.make)
        } catch {
            throw error.at(file, line)
        }
    }
}
