import Regnum
import RegnumTestSupport
import Testing

/// The generic code of 000, 001 and 004 with collections of every kind.
@Suite struct GenericCollectionTests {
    @Test func genericCodeTakesResultsAndLists() async throws {
        let realm = try await Realm.temporary([MyModel.self])
        try await realm.write { tx in
            let model = MyModel()
            model.others.append(MyModel(value: ["name": "other"]))
            try tx.add(model)
            operateOn(collection: tx.objects(MyModel.self))
            operateOn(collection: model.others)
            let all = ViewController(collection: tx.objects(MyModel.self))
            let list = ViewController(collection: model.others)
            expectTrue(all.collection.count == 2 && list.collection.map(\.name) == ["other"])
            model.others.append(MyModel(value: ["name": "third"]))
            expectEqual(all.collection.count, 3)
            expectEqual(list.collection.map(\.name), ["other", "third"])
            expectEqual(list.collection.where { $0.name == "third" }.count, 1)
        }
    }
}
