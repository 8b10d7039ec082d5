import FleetDomain
import Telemetry

/// Names of the places in the database where encrypted secrets are stored. A secret can be decrypted only with the name
/// of its own place.
public enum SecretPlace {
  /// The name of the place where the seed of a factor's one-time codes is stored.
  public static func factor(_ id: UUIDv7) -> String { "factor \(id.json.textValue ?? "")" }
  /// The name of the place where the values of a queued mail are stored.
  public static func mail(_ id: UUIDv7) -> String { "mail \(id.json.textValue ?? "")" }
  /// The name of the place where the secrets of a webhook that receives events are stored.
  public static func eventWebhook(_ id: UUIDv7) -> String { "event webhook \(id.string)" }
  /// The name of the place where the private key that signs push messages is stored.
  public static let pushKey = "push key"
}
