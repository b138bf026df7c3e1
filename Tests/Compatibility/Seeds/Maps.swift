// Models of "Supported Types - Swift SDK", 000_08f292a56c92ccee.txt and 001_b6dd99c56796c79e.txt,
// on maps.

import Regnum

@testable import RegnumTestModels

enum Maps {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""

        // Map of city name -> favorite park in that city
        @Persisted var favoriteParksByCity: Map<String, String>
    }

    // The note on defaults, first form.
    class DefaultMadeWhenNeeded: Object {
        @Persisted var value: Map<String, String>
    }

    // The note on defaults, second form.
    class DefaultGiven: Object {
        @Persisted var value = Map<String, String>()
    }
}
