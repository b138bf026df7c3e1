extension String {
    /// Returns the name that differs from this one by the fewest insertions, deletions and
    /// substitutions, or only by case; `nil` if all differ by more than two.
    func nearest(of names: [String]) -> String? {
        guard utf8.count <= 64 else { return nil }
        let lowercase = lowercased()
        if let name = names.first(where: { $0.lowercased() == lowercase }) { return name }
        return names.filter { $0.utf8.count <= 64 }.map { (name: $0, distance: distance(to: $0)) }
            .filter { $0.distance <= 2 && $0.distance < Swift.max(2, utf8.count) }
            .min { $0.distance < $1.distance }?.name
    }

    /// The Levenshtein distance.
    private func distance(to other: String) -> Int {
        let (a, b) = (Array(unicodeScalars), Array(other.unicodeScalars))
        var row = Array(0...b.count)
        for i in a.indices {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let substitution = diagonal + (a[i] == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(substitution, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
