import FoundationEssentials
import Regnum

/// The models for tests of sets.
let setClasses: [ObjectBase.Type] = [Basket.self, Fruit.self]

enum Ripeness: String, PersistableEnum { case green, ripe, rotten }

final class Fruit: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var weight: Int
    @Persisted(originProperty: "fruits") var baskets: LinkingObjects<Basket>

    convenience init(_ id: Int, weight: Int = 0) {
        self.init()
        self.id = id
        self.weight = weight
    }
}

final class Basket: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var note: String
    @Persisted var numbers: MutableSet<Int>
    @Persisted var words: MutableSet<String?>
    @Persisted var reals: MutableSet<Double>
    @Persisted var stages = MutableSet<Ripeness>()
    @Persisted var fruits: MutableSet<Fruit>

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

/// One property of each other type that a set can hold.
final class EverySet: Object {
    @Persisted var bools: MutableSet<Bool>
    @Persisted var optionalBools: MutableSet<Bool?>
    @Persisted var bytes: MutableSet<Int8>
    @Persisted var longs: MutableSet<Int64?>
    @Persisted var floats: MutableSet<Float>
    @Persisted var datas: MutableSet<Data>
    @Persisted var optionalDatas: MutableSet<Data?>
    @Persisted var dates: MutableSet<Date>
    @Persisted var decimals: MutableSet<Decimal128?>
    @Persisted var uuids: MutableSet<UUID>
    @Persisted var ids: MutableSet<ObjectId?>
    @Persisted var stages: MutableSet<Ripeness?>
}

/// The elements of a basket as plain sets.
struct PlainBasket: Equatable {
    var numbers: Set<Int> = []
    var words: Set<String?> = []
    /// The fruits by their keys, which increase in order of creation.
    var fruits: Set<Int> = []
}
