import FleetDomain
import Telemetry
import Testing

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
}
