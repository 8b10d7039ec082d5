import FleetDomain
import Telemetry

/// Where an encrypted secret is stored: it can be decrypted only there.
public enum SecretPlace {
  /// The seed of a factor's one-time codes.
  public static func factor(_ id: UUIDv7) -> String { "factor \(id.json.textValue ?? "")" }
}
