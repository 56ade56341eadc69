import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@lateen/kernel';
import { recordingLog } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Programs, systemPrograms } from '../attributes/programs.ts';
import { parseEntryError } from './kopia-errors.ts';
import { LiveFiles, liveLimits } from './live-files.ts';
import { liveUpload } from './live-upload.ts';

const { signal } = new AbortController();
let volumePath: string;
beforeEach(async () => {
  volumePath = await mkdtemp(join(tmpdir(), 'lateen-live-'));
});
afterEach(() => rm(volumePath, { recursive: true }));

const programs = systemPrograms({
  clock: systemClock,
  graceMs: 1_000,
  path: process.env.PATH,
  scratchDirectory: tmpdir(),
});
const result = { snapshotID: 's', totalBytes: 1, incrementalBytes: 1 };

/** Uploads the volume while `work` changes it. */
async function uploadDuring(
  work: (live: LiveFiles | undefined) => Promise<void>,
  { isLive = true, looking = programs }: { isLive?: boolean; looking?: Programs } = {},
) {
  const log = recordingLog();
  const warnings: string[] = [];
  const options = {
    session: { redact: (text: string) => text.replaceAll('hunter2', '***') },
    programs: looking,
    clock: systemClock,
    log,
  };
  const request = {
    volumePath,
    volumeMode: 'Filesystem' as const,
    source: { path: 'p', tags: {}, isLive },
    config: {},
    onProgress: () => {},
    onWarning: (text: string) => void warnings.push(text),
    signal,
  };
  const uploaded = await liveUpload(options, request, async (live) => {
    await work(live);
    return result;
  });
  return { uploaded, warnings, log };
}

describe('an upload of a volume in use', () => {
  it('names files that changed or vanished meanwhile, and no others', async () => {
    await mkdir(join(volumePath, 'd'));
    for (const name of ['still', 'd/grown', 'd/replaced', 'touched-before'])
      await writeFile(join(volumePath, name), 'x');
    await systemClock.sleep(20, signal);
    const { uploaded, warnings } = await uploadDuring(async (live) => {
      await systemClock.sleep(20, signal);
      await writeFile(join(volumePath, 'd/grown'), 'xx');
      // A program may reset the modification time after a write; the change is detected all the same.
      await writeFile(join(volumePath, 'd/replaced'), 'y');
      await utimes(join(volumePath, 'd/replaced'), 1, 1);
      await promisify(execFile)('mkfifo', [join(volumePath, 'pipe')]);
      live?.vanished('log/hunter2.1');
    });
    const warning = uploaded.warning ?? '';
    expect(warning).toMatch(/^1 file vanished while the volume was read \(log\/\*\*\*\.1\); 2 files changed /);
    expect(
      warning
        .match(/\(([^()]*)\)$/)?.[1]
        ?.split(', ')
        .toSorted(),
    ).toEqual(['d/grown', 'd/replaced']);
    expect(warnings).toEqual([warning]);
  });

  it('reports nothing for an unchanged volume', async () => {
    await writeFile(join(volumePath, 'still'), 'x');
    await systemClock.sleep(20, signal);
    const { uploaded, warnings, log } = await uploadDuring(async () => {});
    expect([uploaded, warnings, log.lines]).toEqual([result, [], []]);
  });

  it('does not look for changes in a snapshot, and does not tolerate a missing file there', async () => {
    const { uploaded } = await uploadDuring(
      async (live) => {
        expect(live).toBeUndefined();
        await writeFile(join(volumePath, 'new'), 'x');
      },
      { isLive: false },
    );
    expect(uploaded).toEqual(result);
  });

  it('keeps its snapshot when the changes cannot be determined', async () => {
    const looking: Programs = { run: () => Promise.reject(new Error('there is no find')) };
    const { uploaded, log } = await uploadDuring(async () => {}, { looking });
    expect(uploaded).toEqual(result);
    expect(log.messages('warn')).toEqual([expect.stringContaining('cannot find out which files changed')]);
  });
});

describe('LiveFiles', () => {
  it('counts all, names a few by the end of their paths, and limits the log', () => {
    const log = recordingLog();
    const live = new LiveFiles({ log, redact: (text) => text });
    const count = liveLimits.loggedMax + 3;
    for (let at = 0; at < count; at++) live.changed(`${'deep/'.repeat(50)}\n${at}`);
    const warning = live.warning() ?? '';
    expect(warning).toMatch(new RegExp(`^${count} files changed .*…p/deep/.*/\\?0, .*, …\\)$`));
    expect(warning.length).toBeLessThan(500);
    expect(log.messages('warn')).toHaveLength(liveLimits.loggedMax + 1);
  });
});

describe('parseEntryError', () => {
  const text = (error: string) => ` ! Error when processing "a/b \\"c": ${error}`;
  it.each([
    ['unable to open file: unable to open local file: open /uid/b: no such file or directory', true],
    ['cannot create iterator: unable to read directory: open /uid/b: no such file or directory', true],
    ['unable to open file: unable to open local file: open /uid/b: stale NFS file handle', true],
    ['unable to open file: unable to open local file: open /uid/b: permission denied', false],
    ['read /uid/b: input/output error', false],
  ])('of %j: gone is %s', (error, isGone) => {
    expect(parseEntryError(text(error))).toEqual({ path: 'a/b \\"c', error, isGone });
  });

  it.each(['', 'Snapshotting x ...', ' ! Ignored error when processing "x": y', 'Error when'])(
    'reads %j as none',
    (line) => {
      expect(parseEntryError(line)).toBeUndefined();
    },
  );
});
