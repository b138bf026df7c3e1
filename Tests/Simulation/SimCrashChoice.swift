import RegnumTestSupport

/// A subset of the numbered units: those that reached the disk.
enum SimSubset: Sendable {
    case mask(UInt64)
    case prefix(Int)
    case omission(Int)
    case singleton(Int)
    case random(UInt64)
    /// The directory operations in the mask, and all or none of the sectors.
    case operations(mask: UInt64, sectors: Bool)

    /// `operation` is the number of the unit among the directory operations, `nil` for a sector.
    func contains(_ unit: Int, operation: Int?) -> Bool {
        switch self {
        case .mask(let mask): mask >> UInt64(unit) & 1 == 1
        case .prefix(let count): unit < count
        case .omission(let omitted): unit != omitted
        case .singleton(let only): unit == only
        case .random(let seed): SeededRandom.mix(seed &+ UInt64(unit) &* 0x9E37_79B9) & 1 == 1
        case .operations(let mask, let sectors):
            operation.map { mask >> UInt64($0) & 1 == 1 } ?? sectors
        }
    }
}

/// The size of a file that grew.
enum SimGrowth: Sendable {
    /// As far as the data that reached the disk.
    case natural
    /// The old size: data beyond it are lost.
    case old
    /// The new size.
    case new
    /// A size in between, chosen by this number.
    case between(UInt64)
}

/// All choices that determine one image.
struct SimCrashChoice: Sendable {
    var subset: SimSubset
    /// A torn sector: partly kept, whatever the subset says.
    var torn: (unit: Int, tear: SimTear)?
    var growth = SimGrowth.natural
    var fill = SimFill.zero
    /// The state of the control page in each slot.
    var controls = (first: 0, second: 0)
}

/// Generates the choices of one crash.
struct SimCrashPlan {
    let options: SimCrashOptions
    let unitCount: Int
    /// For each unit its number among the directory operations, `nil` for a sector.
    let operations: [Int?]
    /// For each unit a number that is shared by the versions of one sector.
    let places: [Int]
    let controlCount: Int
    let hasGrowth: Bool
    var generator: SeededRandom

    mutating func choices() -> [SimCrashChoice] {
        let subsets = subsets()
        return main(subsets) + extremes() + (hasGrowth ? grown(subsets) : []) + torn()
    }

    /// Returns the units that serve as prefix, omission, singleton and torn sector.
    private func picks() -> [Int] {
        guard unitCount > options.maximumUnitCount else { return Array(0..<unitCount) }
        let edge = options.maximumUnitCount / 8
        let inner = stride(
            from: edge, to: unitCount - edge, by: max(1, unitCount / options.maximumUnitCount))
        return Array(0..<edge) + inner + (unitCount - edge..<unitCount)
    }

    private mutating func subsets() -> [SimSubset] {
        if unitCount <= options.limitUnits {
            return (0..<UInt64(1) << UInt64(unitCount)).filter(isCanonical).map { .mask($0) }
        }
        let picks = picks()
        var subsets = picks.map { SimSubset.prefix($0) } + [.prefix(unitCount)]
        subsets += picks.map { .omission($0) }
        subsets += picks.map { .singleton($0) }
        for _ in 0..<options.samples { subsets.append(.random(generator.next())) }
        let operationCount = operations.lazy.compactMap { $0 }.count
        if operationCount > 0, operationCount <= options.limitUnits {
            for mask in 0..<UInt64(1) << UInt64(operationCount) {
                subsets.append(.operations(mask: mask, sectors: true))
                subsets.append(.operations(mask: mask, sectors: false))
            }
        }
        return subsets
    }

    /// Of two versions of one sector only the newer counts, so masks with both are skipped.
    private func isCanonical(_ mask: UInt64) -> Bool {
        var seen: Set<Int> = []
        for unit in 0..<unitCount where mask >> UInt64(unit) & 1 == 1 {
            if !seen.insert(places[unit]).inserted { return false }
        }
        return true
    }

    private func main(_ subsets: [SimSubset]) -> [SimCrashChoice] {
        let hasAll = subsets.count * controlCount <= options.maximumCombinationCount
        return subsets.enumerated().flatMap { number, subset in
            let controls =
                hasAll ? 0..<controlCount : number % controlCount..<number % controlCount + 1
            return controls.map { SimCrashChoice(subset: subset, controls: ($0, $0)) }
        }
    }

    /// Everything kept and nothing kept, each with every state of the control page and with slots
    /// of neighboring states.
    private func extremes() -> [SimCrashChoice] {
        guard controlCount > 1 else { return [] }
        return [0, unitCount].flatMap { count in
            (1..<controlCount).flatMap { control in
                [(control, control), (control, control - 1), (control - 1, control)].map {
                    SimCrashChoice(subset: .prefix(count), controls: $0)
                }
            }
        }
    }

    /// Each subset with one other size or fill at a time, and the empty subset with all fills.
    private mutating func grown(_ subsets: [SimSubset]) -> [SimCrashChoice] {
        var variants: [(SimGrowth?, SimFill)] = [(.old, .zero)]
        for fill in options.fills { variants += [(.new, fill), (nil, fill), (.natural, fill)] }
        var choices = options.fills.map {
            SimCrashChoice(subset: .prefix(0), growth: .new, fill: $0)
        }
        for (number, subset) in subsets.enumerated() {
            let (growth, fill) = variants[number % variants.count]
            let control = number % controlCount
            choices.append(
                SimCrashChoice(
                    subset: subset, growth: growth ?? .between(generator.next()), fill: fill,
                    controls: (control, control)))
        }
        return choices
    }

    /// Each sector torn in each way, with all units before it kept and none after it.
    private func torn() -> [SimCrashChoice] {
        picks().filter { operations[$0] == nil }.flatMap { unit in
            options.tears.map { tear in
                let control = unit % controlCount
                return SimCrashChoice(
                    subset: .prefix(unit), torn: (unit, tear), controls: (control, control))
            }
        }
    }
}
