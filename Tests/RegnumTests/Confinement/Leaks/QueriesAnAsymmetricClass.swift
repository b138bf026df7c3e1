import Regnum

final class Measurement: AsymmetricObject {
    @Persisted var celsius: Double
}

func leak(_ tx: Transaction) {
    // expected-error@+1 {{'objects' is unavailable: an asymmetric object is delivered by realm.drain}}
    print(tx.objects(Measurement.self).count)
}
