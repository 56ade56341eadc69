import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deviceMarks, hasMark } from './device-marks.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-marks-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function marked(machine: string, manager: string, mark: string): Promise<void> {
  const folder = join(dir, 'machines', machine, 'var-lib', 'lateen-storage', manager);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'device-mark'), mark);
}

it('are read for all instance managers of a cluster, of one machine, and of a folder that does not exist', async () => {
  await marked('node-1', 'im-1', 'first\n');
  await marked('node-1', 'im-2', 'second\n');
  await marked('node-2', 'im-1', 'third\n');
  await marked('node-2', 'im-3', '');
  expect((await deviceMarks(dir)).toSorted()).toEqual(['first', 'second', 'third']);
  expect(await deviceMarks(join(dir, 'machines', 'node-2'))).toEqual(['third']);
  expect(await deviceMarks(join(dir, 'nowhere'))).toEqual([]);
});

it.each([
  ['/pvc-1.mark', true],
  ['/run/fronts/pvc-1/pvc-1.mark (deleted)', true],
  ['/pvc-1.other', false],
  ['/pvc-1.mark/volume', false],
  ['/mark', false],
])('%s has the mark: %s', (backingFile, has) => {
  expect(hasMark(backingFile, ['another', 'mark'])).toBe(has);
});
