import EngineOracle
import RealmOracle
import RegnumTestSupport

/// The second process of the random tests that share realms between processes: one long-lived peer
/// of the suite named by its argument.
@main enum Peer {
    static func main() async {
        switch CommandLine.arguments.last {
        case "atlas":
            await PeerProgram.share { try await AtlasSuite.runHalf($0, side: 1, meet: $1) }
        case "oracle":
            await PeerProgram.answer { try await OraclePeer.answer($0) }
        case "streams":
            await PeerProgram.share { try await StreamSuite.runHalf($0, side: 1, meet: $1) }
        default: fatalError("The argument must be \"atlas\", \"oracle\" or \"streams\".")
        }
    }
}
