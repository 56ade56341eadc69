import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packCreatePlugin, packPluginSdk } from '@lateen/plugin-package';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Follows docs/plugin-guide.md in an empty folder, with both packages as a registry would provide them: what a reader copies from there
 * works.
 */
const root = join(import.meta.dirname, '..', '..', '..', '..');
let folder = '';
let sdk = '';
let creator = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-guide-'));
  [sdk, creator] = await Promise.all([
    packPluginSdk(root, join(folder, 'packages', 'plugin')),
    packCreatePlugin(root, join(folder, 'packages', 'create')),
  ]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Block {
  language: string;
  /** `file=src/plugin.ts`. */
  about: Readonly<Record<string, string>>;
  text: string;
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map(([, language = '', info = '', text = '']) => ({
    language,
    about: Object.fromEntries([...info.matchAll(/(\w+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value])),
    text,
  }));
}

/** The Node of this test first, because the machine's own may be too old. */
const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, npm_config_prefer_offline: 'true' };

/** Replaces a line of the guide by one that works before the packages are published. */
const offline = (line: string): string =>
  line.replace(/^npm create lateen-plugin@latest (\S+) -- (.*)$/, (_, name, options) => {
    return `npm exec --yes --package=${creator} -- create-lateen-plugin ${name} ${options} --sdk file:${sdk}`;
  });

describe('docs/plugin-guide.md', () => {
  it('leads from an empty folder to a working program', async () => {
    const blocks = blocksOf(await readFile(join(root, 'docs', 'plugin-guide.md'), 'utf8'));
    let directory = folder;
    const ran: string[] = [];
    for (const { language, about, text } of blocks.filter((block) => block.about.needs === undefined)) {
      if (language === 'ts') {
        const file = join(directory, about.file ?? 'no file is named');
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, text);
        continue;
      }
      expect(language).toBe('sh');
      for (const line of text.trim().split('\n')) {
        const moved = /^cd (\S+)$/.exec(line)?.[1];
        if (moved !== undefined) directory = join(directory, moved);
        else await execa({ shell: true, cwd: directory, env })(offline(line));
        ran.push(line);
      }
    }
    expect(ran).toContain('npm run build');
    expect(ran.filter((line) => line === 'npm test')).toHaveLength(3);
    // Checks of other projects may be as strict as ours, and include packages.
    await writeFile(
      join(directory, 'strict.json'),
      JSON.stringify({
        extends: './tsconfig.json',
        compilerOptions: { skipLibCheck: false, exactOptionalPropertyTypes: true, types: ['node'] },
        files: ['strict.ts'],
        include: [],
      }),
    );
    await writeFile(
      join(directory, 'strict.ts'),
      "export * from '@lateen/plugin';\nexport * from '@lateen/plugin/testing';\n",
    );
    await execa({ shell: true, cwd: directory, env })('npx tsc -p strict.json');
    const help = await execa({ cwd: directory, env, reject: false })`dist/webapp-plugin.mjs`;
    expect(help.exitCode).toBe(1);
    expect(help.stderr).toContain('RestoreItemActionV2  example.io/wait-for-database');
  });

  it('needs more than Node only in the steps for the image and the server', async () => {
    const blocks = blocksOf(await readFile(join(root, 'docs', 'plugin-guide.md'), 'utf8'));
    const needing = blocks.filter(({ about }) => about.needs !== undefined);
    const programs = needing.flatMap(({ text }) => text.trim().split('\n')).map((line) => line.split(' ')[0]);
    expect([...new Set(programs)].sort()).toEqual(['docker', 'kubectl', 'lateen']);
  });
});
