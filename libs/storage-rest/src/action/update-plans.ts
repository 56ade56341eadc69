import type { LonghornNode, LonghornNodeSpec } from '@lateen/storage-types';
import { checkNodeUpdate, deniedByWebhook, type SettingChecks, validateSetting } from '@lateen/volume-decisions';
import { refused } from '../errors/error-body.ts';
import { nameOf } from '../format/given.ts';
import { onlyFields } from './only-fields.ts';
import { readInput } from './read-input.ts';

const nodeFields = ['allowScheduling', 'evictionRequested', 'tags', 'instanceManagerCPURequest'];

/** The value that `PUT /v1/settings/<name>` stores. What is in the cluster is checked elsewhere. @throws REST_REFUSED */
export function plannedSetting(name: string, body: unknown, checks: SettingChecks = {}): string {
  const verdict = validateSetting(name, readInput('setting', body).text('value'), checks);
  if ('refused' in verdict) throw refused(verdict.refused);
  return verdict.value;
}

/** What `PUT /v1/nodes/<name>` changes: a field that was not sent becomes false, 0 or empty. Disks have an action of their own. @throws REST_REFUSED */
export function plannedNode(node: LonghornNode, body: unknown): LonghornNodeSpec {
  const input = readInput('node', onlyFields(body, nodeFields));
  const after: LonghornNodeSpec = {
    ...node.spec,
    allowScheduling: input.flag('allowScheduling'),
    evictionRequested: input.flag('evictionRequested'),
    tags: [...new Set(input.texts('tags'))].sort(),
    instanceManagerCPURequest: input.number('instanceManagerCPURequest'),
  };
  const seen = { name: nameOf(node), before: node.spec, after, diskStatus: node.status?.diskStatus ?? {} };
  const refusal = checkNodeUpdate(seen);
  if (refusal !== undefined) throw refused(deniedByWebhook(refusal));
  return after;
}
