// Models of "Supported Types - Swift SDK", 000_08f292a56c92ccee.txt and 001_b6dd99c56796c79e.txt,
// on AnyRealmValue.

import Regnum

@testable import RegnumTestModels

enum AnyValues {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""

        @Persisted var companion: AnyRealmValue
    }
}
