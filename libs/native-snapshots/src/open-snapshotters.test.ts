import type { VolumeSnapshotLocation } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { aSecret, fakeCluster } from '@lateen/testing';
import { expect, it } from 'vitest';
import { ModelCloud, ModelCredentialFiles } from './model/model-cloud.ts';
import { OpenSnapshotters } from './open-snapshotters.ts';

const namespace = 'velero';
const signal = new AbortController().signal;

const aLocation = (spec: Partial<VolumeSnapshotLocation['spec']> = {}): VolumeSnapshotLocation => ({
  apiVersion: 'velero.io/v1',
  kind: 'VolumeSnapshotLocation',
  metadata: { name: 'ebs', namespace },
  spec: { provider: 'model', config: { region: 'eu' }, ...spec },
});

/** Credentials as plugins receive them, by path. */
function setUp(location = aLocation(), ...secrets: Parameters<typeof aSecret>[0][]) {
  const cloud = new ModelCloud();
  const kube = fakeCluster({ objects: [location, ...secrets.map((each) => aSecret({ namespace, ...each }))] });
  const credentialFiles = new ModelCredentialFiles();
  const { files } = credentialFiles;
  const open = new OpenSnapshotters({ kube, namespace, snapshotters: cloud, credentialFiles });
  return { cloud, kube, files, open };
}

const own = { credential: { name: 'keys', key: 'aws' } };

it.each<[string, Partial<VolumeSnapshotLocation['spec']>, Parameters<typeof aSecret>[0][], string | undefined]>([
  ['its own Secret', own, [{ name: 'keys', values: { aws: 'MINE' } }], 'MINE'],
  ["the installation's Secret", {}, [{ name: 'cloud-credentials', values: { cloud: 'OURS' } }], 'OURS'],
  ['the identity of the pod', {}, [], undefined],
  [
    "the Secret's credentials, not a file named in its config",
    { ...own, config: { region: 'eu', credentialsFile: '/etc/shadow' } },
    [{ name: 'keys', values: { aws: 'MINE' } }],
    'MINE',
  ],
  ['no file named in its config', { config: { region: 'eu', credentialsFile: '/etc/shadow' } }, [], undefined],
])('the plugin of a location gets %s', async (_, spec, secrets, expected) => {
  const { cloud, files, open } = setUp(aLocation(spec), ...secrets);
  await open.named('ebs', signal);
  const [config = {}] = cloud.configs;
  expect(config.region).toBe('eu');
  expect(config.credentialsFile === undefined ? undefined : files.get(config.credentialsFile)).toBe(expected);
  await open.close();
  await open.close();
  expect([cloud.open, files.size]).toEqual([0, 0]);
});

it('a location is opened once for all callers, by name or by default', async () => {
  const { cloud, open } = setUp();
  const all = await Promise.all([open.named('ebs', signal), open.named('ebs', signal), open.of(aLocation(), signal)]);
  expect(new Set(all).size).toBe(1);
  expect(cloud.configs).toHaveLength(1);
  await open.close();
});

it.each<[string, Partial<VolumeSnapshotLocation['spec']>, string, object]>([
  [
    'does not exist',
    {},
    'other',
    {
      code: 'SNAPSHOT_LOCATION_NOT_FOUND',
      message: 'error getting volume snapshot location other: it does not exist',
      nextStep: expect.stringContaining('Create a VolumeSnapshotLocation'),
    },
  ],
  [
    'has a provider that no plugin offers',
    { provider: 'aws' },
    'ebs',
    { code: 'NO_VOLUME_SNAPSHOTTER', message: 'no plugin offers provider aws' },
  ],
  [
    'names a Secret that does not exist',
    own,
    'ebs',
    { code: 'SNAPSHOT_LOCATION_NOT_OPENED', cause: { code: 'SECRET_NOT_FOUND' } },
  ],
  [
    'has a config that its plugin rejects',
    { config: {} },
    'ebs',
    { code: 'SNAPSHOT_LOCATION_NOT_OPENED', cause: { message: 'config has no region' } },
  ],
])('a location that %s is an error that is not retried', async (_, spec, name, error) => {
  const { cloud, files, open, kube } = setUp(aLocation(spec), { name: 'cloud-credentials', values: { cloud: 'OURS' } });
  await expect(open.named(name, signal)).rejects.toMatchObject(error);
  kube.put({ ...aLocation(), metadata: { name, namespace } });
  await expect(open.named(name, signal)).rejects.toMatchObject(error);
  expect([cloud.open, files.size]).toEqual([0, 0]);
  await open.close();
});

it('a close during the open takes effect afterwards', async () => {
  const { cloud, open } = setUp();
  const stop = new AbortController();
  cloud.add({ on: 'init', fault: { hang: true } });
  const opening = open.named('ebs', stop.signal);
  const refused = expect(opening).rejects.toThrow('enough');
  while (cloud.open === 0) await Promise.resolve();
  while (cloud.calls.length === 0) await Promise.resolve();
  stop.abort(new Error('enough'));
  await open.close();
  await refused;
  expect(cloud.open).toBe(0);
});

it('an unknown error of the plugin keeps its message', async () => {
  const { cloud, open } = setUp();
  cloud.add({ on: 'init', fault: { fail: new AppError('PLUGIN_SAID', 'no such profile') } });
  await expect(open.named('ebs', signal)).rejects.toMatchObject({ cause: { message: 'no such profile' } });
});
