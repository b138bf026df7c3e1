internal import RegnumStore

extension Realm.Error {
    /// The public form of an error of the layers below. The only place where one becomes the other.
    init(_ error: StoreError) {
        self.init(
            Code(name: error.code.rawValue), error.sentence, className: error.className,
            property: error.property, key: error.key, path: error.path, errno: error.errno,
            position: error.position)
        nameAsDeclared()
    }

    /// Names a property as the program does, where a class stores it under another name.
    private mutating func nameAsDeclared() {
        guard let className, let column = property,
            let name = ClassCatalog.shared.propertyName(className, column)
        else { return }
        let stored = " (stored as '\(column)')"
        message = message.replacing(
            "'\(className).\(column)'", with: "'\(className).\(name)'\(stored)"
        ).replacing("whose '\(column)'", with: "whose '\(name)'\(stored)")
        property = name
    }

    /// The public form of any error that can leave the layers below.
    ///
    /// An error that is none of theirs is a programming mistake in the library; it is passed on
    /// as `.ioFailed` with the original as its cause rather than lost.
    init(below error: any Swift.Error) {
        switch error {
        case let error as StoreError: self.init(error)
        case let error as Realm.Error: self = error
        default: self.init(.ioFailed, "An unexpected error: \(error).", underlying: error)
        }
    }
}
