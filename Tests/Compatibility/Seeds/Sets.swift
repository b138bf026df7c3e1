// Models of "Supported Types - Swift SDK", 000_08f292a56c92ccee.txt and 001_b6dd99c56796c79e.txt,
// on sets.

import Regnum

@testable import RegnumTestModels

enum Sets {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""
        @Persisted var citiesVisited: MutableSet<String>
    }

    // The note on defaults, first form.
    class DefaultMadeWhenNeeded: Object {
        @Persisted var value: MutableSet<String>
    }

    // The note on defaults, second form.
    class DefaultGiven: Object {
        @Persisted var value = MutableSet<String>()
    }
}
