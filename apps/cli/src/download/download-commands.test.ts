import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  type Backup,
  type BackupPhase,
  backupPhases,
  type DownloadRequest,
  type DownloadRequestStatus,
  downloadRequestType,
  eventType,
  type KubeObject,
  type Restore,
  type RestorePhase,
} from '@lateen/api-types';
import { aBackupStorageLocation, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../run-program.ts';
import { answerDownloads, linkSecret, type ServedFiles, servedFiles } from './served-files.ts';

const log = 'level=info msg="done"\n';
const files: Record<string, Buffer> = {
  'BackupLog nightly': gzipSync(log),
  'RestoreLog back': gzipSync('of a restore\n'),
  'BackupContents nightly': gzipSync('a tar'),
};
let server: ServedFiles;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-download-'));
  server = await servedFiles(files);
});
afterEach(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

const namespace = 'velero';
const backup = (phase: BackupPhase = 'Completed', name = 'nightly'): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace },
  spec: { storageLocation: 'default' },
  status: { phase },
});
const restore = (phase: RestorePhase = 'Completed'): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name: 'back', namespace },
  spec: { backupName: 'nightly' },
  status: { phase },
});

interface Given {
  objects?: KubeObject[];
  /** The server's answer to a request; without it the request stays unanswered. */
  answer?: ((request: DownloadRequest) => DownloadRequestStatus) | undefined;
  isTTY?: boolean;
  env?: Record<string, string>;
}

function setUp({ objects = [], env = {}, ...given }: Given = {}) {
  const answer = 'answer' in given ? given.answer : server.linked;
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aBackupStorageLocation(), backup(), restore(), ...objects] });
  const asked = answerDownloads(cluster, answer);
  const written: string[] = [];
  const remarks: string[] = [];
  const stop = new AbortController();
  const context = {
    clock,
    random: seededRandom(),
    stdout: { write: (text: string) => written.push(text) },
    stderr: { isTTY: given.isTTY, columns: 200, write: (text: string) => remarks.push(text) },
    signal: stop.signal,
    connect: () => Promise.resolve(cluster),
  };
  const run = async (...words: string[]) => ({
    exitCode: await runProgram(context, env, words),
    out: written.join(''),
    err: remarks.join(''),
  });
  const left = () => cluster.all(downloadRequestType).length;
  return { run, cluster, clock, stop, asked, left };
}

