import { describeEngineWithRoles } from '../roles/describe-engine-with-roles.ts';

describeEngineWithRoles('restic', [
  ['roleInSecret', 'sts'],
  ['serviceAccount', 'sts'],
  ['node', 'node'],
]);
