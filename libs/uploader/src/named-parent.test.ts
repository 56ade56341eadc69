import type { EngineExit, KopiaSession } from '@lateen/repository';
import { recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { whyNoParent, withNamedParent } from './named-parent.ts';

const source = { path: 'snapshot-data-upload-download/kopia/shop/data', tags: {} };
const snapshot = (id: string, day: number, more: object = {}) => ({
  id,
  source: { host: 'default', userName: 'default', path: source.path },
  startTime: `2030-01-0${day}T00:00:00Z`,
  ...more,
});

/** A repository with these snapshots. */
function rig(snapshots: readonly object[]) {
  const runs: string[][] = [];
  const warnings: string[] = [];
  const exit: EngineExit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false };
  const run: KopiaSession['run'] = async (args, { onStdout } = {}) => {
    runs.push([...args]);
    await onStdout?.(Buffer.from(`[\n${snapshots.map((each) => ` ${JSON.stringify(each)}`).join(',\n')}\n]\n`));
    return exit;
  };
  const ask = async (config: Record<string, string>) => {
    const request = {
      volumePath: '/uid',
      volumeMode: 'Filesystem' as const,
      source,
      config,
      onProgress: () => {},
      onWarning: (text: string) => void warnings.push(text),
      signal: new AbortController().signal,
    };
    const { config: used } = await withNamedParent({ session: { run } as KopiaSession, log: recordingLog() }, request);
    return used;
  };
  return { runs, warnings, ask };
}

describe('an upload with a named parent', () => {
  it('is a normal upload without one, and makes no request', async () => {
    const { ask, runs } = rig([]);
    expect(await ask({ ParallelFilesUpload: '2' })).toEqual({ ParallelFilesUpload: '2' });
    expect(runs).toEqual([]);
  });

  it('lets kopia use the newest snapshot when that is the named one', async () => {
    const { ask, runs, warnings } = rig([snapshot('a', 1), snapshot('b', 2)]);
    expect(await ask({ ParentSnapshot: 'b' })).toEqual({ ParentSnapshot: 'b' });
    expect(runs).toEqual([['snapshot', 'list', `default@default:${source.path}`, '--json']]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['is an older one', 'a', [], /kopia builds on the newest snapshot .* which is b and not a/],
    ['is not there', 'x', [], /parent snapshot x is not a complete snapshot of this volume/],
    ['is incomplete', 'c', [snapshot('c', 3, { incomplete: 'checkpoint' })], /parent snapshot c is not a complete/],
    [
      'is of another volume',
      'o',
      [snapshot('o', 4, { source: { path: 'other' } })],
      /parent snapshot o is not a complete/,
    ],
  ])('reads all files and reports why when the parent %s', async (_, parent, more, warning) => {
    const { ask, warnings } = rig([snapshot('a', 1), snapshot('b', 2), ...more]);
    expect(await ask({ ParentSnapshot: parent })).toEqual({ ParentSnapshot: parent, ReadUnchangedFiles: 'true' });
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });

  it('uses the later of two with the same start time as the newest, as kopia lists them', () => {
    const at = [1, 1].map((startedAtMs, index) => ({ id: String(index), startedAtMs }));
    expect(whyNoParent('1', at)).toBeUndefined();
    expect(whyNoParent('0', at)).toContain('newest');
  });
});
