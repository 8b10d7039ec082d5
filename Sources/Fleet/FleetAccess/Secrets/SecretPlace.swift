import FleetDomain
import Telemetry

/// The place in the database of an encrypted secret. The secret can be decrypted only for the same place.
public enum SecretPlace {
  /// The seed of a factor's one-time codes.
  public static func factor(_ id: UUIDv7) -> String { "factor \(id.json.textValue ?? "")" }
  /// The values in the text of a queued mail.
  public static func mail(_ id: UUIDv7) -> String { "mail \(id.json.textValue ?? "")" }
}
