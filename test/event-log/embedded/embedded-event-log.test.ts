import { beforeEach } from 'vitest';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { segmentBytesOfProcess, setSegmentBytes } from '../../../services/event-log/embedded/segments/shared-log.ts';
import { testEventLog } from '../../contract/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// So small that a log of a test has several files, as a real one has.
beforeEach(() => {
  const before = segmentBytesOfProcess();
  setSegmentBytes(20_000);
  return () => setSegmentBytes(before);
});

testEventLog('log:', async (options) => EmbeddedEventLog.open({ folder: await temporaryFolder(), ...options }), {
  denseOffsets: true,
  atomicAppends: true,
  oneMemberHoldsAll: true,
  cutsExactly: false,
});
