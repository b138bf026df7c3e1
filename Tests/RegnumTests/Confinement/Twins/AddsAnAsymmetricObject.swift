import Regnum

final class Measurement: AsymmetricObject {
    @Persisted var celsius: Double
}

func twin(_ tx: Transaction) throws {
    try tx.create(Measurement.self, value: Measurement())
}
