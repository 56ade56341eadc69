import { configMapType, namespaceType } from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import { restoreItems } from '@lateen/restore';
import { aConfigMap, aNamespace } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from '../backup/backup-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';

const worlds = restoreControllerWorlds();
const mark = 'lateen.dev/owners-in-backup';

const at = (name: string) => ({ namespace: 'shop', name });

async function world(ownerRefConfigMap?: string) {
  const owner = aConfigMap({ ...at('owner'), data: { a: 'b' } });
  owner.metadata.uid = 'owner-in-backup';
  const owned = aConfigMap({ ...at('owned'), data: { owner: 'owner-in-backup' } });
  owned.metadata.ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'owner-in-backup', blockOwnerDeletion: true },
  ];
  const made = await worlds.running({
    engine: { restoreItems },
    restores: { ownerRefConfigMap },
    restoreActions: builtInActions({ csi: true }).restore,
    objects: [
      aNamespace({ name: 'shop' }),
      owner,
      owned,
      aConfigMap({
        namespace,
        name: 'velero-ownerref-config',
        data: { inScope: '[configmaps]', specRefPaths: '[{resource: configmaps, path: /data/owner}]' },
      }),
    ],
  });
  return made;
}

const all = ['Completed', 'PartiallyFailed', 'Failed', 'FailedValidation'] as const;

describe('owner references', () => {
  it('are restored between restored objects, also into another namespace', async () => {
    const made = await world();
    await made.createRestore('back', {
      backupName: 'nightly',
      ownerRefConfigMap: 'velero-ownerref-config',
      namespaceMapping: { shop: 'copy' },
    });
    expect((await made.untilRestore('back', ...all)).status?.phase).toBe('Completed');
    const owner = made.cluster.find(configMapType, { namespace: 'copy', name: 'owner' });
    const owned = made.cluster.find(configMapType, { namespace: 'copy', name: 'owned' });
    expect(owner?.metadata.uid).not.toBe('owner-in-backup');
    expect(owned).toMatchObject({
      metadata: { ownerReferences: [{ name: 'owner', uid: owner?.metadata.uid, blockOwnerDeletion: true }] },
      data: { owner: owner?.metadata.uid },
    });
    expect(owned?.metadata.annotations ?? {}).not.toHaveProperty(mark);
  });

  it('are restored when the server is configured so, and the spec then shows it', async () => {
    const made = await world('velero-ownerref-config');
    await made.createRestore('back', { backupName: 'nightly', namespaceMapping: { shop: 'copy' } });
    const { status, spec } = await made.untilRestore('back', ...all);
    expect([status?.phase, spec.ownerRefConfigMap]).toEqual(['Completed', 'velero-ownerref-config']);
    const owner = made.cluster.find(configMapType, { namespace: 'copy', name: 'owner' });
    const owned = made.cluster.find(configMapType, { namespace: 'copy', name: 'owned' });
    expect(owned?.metadata.ownerReferences).toMatchObject([{ name: 'owner', uid: owner?.metadata.uid }]);
  });

  it('are left out with a warning when the ConfigMap of the server is missing; the one in the spec takes precedence', async () => {
    const made = await world('nowhere');
    await made.createRestore('back', { backupName: 'nightly', namespaceMapping: { shop: 'copy' } });
    const { status, spec } = await made.untilRestore('back', ...all);
    expect([status?.phase, status?.warnings, spec.ownerRefConfigMap]).toEqual(['Completed', 1, undefined]);
    const owned = made.cluster.find(configMapType, { namespace: 'copy', name: 'owned' });
    expect(owned?.metadata).not.toHaveProperty('ownerReferences');
    await made.createRestore('own', {
      backupName: 'nightly',
      ownerRefConfigMap: 'velero-ownerref-config',
      namespaceMapping: { shop: 'other' },
    });
    expect((await made.untilRestore('own', ...all)).status?.warnings ?? 0).toBe(0);
    const other = made.cluster.find(configMapType, { namespace: 'other', name: 'owned' });
    expect(other?.metadata.ownerReferences).toMatchObject([{ name: 'owner' }]);
  });

  it('are left out by default', async () => {
    const made = await world();
    await made.createRestore('back', { backupName: 'nightly', namespaceMapping: { shop: 'copy' } });
    expect((await made.untilRestore('back', ...all)).status?.phase).toBe('Completed');
    const owned = made.cluster.find(configMapType, { namespace: 'copy', name: 'owned' });
    expect(owned?.metadata).not.toHaveProperty('ownerReferences');
    expect(owned?.metadata.annotations ?? {}).not.toHaveProperty(mark);
  });

  it('never point to another object with the name of an owner', async () => {
    const made = await world();
    const stranger = aConfigMap({ namespace: 'copy', name: 'owner', data: { other: 'x' } });
    made.cluster.put(aNamespace({ name: 'copy' }), stranger);
    await made.createRestore('back', {
      backupName: 'nightly',
      ownerRefConfigMap: 'velero-ownerref-config',
      namespaceMapping: { shop: 'copy' },
    });
    await made.untilRestore('back', ...all);
    const owned = made.cluster.find(configMapType, { namespace: 'copy', name: 'owned' });
    expect(owned?.metadata.ownerReferences ?? []).toEqual([]);
    expect(owned?.metadata.annotations ?? {}).not.toHaveProperty(mark);
  });

  it('do not make existing objects count as different', async () => {
    const made = await world();
    await made.createRestore('back', { backupName: 'nightly', ownerRefConfigMap: 'velero-ownerref-config' });
    const { status } = await made.untilRestore('back', ...all);
    expect([status?.phase, status?.warnings ?? 0]).toEqual(['Completed', 0]);
    expect(made.cluster.find(namespaceType, { name: 'shop' })).toBeDefined();
  });

  it('fail the validation when the ConfigMap in the spec is missing', async () => {
    const made = await world();
    await made.createRestore('back', { backupName: 'nightly', ownerRefConfigMap: 'nowhere' });
    const { status } = await made.untilRestore('back', 'FailedValidation');
    expect(status?.validationErrors?.[0]).toContain('the owner reference ConfigMap velero/nowhere cannot be used');
  });

  it('that cannot be written are errors of the restore', async () => {
    const made = await world();
    made.cluster.failTimes(3, 'patch', ({ type }) => type.resource === 'configmaps', 'KUBE_FORBIDDEN');
    await made.createRestore('back', {
      backupName: 'nightly',
      ownerRefConfigMap: 'velero-ownerref-config',
      namespaceMapping: { shop: 'copy' },
    });
    const { status } = await made.untilRestore('back', ...all);
    expect([status?.phase, status?.errors]).toEqual(['PartiallyFailed', 1]);
    expect((await made.restored.getResults('back')).errors.namespaces?.copy?.[0]).toContain(
      'Owner references could not be put back',
    );
  });
});
