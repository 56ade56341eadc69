import { daemonSetType, type KubeObject, namespaceType } from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import { renderManifests, typeOf } from '@lateen/manifests';
import { longhornFinalizer, longhornNodeType, type Setting, type Volume, volumeType } from '@lateen/storage-types';
import { FakeClock, fakeCluster, letTimePass, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { bundledManifests } from '../install/bundled-manifests.ts';
import { runForTests } from '../run-for-tests.ts';

const manifests = await bundledManifests();
const installed = renderManifests(manifests, { parts: ['crds-storage', 'volume-manager'] });
const namespace = 'longhorn-system';
const of = (kind: string, name: string) => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind,
  metadata: { name, namespace, finalizers: [longhornFinalizer] },
});
const volume = (name: string, state: 'attached' | 'detached' = 'detached'): Volume =>
  ({ ...of('Volume', name), spec: {}, status: { state } }) as unknown as Volume;
const allowed = { ...of('Setting', 'deleting-confirmation-flag'), value: 'true' } as unknown as Setting;
const node = { ...of('Node', 'node-1'), spec: {} };

function setUp(objects: KubeObject[] = [], answer?: string) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [...structuredClone(installed), node, ...structuredClone(objects)] });
  // Does what a manager does with a deleted volume, while there is a manager.
  cluster.onChange(({ object }) => {
    if (object.kind !== 'Volume' || object.metadata.deletionTimestamp === undefined) return;
    if (cluster.find(daemonSetType, { namespace, name: 'volume-manager' }) === undefined) return;
    cluster.remove(volumeType, { namespace, name: object.metadata.name ?? '' });
  });
  const run = async (...words: string[]) => {
    const world = { clock, random: seededRandom(), kube: cluster };
    const flags = ['uninstall', '--volume-manager', ...words];
    return await letTimePass(runForTests(world, flags, answer === undefined ? {} : { answer }), clock);
  };
  const left = () =>
    cluster
      .everything()
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .filter((title) => !['Namespace default', 'Namespace kube-system', 'Namespace velero'].includes(title));
  return { cluster, run, left };
}

describe('lateen uninstall --volume-manager', () => {
  it('removes everything when there are no volumes: also what managers have created, and the definitions last', async () => {
    const { run, left, cluster } = setUp();
    const { code, stdout } = await run('--confirm');
    expect([code, left()]).toEqual([0, []]);
    expect(stdout).toContain('The volume manager is removed.');
    const deleted = cluster.calls.filter(({ verb }) => verb === 'delete').map(({ type }) => type.kind);
    expect(deleted.slice(0, 3)).toEqual(['DaemonSet', 'Deployment', 'Namespace']);
    expect(deleted.at(-1)).toBe('CustomResourceDefinition');
  });

  it('is rejected while there are volumes, names them, and says how to allow it', async () => {
    const { run, left } = setUp([volume('a'), volume('b')]);
    const before = left();
    const { code, stderr } = await run('--confirm');
    expect(code).not.toBe(0);
    expect(stderr).toContain('2 volumes (a, b) would be lost with everything in them');
    expect(stderr).toContain('deleting-confirmation-flag');
    expect(left()).toEqual(before);
  });

  it('deletes volumes before the managers that clean up after them when the setting allows it', async () => {
    const { run, left, cluster } = setUp([volume('a'), allowed]);
    const { code, stderr } = await run('--confirm');
    expect([code, left()]).toEqual([0, []]);
    expect(stderr).toContain('removed   Volume a with its data');
    expect(cluster.calls.find(({ verb }) => verb === 'delete')?.type.kind).toBe('Volume');
  });

  it('rejects attached volumes even then', async () => {
    const { run, cluster } = setUp([volume('a', 'attached'), allowed]);
    const { code, stderr } = await run('--confirm');
    expect(code).not.toBe(0);
    expect(stderr).toContain('1 volumes (a) are in use');
    expect(cluster.find(namespaceType, { name: namespace })?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('reports which backups of blocks stay, and changes nothing on a target', async () => {
    const target = (name: string, backupTargetURL: string) => ({
      ...of('BackupTarget', name),
      spec: { backupTargetURL },
    });
    const { run, left } = setUp([
      target('default', 's3://bucket@here/path/\u001b[2J'),
      target('empty', ''),
      of('Backup', 'backup-1'),
      of('Backup', 'backup-2'),
    ]);
    const { code, stderr } = await run('--confirm');
    expect([code, left()]).toEqual([0, []]);
    expect(stderr).toContain('to be removed   2 Backup objects\n');
    expect(stderr).toContain('to be removed   BackupTarget default\n');
    expect(stderr).toContain(
      'to be left      what is stored in s3://bucket@here/path/[2J; an installation with this target lists it again\n',
    );
    expect(stderr.match(/left /g)).toHaveLength(1);
  });

  it('keeps the definitions when asked to', async () => {
    const { run, left } = setUp();
    expect((await run('--confirm', '--keep-crds')).code).toBe(0);
    expect(left()).toHaveLength(manifests['crds-storage'].length);
  });

  it('keeps a namespace that is not ours, its content and its definitions', async () => {
    const { run, cluster } = setUp();
    cluster.change(namespaceType, { name: namespace }, ({ metadata }) => {
      metadata.labels = {};
    });
    expect((await run('--confirm')).code).toBe(0);
    expect(cluster.find(namespaceType, { name: namespace })).toBeDefined();
    expect(cluster.find(longhornNodeType, { namespace, name: 'node-1' })?.metadata.finalizers).toEqual(
      node.metadata.finalizers,
    );
  });

  it('does nothing to Longhorn itself, which has the same kinds and names', async () => {
    const { run, left, cluster } = setUp([volume('a')]);
    for (const object of installed)
      if (object.kind !== 'CustomResourceDefinition') cluster.remove(typeOf(object), keyOf(object));
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const before = left();
    expect((await run('--confirm')).stdout).toBe('Nothing of the volume manager is in this cluster.\n');
    expect(left()).toEqual(before);
  });

  it('changes nothing in a dry run and after a no', async () => {
    for (const [flags, answer] of [
      [['--dry-run'], undefined],
      [[], 'n'],
    ] as const) {
      const { run, left } = setUp([], answer);
      const before = left();
      const { stderr } = await run(...flags);
      expect(stderr).toContain('removed   DaemonSet longhorn-system/volume-manager');
      expect(left()).toEqual(before);
    }
  });

  it('reports when nothing is installed', async () => {
    const { run, cluster } = setUp();
    await run('--confirm');
    expect((await run('--confirm')).stdout).toBe('Nothing of the volume manager is in this cluster.\n');
    expect(cluster.find(namespaceType, { name: namespace })).toBeUndefined();
  });
});
