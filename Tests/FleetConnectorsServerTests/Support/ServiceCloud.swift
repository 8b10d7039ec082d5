import FleetDomain
import FleetProviders
import Synchronization
import Telemetry

@testable import FleetConnectors

/// A cloud that answers as one of the services does, with the odometer of each vehicle on a page of its own.
final class ServiceCloud: ConnectorTransport {
  struct Car: Sendable {
    var id: String
    var vin: String
    /// Reading of the odometer, km.
    var kilometers: Int
    /// The time of the reading.
    var at: Timestamp
  }

  static let address = "https://cloud.example/api"

  private struct State {
    var cars: [Car]
    var isMessy = false
    var troubles: [Int: ProviderClient.Answer] = [:]
    var pages = 0
  }

  private let service: Connector.Service
  private let state: Mutex<State>

  init(_ service: Connector.Service, _ cars: [Car]) {
    self.service = service
    state = Mutex(State(cars: cars))
  }

  /// Replaces the vehicles. The feed of Samsara begins again with them.
  func set(_ cars: [Car]) { state.withLock { $0.cars = cars } }

  /// Lets each page repeat the vehicle of the page before, and reverses the order of the vehicles on a page.
  func makeMessy() { state.withLock { $0.isMessy = true } }

  /// Replaces the page with a number, counted from 1 from now, with another answer.
  func fail(_ number: Int, _ answer: ProviderClient.Answer) {
    state.withLock { $0.troubles[$0.pages + number] = answer }
  }

  func send(_ request: ProviderClient.Request) async throws(ProviderFailure) -> ProviderClient.Answer {
    state.withLock { state in
      let (text, isPage) = answer(String(request.url.dropFirst(Self.address.utf8.count)), state)
      if isPage {
        state.pages += 1
        if let trouble = state.troubles[state.pages] { return trouble }
      }
      return text.map { .ok($0) } ?? .error(404)
    }
  }

  /// Returns the answer for a path, and whether it is a page with values; `nil` if there is nothing at the path.
  private func answer(_ path: String, _ state: State) -> (text: String?, isPage: Bool) {
    switch service {
    case .samsara:
      if path.hasPrefix("/fleet/vehicles?") {
        return (Self.samsara(state.cars.map { #"{"id":"\#($0.id)","name":"\#($0.id)","vin":"\#($0.vin)"}"# }), false)
      }
      guard path.contains("/stats/feed"), path.contains("obdOdometerMeters") else { return (Self.samsara([]), false) }
      let number = path.split(separator: "after=").dropFirst().first.flatMap { Int($0) } ?? 0
      let rows = cars(number, state).map { car in
        #"{"id":"\#(car.id)","obdOdometerMeters":[{"time":"\#(car.at.string)","value":\#(car.kilometers * 1_000)}]}"#
      }
      let next = min(number + 1, state.cars.count)
      return (Self.samsara(rows, "\(next)", next < state.cars.count), true)
    case .aemp:
      guard let number = path.split(separator: "/").last.flatMap({ Int($0) }), number <= state.cars.count else {
        return (nil, false)
      }
      let rows = cars(number - 1, state).map { car in
        #"{"EquipmentHeader":{"OEMName":"X","SerialNumber":"\#(car.id)","PIN":"\#(car.vin)"},"#
          + #""Distance":{"datetime":"\#(car.at.string)","OdometerUnits":"kilometre","Odometer":\#(car.kilometers)}}"#
      }
      let link = number < state.cars.count ? #"{"rel":"next","href":"/Fleet/\#(number + 1)"}"# : ""
      return (#"{"Fleet":{"Equipment":[\#(rows.joined(separator: ","))],"Links":[\#(link)]}}"#, true)
    case .tesla:
      if path == "/api/1/vehicles" {
        let cars = state.isMessy ? state.cars.reversed() + state.cars : state.cars
        let rows = cars.map { #"{"vin":"\#($0.vin)","state":"online"}"# }
        return (#"{"response":[\#(rows.joined(separator: ","))]}"#, false)
      }
      guard let car = state.cars.first(where: { path.hasPrefix("/api/1/vehicles/\($0.vin)/vehicle_data") }) else {
        return (nil, false)
      }
      let miles = Double(car.kilometers) / 1.609344
      return (
        #"{"response":{"vin":"\#(car.vin)","vehicle_state":{"odometer":\#(miles),"timestamp":\#(car.at.milliseconds)}}}"#,
        true
      )
    case .ford:
      // An owner of a Ford grants access to one vehicle.
      guard let car = state.cars.first else { return (nil, false) }
      if path == "/fcon-query/v1/garage" { return (#"{"vehicles":[{"vin":"\#(car.vin)"}]}"#, false) }
      let metric = #"{"value":\#(car.kilometers),"updateTime":"\#(car.at.string)"}"#
      return (#"{"vin":"\#(car.vin)","metrics":{"odometer":\#(metric)}}"#, true)
    }
  }

  /// The vehicles on the page with an index.
  private func cars(_ index: Int, _ state: State) -> [Car] {
    guard index < state.cars.count else { return [] }
    return state.isMessy ? state.cars[max(index - 1, 0)...index].reversed() : [state.cars[index]]
  }

  private static func samsara(_ rows: [String], _ cursor: String = "", _ more: Bool = false) -> String {
    #"{"data":[\#(rows.joined(separator: ","))],"pagination":{"endCursor":"\#(cursor)","hasNextPage":\#(more)}}"#
  }
}
