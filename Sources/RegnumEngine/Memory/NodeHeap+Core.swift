import Glibc

/// The state guarded by the heap's lock: size classes, their spans with free blocks, and regions.
///
/// Guard of the unchecked Sendable: only accessed under `NodeHeap`'s lock.
struct HeapCore: @unchecked Sendable {
    /// Size classes by number.
    private let classes: UnsafeMutablePointer<SizeClass>
    /// The size class number for each multiple of 64 bytes.
    private let classNumbers: UnsafeMutablePointer<UInt8>
    /// The first span with free blocks, by size class.
    private let spans: UnsafeMutablePointer<UnsafeMutablePointer<Span>?>
    /// The first region, by the order of its largest free run.
    private let regions: UnsafeMutablePointer<UnsafeMutablePointer<Region>?>

    private(set) var use = HeapUse()

    /// Regions use ordinary pages while fewer bytes than this are in use.
    private let smallByteCount: Int
    /// The maximum bytes of empty regions to keep, unless a quarter of the bytes in use is more.
    private let maximumKeptByteCount: Int

    init(smallByteCount: Int, maximumKeptByteCount: Int) {
        self.smallByteCount = smallByteCount
        self.maximumKeptByteCount = maximumKeptByteCount
        let sizes = HeapLayout.blockSizes
        classes = .allocate(capacity: sizes.count)
        spans = .allocate(capacity: sizes.count)
        regions = .allocate(capacity: 6)
        classNumbers = .allocate(capacity: HeapLayout.maximumBlockByteCount / 64 + 1)
        spans.initialize(repeating: nil, count: sizes.count)
        regions.initialize(repeating: nil, count: 6)
        var units = 0
        for (number, size) in sizes.enumerated() {
            (classes + number).initialize(to: SizeClass(blockSize: size))
            while units <= size / 64 {
                (classNumbers + units).initialize(to: UInt8(number))
                units += 1
            }
        }
    }

    /// Unmaps all memory. No block may be in use.
    func end() {
        assert(use.usedByteCount == 0, "A heap was released with blocks in use.")
        while let region = regions[5] {
            unlink(region)
            munmap(region.pointee.base, HeapLayout.regionByteCount)
            region.deallocate()
        }
        classes.deallocate()
        classNumbers.deallocate()
        spans.deallocate()
        regions.deallocate()
    }

