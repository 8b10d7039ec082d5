import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// A fleet whose programs are killed one after the other while the car drives.
final class KilledFleet {
  private let fleet: FleetRun
  private var store: RunningProgram
  private var daemon: RunningProgram
  private var committed: Set<String> = []

  /// Returns the number of kills.
  static func kills(_ usual: Int) -> Int { Int(ProcessInfo.processInfo.environment["FLEET_KILLS"] ?? "") ?? usual }

  /// Creates the fleet.
  ///
  /// - Parameter prepare: called with the store before the car drives.
  init(_ fleet: FleetRun, prepare: (RunningProgram) throws -> Void = { _ in }) throws {
    self.fleet = fleet
    store = try fleet.startStore()
    do {
      try fleet.register(token: try store.line(within: .seconds(60)) { !$0.isEmpty }.text)
      try prepare(store)
      daemon = try fleet.startDaemon()
    } catch {
      store.kill()
      throw error
    }
  }

  deinit {
    daemon.kill()
    store.kill()
  }

  /// Waits until records are delivered again, and then for a random time.
  func drive() throws {
    try fleet.record(20, besides: &committed, daemon)
    poll(nil, 0, Int32.random(in: 0...300))
  }

  /// Kills the daemon.
  ///
  /// - Parameter meanwhile: called before the daemon is started again.
  func killDaemon(_ meanwhile: () throws -> Void = {}) throws {
    try daemon.killNow()
    committed.formUnion(try fleet.committed())
    try meanwhile()
    daemon = try fleet.startDaemon()
  }

  /// Kills the store.
  ///
  /// - Parameter meanwhile: called before the store is started again.
  func killStore(_ meanwhile: () throws -> Void = {}) throws {
    try store.killNow()
    try meanwhile()
    store = try fleet.startStore()
  }

  /// See ``FleetRun/finish(_:_:)``.
  func finish() throws -> [KeptRecord] { try fleet.finish(&daemon, committed) }
}
