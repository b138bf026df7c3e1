import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of 003 about asymmetric objects. It doesn't print the example that it includes;
/// this model follows its description.
@Suite struct AsymmetricObjectTests {
    final class WeatherSensor: AsymmetricObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var deviceId: String
        @Persisted var temperatureInFahrenheit: Float
        @Persisted var barometricPressureInHg: Float
        @Persisted var windSpeedInMph: Int
        @Persisted var place: SensorPlace?
        @Persisted var earlierPlaces: List<SensorPlace>
    }

    final class SensorPlace: EmbeddedObject {
        @Persisted var latitude: Double
        @Persisted var longitude: Double
    }

    /// An `Object` that links to an asymmetric one, and one that an asymmetric one links to.
    final class Station: Object {
        @Persisted var name: String
        @Persisted var sensor: WeatherSensor?
    }

    final class Town: Object {
        @Persisted var name: String
    }

    final class TownSensor: AsymmetricObject {
        @Persisted var town: Town?
        @Persisted var towns: List<Town>
    }

    @Test func objectIsCreatedAndDelivered() async throws {
        let realm = try await Realm.temporary([WeatherSensor.self, SensorPlace.self])
        try await realm.write { tx in
            try tx.create(
                WeatherSensor.self,
                value: [
                    "deviceId": "WX1278UIT", "temperatureInFahrenheit": 66.7 as Float,
                    "barometricPressureInHg": 29.65 as Float, "windSpeedInMph": 2,
                    "place": ["latitude": 47.68, "longitude": -122.35],
                    "earlierPlaces": [["latitude": 1.0, "longitude": 2.0]],
                ] as [String: Any?])
        }
        expectTrue(realm.isEmpty)
        var delivered = 0
        try await realm.drain(WeatherSensor.self, untilEmpty: true) { batch in
            let sensor = try requireValue(batch.first)
            expectTrue(sensor.deviceId == "WX1278UIT" && sensor.windSpeedInMph == 2)
            expectEqual(sensor.temperatureInFahrenheit, 66.7)
            expectEqual(sensor.place?.latitude, 47.68)
            expectEqual(sensor.earlierPlaces.map(\.longitude), [2])
            delivered += batch.count
        }
        expectEqual(delivered, 1)
    }

    @Test func objectCannotLinkToAnAsymmetricObject() async throws {
        await expect(.invalidInput) {
            _ = try await Realm.temporary([Station.self, WeatherSensor.self, SensorPlace.self])
        }
    }

    @Test func asymmetricObjectLinksToEmbeddedObjectsOnly() async throws {
        await expect(.invalidInput) {
            _ = try await Realm.temporary([TownSensor.self, Town.self])
        }
    }
}
