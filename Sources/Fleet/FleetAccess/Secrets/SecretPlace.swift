import FleetDomain
import Telemetry

/// Names of the places in the database where encrypted secrets are stored. A secret can be decrypted only with the name
/// of its own place.
public enum SecretPlace {
  /// The place of the seed of a factor's one-time codes.
  public static func factor(_ id: UUIDv7) -> String { "factor \(id.json.textValue ?? "")" }
  /// The place of the values in a queued mail.
  public static func mail(_ id: UUIDv7) -> String { "mail \(id.json.textValue ?? "")" }
  /// The place of the secrets of a webhook that receives events.
  public static func eventWebhook(_ id: UUIDv7) -> String { "event webhook \(id.string)" }
  /// The place of the private key that signs push messages.
  public static let pushKey = "push key"
}
