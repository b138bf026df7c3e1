/// One step of a path from a row to rows of a class, by the names of property and class.
///
/// Leads to no row while the property, or the class that has it, isn't stored yet.
package struct Hop: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        /// To the row that a link of this row leads to, if there is one.
        case link
        /// To the elements of a list of this row, in order, including repeated ones.
        case list
        /// To the rows that link to or list this row, ascending; rows that list it several times
        /// repeat.
        case backlinks
    }

    package var kind: Kind
    /// The property: of this row's class or, for backlinks, of `target`.
    @StoredText package var name: String
    /// The class of the rows that the hop leads to; the hidden class `Class.property` for a list of
    /// values.
    @StoredText package var target: String
    /// For a list, the position of the only element to follow, or `last`; `nil` for all elements.
    package var position: Int?
    /// For a map, the key of the only entry to follow; `nil` for all entries.
    package var key: StoredText?
    /// The property of any type whose list or dictionary is followed. With a position, the hop
    /// leads to no row unless the value is a list; with a key, unless it is a dictionary.
    package var holder: StoredText?

    /// The position of a list's last element.
    package static let last = -1

    package init(_ kind: Kind, _ name: String, target: String, position: Int? = nil) {
        self.kind = kind
        self.position = position
        self.name = name
        self.target = target
    }

    /// Whether the hop leads to at most one row.
    package var isSingle: Bool { kind == .link || kind == .list && (position != nil || key != nil) }

    /// A hop through a link to one row of `target`.
    package static func link(_ name: String, to target: String) -> Hop {
        Hop(.link, name, target: target)
    }

    /// A hop to the elements of a list, or to the one at a position.
    package static func list(
        _ name: String, of target: String, at position: Int? = nil
    ) -> Hop {
        Hop(.list, name, target: target, position: position)
    }

    /// A hop to the rows of `origin` whose link or list `name` contains this row.
    package static func backlinks(_ name: String, of origin: String) -> Hop {
        Hop(.backlinks, name, target: origin)
    }
}
