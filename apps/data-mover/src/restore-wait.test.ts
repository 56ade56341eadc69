import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, recordingLog } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { waitForVolumes } from './restore-wait.ts';

const made: string[] = [];
afterEach(async () => {
  for (const directory of made.splice(0)) await rm(directory, { recursive: true, force: true });
});

async function world(...volumes: string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'restore-wait-'));
  made.push(directory);
  for (const volume of volumes) await mkdir(join(directory, volume));
  const clock = new FakeClock();
  const log = recordingLog();
  const stop = new AbortController();
  const wordsDirectory = await mkdtemp(join(tmpdir(), 'restore-words-'));
  made.push(wordsDirectory);
  const waiting = waitForVolumes({ clock, log }, { directory, restoreUid: 'r-1', wordsDirectory }, stop.signal);
  const mark = async (volume: string, uid = 'r-1') => {
    await mkdir(join(directory, volume, '.velero'), { recursive: true });
    await writeFile(join(directory, volume, '.velero', uid), '');
  };
  /** Disk reads complete on other threads. */
  const asleep = async () => {
    while (clock.nextDueInMs === undefined) await new Promise(setImmediate);
  };
  const look = async (times = 1) => {
    for (let i = 0; i < times; i++) {
      await asleep();
      await clock.advance(1_000);
    }
  };
  return { directory, clock, log, stop, waiting, mark, look, asleep, wordsDirectory };
}

describe('restore-wait', () => {
  it('waits until every volume has the mark of its restore, and removes the marks', async () => {
    const { directory, waiting, mark, look } = await world('data', 'logs');
    await writeFile(join(directory, 'data', 'file'), 'x');
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await mark('data');
    await look(3);
    expect(isOver).toBe(false);
    await mark('logs');
    await look();
    await waiting;
    expect(await readdir(join(directory, 'data'))).toEqual(['file']);
    expect(await readdir(join(directory, 'logs'))).toEqual([]);
  });

  it("ends immediately when the pod's annotation says so, and removes existing marks", async () => {
    const { directory, waiting, mark, look, asleep, log, wordsDirectory } = await world('data', 'logs');
    const wordFile = join(wordsDirectory, 'start-without-data');
    await mark('data');
    await writeFile(wordFile, '');
    await look(2);
    await asleep();
    await writeFile(wordFile, 'true\n');
    await look();
    await waiting;
    expect(log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields.volumes)).toEqual([['logs']]);
    expect(await readdir(join(directory, 'data'))).toEqual([]);
  });

  it('ends when the annotation of its restore says that everything is restored, and not for that of another', async () => {
    const { waiting, look, asleep, log, wordsDirectory } = await world('data');
    const say = (text: string) => writeFile(join(wordsDirectory, 'volumes-restored'), text);
    await asleep();
    await say('r-0');
    await look(3);
    await asleep();
    expect(log.messages('info')).toEqual(['volumes are not restored yet']);
    await say('r-1');
    await look();
    await waiting;
    expect(log.messages('info')).toContain('the restore reports volumes as restored in which its mark is not visible');
  });

  it('does not accept the mark of another restore', async () => {
    const { waiting, mark, look, stop } = await world('data');
    await mark('data', 'r-0');
    await look(5);
    stop.abort(new Error('the pod is deleted'));
    await expect(waiting).rejects.toThrow('the pod is deleted');
  });

  it('ends immediately for a pod without volumes', async () => {
    const { waiting, clock } = await world();
    await waiting;
    expect(clock.nextDueInMs).toBeUndefined();
  });

  it('logs what it waits for once a minute', async () => {
    const { waiting, mark, look, log } = await world('data');
    await look(130);
    await mark('data');
    await look();
    await waiting;
    expect(log.messages().filter((message) => message === 'volumes are not restored yet')).toHaveLength(3);
  });

  it.skipIf(process.getuid?.() === 0)('ends when it may not remove a mark', async () => {
    const { directory, waiting, mark, look, log } = await world('data');
    await mark('data');
    await chmod(join(directory, 'data', '.velero'), 0o555);
    await look();
    await waiting;
    expect(log.messages('warn')).toEqual(['the mark of the restore stays in the volume']);
    await chmod(join(directory, 'data', '.velero'), 0o755);
  });

  it('fails when the folder of volumes does not exist', async () => {
    const ports = { clock: new FakeClock(), log: recordingLog() };
    const where = { directory: join(tmpdir(), 'no-such-place'), restoreUid: 'r-1' };
    await expect(waitForVolumes(ports, where, new AbortController().signal)).rejects.toThrow('ENOENT');
  });
});
