import { gzipSync } from 'node:zlib';
import { type Backup, type Restore, type RestoreStatus, restoreType } from '@lateen/api-types';
import { aBackupStorageLocation, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { load } from 'js-yaml';
import { afterEach, describe, expect, it } from 'vitest';
import { answerDownloads, type ServedFiles, servedFiles } from '../download/served-files.ts';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';
const backup: Backup = {
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'b', namespace },
  spec: { storageLocation: 'default' },
  status: { phase: 'Completed' },
};
const item = (kind: string, name: string, act: string, more = {}) => ({
  apiVersion: 'v1',
  kind,
  namespace: 'shop',
  name,
  act,
  ...more,
});
const lines = [
  item('Pod', 'web', 'create', { podVolumes: [{ volume: 'cache', bytes: 1024 ** 3 }] }),
  item('Service', 'web', 'conflict', { reason: 'it differs in spec.ports', sourceNamespace: 'prod' }),
  item('PersistentVolumeClaim', 'data', 'create', {
    volumeBytes: 3 * 1024 ** 3,
    volumeSeconds: 42,
    volumeWay: 'DataDownload',
  }),
  { earlier: 'secrets shop/db', later: 'pods shop/web', why: 'needs' },
  { earlier: 'a "quoted" one', later: 'pods shop/web', why: 'kind' },
];

const servers: ServedFiles[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that ends each plan with the given result. */
async function setUp({
  status = { phase: 'Completed' } as RestoreStatus,
  plan = lines as readonly unknown[],
  knowsDryRun = true,
} = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aBackupStorageLocation(), backup] });
  const made: Restore[] = [];
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'Restore') return;
    made.push(structuredClone(object) as unknown as Restore);
    const { name = '' } = object.metadata;
    queueMicrotask(() =>
      cluster.change<Restore>(restoreType, { namespace, name }, (it) => {
        it.status = status;
      }),
    );
  });
  if (!knowsDryRun)
    cluster.intercept(async (call, next) => {
      const answer = await next();
      if (call.verb === 'create' && call.type.resource === 'restores')
        delete (answer as unknown as Restore).spec.dryRun;
      return answer;
    });
  const file = gzipSync(plan.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const files = new Proxy<Record<string, Uint8Array>>(
    {},
    { get: (_, key) => (String(key).startsWith('RestorePlan plan-') ? file : undefined) },
  );
  const server = await servedFiles(files);
  servers.push(server);
  answerDownloads(cluster, server.linked);
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = (...words: (string | { signal: AbortSignal })[]) => {
    const options = words.find((word) => typeof word !== 'string');
    const flags = words.filter((word) => typeof word === 'string');
    return runForTests(world, ['restore', 'plan', '--from-backup', 'b', ...flags], options);
  };
  return { cluster, made, run, left: () => cluster.all(restoreType) };
}

describe('lateen restore plan', () => {
  it('creates a restore that writes nothing, shows what it would do, and deletes it', async () => {
    const { run, made, left } = await setUp();
    const { code, stdout, stderr } = await run(
      '--namespace-mappings',
      'prod:shop',
      '--existing-resource-policy',
      'update',
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/^plan-\w{8} {2}Completed\n$/);
    expect(made).toMatchObject([
      {
        metadata: { name: expect.stringMatching(/^plan-[a-z0-9]{8}$/) },
        spec: { backupName: 'b', dryRun: true, namespaceMapping: { prod: 'shop' }, existingResourcePolicy: 'update' },
      },
    ]);
    expect(left()).toEqual([]);
    expect(stdout).toBe(
      [
        'Restore of b: 2 create, 1 conflict',
        '',
        'VOLUME          WAY               DATA   EXPECTED',
        'shop/web:cache  PodVolumeRestore  1 GiB',
        'shop/data       DataDownload      3 GiB  about 42s',
        'all                               4 GiB',
        '',
        'ACT       KIND     OBJECT                    REASON                    BY',
        'conflict  Service  shop/web (from prod/web)  it differs in spec.ports',
        '',
      ].join('\n'),
    );
    expect((await run('--details')).stdout).toMatch(/\ncreate +Pod +shop\/web\n/);
  });

  it('prints everything as JSON', async () => {
    const { run } = await setUp();
    const json = JSON.parse((await run('-o', 'json')).stdout);
    expect(json).toEqual({
      backup: 'b',
      counts: { create: 2, conflict: 1 },
      objects: lines.slice(0, 3),
      edges: lines.slice(3),
    });
    expect(load((await run('-o', 'yaml')).stdout)).toEqual(json);
  });

  it('draws which objects would wait for which', async () => {
    const { run } = await setUp();
    expect((await run('--graph', 'text')).stdout).toBe(
      'secrets shop/db -> pods shop/web (needs)\na "quoted" one -> pods shop/web (kind)\n',
    );
    expect((await run('--graph', 'dot')).stdout).toBe(
      'digraph restore {\n  rankdir=LR;\n  node [shape=box];\n  "secrets shop/db" -> "pods shop/web" [label="needs"];\n  "a \\"quoted\\" one" -> "pods shop/web" [label="kind"];\n}\n',
    );
    expect((await run('--graph', 'svg')).stderr).toContain('--graph "svg" is not a format. Use text or dot.');
    expect((await run('--graph', 'dot', '-o', 'json')).code).toBe(1);
  });

  it('with --exit-code returns whether everything would be as in the backup', async () => {
    const { run } = await setUp();
    expect((await run('--exit-code')).code).toBe(3);
    const well = await setUp({ plan: lines.slice(0, 1) });
    expect((await well.run('--exit-code')).code).toBe(0);
    expect((await (await setUp({ plan: [] })).run()).stdout).toBe('Restore of b: no objects\n');
  });

  it.each<[RestoreStatus, string]>([
    [{ phase: 'FailedValidation', validationErrors: ['no such', 'thing'] }, 'FailedValidation: no such; thing'],
    [{ phase: 'Failed', failureReason: 'the archive\nis cut' }, 'Failed: the archive is cut'],
    [{ phase: 'Canceled' }, 'Canceled'],
  ])('reports why there is no plan, and leaves nothing; %#', async (status, why) => {
    const { run, left } = await setUp({ status });
    expect(await run()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`\\nAn error occurred: there is no plan: its restore is ${why}\n$`)),
    });
    expect(left()).toEqual([]);
  });

  it('is deleted on Ctrl-C, too', async () => {
    const { run, cluster, left } = await setUp({ status: { phase: 'InProgress' } });
    const stop = new AbortController();
    const ran = run('--details', { signal: stop.signal });
    await cluster.settle();
    stop.abort(new Error('Ctrl-C'));
    expect(await ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\nstopped waiting; there is no plan, and nothing of it is left\n$/),
    });
    expect(left()).toEqual([]);
    expect(cluster.openWatches).toBe(0);
  });

  it('does not restore anything when the API does not support plans', async () => {
    const { run, made } = await setUp({ knowsDryRun: false });
    expect((await run()).stderr).toBe(
      'An error occurred: the Restore kind of this cluster has no spec.dryRun, so nothing can be planned. The API is that of Velero; "lateen install" installs that of Lateen.\n',
    );
    expect(made).toEqual([]);
  });
});
