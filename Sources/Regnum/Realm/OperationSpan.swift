internal import RegnumEngine
internal import RegnumStore

#if Tracing
    internal import Synchronization
    internal import Tracing

    /// The span of an operation on a realm. There is one only if the program has set up a tracer.
    struct OperationSpan: Sendable {
        private let span: any Span
        private let start = IOPool.now()
        /// The time that the operation waited for its turn; `nil` before it has got it.
        private var waitNanoseconds: UInt64?

        /// Begins a span whose parent is the current one, or returns `nil` without a tracer.
        ///
        /// - Parameter realm: The name of the realm.
        static func begin(
            _ operation: String, _ realm: String, _ place: CallPlace? = nil, origin: String? = nil
        ) -> OperationSpan? {
            guard let tracer = TraceContext.tracer else { return nil }
            let name = "\(operation) \(realm)"
            let span: any Span =
                if let place {
                    tracer.startSpan(
                        name, ofKind: .internal, function: operation, file: "\(place.file)",
                        line: place.line)
                } else {
                    tracer.startSpan(name, ofKind: .internal)
                }
            span.updateAttributes { attributes in
                attributes["db.system.name"] = "regnum"
                attributes["db.namespace"] = realm
                attributes["db.operation.name"] = operation
                if let origin { attributes["regnum.origin"] = origin }
            }
            return OperationSpan(span: span)
        }

        private init(span: any Span) { self.span = span }

        /// The context of the span, for spans of other processes.
        var trace: String? { TraceContext.text(of: span.context) }

        /// Runs a part of the operation within the span.
        static func run<R>(in span: OperationSpan?, _ body: () throws -> R) rethrows -> R {
            guard let span else { return try body() }
            return try ServiceContext.withValue(span.span.context, operation: body)
        }

        /// Sets attributes of the span.
        func set(_ values: KeyValuePairs<String, SpanAttribute>) {
            guard span.isRecording else { return }
            span.updateAttributes { attributes in
                for (key, value) in values { attributes[key] = value }
            }
        }

        // While the operation has its turn, only the body calls the tracer.

        /// Records that the operation has got its turn.
        mutating func began() { waitNanoseconds = IOPool.now() - start }

        /// Records that the operation's commit begins.
        ///
        /// - Parameter bodyNanoseconds: The time that it took to run the body.
        func committing(
            _ commit: inout Commit, bodyNanoseconds: UInt64? = nil
        ) -> Committing {
            let syncTime = SyncTime()
            commit.syncTime = syncTime
            return Committing(
                span: self, commit: commit, syncTime: syncTime, bodyNanoseconds: bodyNanoseconds)
        }

        func compacted(_ report: Realm.CompactionReport) {
            set([
                "regnum.bytes.before": .int64(Int64(report.byteCountBefore)),
                "regnum.bytes.after": .int64(Int64(report.byteCountAfter)),
            ])
        }

        func failed(_ error: any Error) { span.fail(error) }

        func end() {
            if let waitNanoseconds { set(["regnum.wait.duration": seconds(waitNanoseconds)]) }
            span.end()
        }

        /// A commit that isn't published yet.
        struct Committing {
            let span: OperationSpan
            let commit: Commit
            let syncTime: SyncTime
            let bodyNanoseconds: UInt64?
            private let start = IOPool.now()

            /// Describes the commit, which has been published.
            func end() {
                let duration = IOPool.now() - start
                guard span.span.isRecording else { return }
                let classes = commit.summary.classCounts
                span.set([
                    "regnum.version": .int64(Int64(clamping: commit.root.version)),
                    "regnum.classes": .stringArray(classes.map(\.name)),
                    "regnum.inserted": .int64Array(classes.map { Int64($0.inserted) }),
                    "regnum.modified": .int64Array(classes.map { Int64($0.modified) }),
                    "regnum.deleted": .int64Array(classes.map { Int64($0.deleted) }),
                    "regnum.commit.duration": seconds(duration),
                ])
                if let bodyNanoseconds {
                    span.set(["regnum.body.duration": seconds(bodyNanoseconds)])
                }
                if let only = classes.first, classes.count == 1 {
                    span.set(["db.collection.name": .string(only.name)])
                }
                if !commit.body.isEmpty {
                    span.set(["regnum.record.bytes": .int64(Int64(commit.body.count))])
                }
                let sync = syncTime.nanoseconds.load(ordering: .relaxed)
                if sync > 0 { span.set(["regnum.sync.duration": seconds(sync)]) }
            }
        }
    }

    private func seconds(_ nanoseconds: UInt64) -> SpanAttribute {
        .double(Double(nanoseconds) / 1e9)
    }

    extension CommitSummary {
        /// The numbers of objects that were changed, by class, in the order of the names.
        fileprivate var classCounts: [(name: String, inserted: Int, modified: Int, deleted: Int)] {
            var counts: [String: (inserted: Int, modified: Int, deleted: Int)] = [:]
            for delta in tables.values {
                // The elements of a list of values are rows of a hidden class `Class.property`.
                let owner = delta.tableName.utf8.prefix { $0 != UInt8(ascii: ".") }
                let name = String(Substring(owner))
                guard name == delta.tableName else {
                    counts[name] = counts[name] ?? (0, 0, 0)
                    continue
                }
                var modified = Set(delta.modified.map(\.key))
                for changes in delta.listChanges.values { modified.formUnion(changes.map(\.row)) }
                counts[name] = (delta.inserted.count, modified.count, delta.deleted.count)
            }
            return counts.map { ($0.key, $0.value.inserted, $0.value.modified, $0.value.deleted) }
                .sorted { $0.0 < $1.0 }
        }
    }
#else
    /// The span of an operation on a realm. Without the package trait `Tracing`, there is none.
    struct OperationSpan: Sendable {
        private init() {}

        static func begin(
            _ operation: String, _ realm: String, _ place: CallPlace? = nil, origin: String? = nil
        ) -> OperationSpan? { nil }

        static func run<R>(in span: OperationSpan?, _ body: () throws -> R) rethrows -> R {
            try body()
        }

        var trace: String? { nil }

        mutating func began() {}

        func committing(
            _ commit: inout Commit, bodyNanoseconds: UInt64? = nil
        ) -> OperationSpan { self }

        func compacted(_ report: Realm.CompactionReport) {}

        func failed(_ error: any Error) {}

        func end() {}
    }
#endif
