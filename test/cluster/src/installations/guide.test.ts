import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureBucket } from '@lateen/cluster';
import { deleteNamespace } from '@lateen/demo';
import { systemClock } from '@lateen/kernel';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCache } from '../environment/compile-cache.ts';
import { type LateenUnderTest, lateenUnderTest } from '../environment/provided-lateen.ts';

/** Runs every command of docs/guide.md in its order, in a separate installation. */
const root = join(import.meta.dirname, '..', '..', '..', '..');
const namespace = 'lateen-guide';
const applications = ['shop', 'shop-copy'];
const signal = AbortSignal.any([]);

interface Block {
  /** Headings above the block. */
  title: string;
  commands: string;
}

/** The blocks with commands, except the one in which readers set their own values. */
async function blocksOfGuide(): Promise<Block[]> {
  const blocks: Block[] = [];
  let title = '';
  let open: string[] | undefined;
  for (const line of (await readFile(join(root, 'docs', 'guide.md'), 'utf8')).split('\n')) {
    if (open === undefined && line.startsWith('#')) title = line.replace(/^#+ /, '');
    if (line === '```sh') open = [];
    else if (line === '```' && open !== undefined) {
      blocks.push({ title, commands: open.join('\n') });
      open = undefined;
    } else open?.push(line);
  }
  return blocks.filter(({ commands }) => !commands.startsWith('export IMAGE='));
}

/** Output of each block. */
const shown: string[] = [];
const blocks = await blocksOfGuide();
let lateen: LateenUnderTest;
let folder = '';
let env: Record<string, string> = {};

beforeAll(async () => {
  lateen = await lateenUnderTest();
  folder = await mkdtemp(join(tmpdir(), 'lateen-guide-'));
  const { cluster, kubeconfig, image, storageClass, kubectl } = lateen;
  if (cluster === undefined) throw new Error('the tests have no cluster of their own');
  // The tier's own location would become Unavailable with backups of other installations in it.
  const bucket = 'guide';
  await ensureBucket({ ...cluster.s3, bucket }, systemClock);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(kubectl, join(bin, 'kubectl'));
  const cli = `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'apps/cli/src/main.ts')}" "$@"\n`;
  await writeFile(join(bin, 'lateen'), cli, { mode: 0o755 });
  env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: folder,
    ...compileCache(),
    KUBECONFIG: kubeconfig,
    VELERO_NAMESPACE: namespace,
    IMAGE: image,
    STORAGE_CLASS: storageClass,
    BUCKET: bucket,
    REGION: cluster.s3.region,
    S3_URL: cluster.s3.endpointForPods,
    ACCESS_KEY: cluster.s3.accessKey,
    SECRET_KEY: cluster.s3.secretKey,
    // Variables that the guide sets on the way, because each block runs in its own shell.
    NAMESPACE: namespace,
  };
});

afterAll(async () => {
  await run('lateen uninstall --force');
  for (const name of applications) await deleteNamespace(lateen.kube, name, systemClock, signal);
  await rm(folder, { recursive: true });
  await lateen.kube.close();
});

const run = (commands: string) =>
  execa('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: folder,
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    all: true,
  });

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)("the user's guide", () => {
  it('has commands', () => expect(blocks.length).toBeGreaterThan(12));

  it.each(blocks.map((block, at) => ({ ...block, at })))('$title ($at)', async ({ commands, at }) => {
    const { all, exitCode } = await run(commands);
    shown[at] = all;
    expect(all).not.toMatch(/PartiallyFailed|FailedValidation/);
    expect([exitCode, exitCode === 0 ? '' : all]).toEqual([0, '']);
  });

  it.each([
    ['Restore', 0, 'order 1\ndraft 1'],
    ['Side by side', 0, 'order 1\ndraft 1'],
    ['Into volumes that are there', 0, 'order 1'],
    ['Into volumes that are there', 1, 'broken'],
    ['After a disaster', 3, 'order 1\ndraft 1'],
  ])('shows the content of the volumes, in section "%s", block %i', (title, nth, content) => {
    const at = blocks.flatMap((block, index) => (block.title === title ? [index] : []))[nth] ?? -1;
    expect(`\n${shown[at]}\n`).toContain(`\n${content}\n`);
  });
});
