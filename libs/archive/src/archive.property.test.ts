import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveWriter } from './archive-writer.ts';
import { itemPaths, parseItemPath } from './item-path.ts';
import { readArchive } from './read/read-archive.ts';
import { rewriteArchive } from './rewrite-archive.ts';

type Entry = readonly [path: string, body: Uint8Array];

const run = promisify(execFile);
const mtimeMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const utf8 = new TextEncoder();

/** Names as long as the API allows for objects and namespaces, and longer; all characters that the API allows in a path segment. */
const part = fc
  .oneof(
    fc.stringMatching(/^[a-z0-9]([-a-z0-9.:]{0,60}[a-z0-9])?$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((text) => text.isWellFormed()),
    fc.integer({ min: 60, max: 253 }).map((length) => 'n'.repeat(length)),
  )
  .filter((text) => !/[/\p{Cc}]|^\.{1,2}$/u.test(text));

const body = fc.oneof(
  fc.json().map((text) => utf8.encode(text)),
  fc.uint8Array({ maxLength: 3_000 }),
  // Sizes around the borders of blocks and members.
  fc
    .tuple(fc.constantFrom(0, 1, 511, 512, 513, 65_536, 1_048_576), fc.integer({ min: -2, max: 2 }), fc.nat(255))
    .map(([bytes, more, fill]) => new Uint8Array(Math.max(0, bytes + more)).fill(fill)),
);

const path = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join('/'));
const entries: fc.Arbitrary<Entry[]> = fc.uniqueArray(fc.tuple(path, body), {
  selector: ([name]) => name,
  maxLength: 30,
});

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function written(list: readonly Entry[]): Promise<Buffer> {
  const writer = archiveWriter({ mtimeMs });
  const reading = Array.fromAsync(writer.pieces);
  for (const [name, content] of list) await writer.add(name, content);
  await writer.end();
  expect(writer.entries).toBe(list.length + 1);
  const bytes = Buffer.concat(await reading);
  expect(writer.compressedBytes).toBe(bytes.length);
  return bytes;
}

const inText = (list: readonly Entry[]): string[] =>
  list.map(([name, content]) => `${name} ${Buffer.from(content).toString('base64')}`);

async function read(archive: Uint8Array, size: number): Promise<string[]> {
  const found: Entry[] = [];
  for await (const entry of readArchive(cut(archive, size))) found.push([entry.path, entry.body]);
  return inText(found);
}

const version: Entry = ['metadata/version', utf8.encode('1.1.0\n')];
const pieceSize = fc.constantFrom(1_000, 65_536, 10_000_000);

describe('any set of objects', () => {
  it('is read back as written, in order', async () => {
    await fc.assert(
      fc.asyncProperty(entries, pieceSize, async (list, size) => {
        expect(await read(await written(list), size)).toEqual(inText([version, ...list]));
      }),
      { numRuns: 60 },
    );
  });

  it('is rewritten with changed entries in place and new ones at the end', async () => {
    await fc.assert(
      fc.asyncProperty(entries, entries, pieceSize, async (list, changes, size) => {
        // Half of the changes replace existing entries.
        const replaced = list.flatMap(([name], index): Entry[] => {
          const change = index % 2 === 0 ? changes[index / 2] : undefined;
          return change === undefined ? [] : [[name, change[1]]];
        });
        const all = new Map([...replaced, ...changes]);
        const rewritten = rewriteArchive(cut(await written(list), size), all, { mtimeMs });
        const names = new Set(list.map(([name]) => name));
        const expected: Entry[] = [
          version,
          ...list.map(([name, content]): Entry => [name, all.get(name) ?? content]),
          ...[...all].filter(([name]) => !names.has(name)),
        ];
        expect(await read(Buffer.concat(await Array.fromAsync(rewritten)), size)).toEqual(inText(expected));
      }),
      { numRuns: 60 },
    );
  });

  describe('in GNU tar', () => {
    let directory: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'lateen-archive-'));
    });
    afterAll(() => rm(directory, { recursive: true }));
    const tar = async (...options: string[]): Promise<Buffer> => {
      const file = join(directory, 'archive.tar.gz');
      const env = { ...process.env, LC_ALL: 'C.UTF-8' };
      const how = { encoding: 'buffer', env, maxBuffer: 1024 ** 3 } as const;
      const { stdout, stderr } = await run('tar', ['--quoting-style=literal', ...options, '-f', file], how);
      expect(stderr.toString()).toBe('');
      return stdout;
    };

    it('has the same names, sizes and bytes', async () => {
      await fc.assert(
        fc.asyncProperty(entries, async (list) => {
          await writeFile(join(directory, 'archive.tar.gz'), await written(list));
          const all = [version, ...list];
          expect((await tar('-tz')).toString()).toBe(all.map(([name]) => `${name}\n`).join(''));
          const sizes = (await tar('-tvz', '--numeric-owner')).toString().trimEnd().split('\n');
          expect(sizes.map((line) => line.split(/ +/).slice(0, 3).join(' '))).toEqual(
            all.map(([, content]) => `-rwxr-xr-x 0/0 ${content.length}`),
          );
          expect(Buffer.compare(await tar('-xzO'), Buffer.concat(all.map(([, content]) => content)))).toBe(0);
        }),
        { numRuns: 15 },
      );
    });
  });
});

describe('any item', () => {
  it('is found by its paths', () => {
    const name = part.filter((text) => text !== 'cluster' && text !== 'namespaces');
    const item = fc.record({
      groupResource: name,
      namespace: fc.option(name, { nil: undefined }),
      name: part,
      version: fc.stringMatching(/^v[1-9](alpha[1-9]|beta[1-9])?$/),
      preferred: fc.boolean(),
    });
    fc.assert(
      fc.property(item, ({ namespace, ...given }) => {
        const place = {
          groupResource: given.groupResource,
          name: given.name,
          ...(namespace === undefined ? {} : { namespace }),
        };
        const parsed = itemPaths({ ...given, ...place }).map(parseItemPath);
        const versioned = { ...place, version: given.version, preferred: given.preferred };
        expect(parsed).toEqual(given.preferred ? [place, versioned] : [versioned]);
      }),
    );
  });
});
