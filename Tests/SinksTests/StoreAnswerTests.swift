import Testing

@testable import Sinks

@Suite struct StoreAnswerTests {
  private func refused(_ text: String, of records: Int) throws -> [Int: String] {
    let answer = try StoreAnswer(parsing: Array(text.utf8), records: records)
    return Dictionary(uniqueKeysWithValues: answer.refused.map { ($0.index, $0.reason) })
  }

  @Test func a_response_may_list_only_the_rejected_records() throws {
    let text = #"{"stored":2,"duplicates":1,"refused":1,"results":[{"index":3,"outcome":"refused","reason":"why"}]}"#
    #expect(try refused(text, of: 4) == [3: "why"])
  }

  @Test func a_response_may_list_all_records_in_any_order() throws {
    let text = #"""
      {"stored":1,"duplicates":1,"refused":1,"results":[{"index":2,"outcome":"refused"},
       {"index":0,"outcome":"stored","id":"x"},{"index":1,"outcome":"duplicate"}],"took":3}
      """#
    #expect(try refused(text, of: 3) == [2: "no reason given"])
  }

  @Test func without_refusals_no_list_is_needed() throws {
    #expect(try refused(#"{"stored":3,"duplicates":0,"refused":0}"#, of: 3).isEmpty)
  }

  @Test(arguments: [
    #"{"stored":2,"duplicates":0,"refused":0}"#, #"{"stored":4,"duplicates":0,"refused":0}"#,
    #"{"stored":2,"duplicates":0,"refused":1}"#, #"{"stored":3,"duplicates":0}"#, #"{"stored":3,"#, "", "[]", "OK",
    #"{"stored":2,"duplicates":0,"refused":1,"results":[{"index":3,"outcome":"refused"}]}"#,
    #"{"stored":2,"duplicates":0,"refused":1,"results":[{"index":1,"outcome":"lost"}]}"#,
    #"{"stored":1,"duplicates":0,"refused":2,"results":[{"index":1,"outcome":"refused"},{"index":1,"outcome":"refused"}]}"#,
  ]) func an_inconsistent_answer_is_not_accepted(_ text: String) {
    #expect(throws: StoreAnswer.NotUnderstood.self) { try StoreAnswer(parsing: Array(text.utf8), records: 3) }
  }

  @Test func a_response_truncated_anywhere_is_rejected() {
    let text = Array(
      #"{"stored":2,"duplicates":0,"refused":1,"results":[{"index":1,"outcome":"refused","reason":"no"}]}"#.utf8)
    for count in 0..<text.count {
      #expect(throws: StoreAnswer.NotUnderstood.self) {
        try StoreAnswer(parsing: Array(text[..<count]), records: 3)
      }
    }
  }
}
