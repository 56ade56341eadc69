import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAptSources } from './apt-sources.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-apt-'));
  await mkdir(join(dir, 'sources.list.d'));
});
afterEach(() => rm(dir, { recursive: true }));

const debian = `Types: deb
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg`;

describe('readAptSources', () => {
  it('keeps the release and its pockets, in both formats, and leaves out other vendors', async () => {
    await writeFile(
      join(dir, 'sources.list'),
      '# comment\ndeb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main\ndeb-src http://mirror.example/debian bookworm main\ndeb http://mirror.example/security bookworm-security main\n',
    );
    await writeFile(join(dir, 'sources.list.d', 'cloud.list'), 'deb https://vendor.example/apt cloud-bookworm main\n');
    await writeFile(
      join(dir, 'sources.list.d', 'all.sources'),
      `${debian}\n\nTypes: deb\nURIs: https://vendor.example\nSuites: nodistro\nComponents: main\n\nEnabled: no\n${debian}\n`,
    );
    expect(await readAptSources('bookworm', dir)).toEqual({
      lines:
        'deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main\ndeb http://mirror.example/security bookworm-security main',
      stanzas: debian,
    });
  });

  it('finds nothing where no source matches', async () => {
    await writeFile(join(dir, 'sources.list.d', 'debian.sources'), debian);
    expect(await readAptSources('trixie', dir)).toEqual({ lines: '', stanzas: '' });
    expect(await readAptSources('bookworm', join(dir, 'gone'))).toEqual({ lines: '', stanzas: '' });
  });
});
