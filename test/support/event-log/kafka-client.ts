/** The client by which tests of faults reach Kafka. At night they run by `KAFKA_CLIENT=kafkajs` too. */
export const KAFKA_CLIENT: 'kafkajs' | 'platformatic' =
  process.env['KAFKA_CLIENT'] === 'kafkajs' ? 'kafkajs' : 'platformatic';
