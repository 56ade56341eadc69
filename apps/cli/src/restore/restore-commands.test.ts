import { gzipSync } from 'node:zlib';
import { type Restore, type RestorePhase, restorePhases, restoreType } from '@lateen/api-types';
import { aBackupStorageLocation, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerDownloads, type ServedFiles, servedFiles } from '../download/served-files.ts';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';
const restore = (name: string, phase: RestorePhase = 'Completed', parts: Partial<Restore['status']> = {}): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: {
    name,
    namespace,
    uid: `uid-${name}`,
    creationTimestamp: '2030-01-01T00:00:00Z',
    labels: name === 'b' ? { team: 'shop' } : {},
  },
  spec: { backupName: 'nightly' },
  status: { phase, ...parts },
});

const packed = (...values: unknown[]) => gzipSync(values.map((each) => `${JSON.stringify(each)}\n`).join(''));
const item = (name: string, act: string, more = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  namespace: 'shop',
  name,
  act,
  ...more,
});
const files: Record<string, Buffer> = {
  'RestoreResults a': packed({ errors: { namespaces: { shop: ['error restoring pods web: quota exceeded'] } } }),
  'RestoreVolumeInfo a': packed([]),
  'RestoreResourceList a': packed({ 'v1/Pod': ['shop/web(failed)'] }),
  'RestoreItemOutcomes a': packed(
    item('web', 'fail', { reason: 'quota exceeded' }),
    item('old', 'conflict', { sourceNamespace: 'prod', reason: 'differs in spec' }),
    item('api', 'create'),
  ),
};
let server: ServedFiles;
beforeEach(async () => {
  server = await servedFiles(files);
});
afterEach(() => server.close());

function setUp(...objects: Restore[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aBackupStorageLocation(), ...objects] });
  const asked = answerDownloads(cluster, server.linked);
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = (words: string, options: Parameters<typeof runForTests>[2] = {}) =>
    runForTests(world, words.split(' '), options);
  const names = () => cluster.all<Restore>(restoreType).map(({ metadata }) => metadata.name);
  const find = (name: string) => cluster.find<Restore>(restoreType, { namespace, name });
  return { cluster, asked, run, names, find };
}

describe('lateen restore get', () => {
  it('has the columns of Velero, and more with -o wide', async () => {
    const waits = restore('c', 'New');
    waits.metadata.annotations = { 'lateen.dev/waits-for': 'b' };
    const { run } = setUp(
      restore('a', 'PartiallyFailed', {
        startTimestamp: '2030-01-01T00:00:01Z',
        completionTimestamp: '2030-01-01T00:00:09Z',
        errors: 2,
        warnings: 1,
        progress: { totalItems: 7, itemsRestored: 5 },
        restoreItemOperationsAttempted: 2,
        restoreItemOperationsFailed: 1,
        failureReason: 'no such\nbucket',
      }),
      restore('b', 'InProgress'),
      waits,
    );
    const { stdout } = await run('restore get');
    expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['NAME', 'BACKUP', 'STATUS', 'STARTED', 'COMPLETED', 'ERRORS', 'WARNINGS', 'CREATED', 'SELECTOR'],
      [
        'a',
        'nightly',
        'PartiallyFailed',
        '2030-01-01T00:00:01Z',
        '2030-01-01T00:00:09Z',
        '2',
        '1',
        '2030-01-01T00:00:00Z',
        '<none>',
      ],
      ['b', 'nightly', 'InProgress', '<nil>', '<nil>', '0', '0', '2030-01-01T00:00:00Z', '<none>'],
      ['c', 'nightly', 'New', '<nil>', '<nil>', '0', '0', '2030-01-01T00:00:00Z', '<none>'],
      [''],
    ]);
    const wide = (await run('get restores -o wide')).stdout;
    expect(wide).toMatch(/ITEMS +OPERATIONS +WAITS FOR +CAUSE\n/);
    expect(wide).toMatch(/ 5\/7 +0\/2, 1 failed +no such bucket\n/);
    expect(wide).toMatch(/c .* b\n/);
    expect((await run('restore get b -o name')).stdout).toBe('restore/b\n');
    expect(await setUp().run('restore get')).toMatchObject({ code: 0, stderr: 'No restores found\n' });
  });
});

