import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImageApp, imageApps } from './apps.ts';
import { warmCompileCache } from './compile-cache.ts';

const [app] = imageApps as [ImageApp];
const program = (text: string) => [{ app, name: app.name, contents: Buffer.from(text), inputs: [] }];

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-warm-'));
});
afterEach(() => rm(dir, { recursive: true }));

describe('warmCompileCache', () => {
  it('creates the compiled code for root and, through a link, for the unprivileged user', async () => {
    const entries = await warmCompileCache({ bundles: program('console.log("usage")'), node: process.execPath, dir });
    const own = `-${process.getuid?.()}`;
    const paths = entries.map(({ path }) => path);
    expect(paths[0]).toBe('usr/local/lib/lateen/compile-cache');
    expect(paths[1]).toMatch(new RegExp(`^usr/local/lib/lateen/compile-cache/${process.version}-x64-[0-9a-f]+${own}$`));
    expect(paths[2]).toMatch(new RegExp(`^${paths[1]}/[0-9a-f]+$`));
    const link = entries.find((entry) => 'linkTo' in entry);
    expect(link).toEqual({
      path: paths[1]?.replace(new RegExp(`${own}$`), '-65532'),
      linkTo: paths[1]?.split('/').at(-1),
    });
  });

  it('compiles with the options of the program: another option of Node needs another cache', async () => {
    const run = (flags: string) =>
      program(`if (process.execArgv.join() !== '${flags}') throw new Error('other flags');`);
    expect(app.nodeFlag).toBeDefined();
    await warmCompileCache({ bundles: run(app.nodeFlag ?? ''), node: process.execPath, dir });
    const { nodeFlag: _, ...without } = app;
    const plain = run('').map((bundle) => ({ ...bundle, app: without }));
    await warmCompileCache({ bundles: plain, node: process.execPath, dir });
  });

  it('fails the build with the output of a bundle that does not start', async () => {
    const bundles = program('throw new Error("no such module");');
    await expect(warmCompileCache({ bundles, node: process.execPath, dir })).rejects.toMatchObject({
      code: 'BUNDLE_BROKEN',
      message: expect.stringMatching(/controller of apps\/controller [\s\S]*no such module/),
    });
  });
});
