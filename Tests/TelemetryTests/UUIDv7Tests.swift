import Foundation
import Telemetry
import Testing

@Suite struct UUIDv7Tests {
  private func text(_ id: UUIDv7) -> String {
    let text = id.text
    return String(decoding: Array(text.span), as: UTF8.self)
  }

  @Test func the_text_form_carries_version_variant_and_time() {
    let id = UUIDv7(milliseconds: 0x0193_E0F2_7C11, first: 0xA5E, rest: 0x0F3B_2D1C_0B9A_8877)
    #expect(text(id) == "0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877")
    #expect(id.milliseconds == 0x0193_E0F2_7C11)
    #expect(UUID(uuidString: text(id)) != nil)
  }

  /// The example of RFC 9562, appendix A.6.
  @Test func the_standards_own_example_reads_back() throws {
    let source = Array("017F22E2-79B0-7CC3-98C4-DC0C0C07398F".utf8)
    let read = UUIDv7(source.span)
    let id = try #require(read)
    #expect(id.milliseconds == 1_645_557_742_000)
    #expect(text(id) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
  }

  @Test(arguments: [
    "017F22E2-79B0-4CC3-98C4-DC0C0C07398F", "017F22E2-79B0-7CC3-C8C4-DC0C0C07398F", "017F22E279B07CC398C4DC0C0C07398F",
    "017F22E2-79B0-7CC3-98C4-DC0C0C07398", "017F22E2-79B0-7CC3-98C4-DC0C0C07398G", "",
  ])
  func text_that_is_not_a_UUID_is_rejected(source: String) {
    let bytes = Array(source.utf8)
    let id = UUIDv7(bytes.span)
    #expect(id == nil)
  }

  @Test func the_same_seed_and_number_give_the_same_identifier() {
    let one = UUIDv7(milliseconds: 5, seed: 42, number: 7)
    #expect(one == UUIDv7(milliseconds: 5, seed: 42, number: 7))
    #expect(one != UUIDv7(milliseconds: 5, seed: 42, number: 8))
    #expect(one != UUIDv7(milliseconds: 5, seed: 43, number: 7))
  }

  @Test func identifiers_of_one_millisecond_differ() {
    var seen: Set<String> = []
    for number in 1...20_000 { seen.insert(text(UUIDv7(milliseconds: 9, seed: 0, number: UInt64(number)))) }
    #expect(seen.count == 20_000)
  }

  @Test func later_identifiers_sort_behind_earlier_ones() {
    let early = text(UUIDv7(milliseconds: 999, seed: 1, number: 50))
    let late = text(UUIDv7(milliseconds: 1_000, seed: 1, number: 1))
    #expect(early < late)
  }
}
