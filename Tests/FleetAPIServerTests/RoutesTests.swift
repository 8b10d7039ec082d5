import HTTPTypes
import Testing

@testable import FleetAPI

@Suite struct RoutePathTests {
  @Test func places_are_filled_by_whole_segments() {
    let path = RoutePath("/api/vehicles/{vehicleId}/trips")
    #expect(path.parameters == ["vehicleId"])
    #expect(path.match(["api", "vehicles", "a%2Fb", "trips"]) == ["a%2Fb"])
    #expect(path.match(["api", "vehicles", "", "trips"]) == nil)
    #expect(path.match(["api", "vehicles", "a", "b", "trips"]) == nil)
    #expect(path.match(["api", "vehicles", "a", "trip"]) == nil)
  }
}

@Suite struct QueryParametersTests {
  @Test func names_and_values_are_decoded() throws {
    let query = try QueryParameters("a=1&b=x%20y+z&c&d=%C3%A4=", known: ["a", "b", "c", "d"])
    #expect(query["a"] == "1" && query["b"] == "x y z" && query["c"] == "" && query["d"] == "ä=" && query["e"] == nil)
  }

  @Test(arguments: ["a=%", "a=%4", "a=%GG", "%FF=1", "a=1&a=2", "a=1&b=2"])
  func a_query_that_cannot_be_read_is_refused(_ text: String) {
    #expect(throws: APIError.self) { try QueryParameters(text[...], known: ["a"]) }
  }

  @Test func a_long_query_of_unknown_parameters_is_not_read_on() {
    // Each compared with all before it, these took minutes.
    let text = (0..<1_000_000).map { "p\($0)" }.joined(separator: "&")
    #expect(throws: APIError.self) { try QueryParameters(text[...], known: ["a"]) }
    let same = String(repeating: "a&", count: 1_000_000)
    #expect(throws: APIError.self) { try QueryParameters(same[...], known: ["a"]) }
  }
}

@Suite struct RecordFieldSelectionTests {
  @Test(arguments: [
    ("rpm", #"{"id":"x" , "rpm" : 1.50 ,"a":{"rpm":2}}"#, #"{"id":"x","rpm" : 1.50}"#),
    ("rpm,speed", "{\"id\":1,\n\"rpm\":[1, {\"b\":2}],\"c\":3}", "{\"id\":1,\"rpm\":[1, {\"b\":2}]}"),
    ("maf", #"{"a":1,"maf":"}, \" {" }"#, #"{"maf":"}, \" {"}"#), ("rpm", "{}", "{}"),
    ("F150_ODO,4S_SPEED", #"{"F150_ODO":1,"4S_SPEED":2,"rpm":3}"#, #"{"F150_ODO":1,"4S_SPEED":2}"#),
  ])
  func chosen_values_stay_as_they_are_written(_ names: String, _ record: String, _ cut: String) throws {
    #expect(String(decoding: try RecordFieldSelection(names).apply(to: Array(record.utf8)), as: UTF8.self) == cut)
  }
}

@Suite struct EntityTagsTests {
  @Test func tags_are_matched_weakly_or_strongly() throws {
    let tags = try EntityTags("If-Match", #""a", W/"b" ,"c,d""#)
    #expect(tags.stronglyMatch(#""a""#) && tags.stronglyMatch(#""c,d""#) && !tags.stronglyMatch(#""b""#))
    #expect(tags.weaklyMatch(#""b""#) && !tags.weaklyMatch(#""d""#) && !tags.isAny)
    #expect(try EntityTags("If-Match", " * ").isAny)
    #expect(throws: APIError.self) { try EntityTags("If-Match", "a") }
  }
}
