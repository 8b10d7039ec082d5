import FleetAPI
import FleetBroker

extension BrokerCounts {
  /// The broker's counts as metrics of the whole server.
  var metrics: [ServerMetric] {
    [
      ServerMetric("fleetstore_broker_connected", .gauge, "Whether a broker is connected.", isConnected ? 1 : 0),
      ServerMetric("fleetstore_broker_messages_total", .counter, "Messages that the broker delivered.", consumed),
      ServerMetric(
        "fleetstore_broker_redelivered_total", .counter, "Of these, messages delivered before (AMQP).", redelivered),
      ServerMetric("fleetstore_broker_committed_total", .counter, "Messages acknowledged after a commit.", committed),
      ServerMetric(
        "fleetstore_broker_refused_total", .counter, "Messages with at least one refused record.", refused),
      ServerMetric("fleetstore_broker_ignored_total", .counter, "Messages without records.", ignored),
      ServerMetric("fleetstore_broker_commits_total", .counter, "Transactions of messages.", commits),
      ServerMetric("fleetstore_broker_waiting", .gauge, "Messages that wait for a transaction.", waiting),
    ]
  }
}
