import { type VolumeSnapshotLocation, volumeSnapshotLocationType } from '@lateen/api-types';
import { aSecret, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';
const secretValue = 'a-very-secret-value';

function setUp() {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aSecret({ name: 'keys', values: { cloud: secretValue } })] });
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = async (words: string) => {
    const ran = await runForTests(world, words.split(' '));
    expect(JSON.stringify(ran)).not.toContain(secretValue);
    return ran;
  };
  const find = (name: string) => cluster.find<VolumeSnapshotLocation>(volumeSnapshotLocationType, { namespace, name });
  return { run, find };
}

const configured = 'Snapshot volume location "ebs" configured successfully.\n';

it('creates, lists and changes', async () => {
  const { run, find } = setUp();
  const flags = '--provider aws --config region=eu,profile=p --labels a=b --credential keys=cloud';
  expect(await run(`snapshot-location create ebs ${flags}`)).toMatchObject({ code: 0, stdout: configured, stderr: '' });
  expect(find('ebs')).toMatchObject({
    metadata: { labels: { a: 'b' } },
    spec: { provider: 'aws', config: { region: 'eu', profile: 'p' }, credential: { name: 'keys', key: 'cloud' } },
  });
  expect((await run('snapshot-location get')).stdout).toMatch(/^NAME +PROVIDER\nebs +aws\n$/);
  expect((await run('get snapshot-locations -o wide')).stdout).toMatch(/\nebs +aws +keys\/cloud\n$/);
  expect(await run('snapshot-location set ebs --credential other=cloud')).toMatchObject({
    code: 0,
    stdout: configured,
    stderr: 'WARNING: Secret velero/other does not exist; the location is unavailable until it does\n',
  });
  expect(find('ebs')?.spec.credential).toEqual({ name: 'other', key: 'cloud' });
});

it('with -o prints the object and does not create it', async () => {
  const { run, find } = setUp();
  const { stdout } = await run('create snapshot-location ebs --provider aws -o json');
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'VolumeSnapshotLocation', spec: { provider: 'aws' } });
  expect(find('ebs')).toBeUndefined();
});

it.each([
  ['create ebs', '--provider is required'],
  ['create Ebs --provider aws', 'invalid name "Ebs"'],
  [
    'create ebs --provider aws --config password=x',
    '--config: password is a secret and must not be stored in a location',
  ],
  ['create ebs --provider aws --credential a=b,c=d', '--credential can only contain 1 key/value pair'],
  ['set ebs', 'no setting was given. Give --credential'],
  ['set ebs --credential keys=cloud', 'volumesnapshotlocations.velero.io "ebs" not found'],
  ['get none', 'volumesnapshotlocations.velero.io "none" not found'],
])('rejects snapshot-location %s', async (words, message) => {
  const { code, stdout, stderr } = await setUp().run(`snapshot-location ${words}`);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`An error occurred: ${message}`);
});
