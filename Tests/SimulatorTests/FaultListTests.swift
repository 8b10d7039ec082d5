import Simulator
import Testing

/// `--faults`: the grammar.
@Suite struct FaultListTests {
  private func error(_ list: String) -> String {
    do {
      _ = try Fault.list(list)
      return "none"
    } catch {
      return error.description
    }
  }

  @Test func a_list_of_every_form_is_read() throws {
    let list = "nul=0.01, echoDouble,garbage=100@12s,silent@30s..60s,promptLost@5s,noData=0C,pending=0902:1.5s@1min.."
    #expect(
      try Fault.list(list).map(\.kind)
        == [.nul, .echoDouble, .garbage, .silent, .promptLost, .noData, .pending])
    #expect(try Fault.list("").isEmpty)
  }

  @Test func every_kind_can_be_written() throws {
    for kind in Fault.Kind.allCases {
      let tries = ["@5s", "=1@5s", "=0C@5s", "=0C:12@5s"]
      let works = tries.contains { (try? Fault.list(kind.rawValue + $0)) != nil }
      #expect(works, "\(kind)")
    }
  }

  @Test(arguments: [
    ("nul=2", #"character 1: "nul=2": expected a probability from 0 to 1 after nul="#),
    ("nul,silent=3", #"character 5: "silent=3": expected silent"#),
    ("nul, tickle", #"character 6: "tickle": no such fault; did you mean "trickle"?"#),
    ("reset", #"character 1: "reset": say when: reset@12s"#),
    ("silent@8s..3s", #"character 1: "silent@8s..3s": the time ends before it begins: 8s..3s"#),
    ("silent@soon", #"character 1: "silent@soon": expected a time such as 500ms, 12s or 2min, found "soon""#),
    ("noData", #"character 1: "noData": expected noData=HEX"#),
    ("noData=0G", #"character 1: "noData=0G": expected hexadecimal digits, found "0G""#),
    ("negative=0C", #"character 1: "negative=0C": expected negative=HEX:NRC"#),
    ("nul,,drop", "character 5: expected a fault between two commas"),
    ("senders=99", #"character 1: "senders=99": expected a whole number from 2 to 16 after senders="#),
  ])
  func an_error_names_the_item_and_what_would_be_right(_ list: String, _ expected: String) {
    #expect(error(list) == expected)
  }
}
