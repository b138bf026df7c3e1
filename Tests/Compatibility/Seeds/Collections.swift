// Models for "Collections - Swift SDK", 004_34387c4c2bad06dc.txt, which prints none but describes
// how the collections of a model behave.

import Regnum

@testable import RegnumTestModels

enum Collections {
    class Person: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var dogs: List<Dog>
        @Persisted var favorite: Dog?
    }

    class Dog: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var age: Int
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
        @Persisted(originProperty: "favorite") var admirers: LinkingObjects<Person>

        convenience init(_ name: String, age: Int = 0) {
            self.init()
            self.name = name
            self.age = age
        }
    }
}
