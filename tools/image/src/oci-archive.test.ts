import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeOciArchive } from './oci-archive.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-oci-'));
});
afterEach(() => rm(dir, { recursive: true }));

const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function readArchive(path: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const entry of createReadStream(path).pipe(extract())) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    files.set(entry.header.name, Buffer.concat(chunks));
  }
  return files;
}

async function writeLayers(): Promise<{ paths: string[]; contents: Buffer[] }> {
  const contents = [Buffer.alloc(3_000_000, 7), Buffer.from('second layer')];
  const paths = contents.map((_, index) => join(dir, `layer-${index}.tar`));
  for (const [index, path] of paths.entries()) await writeFile(path, contents[index] ?? '');
  return { paths, contents };
}

const tag = 'localhost/lateen:dev';

describe('writeOciArchive', () => {
  it('writes a layout whose index, manifest, configuration and layers refer to each other by digest', async () => {
    const { paths, contents } = await writeLayers();
    const output = join(dir, 'out', 'image.tar');
    const { digest } = await writeOciArchive({ tag, layers: paths, config: { User: '0', Env: ['A=b'] }, output });

    const files = await readArchive(output);
    const json = (name: string) => JSON.parse((files.get(name) ?? Buffer.of()).toString());
    expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    const [entry] = json('index.json').manifests;
    expect(entry.digest).toBe(digest);
    expect(entry.annotations).toEqual({
      'io.containerd.image.name': tag,
      'org.opencontainers.image.ref.name': tag,
    });
    const manifest = json(`blobs/${digest.replace(':', '/')}`);
    expect(manifest.layers).toEqual(
      contents.map((content) => ({
        mediaType: 'application/vnd.oci.image.layer.v1.tar',
        digest: sha256(content),
        size: content.length,
      })),
    );
    const config = json(`blobs/${manifest.config.digest.replace(':', '/')}`);
    expect(config.rootfs.diff_ids).toEqual(contents.map(sha256));
    expect(config.config).toEqual({ User: '0', Env: ['A=b'] });
    for (const [name, bytes] of files)
      if (name.startsWith('blobs/')) expect(`blobs/${sha256(bytes).replace(':', '/')}`).toBe(name);
  });

  it('gives the same bytes for the same input', async () => {
    const { paths } = await writeLayers();
    const outputs = [join(dir, 'a.tar'), join(dir, 'b.tar')];
    for (const output of outputs) await writeOciArchive({ tag, layers: paths, config: {}, output });
    const [first, second] = await Promise.all(outputs.map((output) => readFile(output)));
    expect(first?.equals(second ?? Buffer.of())).toBe(true);
  });

  it('names a layer that cannot be read and leaves no archive', async () => {
    const output = join(dir, 'image.tar');
    const attempt = writeOciArchive({ tag, layers: [join(dir, 'gone.tar')], config: {}, output });
    await expect(attempt).rejects.toMatchObject({
      code: 'IMAGE_LAYER_UNREADABLE',
      message: expect.stringContaining('gone.tar'),
    });
    expect(await readdir(dir)).toEqual([]);
  });

  it('leaves nothing when a described layer is shorter than its description', async () => {
    const path = join(dir, 'short.tar');
    await writeFile(path, 'short');
    const layer = { path, digest: sha256(Buffer.from('short')), sizeBytes: 4000 };
    const attempt = writeOciArchive({ tag, layers: [layer], config: {}, output: join(dir, 'image.tar') });
    await expect(attempt).rejects.toMatchObject({ code: 'IMAGE_WRITE_FAILED' });
    expect(await readdir(dir)).toEqual(['short.tar']);
  });

  it('leaves nothing when it is aborted', async () => {
    const { paths } = await writeLayers();
    const output = join(dir, 'image.tar');
    const attempt = writeOciArchive({ tag, layers: paths, config: {}, output, signal: AbortSignal.abort('stop') });
    await expect(attempt).rejects.toBe('stop');
    expect(await readdir(dir)).toEqual(['layer-0.tar', 'layer-1.tar']);
  });

  it.each(['lateen', 'lateen:dev', 'localhost/Lateen:dev', 'localhost/lateen', 'localhost/lateen:'])(
    'rejects %s as a tag before it reads anything',
    async (bad) => {
      const attempt = writeOciArchive({ tag: bad, layers: [], config: {}, output: join(dir, 'image.tar') });
      await expect(attempt).rejects.toMatchObject({ code: 'IMAGE_TAG_INVALID' });
    },
  );
});
