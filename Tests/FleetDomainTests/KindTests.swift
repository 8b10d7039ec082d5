import Foundation
import Telemetry
import Testing

@testable import FleetDomain

@Suite struct KindTests {
  private static func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

  private static func person(_ text: String) throws -> Person { try Person(client: json(text)) }

  private static let ann =
    #"{"email":"Ann@Example.com","firstName":"Ann","lastName":"Lee","roles":["admin","driver"]}"#

  @Test func a_thing_is_read_with_its_defaults() throws {
    let ann = try Self.person(Self.ann)
    #expect(ann.email?.text == "ann@example.com")
    #expect(ann.roles == [.admin, .driver])
    #expect(ann.scope == .all && ann.units == .metric && ann.isActive)
  }

  @Test func all_errors_are_reported_with_their_paths() throws {
    let errors = try #require(throws: FieldErrors.self) {
      try Self.person(
        #"{"email":"nobody","firstName":"","roles":["admin","chief"],"isActive":false,"passwordHash":"x","nmae":"","scope":["1"]}"#
      )
    }
    #expect(
      errors.all.map(\.path).sorted()
        == ["email", "firstName", "isActive", "lastName", "nmae", "passwordHash", "roles.1", "scope.0"])
  }

  @Test(arguments: [
    "", "a", "a@", "@b.c", "a b@c.de", "a@b..c", "a@-b.c", "a@b.c\n", "a@b@c.de", "<a@b.c>", "a@[127.0.0.1]",
    String(repeating: "a", count: 65) + "@b.c",
  ])
  func text_that_is_not_an_email_address_is_rejected(_ text: String) { #expect(EmailAddress(text) == nil) }

  private static func paths(_ more: String) -> [String] {
    do throws(FieldErrors) {
      let text = #"{"email":"ann@example.com","firstName":"Ann","lastName":"Lee","roles":["driver"],"#
      _ = try Person(client: (try? JSON(parsing: Array((text + more + "}").utf8))) ?? .null)
      return []
    } catch {
      return error.all.map(\.path)
    }
  }

  @Test(arguments: [
    "Europe/Vienna", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "Asia/Calcutta", "Europe/Kyiv", "EST5EDT",
  ])
  func a_name_of_the_time_zone_database_is_a_time_zone(_ name: String) {
    #expect(Self.paths(#""timeZone":"\#(name)""#).isEmpty)
  }

  @Test(arguments: ["", "Vienna", "europe/vienna", "Europe/Wien", "+02:00", "Mars/Base", "posix/UTC", "Europe/Vienna "])
  func another_text_is_not_a_time_zone(_ name: String) {
    #expect(Self.paths(#""timeZone":"\#(name)""#) == ["timeZone"])
    #expect(throws: FieldErrors.self) {
      try Fleet(client: Self.json(#"{"name":"North","timeZone":"\#(name)"}"#))
    }
  }

  /// The names of two other copies of the database: that of Foundation, and that of this machine.
  @Test func the_names_of_time_zones_are_those_of_the_database() throws {
    #expect(TimeZone.knownTimeZoneIdentifiers.filter { !TimeZoneNames.contains($0) } == [])
    #expect(TimeZoneNames.all.filter { TimeZone(identifier: $0) == nil } == [])
  }

  // Examples of RFC 5646, appendix A.
  @Test(arguments: [
    "de", "de-AT", "fr", "zh-Hant", "zh-cmn-Hans-CN", "cmn-Hans-CN", "zh-yue-HK", "sr-Latn-RS", "sl-rozaj",
    "sl-rozaj-biske",
    "sl-nedis", "de-CH-1901", "sl-IT-nedis", "hy-Latn-IT-arevela", "es-419", "de-CH-x-phonebk", "az-Arab-x-AZE-derbend",
    "x-whatever", "qaa-Qaaa-QM-x-southern", "en-US-u-islamcal", "zh-CN-a-myext-x-private", "en-a-myext-b-another",
  ])
  func a_well_formed_language_tag_is_a_locale(_ tag: String) { #expect(Self.paths(#""locale":"\#(tag)""#).isEmpty) }

  @Test(arguments: [
    "", "d", "de_AT", "de-", "-de", "de--AT", "de-419-DE", "a-DE", "ar-a-aaa-b-bbb-a-ccc", "x", "de-x", "de-a",
    "deutschland",
    "de AT", "1de", "german1",
  ])
  func another_text_is_not_a_locale(_ tag: String) { #expect(Self.paths(#""locale":"\#(tag)""#) == ["locale"]) }

  @Test(arguments: [
    "ann@example.com", "jörg@müller.example", "groß@example.com", "Ελένης@example.com", "anna-日本@例え.jp",
  ])
  func letters_of_all_languages_are_valid_in_email_addresses(_ text: String) throws {
    #expect(try #require(EmailAddress(text)).isUnambiguous)
  }

  /// Every character of an accepted address is its own form NFKC, by Foundation's tables.
  @Test func characters_that_look_like_others_are_rejected_in_email_addresses() throws {
    for value in (0x21...0x1FFFF as ClosedRange<UInt32>) {
      guard let scalar = Unicode.Scalar(value), let address = EmailAddress("\(Character(scalar))@example.com"),
        address.isUnambiguous
      else { continue }
      let text = address.text
      #expect(
        text.precomposedStringWithCompatibilityMapping.unicodeScalars.elementsEqual(text.unicodeScalars), "\(value)")
    }
    for text in ["ａnn@example.com", "ann@ｅxample.com", "ﬁnn@example.com", "ann@example②.com"] {
      let json = Self.ann.replacing("Ann@Example.com", with: text)
      let errors = try #require(throws: FieldErrors.self) { try Self.person(json) }
      #expect(errors.all.map(\.path) == ["email"], "\(text)")
    }
  }

  @Test(arguments: ["A\u{202E}B", "A\u{200B}B", "a\nb"])
  func names_of_people_and_factors_have_no_hidden_characters(_ name: String) throws {
    let text = JSON.text(name).canonicalText
    let errors = try #require(throws: FieldErrors.self) {
      try Self.person(#"{"email":"ann@example.com","firstName":\#(text),"lastName":\#(text),"roles":["driver"]}"#)
    }
    #expect(errors.all.map(\.path).sorted() == ["firstName", "lastName"])
    let expected = "expected 1 to 100 characters without control characters or invisible ones"
    #expect(errors.all.allSatisfy { $0.message == expected })
    let factor = try #require(throws: FieldErrors.self) { try Factor(client: Self.json(#"{"name":\#(text)}"#)) }
    #expect(factor.all.map(\.path) == ["name"])
    #expect(EmailAddress(name + "@b.c") == nil)
  }

  @Test(arguments: ["a@b", "o'neil+cars@sub.example.co.uk", "jörg@münchen.example"])
  func email_addresses_are_accepted(_ text: String) { #expect(EmailAddress(text)?.text == text) }

  /// RFC 7396: `null` removes, a member that is absent stays.
  @Test func a_merge_patch_changes_what_it_names() throws {
    var ann = try Self.person(Self.ann)
    ann.locale = "de-AT"
    let patched = try ann.patched(with: Self.json(#"{"locale":null,"firstName":"Anna"}"#))
    #expect(patched.locale == nil && patched.firstName == "Anna" && patched.lastName == "Lee")
    #expect(throws: FieldErrors([FieldError("lastName", "expected a value, found null")])) {
      try ann.patched(with: Self.json(#"{"lastName":null}"#))
    }
    #expect(throws: FieldErrors.self) { try ann.patched(with: Self.json(#"{"isActive":false}"#)) }
    // The result of a read is valid input for a change.
    let stored = Stored(
      id: UUIDv7(milliseconds: 1, first: 2, rest: 3), version: 1, createdAt: Timestamp(nanoseconds: 0),
      updatedAt: Timestamp(nanoseconds: 0), value: ann)
    #expect(try ann.patched(with: stored.json) == ann)
  }

  @Test func hidden_fields_are_not_shown_and_not_in_changes() throws {
    var ann = try Self.person(Self.ann)
    ann.passwordHash = "secret"
    let stored = Stored(
      id: UUIDv7(milliseconds: 1, first: 2, rest: 3), version: 1, createdAt: Timestamp(nanoseconds: 0),
      updatedAt: Timestamp(nanoseconds: 0), value: ann)
    #expect(!stored.json.canonicalText.contains("secret"))
    #expect(!JSON.object(ann.change(since: nil).after).canonicalText.contains("secret"))
  }

  @Test func changes_of_different_fields_merge_and_of_the_same_field_conflict() throws {
    let base = try Self.person(Self.ann)
    var (mine, theirs) = (base, base)
    mine.firstName = "Anna"
    theirs.lastName = "Li"
    #expect(try Person.merge(base: base, mine: mine, theirs: theirs).get().firstName == "Anna")
    #expect(try Person.merge(base: base, mine: mine, theirs: theirs).get().lastName == "Li")
    theirs.firstName = "Anne"
    let conflict = MergeConflict(
      fields: [.init(key: "firstName", base: .text("Ann"), mine: .text("Anna"), theirs: .text("Anne"))])
    #expect(Person.merge(base: base, mine: mine, theirs: theirs) == .failure(conflict))
    // Two equal changes give one change and no conflict.
    theirs.firstName = "Anna"
    #expect(try Person.merge(base: base, mine: mine, theirs: theirs).get() == theirs)
  }

  @Test func a_change_can_be_reverted() throws {
    let old = try Self.person(Self.ann)
    var new = old
    new.locale = "fr"
    new.roles = [.viewer]
    #expect(try new.reverting(new.change(since: old)) == old)
  }

  @Test(
    arguments: [
      (20, 20..<20, ["x"]), (20, 0..<0, ["x", "y"]), (20, 7..<9, []), (20, 0..<20, []), (20, 5..<6, ["x", "y", "z"]),
      (7, 7..<7, ["x"]), (8, 0..<8, ["x"]), (7, 3..<4, ["x"]), (40, 10..<30, ["11", "12"]), (9, 3..<3, ["3", "3"]),
    ] as [(Int, Range<Int>, [String])])
  func a_change_of_a_long_array_has_only_its_changed_part(_ count: Int, _ range: Range<Int>, _ new: [String]) throws {
    let old = (0..<count).map { "\($0)" }
    var changed = old
    changed.replaceSubrange(range, with: new)
    let parts = ArrayChange.parts(old.json, changed.json)
    #expect(try ArrayChange.reverted(parts.before, after: parts.after, in: changed.json) == old.json)
    if max(count, changed.count) >= 8, case .array(let elements)? = parts.before["elements"] {
      #expect(elements.count <= range.count)
    } else {
      #expect(max(count, changed.count) < 8 && parts.before == old.json)
    }
  }

  @Test func a_change_of_a_long_array_can_be_reverted() throws {
    var old = try Self.person(Self.ann)
    old.scope = .fleets((0..<40).map { UUIDv7(milliseconds: 1, first: 0, rest: UInt64($0)) })
    var new = old
    new.scope = .fleets((0..<41).map { UUIDv7(milliseconds: 1, first: 0, rest: UInt64($0)) })
    let change = new.change(since: old)
    #expect(change.before["scope"] == (try Self.json(#"{"from":40,"elements":[]}"#)))
    #expect(try new.reverting(change) == old)
  }
}
