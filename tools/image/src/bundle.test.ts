import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImageApp, imageApps } from './apps.ts';
import { bundle } from './bundle.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const mover = imageApps.find(({ name }) => name === 'data-mover') as ImageApp;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-bundle-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function entry(text: string): Promise<string> {
  const path = join(dir, 'main.ts');
  await writeFile(path, text);
  return path;
}

describe('bundle', () => {
  it("creates one file that the image's Node runs", async () => {
    const made = await bundle(mover, root, {
      entry: await entry('const n: number = await Promise.resolve(1); console.log(n);'),
    });
    const text = Buffer.from(made.contents).toString();
    expect(text.split('\n')[0]).toBe(`#!/usr/local/bin/node ${mover.nodeFlag}`);
    expect(text).toContain('console.log(');
  });

  it('includes a native addon, which works without other files', async () => {
    const codec = join(root, 'libs/block-store/src/codec/native-codec.ts');
    const script = `import { nativeCodec as codec } from ${JSON.stringify(codec)};
const packed = await codec.compress('lz4', Buffer.alloc(4096, 'a'));
console.log(packed.length < 200, (await codec.decompress('lz4', packed, 4096)).length);`;
    const manager = imageApps.find(({ name }) => name === 'instance-manager') as ImageApp;
    const { contents } = await bundle(manager, root, { entry: await entry(script) });
    const file = join(dir, 'alone.mjs');
    await writeFile(file, contents);
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { ...process.env, TMPDIR: dir } });
    expect(stdout.trim()).toBe('true 4096');
    expect((await readdir(dir)).filter((name) => name.startsWith('lateen-addon-'))).toEqual([]);
  });

  it('is ASCII, because one other character would double the memory of the whole source', async () => {
    const told = await bundle(mover, root, { entry: await entry("console.log('µs', /\\u03bcs/.test('μs'));") });
    expect(Buffer.from(told.contents).toString()).toContain('\\xB5s');
    await expect(bundle(mover, root, { entry: await entry("console.log(/μs/.test('s'));") })).rejects.toMatchObject({
      code: 'BUNDLE_TOO_HEAVY',
      message: expect.stringContaining('not ASCII behind'),
    });
  });

  it('includes the objects of deploy/ and the commit only in the command line', async () => {
    const path = await entry('declare const LATEEN_MANIFESTS: string; console.log(typeof LATEEN_MANIFESTS);');
    const cli = imageApps.find(({ name }) => name === 'cli') as ImageApp;
    const textOf = async (app: ImageApp) => Buffer.from((await bundle(app, root, { entry: path })).contents).toString();
    expect(await textOf(cli)).toContain('console.log("string")');
    expect(await textOf(mover)).toContain('console.log(typeof LATEEN_MANIFESTS)');
    await writeFile(path, 'declare const LATEEN_MANIFESTS: string; console.log(LATEEN_MANIFESTS);');
    expect(await textOf(cli)).toContain('backupstoragelocations.velero.io');
    await writeFile(path, 'declare const LATEEN_COMMIT: string; console.log(LATEEN_COMMIT);');
    const commit = `${'c'.repeat(40)}-dirty`;
    const { contents } = await bundle(cli, root, { entry: path, commit });
    expect(Buffer.from(contents).toString()).toContain(`console.log("${commit}")`);
    expect(await textOf(cli)).toContain('console.log("")');
  });

  it.each(['undici', 'fastify', 'winston-transport'])(
    'rejects a mover that contains %s, wherever it is imported',
    async (name) => {
      await writeFile(join(dir, 'deep.ts'), `export * from ${JSON.stringify(join(root, 'node_modules', name))};`);
      const path = await entry("import * as deep from './deep.ts'; console.log(deep);");
      await expect(bundle(mover, root, { entry: path })).rejects.toMatchObject({
        code: 'BUNDLE_TOO_HEAVY',
        message: expect.stringMatching(
          `data-mover of apps/data-mover must not contain ${name}, but .*node_modules/${name}/`,
        ),
      });
    },
  );

  it('rejects a bundle over its size limit, with both sizes', async () => {
    const path = await entry(`console.log(${JSON.stringify('x'.repeat(2_000))});`);
    await expect(bundle({ ...mover, bytesMax: 1_000 }, root, { entry: path })).rejects.toMatchObject({
      code: 'BUNDLE_TOO_HEAVY',
      message: expect.stringMatching(/has \d+ bytes, its limit is 1000/),
    });
  });

  it('names a missing main file', async () => {
    await expect(bundle(mover, dir)).rejects.toMatchObject({
      code: 'BUNDLE_APP_MISSING',
      message: expect.stringContaining(join(dir, 'apps/data-mover/src/main.ts')),
    });
  });

  it("reports esbuild's message with file and line", async () => {
    await expect(bundle(mover, root, { entry: await entry("import './gone.ts';") })).rejects.toMatchObject({
      code: 'BUNDLE_FAILED',
      message: expect.stringMatching(/Could not resolve "\.\/gone\.ts"[\s\S]*main\.ts:1:7/),
    });
  });
});

describe('the bundle of a worker', () => {
  const worker = { name: 'restore-worker', bytesMax: 100_000 };

  it('is a separate program, checked against the limits of its app and its own', async () => {
    const made = await bundle(mover, root, { worker, entry: await entry('console.log(1 as number);') });
    expect([made.app.name, made.name]).toEqual(['data-mover', 'restore-worker']);
    await writeFile(join(dir, 'deep.ts'), `export * from ${JSON.stringify(join(root, 'node_modules', 'undici'))};`);
    const heavy = await entry("import * as deep from './deep.ts'; console.log(deep);");
    await expect(bundle(mover, root, { worker, entry: heavy })).rejects.toMatchObject({ code: 'BUNDLE_TOO_HEAVY' });
    const long = await entry(`console.log(${JSON.stringify('x'.repeat(2_000))});`);
    await expect(bundle(mover, root, { worker: { ...worker, bytesMax: 1_000 }, entry: long })).rejects.toMatchObject({
      message: expect.stringMatching(/restore-worker of apps\/data-mover has \d+ bytes/),
    });
  });

  it('is built from a file beside the main file of its app', async () => {
    await expect(bundle(mover, dir, { worker })).rejects.toMatchObject({
      code: 'BUNDLE_APP_MISSING',
      message: expect.stringContaining(join(dir, 'apps/data-mover/src/restore-worker.ts')),
    });
  });

  it('runs as the worker of a bundle beside it, and does nothing when started alone', async () => {
    const pool = join(root, 'libs/worker-pool/src/index.ts');
    const source = (text: string) => entry(text.replace('POOL', JSON.stringify(pool)));
    const bundled = async (name: string, text: string) => {
      const { contents } = await bundle(mover, root, { entry: await source(text) });
      const file = join(dir, `${name}.mjs`);
      await writeFile(file, contents);
      return file;
    };
    const alone = await bundled(
      'double',
      'import { serveTasks } from POOL; serveTasks(() => ({ run: (n: number) => n * 2 }));',
    );
    const main = await bundled(
      'main',
      `import { programBeside, workerPool } from POOL;
       const log: any = { warn: console.error };
       const clock: any = { deadline: (ms: number) => AbortSignal.timeout(ms) };
       const pool = workerPool({ program: programBeside('double', import.meta.url), size: 1, clock, log });
       console.log(await pool.run(21, new AbortController().signal));
       await pool.close();`,
    );
    const run = promisify(execFile);
    expect((await run(process.execPath, [alone])).stdout).toBe('');
    expect((await run(process.execPath, [main])).stdout).toBe('42\n');
  });
});
