// The code of "Collections - Swift SDK" (004) and "Supported Types - Swift SDK" (000, 001) about
// generic code, with stand-ins for the names that it takes from elsewhere.

import Regnum

/// Stands for a protocol of Realm's bridge to Objective-C.
protocol _ObjcBridgeable {}

extension Results: _ObjcBridgeable {}
extension List: _ObjcBridgeable {}

class MyModel: Object {
    @Persisted var name = ""
    @Persisted var others: List<MyModel>
}

func operateOn<C: RealmCollection>(collection: C) {
    // Collection could be either Results or List
    print("operating on collection containing \(collection.count) objects")
}

class ViewController {
    //    let collection: RealmCollection
    //                    ^
    //                    error: protocol 'RealmCollection' can only be used
    //                    as a generic constraint because it has Self or
    //                    associated type requirements
    //
    //    init<C: RealmCollection>(collection: C) where C.ElementType == MyModel {
    //        self.collection = collection
    //    }

    let collection: AnyRealmCollection<MyModel>

    init<C: RealmCollection & _ObjcBridgeable>(collection: C) where C.ElementType == MyModel {
        self.collection = AnyRealmCollection(collection)
    }
}
