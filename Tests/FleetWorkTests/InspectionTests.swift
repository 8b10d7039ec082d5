import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetWork

@Suite struct InspectionTests {
  @Test func a_defect_names_the_first_and_the_newest_reports() {
    let ids = (0..<300).map { UUIDv7(milliseconds: 1, first: 0, rest: UInt64($0)) }
    var defect = Defect()
    for id in ids { defect.join(id, replacing: nil) }
    #expect(defect.inspectionIDs == [ids[0]] + ids[201...])
    defect.join(ids[5], replacing: ids[299])
    #expect(defect.inspectionIDs == [ids[0]] + ids[201..<299] + [ids[5]])
  }

  @Test func the_hash_is_sha_256_of_the_canonical_content() throws {
    var inspection = Inspection()
    inspection.vehicle = "VAN-1"
    inspection.at = Timestamp(nanoseconds: 0)
    var item = Inspection.Item()
    (item.item, item.result) = ("horn", .ok)
    inspection.items = [item]
    let id = try UUIDv7(json: .text("019d0000-0000-7000-8000-000000000000"))
    #expect(
      inspection.signedContent(id: id).canonicalText
        == #"{"at":"1970-01-01T00:00:00.000Z","id":"019d0000-0000-7000-8000-000000000000","items":[{"item":"horn","photos":[],"result":"ok"}],"kind":"preTrip","vehicleId":"VAN-1"}"#
    )
    // The hash was computed by: printf '%s' '…' | sha256sum
    #expect(
      inspection.signedContent(id: id).canonicalHash
        == "686d4f90de61a5d18d0a425d72cdc2da2ccd3cbe6171283369f779c797da5851")
    #expect(inspection.isIntact(id: id) == nil)
    inspection.contentHash = inspection.signedContent(id: id).canonicalHash
    #expect(inspection.isIntact(id: id) == true)
    inspection.status = .reviewed
    #expect(inspection.isIntact(id: id) == true)
    inspection.items[0].result = .defect
    #expect(inspection.isIntact(id: id) == false)
  }
}