    /// O(1). Makes system calls only to map a region.
    @inline(__always)
    mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let number = Int(classNumbers[(byteCount &+ 63) >> 6])
        let size = classes[number].blockSize
        let span = spans[number] ?? makeSpan(number)
        let block: UnsafeMutableRawPointer
        if let free = span.pointee.freeBlock {
            block = free
            span.pointee.freeBlock = free.load(as: UnsafeMutableRawPointer?.self)
        } else {
            block = span.pointee.firstBlock + Int(span.pointee.madeCount) &* size
            span.pointee.madeCount &+= 1
        }
        span.pointee.usedCount &+= 1
        if span.pointee.usedCount == span.pointee.blockCount { unlink(span) }
        use.usedByteCount &+= size
        return block
    }

    /// O(1). Makes system calls only to unmap a region.
    @inline(__always)
    mutating func free(_ block: UnsafeMutableRawPointer, _ byteCount: Int) {
        let number = Int(classNumbers[(byteCount &+ 63) >> 6])
        let base = UInt(bitPattern: block) & classes[number].spanMask
        let span = UnsafeMutablePointer<Span>(bitPattern: base | HeapLayout.shift(base))!
        assert(span.pointee.sizeClass == number, "A node's byte count was changed.")
        block.storeBytes(of: span.pointee.freeBlock, as: UnsafeMutableRawPointer?.self)
        span.pointee.freeBlock = block
        let wasFull = span.pointee.usedCount == span.pointee.blockCount
        span.pointee.usedCount &-= 1
        use.usedByteCount &-= classes[number].blockSize
        if wasFull { link(span) }
        if span.pointee.usedCount == 0 { removeSpan(span, base) }
    }

    // MARK: Spans

    @inline(never)
    private mutating func makeSpan(_ number: Int) -> UnsafeMutablePointer<Span> {
        let sizeClass = classes[number]
        let region = regionWithRoom(sizeClass.order)
        let unit = region.pointee.starts(order: sizeClass.order).trailingZeroBitCount
        refile(region) { $0.freeUnits &= ~(Region.run(order: sizeClass.order) << UInt32(unit)) }
        let base = region.pointee.base + unit * HeapLayout.unitByteCount
        let head = base + Int(HeapLayout.shift(UInt(bitPattern: base)))
        let span = head.bindMemory(to: Span.self, capacity: 1)
        span.initialize(
            to: Span(
                region: region, firstBlock: head + 64, usedCount: 0, madeCount: 0,
                blockCount: sizeClass.blockCount, sizeClass: UInt32(number)))
        link(span)
        return span
    }

    @inline(never)
    private mutating func removeSpan(_ span: UnsafeMutablePointer<Span>, _ base: UInt) {
        unlink(span)
        let region = span.pointee.region
        let order = classes[Int(span.pointee.sizeClass)].order
        let unit = UInt32((base - UInt(bitPattern: region.pointee.base)) >> 16)
        refile(region) { $0.freeUnits |= Region.run(order: order) << unit }
        if region.pointee.freeUnits == HeapLayout.regionUnits {
            use.keptByteCount += HeapLayout.regionByteCount
            let limit = max(maximumKeptByteCount, use.usedByteCount / 4)
            while use.keptByteCount > limit, let empty = regions[5] { unmap(empty) }
        }
    }

    @inline(__always)
    private func link(_ span: UnsafeMutablePointer<Span>) {
        let number = Int(span.pointee.sizeClass)
        span.pointee.previous = nil
        span.pointee.next = spans[number]
        spans[number]?.pointee.previous = span
        spans[number] = span
    }

    @inline(__always)
    private func unlink(_ span: UnsafeMutablePointer<Span>) {
        let next = span.pointee.next
        if let previous = span.pointee.previous {
            previous.pointee.next = next
        } else {
            spans[Int(span.pointee.sizeClass)] = next
        }
        next?.pointee.previous = span.pointee.previous
    }

    // MARK: Regions

    private mutating func regionWithRoom(_ order: Int) -> UnsafeMutablePointer<Region> {
        for order in order...5 {
            if let region = regions[order] {
                if region.pointee.freeUnits == HeapLayout.regionUnits {
                    use.keptByteCount -= HeapLayout.regionByteCount
                }
                return region
            }
        }
        let region = UnsafeMutablePointer<Region>.allocate(capacity: 1)
        region.initialize(to: Region(base: mapRegion()))
        refile(region) { _ in }
        use.mappedByteCount += HeapLayout.regionByteCount
        return region
    }

    private func mapRegion() -> UnsafeMutableRawPointer {
        let byteCount = HeapLayout.regionByteCount
        let mapping = HeapCore.map(2 * byteCount)
        let over = UInt(bitPattern: mapping) & UInt(byteCount - 1)
        let before = over == 0 ? 0 : byteCount - Int(over)
        if before > 0 { munmap(mapping, before) }
        munmap(mapping + before + byteCount, byteCount - before)
        if use.usedByteCount >= smallByteCount {
            // Best effort: without huge pages the heap works with ordinary ones.
            _ = madvise(mapping + before, byteCount, MADV_HUGEPAGE)
        }
        return mapping + before
    }

    private mutating func unmap(_ region: UnsafeMutablePointer<Region>) {
        unlink(region)
        munmap(region.pointee.base, HeapLayout.regionByteCount)
        region.deallocate()
        use.keptByteCount -= HeapLayout.regionByteCount
        use.mappedByteCount -= HeapLayout.regionByteCount
    }

    /// Changes a region's free units and moves it to the matching list.
    private func refile(
        _ region: UnsafeMutablePointer<Region>, _ change: (inout Region) -> Void
    ) {
        unlink(region)
        change(&region.pointee)
        let order = region.pointee.largestOrder
        region.pointee.order = order
        if order < 0 { return }
        region.pointee.previous = nil
        region.pointee.next = regions[order]
        regions[order]?.pointee.previous = region
        regions[order] = region
    }

    private func unlink(_ region: UnsafeMutablePointer<Region>) {
        let order = region.pointee.order
        if order < 0 { return }
        let next = region.pointee.next
        if let previous = region.pointee.previous {
            previous.pointee.next = next
        } else {
            regions[order] = next
        }
        next?.pointee.previous = region.pointee.previous
    }

    // MARK: Large blocks

    mutating func noteLarge(_ byteCount: Int) {
        use.usedByteCount += byteCount
        use.mappedByteCount += byteCount
    }

    /// Maps zeroed pages. Traps if the system has no memory left.
    static func map(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let mapping = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapping, mapping != MAP_FAILED else {
            fatalError("Out of memory: can't allocate \(byteCount) bytes.")
        }
        return mapping
    }
}

/// The heap's memory usage.
struct HeapUse: Sendable {
    /// The bytes of blocks in use, rounded up to their size classes.
    var usedByteCount = 0
    /// The bytes mapped from the system.
    var mappedByteCount = 0
    /// The bytes of mapped regions without a block in use.
    var keptByteCount = 0
}