describe('lateen restore describe', () => {
  it('prints the cause first, from the files of the restore, and requests only those that it needs', async () => {
    const { run, asked } = setUp(restore('a', 'PartiallyFailed', { errors: 1 }));
    const { code, stdout, stderr } = await run('restore describe a');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      '(run `lateen restore logs a` for more information)\n\nCauses:\n  shop: error restoring pods web: quota exceeded\n',
    );
    expect(asked.map(({ spec }) => spec.target.kind).sort()).toEqual(['RestoreResults', 'RestoreVolumeInfo']);
    expect((await run('describe restore a')).stdout).toBe(stdout);
  });

  it('shows the outcomes of items, except those that were created, or those that are asked for', async () => {
    const { run } = setUp(restore('a'));
    const { stdout } = await run('restore describe a --details');
    expect(stdout).toContain('Resource List:\n  v1/Pod:\n    - shop/web(failed)\n');
    expect(stdout).toContain('Item Outcomes:\n  1 fail, 1 conflict, 1 create\n');
    expect(stdout.match(/^ {2}(fail|conflict|create) .*$/gm)).toEqual([
      '  fail      Pod   shop/web                  quota exceeded',
      '  conflict  Pod   shop/old (from prod/old)  differs in spec',
    ]);
    const created = await run('restore describe a --outcome Create');
    expect(created.stdout.match(/^ {2}(fail|conflict|create) .*$/gm)).toEqual(['  create   Pod   shop/api']);
    expect(await run('restore describe a --outcome BackedUp')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Use one of create, update, unchanged, conflict, immutable, denied, skip, fail.'),
    });
    const json = JSON.parse((await run('restore describe a -o json --details')).stdout);
    expect(json).toMatchObject({ phase: 'Completed', itemOutcomes: { counts: { fail: 1 }, more: 0 } });
  });
});

describe('lateen restore delete', () => {
  const submitted = (name: string) =>
    `Request to delete restore "${name}" submitted successfully.\nThe restore will be fully deleted after all associated data (restore files in object storage) are removed.\n`;

  it('deletes those that are named, selected by label, or all', async () => {
    const { run, names } = setUp(restore('a'), restore('b'), restore('c'));
    expect(await run('restore delete a --confirm')).toMatchObject({ code: 0, stdout: submitted('a') });
    expect(names()).toEqual(['b', 'c']);
    await run('delete restore -l team=shop --confirm');
    expect(names()).toEqual(['c']);
    await run('restore delete --all --confirm');
    expect(await run('restore delete --all --confirm')).toMatchObject({ code: 0, stdout: 'No restores found\n' });
    expect((await run('restore delete --confirm')).stderr).toContain(
      'you must specify exactly one of: specific restore name(s)',
    );
  });

  it('asks on a terminal, and fails without a terminal', async () => {
    const { run, names } = setUp(restore('a', 'PartiallyFailed'));
    const { stderr, asked } = await run('restore delete a', { answer: 'n' });
    expect(asked).toEqual(['Are you sure you want to continue (Y/N)? ']);
    expect(stderr).toBe('a (PartiallyFailed)\nNothing was deleted.\n');
    expect((await run('restore delete a')).stderr).toContain(
      'deleting needs a confirmation, and there is no terminal to ask for it',
    );
    expect(names()).toEqual(['a']);
  });

  it('with --wait waits for the finalizer, and ends on Ctrl-C', async () => {
    const held = restore('a');
    held.metadata.finalizers = ['restores.velero.io/external-resources-finalizer'];
    const { run, cluster } = setUp(held, restore('b'));
    const stop = new AbortController();
    const stopped = run('restore delete a --confirm --wait', { signal: stop.signal });
    await cluster.settle();
    stop.abort(new Error('Ctrl-C'));
    expect(await stopped).toMatchObject({
      code: 1,
      stderr: 'stopped waiting; the operation continues in the cluster. List what is left with: lateen restore get\n',
    });
    const ran = run('restore delete a b --confirm --wait');
    await cluster.settle();
    cluster.remove(restoreType, { namespace, name: 'a' });
    await cluster.settle();
    const { code, stdout } = await ran;
    expect(code).toBe(0);
    expect(stdout).toBe(`${submitted('a')}${submitted('b')}Restore "b" deleted.\nRestore "a" deleted.\n`);
    expect(cluster.openWatches).toBe(0);
  });
});

describe('lateen restore cancel', () => {
  const over: RestorePhase[] = ['FailedValidation', 'Completed', 'PartiallyFailed', 'Failed', 'Canceled'];
  it.each(restorePhases)('of one in phase %s', async (phase) => {
    const { run, find } = setUp(restore('a', phase));
    const { code, stdout } = await run('restore cancel a --confirm');
    const isOver = over.includes(phase);
    expect([code, stdout]).toEqual([0, `restore/a ${isOver ? `has ended already: ${phase}` : 'is being canceled'}\n`]);
    expect(find('a')?.spec.cancel).toBe(isOver ? undefined : true);
  });

  it('with --wait fails for one that ended before', async () => {
    const { run, cluster } = setUp(restore('a', 'InProgress'));
    const ran = run('restore cancel --all --confirm --wait');
    await cluster.settle();
    cluster.change<Restore>(restoreType, { namespace, name: 'a' }, (it) => {
      it.status = { phase: 'Completed' };
    });
    expect(await ran).toMatchObject({
      code: 1,
      stdout: 'restore/a is being canceled\nrestore/a Completed\n',
      stderr: 'An error occurred: restore "a" has ended before it was canceled: Completed\n',
    });
  });
});
