import { mkdtemp, open, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@lateen/kernel';
import {
  type ChangedRange,
  type ServerSession,
  type SpliceOptions,
  type SpliceRequest,
  spliceSnapshot,
} from '@lateen/repository-session';
import { execa } from 'execa';
import { sessionRig } from './session-rig.ts';

const KiB = 1024;
export const chunkBytes = 128 * KiB;
export const volumeSource = {
  path: 'snapshot-data-upload-download/kopia/shop/data',
  tags: { 'snapshot-requester': 'snapshot-data-upload-download', 'snapshot-uploader': 'kopia' },
};
const { signal } = new AbortController();

/** A block volume, as a file. Snapshots are taken in full by the program and spliced by us. */
export async function spliceRig(sizeBytes: number, path?: string) {
  const rig = await sessionRig(path);
  const volume = join(rig.directory, 'volume');
  const file = await open(volume, 'w+');
  await truncate(volume, sizeBytes);
  await rig.kopia(['policy', 'set', `default@default:${volumeSource.path}`, '--splitter=FIXED-128K']);
  const read: SpliceRequest['read'] = async (into, offset) => {
    const { bytesRead } = await file.read(into, 0, into.length, offset);
    if (bytesRead !== into.length) throw new Error(`${bytesRead} of ${into.length} bytes at ${offset}`);
  };
  const splice = (baseID: string, changed: ChangedRange[], more: Partial<SpliceRequest & SpliceOptions> = {}) =>
    spliceSnapshot(
      {
        open: (stop) => rig.open(undefined, stop),
        clock: systemClock,
        random: systemRandom,
        checkpointBytes: chunkBytes,
        ...more,
      },
      { source: volumeSource, baseID, changed, sizeBytes, chunkBytes, fileName: '/uid', read, signal, ...more },
    );
  return {
    ...rig,
    volume,
    read,
    splice,
    /** Fills a range of the volume and returns it. */
    write: async (offset: number, length: number, fill: string | Buffer): Promise<ChangedRange> => {
      await file.write(Buffer.alloc(length, fill), 0, length, offset);
      return { offset, length };
    },
    content: () => readFile(volume),
    /** A full upload by the program, as for block volumes; returns the ID of the snapshot. */
    takeWhole: async (path = volumeSource.path): Promise<string> => {
      const source = [`--stdin-file=/uid`, `--override-source=default@default:${path}`];
      const args = ['snapshot', 'create', '/uid', ...source, '--json', '--no-progress'];
      const printed = await rig.kopia(args, undefined, (await open(volume)).createReadStream());
      return (JSON.parse(printed) as { id: string }).id;
    },
    /** What the plain program restores. */
    restored: async (id: string): Promise<Buffer> => {
      const target = await mkdtemp(join(rig.directory, 'restored-'));
      await rig.kopia(['restore', id, target, '--no-progress']);
      return readFile(join(target, 'uid'));
    },
    /** IDs of all snapshots of the volume. */
    snapshots: async (): Promise<string[]> => {
      const printed = await rig.kopia(['manifest', 'list', '--filter=type:snapshot', '--json']);
      return (JSON.parse(printed) as { id: string }[]).map(({ id }) => id);
    },
    /** Size of the repository. */
    storedBytes: async (): Promise<number> => {
      const { stdout } = await execa('du', ['-sb', rig.blobs]);
      return Number(stdout.split('\t')[0]);
    },
    close: async () => {
      await file.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

export type SpliceRig = Awaited<ReturnType<typeof spliceRig>>;

/** The same session, with `before` called ahead of each request. */
export function watched(session: ServerSession, before: (request: string) => Promise<void>): ServerSession {
  const ahead =
    <A extends unknown[], R>(name: string, act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await before(name);
      return act(...args);
    };
  return {
    ...session,
    writeContent: ahead('writeContent', session.writeContent),
    getContent: ahead('getContent', session.getContent),
    findManifests: ahead('findManifests', session.findManifests),
    getManifest: ahead('getManifest', session.getManifest),
    putManifest: ahead('putManifest', session.putManifest),
    deleteManifest: ahead('deleteManifest', session.deleteManifest),
    flush: ahead('flush', session.flush),
  };
}
