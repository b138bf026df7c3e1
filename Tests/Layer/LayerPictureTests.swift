import Foundation
import RegnumTestSupport
import Testing

/// Compares `Docs/Images/layers.svg` with the picture drawn from the table of layers and the
/// folders of `Sources`.
@Suite struct LayerPictureTests {
    @Test func rowsFollowTheDependencies() {
        let picture = LayerPicture(
            dependencies: [
                "Top": ["Middle", "Base"], "Middle": ["Base", "Side"], "Alone": ["Base"],
            ],
            folders: ["Middle": ["A"], "Base": ["B", "C"]])
        expectEqual(picture.rows, [["Top"], ["Middle", "Alone"], ["Base", "Side"]])
        expectEqual(
            picture.arrows.map { "\($0.upper) -> \($0.lower)" },
            [
                "Alone -> Base", "Middle -> Base", "Middle -> Side", "Top -> Middle",
            ])
    }

    @Test func thePictureIsCurrent() throws {
        let targets = Set(try SourceTree.names(in: "Sources", foldersOnly: true))
        let folders = try targets.map { target in
            let names = try SourceTree.names(in: "Sources/\(target)", foldersOnly: true)
            return (target, names.filter { $0 != "include" })
        }
        let picture = LayerPicture(
            dependencies: allowedImports.mapValues { $0.intersection(targets) },
            folders: Dictionary(uniqueKeysWithValues: folders))
        let current = try? SourceTree.text(of: "Docs/Images/layers.svg")
        if current == picture.svg { return }
        let drawn = Repository.root.appending(path: ".build/layers.svg")
        try FileManager.default.createDirectory(
            at: drawn.deletingLastPathComponent(), withIntermediateDirectories: true)
        try picture.svg.write(to: drawn, atomically: true, encoding: .utf8)
        Issue.record("Docs/Images/layers.svg is out of date. Copy \(drawn.path) over it.")
    }
}

/// A picture of targets in rows, each above those that it depends on.
struct LayerPicture {
    let rows: [[String]]
    /// The dependencies that don't follow from others.
    let arrows: [(upper: String, lower: String)]
    private let folders: [String: [String]]

    init(dependencies: [String: Set<String>], folders: [String: [String]]) {
        let targets = Set(dependencies.keys).union(dependencies.values.joined())
        /// Returns everything that a target depends on.
        func below(_ target: String) -> Set<String> {
            let direct = dependencies[target, default: []]
            return direct.union(direct.flatMap(below))
        }
        /// Returns the length of the longest chain of targets that leads to one. A target that no
        /// other depends on is right above its dependencies.
        func row(_ target: String) -> Int {
            let users = dependencies.filter { $0.value.contains(target) }.keys
            if let row = users.map({ chain($0) + 1 }).max() { return row }
            return (dependencies[target, default: []].map(row).min() ?? 1) - 1
        }
        func chain(_ target: String) -> Int {
            let users = dependencies.filter { $0.value.contains(target) }.keys
            return users.map { chain($0) + 1 }.max() ?? 0
        }
        rows = Dictionary(grouping: targets, by: row).sorted { $0.key < $1.key }.map { row in
            row.value.sorted { a, b in
                let (countA, countB) = (folders[a]?.count ?? 0, folders[b]?.count ?? 0)
                return (-countA, a) < (-countB, b)
            }
        }
        arrows = targets.sorted().flatMap { upper in
            let direct = dependencies[upper, default: []]
            let indirect = Set(direct.flatMap(below))
            return direct.subtracting(indirect).sorted().map { (upper, $0) }
        }
        self.folders = folders
    }

    private static let width = 860
    private static let gap = 30
    private static let lineHeight = 22
    private static let letterWidth = 8

    private struct Box {
        let name: String
        let lines: [String]
        let (x, width): (Int, Int)
        var (y, height) = (0, 0)

        init(_ name: String, _ folders: [String], x: Int, width: Int) {
            (self.name, self.x, self.width) = (name, x, width)
            let letterCount = (width - 24) / LayerPicture.letterWidth
            lines = folders.reduce(into: []) { lines, folder in
                if let last = lines.last, last.count + folder.count + 3 <= letterCount {
                    lines[lines.count - 1] = "\(last) · \(folder)"
                } else {
                    lines.append(folder)
                }
            }
        }
    }

    /// Boxes from top to bottom. The first one of a row takes most of its width.
    private var boxes: [Box] {
        var y = 10
        return rows.flatMap { row in
            let narrow = row.count > 1 ? 180 : 0
            let wide = Self.width - (row.count - 1) * (narrow + Self.gap)
            var boxes = row.enumerated().map { index, name in
                Box(
                    name, folders[name] ?? [],
                    x: 10 + (index == 0 ? 0 : wide + Self.gap + (index - 1) * (narrow + Self.gap)),
                    width: index == 0 ? wide : narrow)
            }
            let height = (boxes.map(\.lines.count).max() ?? 0) * Self.lineHeight + 36
            for index in boxes.indices { (boxes[index].y, boxes[index].height) = (y, height) }
            y += height + Self.gap
            return boxes
        }
    }

    var svg: String {
        let boxes = boxes
        let named = Dictionary(uniqueKeysWithValues: boxes.map { ($0.name, $0) })
        let height = (boxes.map { $0.y + $0.height }.max() ?? 0) + 10
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width + 20) \(height)" \
            font-family="sans-serif" font-size="14">
            """,
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
        ]
        for box in boxes {
            lines.append(
                """
                <rect x="\(box.x)" y="\(box.y)" width="\(box.width)" height="\(box.height)" rx="6" \
                fill="#eef3fa" stroke="#44608a"/>
                """)
            for (index, text) in ([box.name] + box.lines).enumerated() {
                let style = index == 0 ? " font-weight=\"bold\"" : ""
                lines.append(
                    """
                    <text x="\(box.x + 12)" y="\(box.y + 23 + index * Self.lineHeight)" \
                    fill="#1d2b40"\(style)>\(text)</text>
                    """)
            }
        }
        for arrow in arrows {
            guard let upper = named[arrow.upper], let lower = named[arrow.lower] else { continue }
            // in the middle of the part where one is above the other
            let left = max(upper.x, lower.x)
            let right = min(upper.x + upper.width, lower.x + lower.width)
            let (x, start, end) = ((left + right) / 2, upper.y + upper.height, lower.y)
            lines.append(
                """
                <path d="M\(x) \(start)V\(end - 2)M\(x - 5) \(end - 9)L\(x) \(end - 2)L\(x + 5) \
                \(end - 9)" fill="none" stroke="#44608a" stroke-width="2"/>
                """)
        }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }
}
