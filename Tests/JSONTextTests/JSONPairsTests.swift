import JSONText
import Testing

struct JSONPairsTests {
  private struct Pair: Equatable {
    let first: Double
    let second: Double
  }

  private func pairs(_ value: JSONValue) -> (pairs: [Pair], odd: JSONValue?) {
    var pairs: [Pair] = []
    let odd = value.forEachPair { pairs.append(Pair(first: $0, second: $1)) }
    return (pairs, odd)
  }

  @Test func each_element_gives_its_first_two_numbers_and_what_is_behind_them_is_passed_over() throws {
    let found = pairs(try read(#"[ [1,2], [-3.5,4e2,[[9]],{"a":[8]}] ,[0.1,-0.0]]"#))
    #expect(found.pairs == [Pair(first: 1, second: 2), Pair(first: -3.5, second: 400), Pair(first: 0.1, second: 0)])
    #expect(found.odd == nil)
    #expect(pairs(try read("[]")).odd == nil)
  }

  @Test func numbers_are_those_that_a_value_gives() throws {
    var random = SystemRandomNumberGenerator()
    let texts = (0..<2_000).map { _ -> String in
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { return "17.25" }
      return Bool.random() ? "\(number)" : "\((number.remainder(dividingBy: 180) * 1e7).rounded() / 1e7)"
    }
    let root = try read("[" + texts.map { "[\($0),-1]" }.joined(separator: ",") + "]")
    #expect(pairs(root).pairs.map(\.first.bitPattern) == texts.map { Double($0)?.bitPattern })
    #expect(pairs(root).pairs.map(\.first) == root.elements.map { $0[0]?.double })
  }

  @Test(arguments: [
    ("[[1,2],[3],[4,5]]", "[1]"), (#"[[1,2],["3",4]]"#, "[1]"), ("[[1,null]]", "[0]"), ("[[1,2],[1e999,4]]", "[1]"),
    (#"[[1,2],[3,4],{"a":1,"b":2}]"#, "[2]"), ("[7]", "[0]"), ("[[]]", "[0]"),
  ])
  func the_first_element_that_is_not_a_pair_is_an_error(_ text: String, _ path: String) throws {
    let found = pairs(try read(text))
    #expect(found.odd?.path == path)
    #expect("[\(found.pairs.count)]" == path)
  }

  @Test(arguments: ["7", "null", #"{"a":[1,2]}"#, #""[[1,2]]""#])
  func a_value_that_is_not_an_array_is_an_error(_ text: String) throws {
    let found = pairs(try read(text))
    #expect(found.odd?.path == "")
    #expect(found.pairs.isEmpty)
  }
}
