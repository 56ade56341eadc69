import type { Backup, BackupPhase } from '@lateen/api-types';
import { archiveWriter, itemPaths } from '@lateen/archive';
import { aBackupStorageLocation, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerDownloads, type ServedFiles, servedFiles } from '../download/served-files.ts';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';

interface Item {
  groupResource: string;
  name: string;
  object: object;
  space?: string;
}

async function archive(items: readonly Item[]): Promise<Buffer> {
  const writer = archiveWriter({ mtimeMs: 0 });
  const pieces = Array.fromAsync(writer.pieces);
  for (const { groupResource, name, object, space = 'shop' } of items)
    for (const path of itemPaths({ groupResource, name, namespace: space, version: 'v1', preferred: true }))
      await writer.add(path, JSON.stringify(object));
  await writer.end();
  return Buffer.concat(await pieces);
}

const web = (replicas: number, resourceVersion: string) => ({
  metadata: { name: 'web', resourceVersion },
  spec: { replicas },
});
let server: ServedFiles;
beforeAll(async () => {
  server = await servedFiles({
    'BackupContents old': await archive([
      { groupResource: 'deployments.apps', name: 'web', object: web(2, '1') },
      { groupResource: 'configmaps', name: 'gone', object: {} },
      { groupResource: 'configmaps', name: 'same', object: { metadata: { resourceVersion: '1' } } },
      { groupResource: 'secrets', name: 'key', object: { data: { key: 'b2xkLXNlY3JldA==' } } },
    ]),
    'BackupContents now': await archive([
      { groupResource: 'deployments.apps', name: 'web', object: web(3, '2') },
      { groupResource: 'configmaps', name: 'fresh\u001b[2J', object: {}, space: 'blog' },
      { groupResource: 'configmaps', name: 'same', object: { metadata: { resourceVersion: '2' } } },
      { groupResource: 'secrets', name: 'key', object: { data: { key: 'bmV3LXNlY3JldA==' } } },
    ]),
  });
});
afterAll(() => server.close());

const backup = (name: string, phase: BackupPhase = 'Completed'): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace },
  spec: { storageLocation: 'default' },
  status: { phase },
});

function setUp() {
  const clock = new FakeClock();
  const objects = [
    aBackupStorageLocation(),
    backup('old'),
    backup('now', 'PartiallyFailed'),
    backup('lost'),
    backup('runs', 'InProgress'),
    backup('bad', 'FailedValidation'),
  ];
  const cluster = fakeCluster({ clock, objects });
  answerDownloads(cluster, server.linked);
  const world = { clock, random: seededRandom(), kube: cluster };
  return { run: (words: string) => runForTests(world, words.split(' ')) };
}

describe('lateen backup diff', () => {
  it('lists what was added, removed and changed, without secret values and fields that change by themselves', async () => {
    const { code, stdout, stderr } = await setUp().run('backup diff old now');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'From old to now: 1 added, 1 removed, 2 changed, 1 unchanged',
        '',
        'Added:',
        '  + configmaps blog/fresh[2J',
        '',
        'Removed:',
        '  - configmaps shop/gone',
        '',
        'Changed:',
        '  deployments.apps shop/web',
        '    - spec.replicas: 2',
        '    + spec.replicas: 3',
        '  secrets shop/key',
        '    - data.key: (not shown)',
        '    + data.key: (not shown)',
        '',
      ].join('\n'),
    );
  });

  it('has the same content as JSON', async () => {
    const { stdout } = await setUp().run('backup diff old now -o json');
    expect(JSON.parse(stdout)).toEqual({
      before: 'old',
      after: 'now',
      unchanged: 1,
      added: [{ resource: 'configmaps', namespace: 'blog', name: 'fresh\u001b[2J' }],
      removed: [{ resource: 'configmaps', namespace: 'shop', name: 'gone' }],
      changed: [
        {
          resource: 'deployments.apps',
          namespace: 'shop',
          name: 'web',
          changes: [{ path: 'spec.replicas', before: 2, after: 3 }],
        },
        {
          resource: 'secrets',
          namespace: 'shop',
          name: 'key',
          changes: [{ path: 'data.key', before: '(not shown)', after: '(not shown)' }],
        },
      ],
    });
    expect(JSON.parse((await setUp().run('backup diff old old -o json')).stdout)).toMatchObject({
      unchanged: 4,
      changed: [],
    });
  });

  it.each([
    ['--namespaces blog', '1 added, 0 removed, 0 changed'],
    ['--resources configmaps', '1 added, 1 removed, 0 changed'],
    ['--resources secrets,deployments.apps --namespaces shop', '0 added, 0 removed, 2 changed'],
    ['--all-fields', '1 added, 1 removed, 3 changed'],
  ])('can be limited and extended: %s', async (flags, counts) => {
    expect((await setUp().run(`backup diff old now ${flags}`)).stdout).toContain(`From old to now: ${counts}`);
  });

  it('with --exit-code returns whether there is a difference', async () => {
    const { run } = setUp();
    expect(await run('backup diff old now --exit-code')).toMatchObject({
      code: 3,
      stderr: 'backups "old" and "now" differ\n',
    });
    expect(await run('backup diff old old --exit-code')).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['old none', 'backups.velero.io "none" not found'],
    ['old runs', 'backup "runs" is InProgress and has no objects to compare'],
    ['bad old', 'backup "bad" is FailedValidation and has no objects to compare'],
    ['old lost', 'the objects of backup "lost" are not in its storage location: file not found'],
    ['old now -o yaml', '--output "yaml" is not a format. Use one of text, json.'],
    ['old now --namespaces a,', '--namespaces has an empty name in it. Write names separated by commas.'],
  ])('rejects %s', async (words, message) => {
    const { code, stdout, stderr } = await setUp().run(`backup diff ${words}`);
    expect([code, stdout, stderr]).toEqual([1, '', `An error occurred: ${message}\n`]);
  });
});
