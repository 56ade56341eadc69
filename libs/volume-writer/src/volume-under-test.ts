import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { silentLogger, systemClock } from '@lateen/kernel';
import { type VolumeWriter, volumeWriter } from './volume-writer.ts';

/** A test volume: a folder with its own writer. */
export interface VolumeUnderTest {
  path: string;
  /** The path of an entry as the system needs it. */
  at(path: string): string;
  writer: VolumeWriter;
  /** Another writer for the same volume, as another thread has. */
  another(): Promise<VolumeWriter>;
  remove(): Promise<void>;
}

export const attributesOfTests = { mode: 0o640, uid: 12, gid: 34, mtimeNs: 1_700_000_000_123_456_789n } as const;

export async function volumeUnderTest({ sparse = false, perl = 'perl' } = {}): Promise<VolumeUnderTest> {
  const path = mkdtempSync(join(tmpdir(), 'lateen-volume-'));
  const runner = childRunner({ program: perl, clock: systemClock, graceMs: 1_000 });
  const writers: VolumeWriter[] = [];
  const another = async () => {
    const writer = await volumeWriter({ volumePath: path, sparse, perl: runner, log: silentLogger });
    writers.push(writer);
    return writer;
  };
  return {
    path,
    at: (entry) => join(path, entry),
    writer: await another(),
    another,
    remove: async () => {
      await Promise.all(writers.map((writer) => writer.close()));
      rmSync(path, { recursive: true });
    },
  };
}

/** The attributes of an entry in the file system. */
export function attributesAt(path: string): { mode: number; uid: number; gid: number; mtimeNs: bigint } {
  const { mode, uid, gid, mtimeNs } = lstatSync(path, { bigint: true });
  return { mode: Number(mode & 0o7777n), uid: Number(uid), gid: Number(gid), mtimeNs };
}
