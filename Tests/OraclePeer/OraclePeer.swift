import RegnumPeer

/// The second process of `OraclePeerEnumeration`: one long-lived peer.
///
/// Each line of standard input names a realm and a sequence (see `OracleAssignment`). The process
/// runs the sequence as peer 1 and answers "ok", or what failed.
@main enum OraclePeer {
    static func main() async {
        await PeerProgram.answer { line in
            guard let assignment = OracleAssignment(line) else {
                return "not an assignment: \(line)"
            }
            try await assignment.run(peer: 1, OracleLog(isKept: false))
            return "ok"
        }
    }
}
