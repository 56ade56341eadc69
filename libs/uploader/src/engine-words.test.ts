import { recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { engineWordsLimits } from './engine-words.ts';
import { kopiaWords } from './kopia-words.ts';
import { resticWords } from './restic/restic-words.ts';

type Words = typeof kopiaWords | typeof resticWords;

function heard(words: Words, lines: readonly string[]) {
  const log = recordingLog();
  const listener = words({ session: { redact: (text: string) => text.replaceAll('hunter2', '***') } as never, log });
  for (const line of lines) listener.take(line);
  const told: string[] = [];
  listener.tell({ onWarning: (text) => void told.push(text) });
  const at = (level: string) => log.lines.filter((line) => line.level === level).map(({ fields }) => fields?.engine);
  return { told, warned: at('warn'), debugged: at('debug'), log };
}

describe('the output of an engine', () => {
  it.each([
    [kopiaWords, 'Snapshotting default@default:snapshot-data-upload-download/kopia/ns/pvc ...'],
    [kopiaWords, 'Restoring to local filesystem (/uid) with parallelism=2...'],
    [kopiaWords, 'Restored 5 files, 3 directories and 1 symbolic links (23 B).'],
    [kopiaWords, 'Processed 9 (23 B) of 8 (27 B).'],
    [resticWords, 'created new cache in /scratch/cache'],
  ])('%#: routine lines are logged at debug', (words, line) => {
    expect(heard(words, [line])).toMatchObject({ told: [], warned: [], debugged: [line] });
  });

  it('is a warning in the log and of the movement when it skips something', () => {
    const lines = [
      '! Ignored error when processing "a/hunter2": permission denied',
      'Ignored 1 error(s) while snapshotting x.',
    ];
    const { told, warned } = heard(kopiaWords, lines);
    expect(warned).toEqual([
      '! Ignored error when processing "a/***": permission denied',
      'Ignored 1 error(s) while snapshotting x.',
    ]);
    expect(told).toEqual([
      'the engine has ended well, but warned of 2: ' +
        'Ignored error when processing "a/***": permission denied; Ignored 1 error(s) while snapshotting x.',
    ]);
  });

  it('is converted to text, where the engine prints JSON', () => {
    const error = { message_type: 'error', error: { Op: 'lstat', Path: 'f', Err: 2 }, during: 'scan', item: '/uid/f' };
    expect(heard(resticWords, [JSON.stringify(error)]).told).toEqual([
      'the engine has ended well, but warned of 1: cannot read /uid/f: no such file or directory',
    ]);
  });

  it('is only logged when it retries', () => {
    const retried = 'Save(<data/1>) returned error, retrying after 1s: connection refused';
    expect(heard(resticWords, [retried])).toMatchObject({ told: [], warned: [retried] });
  });

  it('is limited, and further lines are counted', () => {
    const lines = Array.from(
      { length: 1_000 },
      (_, at) => `ignored error chown f${at}: no on f${at} ${'x'.repeat(500)}`,
    );
    const { told, warned, debugged, log } = heard(kopiaWords, lines);
    expect(warned).toHaveLength(engineWordsLimits.loggedMax + 1);
    expect(debugged).toHaveLength(1_000 - engineWordsLimits.loggedMax);
    expect(log.lines.at(-1)).toMatchObject({ level: 'warn', fields: { count: 1_000 } });
    expect(told[0]).toMatch(/warned of 1000: ignored error chown f0.*; …$/);
    expect(told[0]?.length).toBeLessThan(1_024);
  });
});
