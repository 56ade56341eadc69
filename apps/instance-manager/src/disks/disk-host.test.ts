import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemRandom } from '@lateen/kernel';
import { FakeClock, letWorkRun } from '@lateen/testing';
import { type Host, nodeFiles } from '@lateen/volume';
import { expect, it } from 'vitest';
import { DiskHost } from './disk-host.ts';
import { hostPaths } from './host-paths.ts';

const o = { signal: new AbortController().signal };

it('checks a hanging disk once, reports that it does not answer, and continues with the others', async () => {
  const fine = await mkdtemp(join(tmpdir(), 'disk-'));
  try {
    const clock = new FakeClock('2030-01-01T00:00:00Z');
    const asked: string[] = [];
    const space = (path: string) => {
      asked.push(path);
      return path === '/hung' ? new Promise<never>(() => {}) : nodeFiles.space(path);
    };
    const run = async () => ({ stdout: 'abc\n', stderr: '', exitCode: 0 });
    const host: Host = { clock, log: silentLogger, files: { ...nodeFiles, space }, run };
    const disks = new DiskHost({ host, paths: hostPaths('/'), random: systemRandom });
    for (let turn = 1; turn <= 6; turn++) {
      const looking = disks.inspect('/hung', o);
      // The steps before it are calls to the real operating system, which a busy machine answers late.
      await expect.poll(() => asked, { timeout: 20_000 }).toEqual(['/hung']);
      await letWorkRun();
      await clock.advance(10_000);
      expect(await looking).toMatchObject({ path: '/hung', error: { code: 'DISK_IO' } });
    }
    const facts = await disks.inspect(fine, o);
    expect(facts).toMatchObject({ path: fine, filesystemId: 'abc' });
    expect(facts.error).toBeUndefined();
    expect(asked).toEqual(['/hung', fine]);
    expect((await disks.all(o)).map(({ path }) => path)).toEqual(['/hung', fine]);
  } finally {
    await rm(fine, { recursive: true });
  }
});
