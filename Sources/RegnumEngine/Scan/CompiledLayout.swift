import RegnumStore

/// The properties of rows that are points, resolved in one schema.
struct CompiledLayout: Sendable {
    let type: ResolvedColumn
    let coordinates: ListPlace
    /// The class of the list's elements.
    let elements: TableKey
    let element: ResolvedColumn
}

extension CompiledLayout {
    /// Returns the rows of `rows` that are points in an area.
    func rows(
        within area: GeoArea, _ cluster: Cluster, _ rows: RowMask, _ content: DatabaseContent
    ) -> RowMask {
        var finder = RowFinder(content[elements.index])
        return rows.filter { isWithin(area, cluster, $0, content, &finder) }
    }

    /// Returns whether a row is a point in an area.
    func isWithin(
        _ area: GeoArea, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> Bool {
        var finder = RowFinder(content[elements.index])
        return isWithin(area, cluster, row, content, &finder)
    }

    @inline(__always)
    private func isWithin(
        _ area: GeoArea, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent,
        _ finder: inout RowFinder
    ) -> Bool {
        guard isPoint(cluster, row) else { return false }
        var longitude: Double?
        var latitude: Double?
        content[coordinates.table.index].elements(coordinates.list.index)
            .visit(cluster.firstKey + UInt64(row)) { key in
                guard let place = finder.place(key),
                    case .double(let degrees) = element.value(place.cluster, place.row)
                else { return false }
                if longitude == nil {
                    longitude = degrees
                    return true
                }
                latitude = degrees
                return false
            }
        guard let longitude, let latitude else { return false }
        return area.contains(latitude: latitude, longitude: longitude)
    }

    /// Whether the type of a row is that of points, ignoring case.
    @inline(__always)
    private func isPoint(_ cluster: Cluster, _ row: Int) -> Bool {
        guard type.isStored(in: cluster) else {
            guard case .string(let name) = type.fallback else { return false }
            return name.utf8.count == 5 && name.lowercased() == "point"
        }
        if cluster.isNull(row, type.index) { return false }
        let bytes = cluster.bytes(row, type.index)
        // letters differ from their capitals in one bit
        return bytes.count == 5
            && zip(bytes, "point".utf8).allSatisfy { $0 | 0x20 == $1 }
    }
}

extension QueryCompiler {
    /// Compiles the condition that a row is a point in an area; false while the properties of
    /// points aren't stored.
    func within(_ layout: GeoLayout, _ area: GeoArea) throws(StoreError) -> CompiledPredicate {
        try check(layout.type, .string)
        try check(layout.element, .double)
        let compiler = compiler(behind: layout.coordinates)
        let type = try resolve(layout.type)
        let element = try compiler.resolve(layout.element)
        guard case .list(let place, let elements)? = try resolve(layout.coordinates) else {
            return .constant(false)
        }
        return .within(
            CompiledLayout(
                type: type, coordinates: place, elements: elements, element: element), area)
    }
}
