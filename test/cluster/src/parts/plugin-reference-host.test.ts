import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * A program in TypeScript under Velero: started, listed, called and ended by hashicorp/go-plugin with the messages of Velero's own module,
 * which also reads its log and its errors.
 */
const plugins = join(import.meta.dirname, '..', '..', '..', 'plugins');
let folder = '';
let output = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-reference-host-'));
  const host = join(folder, 'host');
  await execa('go', ['build', '-trimpath', '-mod=readonly', '-o', host, '.'], { cwd: join(plugins, 'reference-host') });
  const program = join(folder, 'fixture.mjs');
  await build({
    entryPoints: [join(plugins, 'src', 'main.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
  await chmod(program, 0o755);
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  output = (await execa(host, [process.execPath, program], { env })).stdout;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a program in TypeScript, started by Velero', () => {
  it.each([
    'BackupItemAction fixture.lateen.dev/backup-v1',
    'BackupItemActionV2 fixture.lateen.dev/backup',
    'RestoreItemAction fixture.lateen.dev/restore-v1',
    'RestoreItemActionV2 fixture.lateen.dev/restore',
    'ItemBlockAction fixture.lateen.dev/block',
    'DeleteItemAction fixture.lateen.dev/delete',
    'VolumeSnapshotter fixture.lateen.dev/volumes',
    'ObjectStore fixture.lateen.dev/store',
  ])('lists %s, with the path with which it is started again', (offer) => {
    expect(output).toContain(`LISTED ${offer} ${join(folder, 'fixture.mjs')}`);
  });

  it.each([
    ['says which items it sees', 'APPLIES [configmaps widgets.fixture.lateen.dev] fixture=yes'],
    ['changes an item and starts an operation', '"a":"b"},"name":"c","namespace":"shop"}} 1//shop/c'],
    ['says how far the operation is', 'PROGRESS true 2030-01-01 polls'],
    ['answers an error with its message', 'FAILS Unknown no room'],
    ['answers an error with the place where it was made', 'STACK failAsAsked'],
    ['answers a panic as one', 'PANICS Aborted plugin panicked: nil map'],
    ['ends when it is asked to', 'ENDED true'],
  ])('%s', (_what, line) => expect(output).toContain(line));

  // Velero's logger writes the fields of a line in any order.
  it.each([
    [
      'its log lines with level and action',
      /^\[WARN\] .*from typescript: .*@module=fixture\.lateen\.dev\/backup( |$)/m,
    ],
    ['what it prints', /^\[INFO\] .*printed: (?=.*stream=stdout).*@module=fixture\.lateen\.dev\/typescript( |$)/m],
  ])('logs %s', (_what, line) => expect(output).toMatch(line));

  it('logs at the level of the line, and is not killed', () => {
    expect(output).toMatch(/\[WARN\] .*from typescript/);
    expect(output).not.toContain('failed to exit gracefully');
  });
});