describe('lateen backup logs', () => {
  it('prints the log, uncompressed, and deletes its request', async () => {
    const world = setUp();
    expect(await world.run('backup', 'logs', 'nightly')).toEqual({ exitCode: 0, out: log, err: '' });
    expect(world.asked.map(({ metadata }) => metadata.name)).toEqual([
      expect.stringMatching(/^nightly-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    ]);
    expect(world.asked[0]?.spec.target).toEqual({ kind: 'BackupLog', name: 'nightly' });
    expect(world.left()).toBe(0);
  });

  it('waits for the link with a watch, without polling', async () => {
    const world = setUp({ answer: undefined });
    const ended = world.run('backup', 'logs', 'nightly');
    await world.clock.advance(30_000);
    const reads = world.cluster.calls.filter(
      ({ verb, type }) => ['get', 'list'].includes(verb) && type.kind === 'DownloadRequest',
    );
    expect(reads.length).toBeLessThan(5);
    const { metadata } = world.cluster.all(downloadRequestType)[0] ?? {};
    world.cluster.change<DownloadRequest>(downloadRequestType, { namespace, name: metadata?.name ?? '' }, (it) => {
      it.status = server.linked(it);
    });
    expect(await ended).toMatchObject({ exitCode: 0, out: log });
  });

  it.each(backupPhases)('of a backup that is %s', async (phase) => {
    const { exitCode, out, err } = await setUp({ objects: [backup(phase)] }).run('backup', 'logs', 'nightly');
    const stored = ['Completed', 'PartiallyFailed', 'Failed'].includes(phase) || phase.startsWith('WaitingForPluginOp');
    expect({ exitCode, out, err }).toEqual(
      stored
        ? { exitCode: 0, out: log, err: '' }
        : {
            exitCode: 1,
            out: '',
            err: 'An error occurred: logs for backup "nightly" are not available until it\'s finished processing, please wait until the backup has a phase of Completed or Failed and try again\n',
          },
    );
  });

  it.each<[string, string[], Given, string]>([
    ['there is no such backup', ['other'], {}, 'backup "other" does not exist'],
    ['the object is not in the store', ['gone'], { objects: [backup('Failed', 'gone')] }, 'file not found'],
    [
      'the server answers without a link and without a word',
      ['nightly'],
      { answer: () => ({ phase: 'Processed' }) },
      'the server gives no link for DownloadRequest velero/nightly-',
    ],
    ['the time-out is none', ['nightly', '--timeout', 'soon'], {}, '--timeout "soon" is not a duration'],
    [
      'the client\u2019s configuration names no CA file',
      ['nightly'],
      { env: { LATEEN_CACERT: '/none' } },
      '--cacert "/none": there is no such file',
    ],
    ['there is no CA file', ['nightly', '--cacert', '/no/ca.pem'], {}, '--cacert "/no/ca.pem": there is no such file'],
    [
      'the location\u2019s CA is in a Secret that is missing',
      ['nightly'],
      {
        objects: [
          aBackupStorageLocation({ spec: { objectStorage: { bucket: 'b', caCertRef: { name: 'ca', key: 'k' } } } }),
        ],
      },
      'the CA certificate of BackupStorageLocation velero/default cannot be read: Secret velero/ca with the CA certificate does not exist',
    ],
  ])('fails with the reason when %s, and leaves no request', async (_, words, given, message) => {
    const world = setUp(given);
    const { exitCode, out, err } = await world.run('backup', 'logs', ...words);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(err).toContain(`An error occurred: ${message}`);
    expect(err).not.toContain(linkSecret);
    expect(world.left()).toBe(0);
  });

  it("reports the server's Event when there is no link", async () => {
    const world = setUp({ answer: () => ({ phase: 'Processed' }) });
    world.cluster.onChange(({ type, object }) => {
      if (type !== 'ADDED' || object.kind !== 'DownloadRequest') return;
      const { name, uid } = object.metadata;
      world.cluster.put({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace, name: 'e' },
        type: 'Warning',
        reason: 'NoDownloadURL',
        involvedObject: { kind: 'DownloadRequest', namespace, name, uid },
        message: 'there is no link: the Secret\nis missing',
      } as KubeObject);
    });
    const { err } = await world.run('backup', 'logs', 'nightly');
    expect(err).toBe('An error occurred: there is no link: the Secret is missing\n');
  });

  it('works without Events when they may not be read', async () => {
    const world = setUp({ answer: () => ({ phase: 'Processed' }) });
    world.cluster.failOnce('list', eventType, 'KUBE_FORBIDDEN');
    expect((await world.run('backup', 'logs', 'nightly')).err).toContain('and does not say why');
  });

  it("gives up after a minute without an answer, with Velero's message", async () => {
    const world = setUp({ answer: undefined });
    const ended = world.run('backup', 'logs', 'nightly');
    await world.clock.advance(59_000);
    expect(world.left()).toBe(1);
    await world.clock.advance(1_000);
    expect(await ended).toEqual({
      exitCode: 1,
      out: '',
      err: 'An error occurred: download request download url timeout, check velero server logs for errors. backup storage location may not be available\n',
    });
    expect(world.left()).toBe(0);
  });

  it('deletes its request when it is interrupted, and prints nothing', async () => {
    const world = setUp({ answer: undefined });
    const ended = world.run('backup', 'logs', 'nightly');
    await world.cluster.settle();
    expect(world.left()).toBe(1);
    world.stop.abort(new Error('Ctrl-C'));
    expect(await ended).toEqual({ exitCode: 1, out: '', err: '' });
    expect(world.left()).toBe(0);
  });

  it('reports that its request was deleted', async () => {
    const world = setUp({ answer: undefined });
    const ended = world.run('backup', 'logs', 'nightly');
    await world.cluster.settle();
    const [request] = world.cluster.all(downloadRequestType);
    world.cluster.remove(downloadRequestType, { namespace, name: request?.metadata.name ?? '' });
    expect((await ended).err).toContain('was deleted by somebody');
  });

  it('reads no Secret when it needs no certificate', async () => {
    const objectStorage = { bucket: 'b', caCertRef: { name: 'gone', key: 'k' } };
    const world = setUp({ objects: [aBackupStorageLocation({ spec: { objectStorage } })] });
    expect((await world.run('backup', 'logs', 'nightly', '--insecure-skip-tls-verify')).out).toBe(log);
  });

  it('has a valid request name, however long the backup\u2019s is', async () => {
    const name = 'b'.repeat(253);
    const world = setUp({ objects: [backup('Completed', name)] });
    await world.run('backup', 'logs', name);
    expect(world.asked[0]?.metadata.name).toHaveLength(253);
    expect(world.asked[0]?.spec.target.name).toBe(name);
  });
});

describe('lateen restore logs', () => {
  it('prints the log of a restore', async () => {
    expect((await setUp().run('restore', 'logs', 'back')).out).toBe('of a restore\n');
  });

  it.each<[string, KubeObject[], string]>([
    ['other', [], 'Restore "other" does not exist.'],
    [
      'back',
      [restore('Finalizing')],
      'Logs for restore "back" are not available until it\'s finished processing. Please wait until the restore has a phase of Completed or Failed and try again.',
    ],
  ])('of %s fails with its own message', async (name, objects, message) => {
    const { err } = await setUp({ objects }).run('restore', 'logs', name);
    expect(err).toBe(`An error occurred: ${message}\n`);
  });
});

describe('lateen backup download', () => {
  it('saves the contents as they are stored', async () => {
    const path = join(directory, 'f.tar.gz');
    const world = setUp({ isTTY: true });
    const { exitCode, out, err } = await world.run('backup', 'download', 'nightly', '-o', path);
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: `Backup nightly has been successfully downloaded to ${path}\n`,
    });
    expect(await readFile(path)).toEqual(files['BackupContents nightly']);
    expect(err).toContain('nightly  downloading  ');
    expect(err).toContain('100 %');
    expect(world.left()).toBe(0);
  });

  it('requests nothing when the file exists, unless it is to be replaced', async () => {
    const path = join(directory, 'f');
    await writeFile(path, 'old');
    const world = setUp();
    const { exitCode, err } = await world.run('backup', 'download', 'nightly', '-o', path);
    expect([exitCode, err]).toEqual([1, `An error occurred: file "${path}" exists. Give --force to replace it.\n`]);
    expect(world.asked).toEqual([]);
    expect((await world.run('backup', 'download', 'nightly', '-o', path, '--force')).exitCode).toBe(0);
    expect(await readFile(path)).toEqual(files['BackupContents nightly']);
  });

  it('of a backup that does not exist leaves no file', async () => {
    const path = join(directory, 'f');
    const { err } = await setUp().run('backup', 'download', 'other', '-o', path);
    expect(err).toBe('An error occurred: backup "other" does not exist\n');
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
