import { testAuditLog } from '../../contract/audit-log.ts';
import { MemoryAuditLog } from '../../support/http/memory-audit-log.ts';

testAuditLog('in memory', () => new MemoryAuditLog());
