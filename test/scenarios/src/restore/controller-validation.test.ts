import { type Backup, backupType, type RestoreSpec } from '@lateen/api-types';
import { aBackupStorageLocation, aConfigMap } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from '../backup/backup-world.ts';
import type { RestoreControllerWorld } from './controller-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';
import { scriptedEngine } from './scripted-engine.ts';

const worlds = restoreControllerWorlds();

const configMap = (name: string, text: string) => aConfigMap({ name, namespace, data: { 'file.yaml': text } });
const modifier = (name: string): RestoreSpec => ({ resourceModifier: { kind: 'ConfigMap', name } });
const policy = (name: string): RestoreSpec => ({ resourcePolicy: { kind: 'configmap', name } });

interface Row {
  title: string;
  spec?: RestoreSpec;
  annotations?: Record<string, string>;
  arrange?(world: RestoreControllerWorld): void;
  errors: (string | RegExp)[];
}

const rows: Row[] = [
  {
    title: 'resources that are never restored',
    spec: { includedResources: ['nodes', 'pods', 'events'] },
    errors: ['nodes are non-restorable resources', 'events are non-restorable resources'],
  },
  {
    title: 'resources that are included and excluded',
    spec: { includedResources: ['pods'], excludedResources: ['pods'] },
    errors: [/^Invalid included\/excluded resource lists: .*pods/],
  },
  {
    title: 'namespaces that are included and excluded',
    spec: { includedNamespaces: ['a'], excludedNamespaces: ['a'] },
    errors: [/^Invalid included\/excluded namespace lists: .*a/],
  },
  {
    title: 'both forms of selectors',
    spec: { labelSelector: { matchLabels: { a: 'b' } }, orLabelSelectors: [{ matchLabels: { a: 'b' } }] },
    errors: ['encountered labelSelector as well as orLabelSelectors in restore spec, only one can be specified'],
  },
  {
    title: 'both sources',
    spec: { scheduleName: 's' },
    errors: ['Either a backup or schedule must be specified as a source for the restore, but not both'],
  },
  {
    title: 'a policy that there is none',
    spec: { existingResourcePolicy: 'recreate', existingVolumeDataPolicy: 'all' },
    errors: ['Invalid ExistingResourcePolicy: recreate', 'Invalid ExistingVolumeDataPolicy: all'],
  },
  {
    title: 'annotations that are not understood',
    annotations: { 'lateen.dev/existing-volumes': 'shop/data=all', 'lateen.dev/scale-workloads': 'yes' },
    errors: [
      'annotation lateen.dev/existing-volumes: "shop/data=all": the policy of a claim is one of none, full, incremental',
      'annotation lateen.dev/scale-workloads: "yes" is not true or false',
    ],
  },
  {
    title: 'a backup that is not there',
    spec: { backupName: 'missing' },
    errors: [/^Error retrieving backup: can't find backup velero\/missing: .*not found/],
  },
  {
    title: 'a backup that is not whole',
    arrange: (world) =>
      world.cluster.change<Backup>(backupType, { namespace, name: 'nightly' }, (backup) => {
        backup.status = { ...backup.status, phase: 'Failed' };
      }),
    errors: [
      'backup nightly cannot be restored, its phase is Failed: only one that is Completed or PartiallyFailed can',
    ],
  },
  {
    title: 'a location that does not answer',
    arrange: (world) => world.cluster.put(aBackupStorageLocation({ phase: 'Unavailable' })),
    errors: ['The BSL default is unavailable, cannot retrieve the backup'],
  },
  {
    title: 'a schedule without backups',
    spec: { backupName: '', scheduleName: 'other' },
    errors: ['No backups found for schedule'],
  },
  {
    title: 'modifiers that are not there',
    spec: modifier('missing'),
    errors: [/^failed to get resource modifiers configmap velero\/missing/],
  },
  {
    title: 'modifiers that cannot be read',
    spec: modifier('broken'),
    arrange: (world) => world.cluster.put(configMap('broken', ': no')),
    errors: [/^Error in parsing resource modifiers provided in configmap velero\/broken/],
  },
  {
    title: 'modifiers that are not valid',
    spec: modifier('empty'),
    arrange: (world) => world.cluster.put(configMap('empty', 'version: v1')),
    errors: [/^Validation error in resource modifiers provided in configmap velero\/empty/],
  },
  {
    title: 'policies that are not there',
    spec: policy('missing'),
    errors: [/^fail to get ResourcePolicies velero\/missing ConfigMap with error/],
  },
  {
    title: 'policies of volumes',
    spec: policy('volumes'),
    arrange: (world) =>
      world.cluster.put(
        configMap('volumes', 'version: v1\nvolumePolicies: [{conditions: {csi: {driver: d}}, action: {type: skip}}]'),
      ),
    errors: ['volumePolicies is not supported in the resource policies of a restore'],
  },
];

describe('a restore is not valid with', () => {
  it.each(rows)('$title', async ({ spec = {}, annotations, arrange, errors }) => {
    const world = worlds.empty(scriptedEngine());
    await world.backedUp();
    arrange?.(world);
    world.startRestores();
    await world.createRestore('r', { backupName: 'nightly', ...spec }, annotations);
    const restore = await world.untilRestore('r', 'FailedValidation', 'Completed');
    expect(restore.status?.validationErrors).toEqual(
      errors.map((error) => (typeof error === 'string' ? error : expect.stringMatching(error))),
    );
    expect(restore.spec.excludedResources).toContain('backuprepositories.velero.io');
    expect(restore.metadata.finalizers ?? []).toEqual([]);
    expect(world.restoreEvents('r')).toEqual([
      { reason: 'FailedValidation', message: expect.stringMatching(/^The restore is not valid: /), type: 'Warning' },
    ]);
  });
});

const rules =
  'version: v1\nresourceModifierRules: [{conditions: {groupResource: pods}, patches: [{operation: remove, path: /spec}]}]';

describe('the server fills into the spec of a restore', () => {
  it('the newest completed backup of its schedule', async () => {
    const world = worlds.empty(scriptedEngine());
    await world.backedUp();
    world.cluster.change<Backup>(backupType, { namespace, name: 'nightly' }, (backup) => {
      backup.metadata.labels = { ...backup.metadata.labels, 'velero.io/schedule-name': 'daily' };
    });
    world.startRestores();
    await world.createRestore('by-schedule', { scheduleName: 'daily' });
    const { spec } = await world.untilRestore('by-schedule', 'Completed');
    expect(spec).toMatchObject({ scheduleName: 'daily', backupName: 'nightly' });
    await world.createRestore('by-backup', { backupName: 'nightly', itemOperationTimeout: '1h' });
    expect((await world.untilRestore('by-backup', 'Completed')).spec).toMatchObject({
      scheduleName: 'daily',
      itemOperationTimeout: '1h',
    });
  });

  it.each<
    [title: string, spec: RestoreSpec, text: string | undefined, expected: [modified: boolean, warnings: number]]
  >([
    ['are the server’s', {}, rules, [true, 0]],
    ['are its own', modifier('own'), 'broken', [true, 0]],
    ['are none when it says so', { skipDefaultResourceModifier: true }, rules, [false, 0]],
    ['are none, with a warning, when the server’s cannot be read', {}, undefined, [false, 1]],
  ])('whose modifiers %s', async (_, spec, text, expected) => {
    const seen: boolean[] = [];
    const engine = scriptedEngine({ during: (_ports, { modifiers }) => void seen.push(modifiers !== undefined) });
    const world = worlds.empty({ ...engine, restores: { defaultResourceModifier: 'default-changes' } });
    await world.backedUp();
    world.cluster.put(configMap('own', rules));
    if (text !== undefined) world.cluster.put(configMap('default-changes', text));
    world.startRestores();
    await world.createRestore('r', { backupName: 'nightly', ...spec });
    const { status } = await world.untilRestore('r', 'Completed');
    expect([...seen, status?.warnings ?? 0]).toEqual(expected);
  });
});
