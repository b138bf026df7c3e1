import Testing

@testable import worker

struct StateTableTests {
    private var table = StateTable()

    init() {
        table.set(JobRow(id: "1", name: "b", state: .done, attempts: 1))
        table.set(JobRow(id: "2", name: "a", state: .dead, attempts: 1, error: "torn\u{1B}[2J"))
        table.set(JobRow(id: "3", name: "c", state: .queued, attempts: 0))
        table.set(
            JobRow(id: "3", name: "c", state: .running, attempts: 2, progress: 0.5, worker: "7"))
    }

    @Test func countsFollowTheJobs() throws {
        #expect(table.countsLine == "queued 0  running 1  failed 0  done 1  dead 1  attempts 4")
        #expect(table.finishedCount == 2)
        var later = table
        later.remove("1")
        later.remove("1")
        #expect(later.countsLine == "queued 0  running 1  failed 0  done 0  dead 1  attempts 3")
        let json = try later.json(changed: [later.rows["3"]].compactMap(\.self))
        #expect(
            json == #"{"attempts":3,"changed":[{"attempts":2,"id":"3","name":"c","progress":0.5,"#
                + #""state":"running","worker":"7"}],"#
                + #""counts":{"dead":1,"done":0,"failed":0,"queued":0,"running":1}}"#)
    }

    @Test func tableShowsWhatIsGoingOn() {
        let lines = table.lines(columns: 80, limit: 24)
        #expect(
            lines == [
                "  queued running  failed    done    dead  attempts",
                "       0       1       0       1       1         4",
                "",
                "job              state    attempt  progress",
                "c                running        2  [##########----------] worker 7",
                "a                dead           1  torn?[2J",
            ])
        #expect(table.lines(columns: 80, limit: 6).last == "… and 1 more")
        let narrow = table.lines(columns: 20, limit: 24)
        #expect(narrow.map(\.count).max() == 19 && narrow[4] == "c                r…")
    }
}
