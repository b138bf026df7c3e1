import RegnumTestSupport

/// The disks that one power failure may leave behind, each made on access. Can be traversed several
/// times, in parts, and by several threads.
package struct SimCrashImages: RandomAccessCollection, Sendable {
    private let state: SimState
    private let seed: UInt64
    private let choices: [SimCrashChoice]

    /// The units of each file: number of the unit and position in `dirty`.
    private let sectorUnits: [Int: [(unit: Int, position: Int)]]
    /// The units of each directory: number of the unit and position in `operations`, -1 for the
    /// directory itself.
    private let operationUnits: [String: [(unit: Int, position: Int)]]
    /// For each unit its number among the directory operations, `nil` for a sector.
    private let operations: [Int?]

    package var startIndex: Int { 0 }
    package var endIndex: Int { choices.count }

    init(state: SimState, options: SimCrashOptions, seed: UInt64) {
        struct Unit {
            var order: Int
            var inode: Int?
            var path = ""
            var position: Int
        }
        var units: [Unit] = []
        var hasGrowth = false
        for (inode, file) in state.inodes {
            hasGrowth = hasGrowth || file.content.count > file.durable.count
            for (position, item) in file.dirty.enumerated() {
                units.append(Unit(order: item.order, inode: inode, position: position))
            }
        }
        for (path, directory) in state.directories {
            if !directory.isDurable {
                units.append(Unit(order: directory.order, path: path, position: -1))
            }
            for (position, item) in directory.operations.enumerated() {
                units.append(Unit(order: item.order, path: path, position: position))
            }
        }
        units.sort { $0.order < $1.order }

        var sectorUnits: [Int: [(unit: Int, position: Int)]] = [:]
        var operationUnits: [String: [(unit: Int, position: Int)]] = [:]
        var operations: [Int?] = []
        var places: [Int] = []
        var placeNumbers: [[Int]: Int] = [:]
        var operationCount = 0
        for (number, unit) in units.enumerated() {
            if let inode = unit.inode {
                sectorUnits[inode, default: []].append((number, unit.position))
                operations.append(nil)
                let sector = state.inodes[inode]!.dirty[unit.position].sector
                let place = placeNumbers[[inode, sector]] ?? number
                placeNumbers[[inode, sector]] = place
                places.append(place)
            } else {
                operationUnits[unit.path, default: []].append((number, unit.position))
                operations.append(operationCount)
                operationCount += 1
                places.append(number)
            }
        }
        var plan = SimCrashPlan(
            options: options, unitCount: units.count, operations: operations, places: places,
            controlCount: state.inodes.values.map { $0.controlStates.count }.max() ?? 1,
            hasGrowth: hasGrowth, generator: SeededRandom(seed))
        self.state = state
        self.seed = seed
        self.choices = plan.choices()
        self.sectorUnits = sectorUnits
        self.operationUnits = operationUnits
        self.operations = operations
    }

    /// Makes the image, an independent file system each time.
    package subscript(index: Int) -> SimImage {
        let choice = choices[index]
        // Not 0, the default seed of a disk: the image would have the boot id of that disk.
        let imageSeed = SeededRandom.mix(SeededRandom.mix(seed) ^ (UInt64(index) + 1))
        var image = SimState(sectorByteCount: state.sectorByteCount, seed: imageSeed)
        image.plainFiles = state.plainFiles
        image.lastNumber = state.lastNumber
        image.tickNanoseconds = state.tickNanoseconds
        image.wallClockMicroseconds = state.wallClockMicroseconds + 1_000_000
        image.capacityByteCount = state.capacityByteCount
        for (path, directory) in state.directories {
            guard let entries = entries(of: directory, path, choice) else { continue }
            image.directories[path] = SimDirectoryState(
                entries: entries, durable: entries, isDurable: true, order: directory.order)
            for inode in entries.values {
                // Each file has its own generator: the order of a dictionary must not matter.
                var numbers = SeededRandom(imageSeed ^ SeededRandom.mix(UInt64(inode)))
                image.inodes[inode] = file(inode, choice, &numbers)
            }
        }
        return SimImage(
            fileSystem: SimFileSystem(image), index: index, seed: seed, choice: choice)
    }

    /// The entries after the kept operations; `nil` if the directory itself didn't reach the disk.
    private func entries(
        of directory: SimDirectoryState, _ path: String, _ choice: SimCrashChoice
    ) -> [String: Int]? {
        var entries = directory.durable
        for (unit, position) in operationUnits[path] ?? [] {
            let isKept = choice.subset.contains(unit, operation: operations[unit])
            if position < 0 {
                if !isKept { return nil }
            } else if isKept {
                directory.operations[position].apply(to: &entries)
            }
        }
        return entries
    }

    private func file(
        _ inode: Int, _ choice: SimCrashChoice, _ generator: inout SeededRandom
    ) -> SimInode {
        let file = state.inodes[inode]!
        var image = SimInode()
        if file.isLock {
            let states = file.controlStates
            image.isLock = true
            image.control = states[choice.controls.first % states.count]
            image.control.slots[1] = states[choice.controls.second % states.count].slots[1]
        }
        image.durable = bytes(of: file, sectorUnits[inode] ?? [], choice, &generator)
        image.content = image.durable
        return image
    }

    private func bytes(
        of file: SimInode, _ units: [(unit: Int, position: Int)], _ choice: SimCrashChoice,
        _ generator: inout SeededRandom
    ) -> [UInt8] {
        let oldSize = file.durable.count
        guard !units.isEmpty || file.content.count > oldSize else { return file.durable }
        let kept = units.filter {
            choice.torn?.unit == $0.unit || choice.subset.contains($0.unit, operation: nil)
        }
        let size = size(of: file, kept.map { file.dirty[$0.position] }, choice.growth)
        var bytes = file.durable
        if size > oldSize {
            bytes.reserveCapacity(size)
            bytes.append(contentsOf: repeatElement(0, count: size - oldSize))
            if choice.fill != .zero {
                for (_, position) in units {
                    let from = file.dirty[position].sector * state.sectorByteCount
                    guard from >= oldSize, from < size else { continue }
                    let range = from..<Swift.min(from + file.dirty[position].bytes.count, size)
                    fill(&bytes, range, choice.fill, &generator)
                }
            }
        }
        for (unit, position) in kept {
            let item = file.dirty[position]
            let from = item.sector * state.sectorByteCount
            let count = Swift.min(item.bytes.count, size - from)
            guard count > 0 else { continue }
            if let torn = choice.torn, torn.unit == unit {
                tear(&bytes, from, Array(item.bytes[..<count]), torn.tear, &generator)
            } else {
                bytes.withUnsafeMutableBytes { target in
                    item.bytes.withUnsafeBytes { source in
                        UnsafeMutableRawBufferPointer(rebasing: target[from..<from + count])
                            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
                    }
                }
            }
        }
        return bytes
    }

    private func size(of file: SimInode, _ kept: [SimSector], _ growth: SimGrowth) -> Int {
        let old = file.durable.count
        let new = file.content.count
        switch growth {
        case .old: return old
        case .new: return new
        case .between(let number): return old + Int(number % UInt64(new - old + 1))
        case .natural:
            return kept.reduce(old) {
                Swift.max($0, $1.sector * state.sectorByteCount + $1.bytes.count)
            }
        }
    }

    private func fill(
        _ bytes: inout [UInt8], _ range: Range<Int>, _ fill: SimFill,
        _ generator: inout SeededRandom
    ) {
        switch fill {
        case .zero: break
        case .random:
            for position in range { bytes[position] = UInt8(truncatingIfNeeded: generator.next()) }
        case .stale:
            let others = state.inodes.values.lazy.map(\.durable).filter { !$0.isEmpty }
            // The longest file is the most likely to contain records. Among equally long ones the
            // smallest bytes win, so that the choice doesn't depend on the order of a dictionary.
            let source = others.max { first, second in
                first.count == second.count
                    ? second.lexicographicallyPrecedes(first) : first.count < second.count
            }
            guard let source else { return }
            for position in range { bytes[position] = source[position % source.count] }
        }
    }

    /// Writes a part of `new` at `from`, over the existing bytes.
    private func tear(
        _ bytes: inout [UInt8], _ from: Int, _ new: [UInt8], _ tear: SimTear,
        _ generator: inout SeededRandom
    ) {
        let half = Swift.min(state.sectorByteCount / 2, new.count)
        var word: UInt64 = 0
        for position in new.indices {
            if position % 8 == 0 || tear == .garbage { word = generator.next() }
            switch tear {
            case .firstHalf where position < half: bytes[from + position] = new[position]
            case .secondHalf where position >= half: bytes[from + position] = new[position]
            case .words where word & 1 == 1: bytes[from + position] = new[position]
            case .garbage where bytes[from + position] != new[position]:
                bytes[from + position] = UInt8(truncatingIfNeeded: word)
            default: break
            }
        }
    }
}

extension SimInode {
    /// The states of the control page that may be on disk: any remembered state, the newest, and
    /// zeros unless it was synced.
    var controlStates: [SimControl] {
        guard isLock else { return [SimControl()] }
        var states = [control]
        let zeros = isControlDurable ? [] : [SimControl()]
        for state in controlHistory.reversed() + zeros where !states.contains(state) {
            states.append(state)
        }
        return states
    }
}
