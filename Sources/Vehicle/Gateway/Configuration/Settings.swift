import CGateway
import Failures
import Fusion
import GatewayOutput
import GeoJSON
import Geofencing
import JSONText
import SignalSets

/// A configuration, and the content of the files that it names. All of it is checked. A start or a reload needs no
/// other input.
public struct Settings: Sendable {
  public let configuration: GatewayConfiguration
  private(set) var poll: PollSettings
  /// The geofences that are watched; `nil` if there are none.
  var fences: FenceSet?
  let fenceRules: FenceRules
  let privacy: PrivacyRules
  /// Warnings about settings that are valid but probably not intended; one line for each.
  public private(set) var warnings: [String] = []
  /// Whether there are privacy zones whose fences must still be fetched from a server.
  private let isWaitingForZones: Bool

  /// The precision of positions that applies now. While the fences of privacy zones are unknown, the strictest
  /// precision of all zones applies everywhere.
  var presentPrivacy: PrivacyRules {
    guard isWaitingForZones, fences == nil else { return privacy }
    let strictest = privacy.zones.reduce(privacy.everywhere) { $0.stricter($1.privacy) }
    return PrivacyRules(everywhere: strictest)
  }

  /// Reads a configuration file and the files that it names.
  ///
  /// - Parameter path: path of the configuration file; `nil` for the default configuration (`{}`).
  /// - Throws: ``Failure`` with the file, line and JSON path of each error, and the expected value.
  public init(path: String?) throws(Failure) {
    guard let path else {
      try self.init(GatewayConfiguration())
      return
    }
    let content = try FileText.content(of: path)
    let configuration: GatewayConfiguration
    do throws(ConfigurationError) {
      configuration = try GatewayConfiguration(parsing: content.bytes, file: path)
    } catch {
      throw Failure(.badConfiguration, lines: error.lines)
    }
    try self.init(configuration, file: path)
    if content.isForEveryone, let pinned = configuration.adapters.firstIndex(where: { $0.pin != nil }) {
      // The configuration file belongs to another user than the service's. Unless all users can read the file, the
      // service can read it only as a member of the file's group.
      warnings.append(
        "\(path): adapters[\(pinned)].pin: everyone may read this file; give the PIN by \"pinFile\", or "
          + "chgrp obdgate \(path) && chmod 640 \(path); without the service, chmod 600 \(path) as the daemon's own user"
      )
    }
  }

  /// Reads the files that a configuration names.
  ///
  /// - Parameter file: path of the configuration file, for messages; `nil` if there is none.
  /// - Throws: ``Failure`` if a file is missing or invalid.
  public init(_ configuration: GatewayConfiguration, file: String? = nil) throws(Failure) {
    self.configuration = configuration
    for (index, sink) in configuration.sinks.enumerated() {
      guard let (secret, url) = sink.exposedSecret else { continue }
      warnings.append(
        "\(file.map { "\($0): " } ?? "")sinks[\(index)].url: \(url): \(secret) is sent without encryption, as "
          + "\"insecure\" allows")
    }
    fences = try Self.fences(configuration, file: file)
    fenceRules = FenceRules(configuration.geofences)
    privacy = PrivacyRules(configuration.privacy)
    // The fences of privacy zones may be unknown now, if they are fetched from a server later.
    isWaitingForZones = fences == nil && Self.fetchesFences(configuration) && !privacy.zones.isEmpty
    for zone in configuration.privacy.zones where !isWaitingForZones && !(fences?.has(zone.fence) ?? false) {
      throw Failure(.badConfiguration, Self.refusal(of: zone, configuration, file: file))
    }
    var sets: [SignalSet] = []
    for (index, path) in configuration.signalSets.enumerated() {
      let places = configuration.places.signalSets
      let place = places.indices.contains(index) ? places[index] : nil
      let text = try Self.read(path, limit: FileText.signalSetLimit, named: place, in: file)
      sets.append(try Self.checked { () throws(SignalSetError) in try SignalSet(parsing: text, fileName: path) })
    }
    let loaded = sets
    let signals =
      loaded.isEmpty ? nil : try Self.checked { () throws(SignalSetError) in try LoadedSignals(loaded) }
    poll = try PollSettings(configuration.poll, signals, file: file)
  }

