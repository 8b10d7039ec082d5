import FleetDomain
import Telemetry

/// Adds and closes the defects that inspection reports find. A vehicle has at most one open defect for each item. If a
/// later report finds the same defect, the report is added to the defect's list of reports.
extension FleetTransaction {
  /// For each failed item of a report that was just signed, adds a defect, or adds the report to the item's open
  /// defect. If the report corrects an older report, dismisses the defects that only the older report contains.
  func openDefects(of report: Stored<Inspection>, correcting old: Stored<Inspection>?) throws(ThingError) {
    var known = try inspectionDefects(of: report.value.vehicle, [.open, .acknowledged])
    let texts = try itemTexts(of: report.value.vehicle)
    for item in report.value.items where item.result == .defect {
      if let index = known.firstIndex(where: {
        $0.value.item.map(Inspection.Item.key(of:)) == Inspection.Item.key(of: item.item)
      }) {
        var joined = known.remove(at: index)
        var defect = joined.value
        defect.join(report.id, replacing: old?.id)
        defect.photos = Array((defect.photos + item.photos.filter { !defect.photos.contains($0) }).prefix(100))
        joined = try update(joined, to: defect, action: "join")
        continue
      }
      var defect = Defect()
      (defect.vehicle, defect.driver) = (report.value.vehicle, report.value.driverID)
      (defect.source, defect.severity) = (.inspection, .major)
      let text = texts[Inspection.Item.key(of: item.item)] ?? item.item
      defect.text = item.note.map { "\(text): \($0)" } ?? text
      defect.photos = item.photos
      (defect.item, defect.inspectionIDs) = (item.item, [report.id])
      try announce(try insert(defect, id: nil, action: "report"), since: nil)
    }
    guard let old else { return }
    for stored in known where stored.value.inspectionIDs.contains(old.id) {
      var defect = stored.value
      defect.inspectionIDs.removeAll { $0 == old.id }
      if defect.inspectionIDs.isEmpty {
        (defect.status, defect.dismissReason) = (.dismissed, "the report was corrected by \(report.id.string)")
        try update(stored, to: defect, action: DefectCommand.dismiss.rawValue)
      } else {
        try update(stored, to: defect, action: "change")
      }
    }
  }

  /// Closes the defects of a report that was just certified. They become repaired or, if no repair is necessary,
  /// dismissed.
  func closeDefects(of report: Stored<Inspection>) throws(ThingError) {
    guard let certification = report.value.certification else { return }
    for stored in try inspectionDefects(of: report.value.vehicle, [.open, .acknowledged])
    where stored.value.inspectionIDs.contains(report.id) {
      var defect = stored.value
      switch certification.result {
      case .repaired:
        defect.status = .repaired
        try update(stored, to: defect, action: DefectCommand.repair.rawValue)
      case .repairUnnecessary:
        (defect.status, defect.dismissReason) = (.dismissed, certification.notes ?? "certified: repair unnecessary")
        try update(stored, to: defect, action: DefectCommand.dismiss.rawValue)
      }
    }
  }

  /// Returns the descriptions of checklist items. The keys are those of the items' names
  /// (``Inspection/Item/key(of:)``). If several lists contain an item, a list for the vehicle's type takes precedence.
  private func itemTexts(of vehicle: String) throws(ThingError) -> [String: String] {
    let type = try self.vehicle(named: vehicle)?.value.category
    let lists = try checklists().map(\.list)
    let ordered = lists.filter { list in type.map(list.types.contains) ?? false } + lists
    let texts = ordered.flatMap(\.items).map { (Inspection.Item.key(of: $0.name), $0.text) }
    return Dictionary(texts) { first, _ in first }
  }

  private func inspectionDefects(
    of vehicle: String, _ statuses: [Defect.Status]
  ) throws(ThingError) -> [Stored<Defect>] {
    try list(
      ThingQuery<Defect>(
        .oneOf(key: "vehicleId", [.text(vehicle)]), .oneOf(key: "source", [Defect.Source.inspection.json]),
        .isSet(key: "item"), .oneOf(key: "status", statuses.map(\.json)), order: [.init("createdAt")], limit: 1_000)
    ).items
  }
}
