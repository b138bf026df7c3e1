/// The text of a progress bar for a terminal line.
package struct ProgressBar: Sendable {
    package var total: Int
    package var columns: Int

    package init(total: Int, columns: Int) {
        self.total = total
        self.columns = columns
    }

    /// Returns a line without a line break, at most `columns - 1` wide: "[#####-----]  50%  10 of
    /// 20".
    package func line(done: Int) -> String {
        let percent = total == 0 ? 100 : done * 100 / total
        let count = "\(done) of \(total)"
        let figures = " " + String(repeating: " ", count: 3 - "\(percent)".count) + "\(percent)%  "
        let width = min(40, columns - 1 - figures.count - count.count - 2)
        guard width > 0 else { return String("\(percent)%".prefix(max(0, columns - 1))) }
        let filled = total == 0 ? width : done * width / total
        let bar = String(repeating: "#", count: filled)
        return "[" + bar + String(repeating: "-", count: width - filled) + "]" + figures + count
    }
}
