import FleetDomain
import Telemetry
import Testing

@Suite struct IncomingBatchTests {
  private func batch(_ text: String) -> IncomingBatch { IncomingBatch(parsing: Array(text.utf8).span) }

  @Test func lines_and_arrays_give_the_same_records() {
    let records = (1...5).map { RecordText.record(["seq": "\($0)"], $0 == 3 ? #""a":"Grüße ],}""# : #""a":"],\"}""#) }
    let forms = [
      records.joined(separator: "\n"), records.joined(separator: "\r\n") + "\r\n",
      "\n\n" + records.joined(separator: "\n \n"),
      "[" + records.joined(separator: ",") + "]", "\n [ " + records.joined(separator: " ,\n") + " ]\n",
    ]
    for form in forms {
      let batch = batch(form)
      #expect(batch.records.map(\.sequence) == [1, 2, 3, 4, 5], "\(form)")
      #expect(batch.records.map { String(decoding: $0.body, as: UTF8.self) } == records)
      #expect(batch.refusals.isEmpty)
    }
  }

  @Test func an_empty_body_has_no_records() {
    for text in ["", "\n", "[]", " [ ] ", "\r\n\r\n"] {
      #expect(batch(text).count == 0)
    }
  }

  @Test func an_invalid_record_does_not_affect_the_others() {
    let records = [
      RecordText.record(["seq": "1"]), RecordText.record(["seq": "0"]), "nonsense", RecordText.record(["seq": "4"]),
    ]
    for text in [records.joined(separator: "\n"), "[" + records.joined(separator: ",") + "]"] {
      let batch = batch(text)
      #expect(batch.count == 4)
      #expect(batch.records.map(\.sequence) == [1, 4])
      #expect(batch.refusals.map(\.index) == [1, 2])
      #expect(batch.refusals.map(\.refusal.kind) == [.invalidValue, .malformed])
      let outcomes = batch.outcomes([.stored, .duplicate])
      #expect(outcomes[0] == .stored && outcomes[3] == .duplicate)
      guard case .refused(let refusal) = outcomes[1] else {
        Issue.record("\(outcomes)")
        return
      }
      #expect(refusal.key == "seq")
    }
  }

  @Test func an_array_that_breaks_off_keeps_what_came_before() {
    let record = RecordText.record()
    for end in [",", "", ",{\"a\":\"", "]]", ",]"] {
      let batch = batch("[\(record)\(end)")
      #expect(batch.count == 1 && batch.records.count == 1 && batch.breakOff?.kind == .malformed, "\(end)")
    }
    #expect(
      batch(" [\(record),").breakOff?.description
        == "byte \(record.utf8.count + 3): the array is not one: expected a record and then ',' or ']'")
  }

  @Test(arguments: ["x", " ]", "[]", ",", "\n{}"])
  func text_after_the_array_of_records_is_rejected(_ rest: String) {
    let batch = batch("[\(RecordText.record())]\(rest)")
    #expect(batch.count == 1 && batch.breakOff?.detail.contains("nothing behind ']'") == true)
  }

  @Test func an_object_on_several_lines_is_one_record_where_it_may_be() {
    let record = RecordText.record([:], #""a":{"b":["}\"{"]}"#)
    let pretty = record.replacing(",\"", with: ",\n  \"")
    for text in [pretty, "\n\(pretty)\r\n", record] {
      let batch = IncomingBatch(parsing: Array(text.utf8).span, mayBeObject: true)
      #expect(batch.records.count == 1 && batch.count == 1, "\(text)")
    }
    #expect(batch(pretty).records.isEmpty)
    // The text still consists of lines if the first line is invalid.
    for first in [record, String(record.dropLast()), "{\"a\":\"", "{}", "x"] {
      let text = Array([first, record, record].joined(separator: "\n").utf8)
      let batch = IncomingBatch(parsing: text.span, mayBeObject: true)
      #expect(batch.count == 3 && batch.records.count == (first == record ? 3 : 2), "\(first)")
    }
  }

  @Test func a_line_is_not_continued_on_the_next() {
    let record = RecordText.record()
    let broken = record.replacing(",", with: ",\n", maxReplacements: 1)
    let batch = batch(broken + "\n" + record)
    #expect(batch.records.count == 1)
    #expect(batch.refusals.map(\.index) == [0, 1])
  }
}
