import Captures
import Testing

@Suite struct ContentHashTests {
  private func hash(_ bytes: [UInt8]) -> UInt64 {
    var hash = ContentHash()
    hash.update(bytes.span)
    return hash.value
  }

  /// Published values of XXH64 with seed 0.
  @Test func the_values_are_those_of_XXH64() {
    #expect(hash([]) == 0xEF46_DB37_51D8_E999)
    #expect(hash(Array("a".utf8)) == 0xD24E_C4F1_A98C_6E5B)
    #expect(hash(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
    #expect(hash(Array("Nobody inspects the spammish repetition".utf8)) == 0xFBCE_A83C_8A37_8BF1)
  }

  @Test func any_split_gives_the_same_hash() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for length in 0...bytes.count {
      let whole = hash(Array(bytes.prefix(length)))
      for cut in stride(from: 0, through: length, by: 13) {
        var split = ContentHash()
        split.update(bytes.span.extracting(0..<cut))
        split.update(bytes.span.extracting(cut..<length))
        #expect(split.value == whole)
      }
    }
  }
}
