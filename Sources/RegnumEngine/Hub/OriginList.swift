/// The newest 1,000 distinct labels in order of first appearance.
package struct OriginList: Sendable {
    private var labels: [StoredText] = []
    private var first = 0
    /// The same labels as a set, once there are many.
    private var known: Set<StoredText> = []

    static let maximumCount = 1_000
    private static let maximumScanCount = 8

    package init() {}

    package func contains(_ label: String) -> Bool { contains(StoredText(label)) }

    private func contains(_ label: StoredText) -> Bool {
        known.isEmpty ? labels[first...].contains(label) : known.contains(label)
    }

    /// - Complexity: O(1), amortized.
    package mutating func add(_ label: String) {
        let label = StoredText(label)
        if contains(label) { return }
        if known.isEmpty, labels.count - first > OriginList.maximumScanCount {
            known = Set(labels[first...])
        }
        if !known.isEmpty { known.insert(label) }
        labels.append(label)
        guard labels.count - first > OriginList.maximumCount else { return }
        known.remove(labels[first])
        first += 1
        if first >= OriginList.maximumCount {
            labels.removeFirst(first)
            first = 0
        }
    }

    package var all: [String] { labels[first...].map(\.wrappedValue) }
}
