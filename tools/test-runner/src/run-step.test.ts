import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runStep } from './run-step.ts';
import type { Step } from './steps.ts';

/** As for the tiers, files share a process. One process, so that a test that kills it affects most files. */
const config = `export default { test: {
  projects: [{ test: { name: 'tier', include: ['*.test.js'], globals: true, isolate: false } }],
  maxWorkers: 1,
} };`;
const step: Step = { tier: 'unit', title: 'planted', kind: 'vitest', projects: ['tier'] };
const programs = join(import.meta.dirname, '../../../node_modules/.bin');

describe('a step of tests', { timeout: 60_000 }, () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lateen-planted-'));
    await writeFile(join(root, 'vitest.config.mjs'), config);
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function outcomeOf(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) await writeFile(join(root, `${name}.test.js`), text);
    const env = { PATH: `${programs}${delimiter}${process.env.PATH}` };
    return runStep(step, { root, env, signal: new AbortController().signal, output: 'ignore' });
  }
  const tallyOf = async (files: Readonly<Record<string, string>>) => (await outcomeOf(files)).tally;

  it('counts what passed, failed and was skipped, and each file that could not be loaded as a failure', async () => {
    const tally = await tallyOf({
      good: `it('a', () => {}); it('b', () => {}); it.skip('c', () => {});`,
      bad: `it('a', () => {}); it('b', () => { throw new Error('planted'); });`,
      missing: `import './not-there.js'; it('a', () => {}); it('b', () => {});`,
      torn: `it('a', () => {}); it('b', (`,
      empty: `export {};`,
    });
    expect(tally).toEqual({ passed: 3, failed: 4, skipped: 1 });
  });

  it('reports what failed and why, however the run ended', async () => {
    const { failures } = await outcomeOf({ bad: `it('b', () => { throw new Error('planted'); });` });
    expect(failures).toEqual([{ title: 'bad.test.js > b', message: expect.stringContaining('Error: planted') }]);
    const late = await outcomeOf({ bad: `it('a', () => { setTimeout(() => { throw new Error('late'); }); });` });
    expect(late.failures).toEqual([
      { title: 'planted', message: expect.stringContaining('see what this step printed') },
    ]);
  });

  it('runs each file in one of its shards', async () => {
    const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, `it('runs', () => {});`]));
    await tallyOf(files);
    const env = { PATH: `${programs}${delimiter}${process.env.PATH}` };
    const context = { root, env, signal: new AbortController().signal, output: 'ignore' as const };
    const [first, second] = await Promise.all(
      ['1/2', '2/2'].map((shard) => runStep({ ...step, kind: 'vitest', projects: ['tier'], shard }, context)),
    );
    expect([first?.tally.passed, second?.tally.passed]).toEqual([2, 2]);
  });

  it('passes the whole output to a function at the end, when there is one', async () => {
    await writeFile(join(root, 'said.test.js'), `it('planted title', () => { throw new Error('planted failure'); });`);
    const env = { PATH: `${programs}${delimiter}${process.env.PATH}` };
    const said: string[] = [];
    const output = (words: string) => said.push(words);
    await runStep(step, { root, env, signal: new AbortController().signal, output });
    expect(said).toEqual([expect.stringMatching(/planted title[\s\S]*planted failure/)]);
  });

  it('fails when a test kills its process, or leaves an error behind', async () => {
    expect(
      await tallyOf({ a: `it('a', () => process.kill(process.pid, 'SIGKILL'));`, b: `it('b', () => {});` }),
    ).toMatchObject({
      failed: 1,
    });
    expect(await tallyOf({ a: `it('a', () => { setTimeout(() => { throw new Error('late'); }); });` })).toMatchObject({
      failed: 1,
    });
  });
});
