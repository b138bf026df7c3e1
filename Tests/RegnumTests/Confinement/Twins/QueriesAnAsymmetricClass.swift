import Regnum

final class Measurement: AsymmetricObject {
    @Persisted var celsius: Double
}

func twin(_ realm: Realm) async throws {
    try await realm.drain(Measurement.self) { print($0.count) }
}
