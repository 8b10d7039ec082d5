import FleetDomain
import Telemetry

/// A command of a defect's state machine.
public enum DefectCommand: String, CaseIterable, Sendable {
  case acknowledge, repair, verify, dismiss

  /// The states in which the command is allowed.
  public var allowedFrom: [Defect.Status] {
    switch self {
    case .acknowledge: [.open]
    case .repair: [.acknowledged]
    case .verify: [.repaired]
    case .dismiss: [.open, .acknowledged]
    }
  }

  /// The state after the command.
  public var status: Defect.Status {
    switch self {
    case .acknowledge: .acknowledged
    case .repair: .repaired
    case .verify: .verified
    case .dismiss: .dismissed
    }
  }
}

extension FleetTransaction {
  /// Changes the state of a defect.
  ///
  /// - Parameter reason: required for `dismiss`, and for `verify` if the trouble code was absent for fewer than
  ///   ``TenantSettings/tripsToVerify`` trips. Any reason for `verify` is stored; other commands ignore it.
  /// - Throws: `invalidState`; `invalid` with the field `reason`; `rule` with `codePresent` if a defect is to be
  ///   verified while the vehicle still reports its trouble code; `rule` with `notEnoughTrips`.
  public func execute(
    _ command: DefectCommand, _ stored: Stored<Defect>, reason: String? = nil
  ) throws(ThingError) -> Stored<Defect> {
    var defect = stored.value
    guard command.allowedFrom.contains(defect.status) else {
      throw .invalidState(state: defect.status.rawValue, allowedFrom: command.allowedFrom.map(\.rawValue))
    }
    if command == .dismiss {
      guard let reason else { throw .invalid(FieldErrors([FieldError("reason", "expected a text, found none")])) }
      defect.dismissReason = reason
    }
    if command == .verify, defect.source == .dtc, defect.isPresent {
      throw .rule(code: "codePresent", message: "the vehicle still reports \(defect.codes.joined(separator: ", "))")
    }
    if command == .verify, defect.source == .dtc, reason == nil {
      let needed = try settings().value.tripsToVerify
      guard defect.tripsWithout >= needed else {
        throw .rule(
          code: "notEnoughTrips",
          message:
            "the code was absent for \(defect.tripsWithout) of \(needed) trips; wait, or verify with a reason")
      }
    }
    if command == .verify { defect.verifyReason = reason }
    defect.status = command.status
    return try update(stored, to: defect, action: command.rawValue)
  }

  /// Adds the events of a new, reopened or changed defect.
  ///
  /// - Parameter old: the defect before the change; `nil` if it is new.
  public func announce(_ stored: Stored<Defect>, since old: Defect?) throws(ThingError) {
    let (defect, isOpen) = (stored.value, [.open, .acknowledged].contains(stored.value.status))
    let wasOpen = old.map { [.open, .acknowledged].contains($0.status) } ?? false
    if isOpen, !wasOpen {
      switch defect.source {
      case .dtc: try emit(.troubleCodeFound, of: stored.id, defect, item: defect.text)
      // The event of the inspection names all of its defects.
      case .inspection: break
      case .driver, .other: try emit(.defectOpened, of: stored.id, defect, item: defect.text)
      }
    }
    if isOpen, defect.severity == .unsafe, !(wasOpen && old?.severity == .unsafe) {
      try emit(.defectUnsafe, of: stored.id, defect, item: defect.text)
    }
  }

  /// Checks that a vehicle has no open or acknowledged defect of the severity `unsafe`.
  ///
  /// - Throws: `rule` with `vehicleUnsafe`.
  public func requireSafe(vehicle id: String) throws(ThingError) {
    let defect = try first(
      ThingQuery<Defect>(
        .oneOf(key: "vehicleId", [.text(id)]), .oneOf(key: "severity", [Defect.Severity.unsafe.json]),
        .oneOf(key: "status", [Defect.Status.open, .acknowledged].map(\.json))))
    if let defect {
      throw .rule(
        code: "vehicleUnsafe", message: "vehicle \(id) is reported unsafe: \(defect.value.text) (\(defect.id.string))")
    }
  }
}
