import FleetDomain
import Telemetry

extension FleetTransaction {
  /// Checks a new or changed inspection report. If a new report has no time, sets the time to now.
  ///
  /// - Parameter old: the report before the change; `nil` if the report is new.
  /// - Throws: `invalid`; `invalidState` for a change of a signed report.
  public func check(_ new: inout Inspection, old: Stored<Inspection>?) throws(ThingError) {
    if let old {
      guard old.value.status == .draft else {
        throw .invalidState(state: old.value.status.rawValue, allowedFrom: [Inspection.Status.draft.rawValue])
      }
    } else {
      guard new.driverID != nil else {
        throw .invalid(FieldErrors([FieldError("driverId", "expected the id of a driver, found none")]))
      }
      if new.at == Inspection().at { new.at = now }
      if let id = new.supersedes { _ = try corrected(id, by: new) }
    }
    new.hasDefects = new.items.contains { $0.result == .defect }
  }

  /// Signs a draft. Afterwards its content cannot be changed.
  ///
  /// - Parameters:
  ///   - text: the signature, for example a typed name.
  ///   - person: the person who signs; `nil` for a program.
  /// - Throws: `invalidState`; `invalid` if the draft has no items; `rule` with `superseded` if the draft corrects a
  ///   report that another report has already corrected.
  public func sign(
    _ stored: Stored<Inspection>, _ text: String, by person: UUIDv7?
  ) throws(ThingError) -> Stored<Inspection> {
    try require(stored, .draft)
    guard !stored.value.items.isEmpty else {
      throw .invalid(FieldErrors([FieldError("items", "expected at least one item before the signature")]))
    }
    var signed = stored.value
    var superseded: Stored<Inspection>?
    if let id = signed.supersedes {
      let old = try corrected(id, by: signed)
      superseded = old
      var corrected = old.value
      corrected.supersededBy = stored.id
      try update(old, to: corrected, action: "supersede")
    }
    var signature = Inspection.Signature()
    (signature.text, signature.by, signature.at) = (text, person, now)
    signed.signature = signature
    signed.status = .signed
    signed.contentHash = signed.signedContent(id: stored.id).canonicalHash
    let defects = signed.items.filter { $0.result == .defect }.map(\.item)
    if !defects.isEmpty {
      try emit(.inspectionDefects, of: stored.id, signed, item: defects.joined(separator: ", "))
    }
    let report = try update(stored, to: signed, action: "sign")
    try openDefects(of: report, correcting: superseded)
    return report
  }

  /// Certifies that the defects of a signed report are repaired, or that they need no repair.
  ///
  /// - Throws: `invalidState`; `rule` with one of the codes `noDefect`, `superseded`.
  public func certify(
    _ stored: Stored<Inspection>, _ result: Inspection.Certification.Result, notes: String?, by person: UUIDv7?
  ) throws(ThingError) -> Stored<Inspection> {
    try require(stored, .signed)
    guard stored.value.hasDefects else {
      throw .rule(code: "noDefect", message: "the report has no defect; it can be reviewed")
    }
    var certification = Inspection.Certification()
    (certification.result, certification.notes) = (result, notes)
    (certification.by, certification.at) = (person, now)
    var certified = stored.value
    certified.certification = certification
    certified.status = .certified
    let report = try update(stored, to: certified, action: "certify")
    try closeDefects(of: report)
    return report
  }

  /// Marks a report as read by the next driver of the vehicle.
  ///
  /// - Throws: `invalidState`; `rule` with `superseded`.
  public func review(_ stored: Stored<Inspection>, by person: UUIDv7?) throws(ThingError) -> Stored<Inspection> {
    try require(stored, stored.value.reviewableFrom)
    var review = Inspection.Review()
    (review.by, review.at) = (person, now)
    var reviewed = stored.value
    reviewed.review = review
    reviewed.status = .reviewed
    return try update(stored, to: reviewed, action: "review")
  }

  private func require(_ stored: Stored<Inspection>, _ state: Inspection.Status) throws(ThingError) {
    guard stored.value.status == state else {
      throw .invalidState(state: stored.value.status.rawValue, allowedFrom: [state.rawValue])
    }
    if let other = stored.value.supersededBy {
      throw .rule(code: "superseded", message: "this report was corrected by \(other.string)")
    }
  }

  /// Returns the report that a new one corrects.
  ///
  /// - Throws: `invalid`; `rule` with `superseded` if another report has already corrected it.
  private func corrected(_ id: UUIDv7, by new: Inspection) throws(ThingError) -> Stored<Inspection> {
    guard let old = try find(id, Inspection.self), old.value.vehicle == new.vehicle else {
      throw .invalid(FieldErrors([FieldError("supersedes", "no such report of this vehicle")]))
    }
    guard old.value.status != .draft else {
      throw .invalid(FieldErrors([FieldError("supersedes", "this report is a draft; change it instead")]))
    }
    if let other = old.value.supersededBy {
      throw .rule(code: "superseded", message: "this report was corrected already, by \(other.string)")
    }
    return old
  }
}
