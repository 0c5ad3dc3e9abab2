/** Requests whose parameters make no sense: each is to be answered 400. */

export const SENSELESS_PATHS: readonly (readonly [operationId: string, path: string])[] = [
  ['getUser', '/v1/users/%ff'],
  ['listUsers', '/v1/users'],
  ['listEvents', '/v1/events?internal_id=7'],
  ['listUserEvents', '/v1/users/ada/events?limit=0'],
  ['getReceipt', '/v1/receipts/none'],
  ['watchEvents', '/v1/events/live?type=page'],
  ['listAudiences', '/v1/audiences?cursor=none'],
  ['compareAudiences', '/v1/audiences/compare?sample=1'],
  ['listAuditEntries', '/v1/admin/audit?since=soon'],
  ['getStatus', '/v1/admin/status?part=log'],
  ['listRefusals', '/v1/refusals?since=1'],
  ['getProjectStatus', '/v1/status?since=1'],
];

/** By what is put behind their paths. */
export const SENSELESS_QUERIES: Readonly<Record<string, readonly string[]>> = {
  '?order=size': [
    'listCatalogEvents',
    'listCatalogProperties',
    'listCatalogTraits',
    'uploadImportFile',
    'continueImportFile',
    'deleteImportFile',
    'resumeImport',
  ],
  '?sample=-1&limit=0': ['previewSavedAudience', 'explainSavedAudience', 'listAudienceMembers', 'listAudienceChanges'],
  '?sort=at': ['listAudienceVersions', 'listAudienceHistory'],
  '?by=email': ['listUserAudiences', 'getTraitHistory', 'exportUser'],
  '?dry_run=1': ['editDeadLetter'],
  '?dryrun=true': ['editDeadLetter'],
  // Behind a query that is there already.
  '&events=x': ['explainSavedVerdict'],
  '&events=101': ['explainSavedVerdict'],
  '&user_id=bob': ['explainSavedVerdict'],
  [`&internal_id=${'a'.repeat(64)}`]: ['explainSavedVerdict'],
};
