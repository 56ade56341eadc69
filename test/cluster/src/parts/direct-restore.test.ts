import { mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '@lateen/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRig, testPassword } from '../repository/repository-rig.ts';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

/*
 * Compares restores without the engine with those of the engine: the same snapshots into the same volumes give the same trees. The times of
 * folders and links, which kopia does not restore exactly, are left out of the comparison.
 */

const setUpMs = 900_000;

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, setUpMs);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

type Chance = ReturnType<typeof seededRandom>;

const below = (chance: Chance, max: number) => Math.floor(chance.next() * max);
const oneOf = <T>(chance: Chance, items: readonly T[]): T => items[below(chance, items.length)] as T;

const names = [
  'a',
  'b c',
  'ünï',
  '-n',
  'new\nline',
  ' lead',
  'trail ',
  'x'.repeat(255),
  'quo"te',
  "it's",
  '*',
  '~',
  'z.zip',
];
const sizes = [0, 1, 100, 4095, 4096, 4097, 100_000, 1_300_000, 9_000_000];

/** Changes some files of a tree, and adds others. */
async function grow(tree: string, chance: Chance): Promise<void> {
  const folders = [tree];
  for (let at = 0; at < 6; at++) {
    const folder = join(oneOf(chance, folders), `${oneOf(chance, names).slice(0, 200)}${below(chance, 4)}`);
    if (
      await mkdir(folder).then(
        () => true,
        () => false,
      )
    )
      folders.push(folder);
  }
  for (let at = 0; at < 30; at++) {
    const path = join(oneOf(chance, folders), `${oneOf(chance, names).slice(0, 250)}${below(chance, 30)}`);
    const kind = chance.next();
    if (folders.includes(path)) continue;
    await rm(path, { recursive: true, force: true });
    if (kind < 0.1) await symlink(oneOf(chance, ['nowhere', '../up', '/etc/hostname', 'x'.repeat(200)]), path);
    else if (kind < 0.2) await sparse(path, chance);
    else await file(path, chance);
  }
}

async function file(path: string, chance: Chance): Promise<void> {
  const size = oneOf(chance, sizes.slice(0, chance.next() < 0.1 ? sizes.length : 7));
  const content = Buffer.alloc(size);
  // Some files have the same content as others.
  const isAlike = chance.next() < 0.3;
  for (let at = 0; at + 4 <= size; at += 4) content.writeUInt32LE(isAlike ? at : below(chance, 2 ** 32), at);
  await writeFile(path, content, { mode: oneOf(chance, [0o600, 0o644, 0o4755, 0o1777, 0]) });
  const time = 1_000_000_000 + below(chance, 7e8) + chance.next();
  await utimes(path, time, time);
  await execa('chown', ['-h', `${below(chance, 3) * 1000}:${below(chance, 3) * 999}`, path]);
}

async function sparse(path: string, chance: Chance): Promise<void> {
  await writeFile(path, 'begin');
  await truncate(path, 1_000_000 + below(chance, 5_000_000));
}

/** Everything of a tree except the times of folders and links. */
async function describeTree(tree: string): Promise<string> {
  const script = `find . -type d -printf '%P %y %m %U:%G\\n' | sort
    find . -type f -printf '%P %y %m %U:%G %s %T@\\n' | sort
    find . -type l -printf '%P %y %U:%G %l\\n' | sort
    find . -type f -print0 | sort -z | xargs -0r sha256sum`;
  return (await execa('/bin/sh', ['-euc', script], { cwd: tree })).stdout;
}

const directory = (name: string) => mkdtemp(join(server.directory, `${name}-`));
const copyOf = async (tree: string): Promise<string> => {
  const copy = await directory('volume');
  await execa('cp', ['-a', `${tree}/.`, copy]);
  return copy;
};

describe('a restore without the engine', () => {
  it.each([1])(
    'gives the same tree as kopia, into empty volumes and over others, with every policy (seed %i)',
    async (seed) => {
      const chance = seededRandom(seed);
      const prefix = `differential-${seed}`;
      const engine = await repositoryRig(server, { prefix });
      const direct = await repositoryRig(server, { prefix }, testPassword, 'direct');
      await engine.initialise();
      const tree = await directory('tree');
      const generations: { snapshotID: string; tree: string }[] = [];
      for (let generation = 0; generation < 2; generation++) {
        await grow(tree, chance);
        const { snapshotID } = await engine.upload(tree);
        generations.push({ snapshotID, tree: await copyOf(tree) });
      }
      const [first, last] = generations as [(typeof generations)[0], (typeof generations)[0]];
      const plain = { AttributeManifest: 'false' };
      const policies: Record<string, string>[] = [
        plain,
        { ...plain, WriteSparseFiles: 'true' },
        { ...plain, DeleteExtraFiles: 'true' },
        { ...plain, DeleteExtraFiles: 'true', SkipUnchangedFiles: 'true' },
      ];
      for (const policy of policies) {
        for (const { snapshotID } of [first, last]) {
          for (const before of [await directory('empty'), first.tree, last.tree]) {
            if (policy.DeleteExtraFiles === undefined && before !== first.tree && snapshotID === first.snapshotID)
              continue;
            const [ofEngine, ofDirect] = [await copyOf(before), await copyOf(before)];
            const ended = await engine.download(snapshotID, ofEngine, policy).then(
              () => 'well',
              () => 'badly',
            );
            // kopia does not replace a folder or link by a file, unless it deletes extra entries first.
            if (ended === 'well') {
              const { report } = (await direct.download(snapshotID, ofDirect, policy)) as {
                report?: { reader: string };
              };
              expect(report?.reader).toBe('packs');
              expect(await describeTree(ofDirect)).toBe(await describeTree(ofEngine));
            }
            await rm(ofEngine, { recursive: true });
            await rm(ofDirect, { recursive: true });
          }
        }
      }
      // It equals the tree itself, including what kopia does not keep: times of folders and links.
      const target = await directory('target');
      await direct.download(last.snapshotID, target);
      const whole = ['-printf', '%P %y %m %U:%G %T@ %l\\n'];
      const told = async (path: string) =>
        (await execa('find', ['.', ...whole], { cwd: path })).stdout.split('\n').sort();
      expect(await told(target)).toEqual(await told(tree));
    },
  );
});
