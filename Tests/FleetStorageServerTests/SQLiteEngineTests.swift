import FleetDomain
import TestKit
import Testing

@testable import FleetStorage

@Suite struct SQLiteEngineTests {
  /// `PRAGMA synchronous`: 2 is FULL. With less, a power cut could undo a commit that was confirmed.
  @Test func a_commit_waits_for_the_disk() async throws {
    try await TestedFleet.with(.sqlite) { fleet in
      for _ in 0..<2 {
        let rows = try await fleet.storage.engine.write { session throws(StoreFailure) in
          try session.rows("PRAGMA synchronous", []).map { $0.integer(0) }
        }
        #expect(rows == [2])
      }
    }
  }

  /// Without statistics, the planner read all rows of a tenant to find those of one vehicle. It must also use the index
  /// if the result is sorted by another column.
  @Test func an_index_is_preferred_to_reading_all_rows_of_a_tenant() async throws {
    try await TestedFleet.with(.sqlite) { fleet in
      let plans = try await fleet.storage.engine.write { session throws(StoreFailure) in
        let indexes = try session.rows(
          """
          SELECT list.name, info.name FROM pragma_table_list AS list, pragma_index_list(list.name) AS indexes,
            pragma_index_info(indexes.name) AS info
          WHERE list.wr = 1 AND indexes.origin = 'c' AND info.seqno = 1
            AND EXISTS (SELECT 1 FROM pragma_index_info(indexes.name) WHERE seqno = 0 AND name = 'tenant')
            AND EXISTS (SELECT 1 FROM pragma_table_info(list.name) WHERE pk = 2 AND name = 'id')
            AND NOT EXISTS (SELECT 1 FROM pragma_table_info(list.name) WHERE pk = 3)
            -- Such an index contains only things in some states or of one purpose, which the query below does not mention.
            AND indexes.name NOT IN (
              SELECT name FROM sqlite_schema WHERE sql LIKE '%WHERE% AND %' OR sql LIKE '%WHERE purpose = %')
          """, [])
        return try indexes.map { row throws(StoreFailure) in
          let (table, column) = (row.text(0), row.text(1))
          let plan = try session.rows(
            "EXPLAIN QUERY PLAN SELECT * FROM \(table) WHERE tenant = 1 AND \"\(column)\" = 'x' ORDER BY updated LIMIT 1",
            [])
          return "\(table).\(column): " + plan.map { $0.text(3) }.joined(separator: "; ")
        }
      }
      #expect(plans.count > 20)
      for plan in plans { #expect(plan.contains("INDEX"), "\(plan)") }
      let lists = try await fleet.storage.engine.write { session throws(StoreFailure) in
        try ["journey", "meter_reading", "service_due", "expense"].map { table throws(StoreFailure) in
          try session.rows("EXPLAIN QUERY PLAN SELECT * FROM \(table) WHERE tenant = 1 ORDER BY updated LIMIT 100", [])
            .first?.text(3)
        }
      }
      for plan in lists { #expect(plan?.contains("USING PRIMARY KEY (tenant=?)") == true, "\(plan ?? "")") }
    }
  }
}
