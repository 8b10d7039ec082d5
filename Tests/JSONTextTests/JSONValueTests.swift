import JSONText
import Testing

struct JSONValueTests {
  @Test func members_keep_the_order_of_the_text() throws {
    let root = try read(#"{"z":1,"a":[{}],"m":{"x":1},"b":"s"}"#)
    #expect(root.members.map(\.key) == ["z", "a", "m", "b"])
    #expect(root.members.map(\.value.kind) == [.number, .array, .object, .string])
    #expect(root.count == 4)
  }

  @Test func key_with_escapes_is_found_by_its_value() throws {
    let root = try read(#"{"a\u0062\n":1,"😀":2}"#)
    #expect(root["ab\n"]?.int == 1)
    #expect(root["😀"]?.int == 2)
    #expect(root["ab"] == nil)
    #expect(root["a\\u0062\\n"] == nil)
  }

  @Test func value_of_another_type_is_nil_and_never_converted() throws {
    let root = try read(#"["1",1,true,null,[],{}]"#)
    #expect(root.elements.map(\.int) == [nil, 1, nil, nil, nil, nil])
    #expect(root.elements.map(\.string) == ["1", nil, nil, nil, nil, nil])
    #expect(root.elements.map(\.bool) == [nil, nil, true, nil, nil, nil])
    #expect(root.elements.map(\.isNull) == [false, false, false, true, false, false])
    #expect(root["key"] == nil)
    #expect(root[1]?.elements.map(\.kind) == [])
    #expect(root[6] == nil && root[-1] == nil)
  }

  @Test func path_and_place_name_every_value() throws {
    let root = try read("{ \"adapters\": [ {},\n  { \"baud\": 12, \"a b\": [ [ 7 ] ] } ] }")
    let adapter = try #require(root["adapters"]?[1])
    let baud = try #require(adapter["baud"])
    #expect(baud.path == "adapters[1].baud")
    #expect((baud.line, baud.column, baud.offset) == (2, 13, 32))
    let seven = try #require(adapter["a b"]?[0]?[0])
    #expect(seven.path == "adapters[1][\"a b\"][0][0]")
    #expect(root.path.isEmpty)
    let key = try #require(adapter.members.first { $0.key == "baud" }).keyValue
    #expect((key.path, key.line, key.column) == ("adapters[1].baud", 2, 5))
  }

  @Test func string_is_compared_and_lent_without_a_copy() throws {
    let root = try read(#"["can11","tab\t",12.5]"#)
    #expect(root[0]?.isString("can11") == true)
    #expect(root[0]?.isString("can1") == false)
    #expect(root[1]?.isString("tab\t") == true)
    #expect(root[2]?.isString("12.5") == false)
    #expect(root[1]?.withUTF8 { $0.count } == 4)
    #expect(root[2]?.withUTF8 { $0[3] } == UInt8(ascii: "5"))
    #expect(root.withUTF8 { $0.count } == nil)
  }
}
