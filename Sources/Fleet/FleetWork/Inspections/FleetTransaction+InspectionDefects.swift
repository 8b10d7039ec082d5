import FleetDomain
import Telemetry

/// Adds and closes the defects that inspection reports find. A vehicle has at most one open defect for each item. If a
/// later report finds the same defect, the report is added to the defect's list of reports.
extension FleetTransaction {
  /// For each failed item of a report that is being signed, adds a defect, or adds the report to the item's open
  /// defect. Afterwards, if the report corrects an older report, dismisses the defects that only the older report
  /// contains.
  ///
  /// If the function was interrupted, a later call continues. Until the signature, a person may change the draft.
  /// Therefore the function also dismisses the defects of items that have not failed any more.
  ///
  /// - Parameters:
  ///   - old: the id of the report that this report corrects; `nil` if it corrects none.
  ///   - rest: the maximum number of defects that may be changed. The function subtracts the number of changed defects.
  ///     If it is 0 afterwards, more defects may be left.
  func updateDefects(
    of report: Stored<Inspection>, correcting old: UUIDv7?, atMost rest: inout Int
  ) throws(ThingError) {
    let known = try inspectionDefects(of: report.value.vehicle, [.open, .acknowledged])
    let knownOfItem = Dictionary(grouping: known) { $0.value.item.map(Inspection.Item.key(of:)) ?? "" }
    let failed = report.value.items.filter { $0.result == .defect }
    let made = try defects(madeBy: report.id, for: failed)
    let texts = failed.isEmpty ? [:] : try itemTexts(of: report.value.vehicle)
    var joined: Set<UUIDv7> = []
    for item in failed {
      let key = Inspection.Item.key(of: item.item)
      let present = knownOfItem[key] ?? []
      if let stored = present.first(where: { $0.value.inspectionIDs.contains(report.id) }) ?? present.first {
        joined.insert(stored.id)
        if stored.value.inspectionIDs.contains(report.id) { continue }
        guard rest > 0 else { return }
        rest -= 1
        var defect = stored.value
        defect.join(report.id, replacing: old)
        defect.photos = Array((defect.photos + item.photos.filter { !defect.photos.contains($0) }).prefix(100))
        try update(stored, to: defect, action: "join")
        continue
      }
      let id = Defect.id(of: item, in: report.id)
      // A person may have closed the defect already.
      if let stored = made[id], stored.value.inspectionIDs.contains(report.id) { continue }
      guard rest > 0 else { return }
      rest -= 1
      var defect = Defect()
      (defect.vehicle, defect.driver) = (report.value.vehicle, report.value.driverID)
      (defect.source, defect.severity) = (.inspection, .major)
      let text = texts[key] ?? item.item
      defect.text = item.note.map { "\(text): \($0)" } ?? text
      defect.photos = item.photos
      (defect.item, defect.inspectionIDs) = (item.item, [report.id])
      if let stored = made[id], stored.value.item != nil {
        // The item had failed, then it had not, and now it has failed again.
        try announce(try update(stored, to: defect, action: "report"), since: nil)
      } else {
        try announce(try insert(defect, id: id, action: "report"), since: nil)
      }
    }
    for stored in known where !joined.contains(stored.id) {
      let isCorrected = old.map(stored.value.inspectionIDs.contains) ?? false
      guard isCorrected || stored.value.inspectionIDs.contains(report.id) else { continue }
      guard rest > 0 else { return }
      rest -= 1
      var defect = stored.value
      defect.inspectionIDs.removeAll { $0 == old || $0 == report.id }
      if defect.inspectionIDs.isEmpty {
        defect.status = .dismissed
        defect.dismissReason =
          isCorrected
          ? "the report was corrected by \(report.id.string)" : "the report was changed before it was signed"
        try update(stored, to: defect, action: DefectCommand.dismiss.rawValue)
      } else {
        try update(stored, to: defect, action: "change")
      }
    }
  }

  /// Closes the defects of a report that is being certified. They become repaired or, if no repair is necessary,
  /// dismissed.
  ///
  /// - Parameter rest: the maximum number of defects that may be changed. The function subtracts the number of changed
  ///   defects. If it is 0 afterwards, more defects may be left.
  func closeDefects(
    of report: Stored<Inspection>, _ result: Inspection.Certification.Result, notes: String?, atMost rest: inout Int
  ) throws(ThingError) {
    for stored in try inspectionDefects(of: report.value.vehicle, [.open, .acknowledged])
    where stored.value.inspectionIDs.contains(report.id) {
      guard rest > 0 else { return }
      rest -= 1
      var defect = stored.value
      switch result {
      case .repaired:
        defect.status = .repaired
        try update(stored, to: defect, action: DefectCommand.repair.rawValue)
      case .repairUnnecessary:
        (defect.status, defect.dismissReason) = (.dismissed, notes ?? "certified: repair unnecessary")
        try update(stored, to: defect, action: DefectCommand.dismiss.rawValue)
      }
    }
  }

  /// Returns the defects that were added for failed items of a report, including closed ones. The keys are their ids.
  private func defects(
    madeBy report: UUIDv7, for items: [Inspection.Item]
  ) throws(ThingError) -> [UUIDv7: Stored<Defect>] {
    let ids = items.map { Defect.id(of: $0, in: report).json }
    guard !ids.isEmpty else { return [:] }
    let found = try list(ThingQuery<Defect>(.oneOf(key: "id", ids), limit: 1_000)).items
    return Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0) })
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

extension Defect {
  /// Returns the id of the defect that a failed item of a report adds. It depends only on the arguments, so that a
  /// repeated request adds no second defect.
  static func id(of item: Inspection.Item, in report: UUIDv7) -> UUIDv7 {
    let hash = JSON.array([report.json, .text(Inspection.Item.key(of: item.item))]).canonicalHash
    return UUIDv7(milliseconds: report.milliseconds, seed: UInt64(hash.prefix(16), radix: 16) ?? 0, number: 0)
  }
}
