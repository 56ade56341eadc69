import { describeEngineWithRoles } from '../roles/describe-engine-with-roles.ts';

describeEngineWithRoles('kopia', [
  ['roleInSecret', 'sts'],
  ['serviceAccount', 'sts'],
  ['podIdentity', 'agent'],
  ['node', 'node'],
]);
