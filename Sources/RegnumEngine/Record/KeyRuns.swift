import RegnumStore

/// Ascending object keys as runs. `Docs/FORMAT.md` specifies the layout.
enum KeyRuns {
    static func encode(_ keys: [ObjectKey], _ writer: inout RecordWriter) {
        writer.varint(keys.count)
        var next: UInt64 = 0
        var start = 0
        while start < keys.count {
            let first = keys[start].rawValue
            var end = start + 1
            while end < keys.count, keys[end].rawValue == first + UInt64(end - start) { end += 1 }
            writer.varint(first - next)
            writer.varint(end - start - 1)
            next = first + UInt64(end - start)
            start = end
        }
    }

    /// - Parameter maximumCount: The maximum number of keys. More are treated as damage.
    static func decode(
        _ reader: inout RecordReader, maximumCount: Int
    ) throws(StoreError) -> [ObjectKey] {
        let count = try reader.count(max: maximumCount, "the number of keys")
        try reader.require(count > 0, "a list of keys is empty")
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        var next: UInt64 = 0
        while keys.count < count {
            let gap = try reader.varint()
            try reader.require(gap > 0 || keys.isEmpty, "two runs of keys are adjacent")
            let length = try reader.count(max: count - keys.count - 1, "a run of keys") + 1
            let (first, isOver) = next.addingReportingOverflow(gap)
            let (end, isEndOver) = first.addingReportingOverflow(UInt64(length))
            try reader.require(
                !isOver && !isEndOver && end <= Limits.maximumKeyCount,
                "an object key is too large")
            for key in first..<end { keys.append(ObjectKey(rawValue: key)) }
            next = end
        }
        return keys
    }
}