  /// Returns these settings with the signal sets of `other`. A running daemon cannot change its signal sets, because
  /// records refer to signals by index.
  func keepingSignalSets(of other: Settings) -> Settings {
    var settings = self
    settings.poll.addressed = other.poll.addressed
    settings.poll.definitions = other.poll.definitions
    settings.poll.loadedSignals = other.poll.loadedSignals
    settings.poll.windows.loaded = other.poll.windows.loaded
    return settings
  }

  /// Whether records are stored in the spool until they are delivered. This is so if there is a sink other than stdout.
  var usesSpool: Bool {
    configuration.sinks.contains { sink in
      if case .stdout = sink { false } else { true }
    }
  }

  /// Returns the message for a privacy zone whose fence does not exist.
  private static func refusal(
    of zone: GatewayConfiguration.Privacy.Zone, _ configuration: GatewayConfiguration, file: String?
  ) -> String {
    let place = configuration.geofences.map { "in \($0.file)" } ?? "as geofences names no file"
    let reason = "no fence \(JSONError.quoted(zone.fence)) \(place)"
    let key = "privacy.fences"
    guard let refusal = zone.refusal, let file else { return "\(file.map { "\($0): " } ?? "")\(key): \(reason)" }
    return "\(file):\(refusal.line):\(refusal.column): \(key): \(reason)"
  }

  /// Reads a file that the configuration names.
  ///
  /// - Parameters:
  ///   - place: position of the file's path in the configuration; `nil` if unknown.
  ///   - file: path of the configuration file; `nil` if there is none.
  /// - Throws: ``Failure``, with the position `place` if it is known.
  private static func read(
    _ path: String, limit: Int, named place: FilePlace?, in file: String?
  ) throws(Failure) -> [UInt8] {
    do throws(Failure) {
      return try FileText.read(path, limit: limit)
    } catch {
      guard let place, let file else { throw error }
      throw Failure(error.kind, "\(file):\(place): \(error.description)")
    }
  }

  private static func fences(_ configuration: GatewayConfiguration, file: String?) throws(Failure) -> FenceSet? {
    if let wanted = configuration.geofences {
      let text = try read(
        wanted.file, limit: FileText.fenceLimit, named: configuration.places.geofences, in: file)
      return try fences(text, from: wanted.file)
    }
    guard fetchesFences(configuration) else { return nil }
    // The stored copy of fetched fences is optional. If it is invalid or lacks a zone's fence, the daemon starts
    // without it.
    do throws(Failure) {
      guard let text = try ServerFences.read(in: configuration.stateDirectory) else { return nil }
      let set = try fences(text, from: ServerFences.place)
      let zones = PrivacyRules(configuration.privacy).zones
      return zones.allSatisfy { set.has($0.fence) } ? set : nil
    } catch {
      Log.write("\(error); they will be fetched again")
      return nil
    }
  }

  /// Whether the geofences are fetched from a server.
  private static func fetchesFences(_ configuration: GatewayConfiguration) -> Bool {
    configuration.geofences == nil
      && configuration.sinks.contains { $0.fetchesFences }
  }

  /// Parses fences in GeoJSON.
  ///
  /// - Parameter place: path or other name of the source, for messages.
  static func fences(_ text: [UInt8], from place: String) throws(Failure) -> FenceSet {
    do throws(GeoJSONError) {
      let set = try FenceSet(geoJSON: text, file: place)
      // After a large file was parsed, the allocator would keep memory: 6 MB for 100,000 fences. Return it to the
      // system.
      cgateway_give_back_memory()
      return set
    } catch {
      throw Failure(.badConfiguration, error.description)
    }
  }

  private static func checked<Value>(_ make: () throws(SignalSetError) -> Value) throws(Failure) -> Value {
    do throws(SignalSetError) {
      return try make()
    } catch {
      throw Failure(.badConfiguration, error.description)
    }
  }
}

extension FenceSet {
  /// Whether there is a fence with this ID.
  func has(_ id: String) -> Bool { fences.contains { $0.id == id } }
}
