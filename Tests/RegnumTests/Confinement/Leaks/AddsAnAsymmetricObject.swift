import Regnum

final class Measurement: AsymmetricObject {
    @Persisted var celsius: Double
}

func leak(_ tx: Transaction) {
    // expected-error@+1 {{'add(_:update:)' is unavailable: an asymmetric object is stored by create}}
    tx.add(Measurement())
}
