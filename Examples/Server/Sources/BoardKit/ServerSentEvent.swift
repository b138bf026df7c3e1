import Hummingbird

/// An event in the format of the HTML standard.
///
/// Without data, it isn't delivered, but its identifier becomes the client's `Last-Event-ID`.
struct ServerSentEvent {
    var name: String?
    var id: String?
    /// Text without line breaks.
    var data: String?
    var comment: String?
    /// The milliseconds after which the client reconnects.
    var retry: Int?

    var buffer: ByteBuffer {
        var text = ""
        if let comment { text += ": \(comment)\n" }
        if let retry { text += "retry: \(retry)\n" }
        if let name { text += "event: \(name)\n" }
        if let id { text += "id: \(id)\n" }
        if let data { text += "data: \(data)\n" }
        return ByteBuffer(string: text + "\n")
    }
}
