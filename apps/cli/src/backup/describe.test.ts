import { gzipSync } from 'node:zlib';
import type { Backup, KubeObject } from '@lateen/api-types';
import { aBackupStorageLocation, aDataUpload, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerDownloads, linkSecret, type ServedFiles, servedFiles } from '../download/served-files.ts';
import { runForTests } from '../run-for-tests.ts';

const packed = (value: unknown) => gzipSync(`${JSON.stringify(value)}\n`);
const outcomes = [
  { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', outcome: 'Failed', reason: 'webhook refused' },
  { apiVersion: 'v1', kind: 'Pod', namespace: 'blog', name: 'web', outcome: 'Warning', reason: 'no node' },
  { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key', outcome: 'BackedUp' },
];
const files: Record<string, Buffer> = {
  'BackupResults nightly': packed({ errors: { namespaces: { shop: [' name: /web error: /webhook refused'] } } }),
  'BackupVolumeInfos nightly': packed(null),
  'BackupResourceList nightly': packed({ 'v1/Pod': ['shop/web'] }),
  'BackupItemOutcomes nightly': gzipSync(outcomes.map((each) => `${JSON.stringify(each)}\n`).join('')),
  'BackupVolumeInfos torn': Buffer.from([0x1f, 0x8b, 0, 0]),
};

let server: ServedFiles;
beforeEach(async () => {
  server = await servedFiles(files);
});
afterEach(() => server.close());

const namespace = 'velero';
const backup = (name: string, status: Backup['status'] = { phase: 'PartiallyFailed', errors: 1 }): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace, uid: `uid-${name}`, labels: name === 'new' ? { fresh: 'yes' } : {} },
  spec: { storageLocation: 'default' },
  status,
});

function setUp(objects: KubeObject[] = [], { answers = true } = {}) {
  const clock = new FakeClock();
  const all = [aBackupStorageLocation(), backup('nightly'), backup('torn', { phase: 'Completed' }), ...objects];
  const cluster = fakeCluster({ clock, objects: all });
  const asked = answerDownloads(cluster, answers ? server.linked : undefined);
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = async (words: string) => {
    const ran = await runForTests(world, words.split(' '));
    expect(JSON.stringify(ran)).not.toContain(linkSecret);
    return ran;
  };
  return { cluster, clock, asked, run };
}

describe('lateen backup describe', () => {
  it('reports the cause of failures from the files of the backup, and requests only those that it needs', async () => {
    const { run, asked } = setUp();
    const { code, stdout, stderr } = await run('backup describe nightly');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('\nCauses:\n  shop/web: webhook refused\n');
    expect(stdout).not.toContain('Item Outcomes');
    expect(asked.map(({ spec }) => spec.target.kind).sort()).toEqual(['BackupResults', 'BackupVolumeInfos']);
    expect((await run('describe backup nightly')).stdout).toBe(stdout);
  });

  it('with --details shows the resources, and outcomes other than BackedUp', async () => {
    const { stdout } = await setUp().run('backup describe nightly --details');
    expect(stdout).toContain('Resource List:\n  v1/Pod:\n    - shop/web\n');
    expect(stdout).toContain('  1 Failed, 1 Warning, 1 BackedUp\n');
    expect(stdout.match(/^ {2}(Failed|Warning|BackedUp) .*$/gm)).toEqual([
      '  Failed   Pod   shop/web  webhook refused',
      '  Warning  Pod   blog/web  no node',
    ]);
  });

  it.each([
    ['--outcome BackedUp', ['shop/key']],
    ['--outcome failed,warning', ['shop/web', 'blog/web']],
    ['--outcome-kind pod', ['shop/web', 'blog/web']],
    ['--outcome-namespace shop', ['shop/web', 'shop/key']],
    ['--outcome-namespace shop --outcome-kind Secret --outcome BackedUp', ['shop/key']],
    ['--outcome Skipped', []],
  ])('filters outcomes: %s', async (flags, names) => {
    const { stdout } = await setUp().run(`backup describe nightly ${flags}`);
    const section = stdout.slice(stdout.indexOf('Item Outcomes:'), stdout.indexOf('Backup Volumes:'));
    expect([...section.matchAll(/(shop|blog)\/\w+/g)].map(([text]) => text)).toEqual(names);
  });

  it('requests no file of a backup that has not stored any yet, and shows the progress of its volumes', async () => {
    const upload = aDataUpload({ name: 'u', labels: { 'velero.io/backup-name': 'new' }, phase: 'Prepared' });
    const { run, asked } = setUp([backup('new', { phase: 'InProgress' }), upload], { answers: false });
    const { stdout } = await run('backup describe new --details');
    expect(asked).toEqual([]);
    expect(stdout).toContain('Backup Volumes:\n  app/data: Prepared\n');
  });

  it("omits outcomes when the server does not have them, like Velero's", async () => {
    const { run, cluster } = setUp();
    cluster.failOnce('create', ({ body }) => JSON.stringify(body).includes('BackupItemOutcomes'), 'KUBE_INVALID');
    const { code, stdout, stderr } = await run('backup describe nightly --details');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('Item Outcomes');
    expect(stdout).toContain('Resource List:');
  });

  it('reports what could not be read at its place, and shows the rest', async () => {
    const torn = await setUp().run('backup describe torn');
    expect(torn.code).toBe(0);
    expect(torn.stdout).toContain(
      'Backup Volumes:  <error getting backup volume info: the file is damaged or incomplete',
    );
    const silent = setUp([], { answers: false });
    const ran = silent.run('backup describe nightly');
    await silent.clock.advance(31_000);
    expect((await ran).stdout).toContain(
      'Errors:  <error getting errors: download request download url timeout, check velero server logs for errors. backup storage location may not be available>',
    );
  });

  it('has the same content as JSON, for one backup', async () => {
    const { run } = setUp();
    expect(JSON.parse((await run('backup describe nightly -o json')).stdout)).toMatchObject({
      phase: 'PartiallyFailed',
      causes: [{ about: 'shop/web', why: 'webhook refused' }],
      errors: { namespaces: { shop: [' name: /web error: /webhook refused'] } },
      backupStatus: { backupVolumes: { csiSnapshots: [] } },
    });
    expect((await run('backup describe -o json')).stderr).toMatch(/--output json describes one backup only/);
  });

  it('describes several, and reports when there is none', async () => {
    const { run } = setUp([backup('new', { phase: 'New' })]);
    expect((await run('backup describe')).stdout.match(/^Name:.*$/gm)).toEqual([
      'Name:         new',
      'Name:         nightly',
      'Name:         torn',
    ]);
    expect((await run('backup describe -l fresh=yes')).stdout.match(/^Name:.*$/gm)).toEqual(['Name:         new']);
    expect(await run('backup describe -l fresh=no')).toMatchObject({ code: 0, stderr: 'No backups found\n' });
  });
});
