import FleetDomain
import Testing

@testable import FleetAPI

/// The order in which the files of tenants are processed.
@Suite struct FileTurnsTests {
  private static func tenant(_ name: String) throws -> TenantID { try #require(TenantID(name)) }

  @Test func a_tenant_whose_file_takes_long_does_not_delay_the_others() throws {
    let (slow, other) = (try Self.tenant("slow"), try Self.tenant("other"))
    var turns = FileTurns(most: 2)
    #expect(turns.begin([slow]) == [slow])
    // Its other files wait until the first one ends.
    #expect(turns.begin([slow]) == [])
    #expect(turns.begin([slow, other]) == [other])
    turns.end(other, pauses: false)
    #expect(turns.begin([slow, other]) == [other])
    turns.end(slow, pauses: false)
    #expect(turns.begin([slow, other]) == [slow])
  }

  @Test func the_tenant_that_has_waited_longest_is_next() throws {
    let tenants = try ["a", "b", "c"].map(Self.tenant)
    var turns = FileTurns(most: 1)
    var order: [TenantID] = []
    for _ in 0..<6 {
      let next = turns.begin(tenants)
      order += next
      for tenant in next { turns.end(tenant, pauses: false) }
    }
    #expect(order == tenants + tenants)
  }

  @Test func a_tenant_without_processable_files_pauses() throws {
    let tenant = try Self.tenant("a")
    var turns = FileTurns(most: 2)
    #expect(turns.begin([tenant]) == [tenant])
    turns.end(tenant, pauses: true)
    #expect(turns.begin([tenant]) == [])
    turns.retry()
    #expect(turns.begin([tenant]) == [tenant])
  }
}
