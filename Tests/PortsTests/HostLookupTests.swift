import CPorts
import TestKit
import Testing

@Suite struct HostLookupTests {
  /// The waits have different lengths, so that some end at the moment at which the answer arrives. An abandoned look-up
  /// must then not access freed memory.
  @Test func cancelling_a_lookup_while_its_answer_arrives_is_safe() async throws {
    let looking = (0..<4).map { number in
      Task {
        try await runBlocking {
          (0..<2_000).count { round in
            // Every fourth look-up is abandoned at once.
            Self.lookUp("127.0.0.1", in: Int32(round % 2), givesUp: (round + number) % 4 == 0) != 0
          }
        }
      }
    }
    for one in looking { #expect(try await one.value == 500) }
  }

  @Test func a_failed_name_lookup_has_a_reason() {
    let code = Self.lookUp("no such host", in: 60_000)
    #expect(code < 0)
    #expect(unsafe String(cString: cports_lookup_message(code)) != "")
  }

  /// - Parameter piece: length of each wait, ms.
  /// - Returns: 0 if it found an address; 1 if it was aborted.
  private static func lookUp(_ host: String, in piece: Int32, givesUp: Bool = false) -> Int32 {
    guard let lookup = unsafe cports_lookup_begin(host, "80") else { return -1 }
    defer { unsafe cports_lookup_end(lookup) }
    var code: Int32 = 1
    while code == 1, !givesUp { code = unsafe cports_lookup_wait(lookup, piece) }
    guard code == 0 else { return code }
    var found = cports_address()
    return unsafe cports_lookup_address(lookup, 0, &found) == 1 && found.length > 0 ? 0 : -1
  }
}
