import RegnumPeer

/// The second process of `AtlasEnumeration` and `StreamEnumeration`: one long-lived peer of the suite that its
/// argument names, which runs the other half of what both share.
@main enum RealmPeer {
    static func main() async {
        switch CommandLine.arguments.last {
        case "atlas":
            await PeerProgram.share { try await AtlasSuite.runHalf($0, side: 1, meet: $1) }
        case "streams":
            await PeerProgram.share { try await StreamSuite.runHalf($0, side: 1, meet: $1) }
        default: fatalError("The argument is neither \"atlas\" nor \"streams\".")
        }
    }
}
