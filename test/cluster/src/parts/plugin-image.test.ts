import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ensurePackages, streamProgress } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';
import { runAsProgram } from '@lateen/plugin/testing';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * A program with its own Node, packed by the template's pack.sh, runs in a root file system that has only the C library: no Node, no shell,
 * no C++ library, as in the image of Velero. Servers treat every executable file as a plugin, in subfolders too.
 */
const root = join(import.meta.dirname, '..', '..', '..', '..');
const program = 'fixture-plugin.mjs';
let folder = '';
let image = '';
beforeAll(async () => {
  await ensurePackages(
    [{ name: 'patchelf', files: ['/usr/bin/patchelf'] }],
    streamProgress(process.stderr, systemClock),
  );
  folder = await mkdtemp(join(tmpdir(), 'lateen-plugin-image-'));
  const bundle = join(folder, program);
  const js =
    "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";
  await build({
    entryPoints: [join(root, 'test', 'plugins', 'src', 'main.ts')],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js },
    logLevel: 'silent',
  });
  image = join(folder, 'image');
  const pack = join(root, 'tools', 'create-lateen-plugin', 'template', 'pack.sh.tpl');
  await execa('sh', [pack, process.execPath, bundle, join(image, 'plugins')]);
  await bareRoot(image);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Provides the loader and the C library of this machine, and a folder for sockets. */
async function bareRoot(path: string): Promise<void> {
  await mkdir(join(path, 'tmp'), { recursive: true });
  await chmod(join(path, 'tmp'), 0o1777);
  const { stdout } = await execa('ldd', [process.execPath]);
  const files = [...stdout.matchAll(/(\/\S+\/(?:ld-linux[^ ]*|lib(?:c|m|dl|pthread|rt)\.so\.\d))/g)].map(
    ([, file = '']) => file,
  );
  for (const file of files) {
    await mkdir(join(path, dirname(file)), { recursive: true });
    await cp(file, join(path, file), { dereference: true });
  }
  expect(files.map((file) => basename(file))).toContain('libc.so.6');
}

describe('a program with its own Node', () => {
  it('is the only executable file', async () => {
    const modes = await Promise.all(
      [program, `${program}.d/node`, `${program}.d/libstdc++.so.6`, `${program}.d/libgcc_s.so.1`].map(async (file) => {
        const { mode } = await stat(join(image, 'plugins', file));
        return `${(mode & 0o777).toString(8)} ${file}`;
      }),
    );
    expect(modes).toEqual([
      `755 ${program}`,
      `644 ${program}.d/node`,
      `644 ${program}.d/libstdc++.so.6`,
      `644 ${program}.d/libgcc_s.so.1`,
    ]);
    const text = await readFile(join(image, 'plugins', program), 'utf8');
    expect(text.slice(0, text.indexOf('\n'))).toMatch(
      new RegExp(`^#!/lib\\S+/ld-linux\\S+ /plugins/${program}.d/node$`),
    );
  });

  it('serves without Node, a shell or the C++ library', async () => {
    await expect(execa('chroot', [image, '/bin/sh', '-c', 'true'])).rejects.toThrow();
    // The program prints its own path of the socket, which is another one outside of the chroot.
    const inside = join(image, 'tmp');
    const env = { TMPDIR: '/tmp', PLUGIN_UNIX_SOCKET_DIR: '/tmp' };
    await using running = await runAsProgram(['/usr/sbin/chroot', image, `/plugins/${program}`], {
      env,
      args: ['--log-level', 'info'],
      socketAt: (path) => join(inside, basename(path)),
    });
    const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop', annotations: {} } };
    const script = JSON.stringify({ annotate: { in: 'image' }, log: [{ level: 'info', message: 'from the image' }] });
    item.metadata.annotations = { 'fixture.lateen.dev/script': script };
    const result = await running.backupItemAction('fixture.lateen.dev/backup').execute(item);
    expect(result.item.metadata.annotations).toMatchObject({ in: 'image' });
    const messages = () => running.log.map(({ message }) => message);
    await expect.poll(messages, { timeout: 20_000 }).toContain('from the image');
    expect(await running.stop()).toMatchObject({ exitCode: 0 });
  });

  it('does not start without the line that names the loader, which proves that this test is valid', async () => {
    const plain = join(image, 'plugins', 'plain.mjs');
    await writeFile(plain, '#!/usr/bin/env node\n');
    await chmod(plain, 0o755);
    await expect(execa('chroot', [image, '/plugins/plain.mjs'])).rejects.toThrow();
    await rm(plain);
  });
});
