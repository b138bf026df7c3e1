package import RegnumStore

extension Realm.Error {
    /// Creates the public form of an error of the lower layers. This is the only place that
    /// converts them.
    package init(_ error: StoreError) {
        self.init(
            Code(name: error.code.rawValue), error.message, className: error.className,
            property: error.property, key: error.key, path: error.path, errno: error.errno,
            position: error.position)
        nameAsDeclared()
    }

    /// Replaces the stored name of a property with its declared name, if they differ.
    private mutating func nameAsDeclared() {
        guard let className, let column = property,
            let name = ClassCatalog.shared.propertyName(className, column)
        else { return }
        let stored = " (stored as \"\(column)\")"
        message = message.replacing(
            "\(className).\(column)", with: "\(className).\(name)\(stored)"
        ).replacing("whose \(column) is", with: "whose \(name)\(stored) is")
        property = name
    }

    /// Creates the public form of any error that can come from the lower layers.
    ///
    /// Any other error is a bug in the library; instead of being lost, it is passed on as
    /// `.ioFailed` with the original as its cause.
    init(below error: any Swift.Error) {
        switch error {
        case let error as StoreError: self.init(error)
        case let error as Realm.Error: self = error
        default: self.init(.ioFailed, "Unexpected error: \(error).", underlying: error)
        }
    }
}

/// Runs steps of the engine, converting their errors.
func engine<R>(_ body: () throws(StoreError) -> R) throws(Realm.Error) -> R {
    do throws(StoreError) { return try body() } catch { throw Realm.Error(error) }
}
