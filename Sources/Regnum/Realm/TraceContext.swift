#if Tracing
    internal import RegnumStore
    internal import Tracing

    /// Converts the contexts of spans to text, for other processes, and back. The text consists of
    /// the headers that the program's tracer adds to requests, such as `traceparent`, one
    /// `key:value` per line.
    package enum TraceContext {
        /// The tracer of the current task or of the program; `nil` if there is none.
        static var tracer: (any Tracer)? {
            // this check is faster than looking for the tracer
            if InstrumentationSystem.instrument is NoOpInstrument { return nil }
            let tracer = InstrumentationSystem.tracer
            return tracer is NoOpTracer ? nil : tracer
        }

        /// The context of the current span; `nil` without a tracer, or if it is longer than the
        /// origin of a commit may be.
        package static var current: String? {
            guard tracer != nil, let context = ServiceContext.current else { return nil }
            let text = text(of: context)
            return (text?.utf8.count ?? 0) <= Limits.maximumOriginByteCount ? text : nil
        }

        static func text(of context: ServiceContext) -> String? {
            var fields: [String: String] = [:]
            InstrumentationSystem.instrument.inject(context, into: &fields, using: TraceFields())
            if fields.isEmpty { return nil }
            return fields.map { "\($0):\($1)" }.sorted().joined(separator: "\n")
        }

        /// Adds the context that a text describes to another one.
        static func add(_ text: String, to context: inout ServiceContext) {
            var fields: [String: String] = [:]
            // not by `Character`, of which a line end or colon and what follows it can be one
            for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
                let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
                guard parts.count == 2 else { continue }
                fields[String(Substring(parts[0]))] = String(Substring(parts[1]))
            }
            InstrumentationSystem.instrument.extract(fields, into: &context, using: TraceFields())
        }
    }

    /// Reads and writes the headers of a context.
    private struct TraceFields: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into fields: inout [String: String]) {
            // characters that headers can't contain would corrupt the other fields
            let isHeader = !(key + value).utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\n") }
            if isHeader, !key.utf8.contains(UInt8(ascii: ":")) { fields[key] = value }
        }

        func extract(key: String, from fields: [String: String]) -> String? { fields[key] }
    }

    /// The span of a handler of a job or a consumer.
    package struct HandlerSpan: Sendable {
        private let realm: String
        private let className: String
        private var attributes: SpanAttributes

        /// The context of the span whose work the handler continues, which becomes the parent;
        /// `nil` for the current span.
        package var parent: String?
        /// The contexts of the spans that wrote what the handler processes.
        package var links: [String] = []

        /// Creates the span of an attempt, or returns `nil` without a tracer.
        package init?(_ className: String, in realm: Realm, attempt: Int) {
            if TraceContext.tracer == nil { return nil }
            self.realm = realm.configuration.name
            self.className = className
            attributes = [
                "messaging.system": "regnum", "messaging.operation.name": "process",
                "messaging.operation.type": "process",
                "messaging.destination.name": .string(className),
                "db.namespace": .string(self.realm), "regnum.attempt": .int64(Int64(attempt)),
            ]
        }

        /// Adds the identity of a job.
        package mutating func add(job id: ObjectId) {
            attributes["messaging.message.id"] = "\(id)"
        }

        /// Adds the name of a consumer and the number of its changes.
        package mutating func add(consumer name: String, count: Int) {
            attributes["messaging.consumer.group.name"] = name
            attributes["messaging.batch.message_count"] = count
        }

        /// Runs a handler within the span.
        ///
        /// - Parameter hasFailed: Returns whether an error of the handler is its failure. A
        ///   `CancellationError` never is.
        package func run(
            _ handler: @Sendable () async throws -> Void, hasFailed: (any Error) -> Bool
        ) async throws {
            guard let tracer = TraceContext.tracer else { return try await handler() }
            var context = ServiceContext.current ?? .topLevel
            if let parent { TraceContext.add(parent, to: &context) }
            let span = tracer.startSpan(
                "process \(className)", context: context, ofKind: .consumer)
            defer { span.end() }
            span.updateAttributes { $0.merge(attributes) }
            for link in links {
                var linked = ServiceContext.topLevel
                TraceContext.add(link, to: &linked)
                if !linked.isEmpty { span.addLink(SpanLink(context: linked, attributes: [:])) }
            }
            do {
                try await ServiceContext.withValue(span.context, operation: handler)
            } catch {
                if hasFailed(error) { span.fail(error) }
                throw error
            }
        }
    }

    extension Span {
        /// Records an error that ended the operation. A cancellation isn't its failure.
        func fail(_ error: any Error) {
            if error is CancellationError { return }
            recordError(error)
            setStatus(SpanStatus(code: .error, message: "\(error)"))
            let type = (error as? Realm.Error)?.code.name ?? "\(type(of: error))"
            updateAttributes { $0["error.type"] = type }
        }
    }
#endif
