import CRegnum

extension Comparison {
    /// The code of the comparison in kernels.
    @inline(__always)
    var kernel: Int32 { Int32(rawValue) }

    enum Coverage { case no, every }

    /// Returns whether all or none of the values from `least` to `greatest` satisfy the comparison
    /// with `x`, or `nil` if some may and others not. There are no values if `least` is greater
    /// than `greatest`.
    @inline(__always)
    func answer<T: Comparable>(_ least: T, _ greatest: T, _ x: T) -> Coverage? {
        if least > greatest { return .no }
        switch self {
        case .equal:
            if x < least || x > greatest { return .no }
            return least == greatest ? .every : nil
        case .notEqual:
            if x < least || x > greatest { return .every }
            return least == greatest ? .no : nil
        case .less: return greatest < x ? .every : (least >= x ? .no : nil)
        case .lessOrEqual: return greatest <= x ? .every : (least > x ? .no : nil)
        case .greater: return least > x ? .every : (greatest <= x ? .no : nil)
        case .greaterOrEqual: return least >= x ? .every : (greatest < x ? .no : nil)
        }
    }

    /// A comparison with a value of one type, expressed in another type.
    enum Translation<T> {
        case no, every
        case compare(Comparison, T)
    }

    /// Returns the equivalent comparison of integers to this comparison with a double, by
    /// mathematical value.
    func asIntegers(_ x: Double) -> Translation<Int64> {
        if x.isNaN { return self == .notEqual ? .every : .no }
        if x >= 0x1p63 {
            return self == .less || self == .lessOrEqual || self == .notEqual ? .every : .no
        }
        if x < -0x1p63 {
            return self == .greater || self == .greaterOrEqual || self == .notEqual ? .every : .no
        }
        let floor = Int64(x.rounded(.down))
        if x == x.rounded(.down) { return .compare(self, floor) }
        switch self {
        case .equal: return .no
        case .notEqual: return .every
        case .less, .lessOrEqual: return .compare(.lessOrEqual, floor)
        case .greater, .greaterOrEqual: return .compare(.greater, floor)
        }
    }

    /// Returns the equivalent comparison of doubles to this comparison with an integer, by
    /// mathematical value.
    func asDoubles(_ x: Int64) -> Translation<Double> {
        let near = Double(x)
        guard let order = compareNumbers(x, near), order != 0 else { return .compare(self, near) }
        let below = order > 0 ? near : near.nextDown
        let above = order > 0 ? near.nextUp : near
        switch self {
        case .equal: return .no
        case .notEqual: return .every
        case .less, .lessOrEqual: return .compare(.lessOrEqual, below)
        case .greater, .greaterOrEqual: return .compare(.greaterOrEqual, above)
        }
    }
}
