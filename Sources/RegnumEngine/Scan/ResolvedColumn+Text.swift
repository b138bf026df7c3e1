import CRegnum

/// The memory of a string or data column in a cluster, as the text kernels take it.
private struct TextChunk {
    let cells: UnsafeMutableRawPointer
    let text: UnsafeMutableRawPointer?
    let textByteCount: Int
    let isInRowOrder: Bool

    init(_ cluster: Cluster, _ column: Int) {
        cells = cluster.rows(column)
        let slot = cluster.slot(column)
        let node = Node(word: cluster.textWord(slot))
        text = node.map { $0.address + Node.headerByteCount }
        // The used bytes fit into the node, unless the image is a different one.
        textByteCount = node.map { min(slot.textUsed, $0.byteCount - Node.headerByteCount) } ?? 0
        isInRowOrder = slot.flags.contains(.textInRowOrder)
    }
}

extension ResolvedColumn {
    /// Compares non-null rows by their bytes.
    func compareText(
        _ cluster: Cluster, _ rows: RowMask, _ comparison: Comparison,
        _ bytes: UnsafeRawBufferPointer
    ) -> RowMask {
        switch comparison {
        case .equal: return equalText(cluster, rows, bytes)
        case .notEqual: return rows.subtracting(equalText(cluster, rows, bytes))
        default: break
        }
        let chunk = TextChunk(cluster, index)
        var less = RowMask()
        var equal = RowMask()
        var later = RowMask()
        less.withWords { less in
            equal.withWords { equal in
                later.withWords { later in
                    withPointer(bytes) {
                        cregnum_order_text(
                            chunk.cells, cluster.rowCount, chunk.text, chunk.textByteCount, $0,
                            bytes.count, less, equal, later)
                    }
                }
            }
        }
        (later & rows).visit { row in
            let value = cluster.bytes(row, index)
            if value.elementsEqual(bytes) {
                equal.insert(row)
            } else if value.lexicographicallyPrecedes(bytes) {
                less.insert(row)
            }
            return true
        }
        switch comparison {
        case .less: return less & rows
        case .lessOrEqual: return (less | equal) & rows
        case .greater: return rows.subtracting(less | equal)
        default: return rows.subtracting(less)
        }
    }

    private func equalText(
        _ cluster: Cluster, _ rows: RowMask, _ bytes: UnsafeRawBufferPointer
    ) -> RowMask {
        let chunk = TextChunk(cluster, index)
        var mask = RowMask()
        mask.withWords { mask in
            withPointer(bytes) {
                cregnum_equal_text(
                    chunk.cells, cluster.rowCount, chunk.text, chunk.textByteCount, $0,
                    bytes.count, mask)
            }
        }
        mask = mask & rows
        if bytes.count <= TextCell.maximumTextByteCount { return mask }
        return mask.filter { cluster.bytes($0, index).elementsEqual(bytes) }
    }

    /// Returns the rows of `rows` whose string or data matches.
    func match(_ cluster: Cluster, _ rows: RowMask, _ pattern: TextPattern) -> RowMask {
        guard isStored(in: cluster) else { return pattern.matches(fallback) ? rows : RowMask() }
        let present = cluster.present(index, rows)
        if type == .any { return present.filter { pattern.matchesAny(cluster.bytes($0, index)) } }
        guard let kernel = pattern.kernel,
            present.count > CompiledPredicate.maximumRowByRowCount
        else { return present.filter { pattern.matches(cluster.bytes($0, index)) } }
        let chunk = TextChunk(cluster, index)
        var mask = RowMask()
        var later = RowMask()
        mask.withWords { mask in
            later.withWords { later in
                pattern.bytes.withUnsafeBytes { bytes in
                    withPointer(bytes) {
                        cregnum_match_text(
                            chunk.cells, cluster.rowCount, chunk.text, chunk.textByteCount,
                            chunk.isInRowOrder, kernel, $0, bytes.count, mask, later)
                    }
                }
            }
        }
        let large = (later & present).filter { pattern.matches(cluster.bytes($0, index)) }
        return (mask & present) | large
    }

    /// Writes the ranks of the leading bytes of all rows below `rowCount`. They ascend with the
    /// values; values with equal ranks may differ.
    func rankText(
        _ cluster: Cluster, _ rows: RowMask, _ isDescending: Bool,
        _ ranks: UnsafeMutablePointer<UInt64>
    ) {
        let chunk = TextChunk(cluster, index)
        var later = RowMask()
        later.withWords {
            cregnum_rank_text(
                chunk.cells, cluster.rowCount, chunk.text, chunk.textByteCount, isDescending,
                ranks, $0)
        }
        (later & rows).visit { row in
            var rank: UInt64 = 0
            for byte in cluster.bytes(row, index).prefix(8) { rank = rank << 8 | UInt64(byte) }
            ranks[row] = isDescending ? ~rank : rank
            return true
        }
    }
}

extension TextPattern {
    /// Whether a value is a matching string or data.
    func matches(_ value: Value) -> Bool {
        switch value {
        case .string(let text): withUTF8(text) { matches($0) }
        case .data(let bytes): bytes.withUnsafeBytes { matches($0) }
        case .any(let bytes): bytes.withUnsafeBytes { matchesAny($0) }
        default: false
        }
    }

    /// Whether a value of any type is a matching string or data.
    func matchesAny(_ bytes: UnsafeRawBufferPointer) -> Bool {
        AnyBytes.text(bytes).map { matches($0) } ?? false
    }
}

/// Calls `body` with a pointer to the bytes, which is valid even if there are none.
@inline(__always)
private func withPointer(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawPointer) -> Void) {
    if let base = bytes.baseAddress { return body(base) }
    withUnsafePointer(to: 0 as UInt8) { body($0) }
}
