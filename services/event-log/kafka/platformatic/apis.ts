import {
  createTopicsV4,
  deleteRecordsV1,
  describeConfigsV2,
  fetchV11,
  findCoordinatorV2,
  heartbeatV3,
  incrementalAlterConfigsV0,
  joinGroupV5,
  leaveGroupV3,
  listOffsetsV5,
  metadataV8,
  offsetCommitV7,
  produceV7,
  syncGroupV3,
} from '@platformatic/kafka';

/** One version of each: brokers support them since Kafka 2.4, including 4.x. */
export const APIS = {
  produce: produceV7.api,
  fetch: fetchV11.api,
  listOffsets: listOffsetsV5.api,
  metadata: metadataV8.api,
  offsetCommit: offsetCommitV7.api,
  findCoordinator: findCoordinatorV2.api,
  joinGroup: joinGroupV5.api,
  heartbeat: heartbeatV3.api,
  leaveGroup: leaveGroupV3.api,
  syncGroup: syncGroupV3.api,
  createTopics: createTopicsV4.api,
  deleteRecords: deleteRecordsV1.api,
  describeConfigs: describeConfigsV2.api,
  incrementalAlterConfigs: incrementalAlterConfigsV0.api,
};
